package config

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// next waits for an update that is right; saves in several steps may bring
// others before it.
func next(t *testing.T, updates <-chan Update, right func(Update) bool) {
	t.Helper()
	timeout := time.After(10 * time.Second)
	for {
		select {
		case u, ok := <-updates:
			if !ok {
				t.Fatal("the watch ended")
			}
			if right(u) {
				return
			}
		case <-timeout:
			t.Fatal("no update came")
		}
	}
}

func TestWatch(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "elsewhere", "hobkin.toml")
	if err := os.Mkdir(filepath.Dir(target), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]File{"a file": {filepath.Join(dir, "config.toml")}, "a link": {filepath.Join(dir, "link.toml")}} {
		t.Run(name, func(t *testing.T) {
			file := f.Path
			if name == "a link" {
				if err := os.Symlink(target, f.Path); err != nil {
					t.Skipf("no links here: %v", err)
				}
				file = target
				write(t, file, "")
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			updates, err := f.Watch(ctx)
			if err != nil {
				t.Fatal(err)
			}
			write(t, file, "[log]\nlevel = 'warn'\n")
			next(t, updates, func(u Update) bool { return u.Err == nil && u.Config.Log.Level == "warn" })
			write(t, file, "[log]\nlevel = 'loud'\n")
			next(t, updates, func(u Update) bool { return u.Err != nil && u.Config == nil })
			if err := f.Set(ctx, "agent.max_steps", "5"); err == nil {
				t.Fatal("a broken file was edited")
			}
			write(t, file+".new", "[log]\nlevel = 'error'\n") // as editors save
			if err := os.Rename(file+".new", file); err != nil {
				t.Fatal(err)
			}
			next(t, updates, func(u Update) bool { return u.Err == nil && u.Config.Log.Level == "error" })
			if err := f.Set(ctx, "agent.max_steps", "5"); err != nil {
				t.Fatal(err)
			}
			next(t, updates, func(u Update) bool { return u.Err == nil && u.Config.Agent.MaxSteps == 5 })
			cancel()
			for range updates { // ends when the watch does
				continue
			}
		})
	}
}

func TestWatchWithoutFolder(t *testing.T) {
	if _, err := (File{"/nonexistent/hobkin/config.toml"}).Watch(t.Context()); err == nil {
		t.Error("no error")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
