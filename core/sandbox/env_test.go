//go:build unix

package sandbox

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEnv(t *testing.T) {
	var noted []string
	got := Env(EnvConfig{
		Environ: []string{
			"PATH=/bin", "HOME=/home/me", "USER=me", "LANG=C", "LC_ALL=C", "LC_TIME=de", "SHELL=/bin/sh", "TERM=xterm", "TMPDIR=/tmp", "OPENAI_API_KEY=sk-1",
			"LD_PRELOAD=/x.so", "SSH_AUTH_SOCK=/s", "DBUS_SESSION_BUS_ADDRESS=x", "GOFLAGS=-v", "MY_A=1", "MY_B=2", "=odd", "odd", "EMPTY=", "PATHS=x", "NUL=a\x00b",
		},
		Allow: []string{"GOFLAGS", "MY_*", "TOKEN", "BROKEN", "EMPTY", "*", "NUL"},
		Sources: map[string]Source{
			"TOKEN":  func(context.Context) (string, error) { return "from the keyring", nil },
			"BROKEN": func(context.Context) (string, error) { return "", errors.New("locked") },
			"SECRET": func(context.Context) (string, error) { return "not allowed", nil },
		},
		Set:   map[string]string{"HOME": "/sandbox"},
		Noted: func(name string, err error) { noted = append(noted, name+": "+err.Error()) },
	})
	want := []string{
		"EMPTY=", "GOFLAGS=-v", "HOME=/sandbox", "LANG=C", "LC_ALL=C", "LC_TIME=de", "MY_A=1", "MY_B=2", "PATH=/bin", "SHELL=/bin/sh", "TERM=xterm", "TMPDIR=/tmp",
		"TOKEN=from the keyring", "USER=me",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if !slices.Equal(noted, []string{"BROKEN: locked"}) {
		t.Errorf("noted %q", noted)
	}
}

func TestEnvOfNothing(t *testing.T) {
	want := []string{"PATH=/usr/local/bin:/usr/bin:/bin", "TERM=dumb"}
	if got := Env(EnvConfig{Environ: []string{}}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFromCommand(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if got, err := FromCommand("printf", "secret\n")(ctx); err != nil || got != "secret" {
		t.Errorf("got %q, %v", got, err)
	}
	_, err := FromCommand("sh", "-c", "echo hunter2 >&2; exit 3")(ctx)
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v; want an error that does not repeat the output", err)
	}
	if _, err := FromCommand("yes")(ctx); err == nil || !strings.Contains(err.Error(), "too much") {
		t.Errorf("endless output: got %v", err)
	}
	if _, err := FromCommand()(ctx); err == nil {
		t.Error("an empty command was taken")
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := FromCommand("sleep", "60")(short); err == nil || !strings.Contains(err.Error(), "in time") {
		t.Errorf("got %v, want a time-out", err)
	}
	if _, err := FromVariable("HOBKIN_NO_SUCH_VARIABLE")(ctx); err == nil {
		t.Error("a variable that is not set was read")
	}
	t.Setenv("HOBKIN_TEST_VARIABLE", "x")
	if got, err := FromVariable("HOBKIN_TEST_VARIABLE")(ctx); err != nil || got != "x" {
		t.Errorf("got %q, %v", got, err)
	}
}

// Whatever is wrong with a source, the command runs without its variable, and
// the owner is told why without the value.
func TestSourcesThatFail(t *testing.T) {
	t.Setenv("HOBKIN_TEST_TOKEN", "from-another-variable")
	noted := map[string]string{}
	start := time.Now()
	got := Env(EnvConfig{
		Environ: []string{"PATH=/bin", "HANGS=of this process", "FAILS=of this process"},
		Allow:   []string{"GOOD", "OTHER", "HANGS", "FAILS", "SAYS", "MISSING", "LOCKED", "LONG", "ZERO", "TERM"},
		Sources: map[string]Source{
			"GOOD":    FromCommand("printf", "a value with spaces \r\n\n"),
			"OTHER":   FromVariable("HOBKIN_TEST_TOKEN"),
			"FAILS":   FromCommand("sh", "-c", "echo half-a-secret; exit 1"),
			"SAYS":    FromCommand("sh", "-c", "echo hunter2 >&2; exit 2"),
			"MISSING": FromCommand("/no/such/program"),
			"LOCKED":  func(context.Context) (string, error) { return "", errors.New("the keyring is locked") },
			"LONG":    func(context.Context) (string, error) { return strings.Repeat("x", sourceMost+1), nil },
			"ZERO":    func(context.Context) (string, error) { return "a\x00b", nil },
			"HANGS":   FromCommand("sh", "-c", "trap '' TERM; sleep 60.375 & wait"),
		},
		Noted:   func(name string, err error) { noted[name] = err.Error() },
		Timeout: 2 * time.Second,
	})
	want := []string{"GOOD=a value with spaces ", "OTHER=from-another-variable", "PATH=/bin", "TERM=dumb"}
	slices.Sort(got)
	for _, pair := range want {
		if !slices.Contains(got, pair) {
			t.Errorf("%q is not in %q", pair, got)
		}
	}
	for name, why := range map[string]string{
		"FAILS": "exit status 1", "SAYS": "exit status 2", "MISSING": "no such file", "LOCKED": "locked", "LONG": "too long", "ZERO": "NUL", "HANGS": "in time",
	} {
		if !strings.Contains(noted[name], why) || strings.Contains(noted[name], "secret") || strings.Contains(noted[name], "hunter2") {
			t.Errorf("%s: noted %q, want %q and no value", name, noted[name], why)
		}
		if slices.ContainsFunc(got, func(pair string) bool { return strings.HasPrefix(pair, name+"=") }) {
			t.Errorf("%s is there although its source failed: %q", name, got)
		}
	}
	if left, err := exec.CommandContext(t.Context(), "pgrep", "-f", "sleep 60[.]375").Output(); err == nil {
		t.Errorf("the command that hung left processes behind: %s", left)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}
