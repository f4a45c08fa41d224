//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/control"
)

// TestJobsSurviveKill kills the program that runs the jobs again and again,
// with the real database and the real clock: each job leaves one record, and
// what it does is done once at most.
func TestJobsSurviveKill(t *testing.T) {
	p := newProgram(t)
	const count, kills = 5, 5
	p.run("grant", p.work)
	for i := range count {
		at := time.Now().Add(6 * time.Second).UTC().Format(time.RFC3339) // to make the next one takes a while
		name := fmt.Sprint("job", i)
		p.run("jobs", "add", name, at, "run ./mark.sh "+name, "--mode", "auto", "--allow", "shell: ./mark.sh *", "--folder", p.work, "--delivery", "none")
	}
	for range kills {
		d := p.start("jobs", "daemon")
		time.Sleep(800 * time.Millisecond) // the kill comes at any instant
		_ = d.Process.Kill()
		_ = d.Wait() // it was killed
	}
	d := p.start("jobs", "daemon")
	var states map[string]int
	for end := time.Now().Add(time.Minute); ; {
		if states = p.states(t, count); states["queued"]+states["running"]+states["none"] == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the runs do not end: %v", states)
		}
		time.Sleep(200 * time.Millisecond)
	}
	_ = d.Process.Signal(os.Interrupt)
	if err := d.Wait(); err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
	done := 0
	for i := range count {
		b, err := os.ReadFile(filepath.Join(p.work, fmt.Sprint("job", i, ".log")))
		if n := strings.Count(string(b), "\n"); n > 1 {
			t.Errorf("job%d was done %d times", i, n)
		} else if err == nil {
			done += n
		}
	}
	t.Logf("%d jobs, %d kills: %d were done; states %v; the last: %s", count, kills, done, states, p.run("jobs", "history", "job4"))
	if done == 0 || states["done"] > done {
		t.Errorf("%d were done and %d say so", done, states["done"])
	}
}

// program is the command line in a process of its own, with a home of its own.
type program struct {
	t          *testing.T
	path, work string
	env        []string
}

func newProgram(t *testing.T) *program {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, path: filepath.Join(dir, "hobkin"), work: filepath.Join(dir, "work")}
	if err := os.Symlink(self, p.path); err != nil { // by this name it is the command, see TestMain
		t.Fatal(err)
	}
	if err := os.Mkdir(p.work, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.work, "mark.sh"), []byte("#!/bin/sh\necho done >> \"$1.log\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "HOBKIN_HOME=" + filepath.Join(dir, "home"), "LANG=C.UTF-8"}
	return p
}

func (p *program) start(args ...string) *exec.Cmd {
	p.t.Helper()
	cmd := exec.Command(p.path, args...) //nolint:noctx // it is killed by the test
	cmd.Env, cmd.Dir = p.env, p.work
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	return cmd
}

func (p *program) run(args ...string) string {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), p.path, args...)
	cmd.Env, cmd.Dir = p.env, p.work
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("hobkin %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// states counts the runs by their state. A job has one run.
func (p *program) states(t *testing.T, count int) map[string]int {
	t.Helper()
	out := map[string]int{}
	for i := range count {
		var list []control.JobRun
		if err := json.Unmarshal([]byte(p.run("jobs", "history", fmt.Sprint("job", i), "--json")), &list); err != nil {
			t.Fatal(err)
		}
		switch len(list) {
		case 0:
			out["none"]++
		case 1:
			out[list[0].State]++
			if list[0].State == "failed" {
				t.Errorf("job%d failed: %s", i, list[0].Text)
			}
		default:
			t.Errorf("job%d has %d runs", i, len(list))
		}
	}
	return out
}
