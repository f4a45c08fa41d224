package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
)

// A person uses bin/hobkin in a project, with a home of their own. What every
// program printed is kept.
type person struct {
	tb      testing.TB
	hobkin  string // the program
	home    string // HOBKIN_HOME
	project string
	env     []string
	printed bytes.Buffer
}

// newPerson makes the project of the main job. env are further variables.
func newPerson(tb testing.TB, env ...string) *person {
	tb.Helper()
	dir := tb.TempDir()
	p := &person{tb: tb, hobkin: program(tb, "hobkin"), home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project")}
	p.env = append(slices.Clip(env),
		"PATH="+os.Getenv("PATH"), "HOME="+dir, "LANG=en_US.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "TMPDIR="+filepath.Join(dir, "tmp"),
		config.HomeVariable+"="+p.home)
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
		tb.Fatal(err)
	}
	write(tb, filepath.Join(p.project, "core", "plan.go"), "package core\n\n// TODO: count the spoons\nfunc plan() {}\n")
	write(tb, filepath.Join(p.project, "core", "done.go"), "package core\n\nfunc done() {}\n")
	write(tb, filepath.Join(p.project, "notes.txt"), "The foo is ready.\nNothing else.\n")
	return p
}

// dir is the folder of all that is the person's.
func (p *person) dir() string { return filepath.Dir(p.home) }

// An outcome is what a program did.
type outcome struct {
	out, errs string
	code      int
}

// runTime bounds one command.
const runTime = 90 * time.Second

// run runs the program to its end.
func (p *person) run(args ...string) outcome {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(p.tb.Context(), runTime)
	defer cancel()
	cmd := p.cmd(ctx, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || !exit.Exited()) {
		p.tb.Fatalf("hobkin %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), errs.String())
	}
	p.printed.Write(out.Bytes())
	p.printed.Write(errs.Bytes())
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// tail is the end of a long text.
func tail(s string) string { return s[max(0, len(s)-2000):] }

// must is run, for a command that has to succeed; it returns what was printed.
func (p *person) must(args ...string) string {
	p.tb.Helper()
	o := p.run(args...)
	if o.code != 0 {
		p.tb.Fatalf("hobkin %s: exit code %d\n%s%s", strings.Join(args, " "), o.code, tail(o.out), o.errs)
	}
	return o.out
}

func (p *person) cmd(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.hobkin, args...)
	cmd.Dir, cmd.Env = p.project, p.env
	cmd.WaitDelay = time.Second
	return cmd
}

// ask asks with --json and returns the events.
func (p *person) ask(args ...string) []agent.Event {
	p.tb.Helper()
	return events(p.tb, p.must(append([]string{"ask", "--json"}, args...)...))
}

// events reads lines of JSON. A last line that a kill cut off is left out.
func events(tb testing.TB, out string) (list []agent.Event) {
	tb.Helper()
	schema, err := agent.EventSchema(true)
	if err != nil {
		tb.Fatal(err)
	}
	lines := bufio.NewReader(strings.NewReader(out))
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return list
		}
		var e agent.Event
		if err := json.Unmarshal(line, &e); err != nil {
			tb.Fatalf("not an event: %v: %s", err, line)
		}
		if err := capability.ValidateJSON(schema, line); err != nil {
			tb.Errorf("%s is not what docs/events.schema.json says: %v", line, err)
		}
		list = append(list, e)
	}
}

// of picks the payloads of a type, in order.
func of[P agent.Payload](list []agent.Event) (out []P) {
	for _, e := range list {
		if p, ok := e.Payload.(P); ok {
			out = append(out, p)
		}
	}
	return out
}

// holding lists the files below the person's folders that hold text.
func (p *person) holding(text string) (list []string) {
	p.tb.Helper()
	for _, dir := range []string{p.home, p.project} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			if strings.Contains(read(p.tb, path), text) {
				list = append(list, path)
			}
			return nil
		})
		if err != nil {
			p.tb.Fatal(err)
		}
	}
	return list
}
