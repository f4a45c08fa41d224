package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hobkin": main})
}

// TestScripts runs the commands as a person would, each script in an empty home.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOBKIN_HOME", filepath.Join(e.WorkDir, ".home"))
			e.Setenv("LANG", "en_US.UTF-8")
			return nil
		},
	})
}

// said runs a command line in this process and returns what it printed.
func said(t *testing.T, in string, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e strings.Builder
	code = run(context.Background(), args, streams{in: strings.NewReader(in), out: &o, err: &e})
	return o.String(), e.String(), code
}

// TestChat talks through a pipe: the file changes only after the answer.
func TestChat(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOBKIN_HOME", filepath.Join(t.TempDir(), "home"))
	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("foo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	pr, pw, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pr.Close() }()
	var o strings.Builder
	asked := &cue{want: "Allow? [y/s/n]", then: func() { _, _ = pw.WriteString("y\n/quit\n") }}
	_, _ = pw.WriteString("replace \"foo\" with \"bar\" in notes.txt\n")
	if code := run(t.Context(), []string{"chat"}, streams{in: pr, out: &o, err: asked}); code != exitOK {
		t.Errorf("exit code %d; it printed %s", code, asked.text.String())
	}
	_ = pw.Close()
	if got, _ := os.ReadFile(notes); string(got) != "bar\n" {
		t.Errorf("the file is %q; the chat printed %s %s", got, o.String(), asked.text.String())
	}
	for _, want := range []string{"Change a file?", "-foo", "+bar", "Risk: "} {
		if !strings.Contains(asked.text.String(), want) {
			t.Errorf("the question does not show %q: %s", want, asked.text.String())
		}
	}
}

// A cue calls then when what is written holds want.
type cue struct {
	text strings.Builder
	want string
	then func()
}

func (c *cue) Write(p []byte) (int, error) {
	before := strings.Contains(c.text.String(), c.want)
	c.text.Write(p)
	if !before && strings.Contains(c.text.String(), c.want) {
		c.then()
	}
	return len(p), nil
}

func TestChoose(t *testing.T) {
	if out, errs, code := said(t, "", "ask", " "); code != exitUsage || !strings.Contains(errs, "nothing to ask") {
		t.Errorf("an empty question: %q %q %d", out, errs, code)
	}
}

func TestWrongWords(t *testing.T) {
	for _, args := range [][]string{{"nonsense"}, {"config", "nonsense"}, {"sessions", "nonsense"}, {"secrets", "nonsense"}, {"tools", "nonsense"}} {
		out, errs, code := said(t, "", args...)
		if code != exitUsage || out != "" || !strings.Contains(errs, `unknown command "nonsense"`) {
			t.Errorf("%v: %q %q %d", args, out, errs, code)
		}
	}
}

// full is an output that takes nothing, such as a file on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestAnswerThatCannotBeWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOBKIN_HOME", filepath.Join(t.TempDir(), "home"))
	var e strings.Builder
	code := run(t.Context(), []string{"ask", "help"}, streams{in: strings.NewReader(""), out: full{}, err: &e})
	if code != exitFailed || !strings.Contains(e.String(), "no space left") {
		t.Errorf("exit code %d: %q", code, e.String())
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext":             "plain\n\ttext",
		"\x1b[2J\x1b]0;title\agone": "[2J]0;titlegone",
		"über \u009b31m":            "über 31m",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}
