//go:build unix

package sandbox

import (
	"context"
	"errors"
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
