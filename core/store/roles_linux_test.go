package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobkin/hobkin/core/store"
)

// openWithoutRights says what opening gives to a user who may not write there.
func openWithoutRights(dir string) {
	if os.Geteuid() == 0 {
		must(0, syscall.Setresuid(65534, 65534, 65534))
	}
	_, err := store.Open(context.Background(), store.Options{Dir: dir})
	say1("typed", errors.Is(err, store.ErrReadOnly))
	say1("said", err)
}

func TestReadOnly(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, dir string) string{
		"no folder may be made": func(t *testing.T, dir string) string {
			t.Helper()
			return filepath.Join(dir, "data")
		},
		"an empty folder": func(_ *testing.T, dir string) string { return dir },
		"a database": func(t *testing.T, dir string) string {
			t.Helper()
			_ = open(t, dir).Close()
			return dir
		},
		"a database and a journal that is left": func(t *testing.T, dir string) string {
			t.Helper()
			session(t, open(t, dir), "x")
			return dir
		},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			dir := prepare(t, top)
			for _, d := range []string{filepath.Dir(top), top} {
				if err := os.Chmod(d, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			entries, err := os.ReadDir(top)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if err := os.Chmod(filepath.Join(top, e.Name()), 0o444); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(top, 0o555); err != nil {
				t.Fatal(err)
			}
			out, err := play(t.Context(), t, "no rights", dir).Output()
			_ = os.Chmod(top, 0o755)
			if err != nil || !strings.Contains(string(out), "typed true") || !strings.Contains(string(out), "the data folder cannot be written: check its owner and permissions\n") {
				t.Errorf("%s, %v", out, err)
			}
		})
	}
}

// fillTheDisk works on a disk of two megabytes that only this process sees.
func fillTheDisk(dir string) {
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		say1("cannot mount", err)
		return
	}
	ctx := context.Background()
	s := must(store.Open(ctx, store.Options{Dir: dir}))
	x := must(s.CreateSession(ctx, store.NewSession{Title: "t"}))
	acked := 0
	var err error
	for ; err == nil; acked++ {
		err = s.AppendMessage(ctx, x.ID, "", say(strings.Repeat("word ", 1000)))
	}
	say1("message", errors.Is(err, store.ErrDiskFull))
	_, err = s.RecordChange(ctx, bigChange("/f", 1))
	_, err2 := s.SaveOutput(ctx, x.ID, "c", strings.Repeat("x", 1<<20))
	say1("files", errors.Is(err, store.ErrDiskFull) && errors.Is(err2, store.ErrDiskFull))
	history, _, err := s.Messages(ctx, x.ID)
	say1("read", err == nil && len(history) == acked-1)
	must(0, s.Close())
	full := must(store.Open(ctx, store.Options{Dir: dir}))
	say1("sound", full.Check(ctx) == nil && full.Degraded() == "")
	must(0, full.Close())
	must(0, unix.Mount("", dir, "", unix.MS_REMOUNT, "size=20m"))
	s = must(store.Open(ctx, store.Options{Dir: dir}))
	say1("goes on", s.AppendMessage(ctx, x.ID, "", say("at last")) == nil)
	left := must(filepath.Glob(filepath.Join(dir, "*", "*.tmp")))
	say1("clean", len(left) == 0)
	must(0, s.Close())
}

func TestDiskFull(t *testing.T) {
	cmd := play(t.Context(), t, "disk full", t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.Output()
	if errors.Is(err, os.ErrPermission) || strings.Contains(string(out), "cannot mount") {
		t.Skipf("this system lets no one mount a small disk: %s %v", out, err)
	}
	if want := "message true\nfiles true\nread true\nsound true\ngoes on true\nclean true\n"; err != nil || string(out) != want {
		t.Errorf("got %s, %v", out, err)
	}
}
