package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/app/notify"
	"github.com/hobkin/hobkin/core/config"
)

// told keeps the notifications it is given.
type told chan notify.Notification

func (t told) Show(_ context.Context, n notify.Notification) (uint32, error) { t <- n; return 1, nil }
func (t told) Withdraw(uint32)                                               {}
func (t told) Actions() bool                                                 { return true }
func (t told) Close() error                                                  { return nil }

// A settings file that is made wrong while the desktop runs is told with its
// place, and the settings of before go on.
func TestFollow(t *testing.T) {
	t.Setenv(config.HomeVariable, filepath.Join(t.TempDir(), "home"))
	paths, err := config.DefaultPaths()
	if err != nil {
		t.Fatal(err)
	}
	heard := make(told, 4)
	c, err := Open(t.Context(), Options{Paths: paths, Notifier: heard})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Follow(ctx) }()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(paths.ConfigFile(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("[permission]\nmode = \"plan\"\n")
	until(t, "the new mode", func() bool { return c.cfg.Load().Permission.Mode == "plan" })
	write("[permission]\nmod = \"auto\"\n")
	select {
	case n := <-heard:
		if !strings.Contains(n.Body, "config.toml:2") || !strings.Contains(n.Body, "mode") {
			t.Errorf("told %q; want the place and the nearest key", n.Body)
		}
	case <-time.After(10 * time.Second):
		t.Error("nothing was told")
	}
	if mode := c.cfg.Load().Permission.Mode; mode != "plan" {
		t.Errorf("the mode is %s; the settings of before must go on", mode)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("waited too long for %s", what)
		}
	}
}
