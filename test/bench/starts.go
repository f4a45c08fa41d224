package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// runs is how often each program is started; they take turns.
const runs = 20

// askLimit is what answering a question may take of process time, in ms.
const askLimit = 150

// A program is one that is started over and over.
type program struct {
	args      []string
	dir       string
	env       []string
	alone     bool // without a network
	wall, cpu []float64
}

// starts measures short runs of the command line beside a program that does
// nothing and one that everybody knows.
func starts(ctx context.Context, bin string) ([]row, error) {
	dir, err := os.MkdirTemp("", "hobkin-bench")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary folder
	repo, empty, env, err := prepare(ctx, dir)
	if err != nil {
		return nil, err
	}
	hobkin := filepath.Join(bin, "hobkin")
	cut := canCut()
	tools := &program{args: []string{hobkin, "tools", "list"}, dir: repo, env: env}
	ask := &program{args: []string{hobkin, "ask", "what changed in git?"}, dir: repo, env: env, alone: cut}
	git := &program{args: []string{"git", "--version"}, dir: repo, env: env}
	nothing := &program{args: []string{empty}, dir: repo, env: env}
	for i := range runs + 1 {
		for _, p := range []*program{tools, git, nothing, ask} {
			if err := p.once(ctx, i > 0); err != nil { // the first is for the page cache
				return nil, err
			}
		}
	}
	list := []row{
		{name: "hobkin tools list, wall", number: median(tools.wall), peer: "git --version", beside: median(git.wall), limit: noLimit},
		{name: "hobkin tools list, wall", number: median(tools.wall), peer: "empty Go program", beside: median(nothing.wall), limit: noLimit},
		{name: "hobkin tools list, process time", number: median(tools.cpu), peer: "git --version", beside: median(git.cpu), limit: noLimit},
		{name: "hobkin tools list, process time", number: median(tools.cpu), peer: "empty Go program", beside: median(nothing.cpu), limit: noLimit},
		{name: askName(cut) + ", process time", number: median(ask.cpu), limit: askLimit},
		{name: askName(cut) + ", wall", number: median(ask.wall), limit: noLimit},
	}
	for i := range list {
		list[i].unit = "ms"
	}
	return list, nil
}

func askName(cut bool) string {
	if !cut {
		return `hobkin ask "what changed in git?" (this system cannot take the network away)`
	}
	return `hobkin ask "what changed in git?", no config, no network`
}

// prepare makes a repository with a change in it, the empty program, and an
// environment without settings.
func prepare(ctx context.Context, dir string) (repo, empty string, env []string, err error) {
	repo, empty = filepath.Join(dir, "repo"), filepath.Join(dir, "empty")
	env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8", "HOBKIN_HOME=" + filepath.Join(dir, "home"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Bench", "GIT_AUTHOR_EMAIL=bench@example.org",
		"GIT_COMMITTER_NAME=Bench", "GIT_COMMITTER_EMAIL=bench@example.org",
	}
	if err = os.Mkdir(repo, 0o700); err != nil {
		return "", "", nil, err
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", empty, "./test/bench/empty").CombinedOutput(); err != nil {
		return "", "", nil, fmt.Errorf("building the empty program: %w: %s", err, out)
	}
	file := filepath.Join(repo, "notes.txt")
	for _, step := range []struct {
		text string
		args []string
	}{
		{"one\n", []string{"init", "-q"}},
		{"one\n", []string{"add", "."}},
		{"one\n", []string{"commit", "-q", "-m", "first"}},
		{"one\ntwo\n", []string{"status", "-s"}},
	} {
		if err := os.WriteFile(file, []byte(step.text), 0o600); err != nil {
			return "", "", nil, err
		}
		cmd := exec.CommandContext(ctx, "git", step.args...)
		cmd.Dir, cmd.Env = repo, env
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", "", nil, fmt.Errorf("git %s: %w: %s", step.args[0], err, out)
		}
	}
	return repo, empty, env, nil
}

// once runs the program; the times of a run that counts are kept, in ms.
func (p *program) once(ctx context.Context, counts bool) error {
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	cmd.Dir, cmd.Env = p.dir, p.env
	if p.alone {
		cutNetwork(cmd)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return fmt.Errorf("%v: %w: %s", p.args, err, out.String())
	}
	if counts {
		p.wall = append(p.wall, wall.Seconds()*1e3)
		p.cpu = append(p.cpu, (cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds()*1e3)
	}
	return nil
}
