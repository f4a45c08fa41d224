package login

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func item(t *testing.T, program string) (*Item, string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	i, err := New(program)
	if err != nil {
		t.Fatal(err)
	}
	return i, filepath.Join(dir, "autostart", entryName)
}

func (i *Item) is(t *testing.T, want State) {
	t.Helper()
	if got, err := i.State(); err != nil || got != want {
		t.Errorf("the state is %d, %v; want %d", got, err, want)
	}
}

// A desktop reads the entry and starts the program, whatever its name. (GLib does
// not find a program with a percent sign in its path, however it is written.)
func TestTheDesktopStartsIt(t *testing.T) {
	for _, folder := range []string{"plain", `we "ird $HOME \ ` + "`id`" + ` ünder'`} {
		dir := filepath.Join(t.TempDir(), folder)
		program, said := filepath.Join(dir, "hobkin-desktop"), filepath.Join(dir, "said")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s|' \"$@\" > \"$(dirname \"$0\")/said.part\"\nmv \"$(dirname \"$0\")/said.part\" \"$(dirname \"$0\")/said\"\n"), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
		i, path := item(t, program)
		if err := i.Set(true); err != nil {
			t.Fatal(err)
		}
		i.is(t, On)
		if out, err := exec.CommandContext(t.Context(), "desktop-file-validate", path).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("desktop-file-validate: %v: %s", err, out)
		}
		if out, err := exec.CommandContext(t.Context(), "gio", "launch", path).CombinedOutput(); err != nil {
			t.Fatalf("gio launch: %v: %s", err, out)
		}
		for end := time.Now().Add(20 * time.Second); ; <-time.After(10 * time.Millisecond) {
			if b, err := os.ReadFile(said); err == nil {
				if string(b) != Hidden+"|" {
					t.Errorf("it was started with %q", b)
				}
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%q was not started", program)
			}
		}
		if err := i.Set(false); err != nil {
			t.Fatal(err)
		}
		i.is(t, Off)
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("the entry is still there: %v", err)
		}
	}
}

func TestKeep(t *testing.T) {
	i, path := item(t, "/opt/hobkin/hobkin-desktop")
	keep := func(on bool, want State) {
		t.Helper()
		if err := i.Keep(on); err != nil {
			t.Error(err)
		}
		i.is(t, want)
	}
	keep(false, Off)
	keep(true, On)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	change := func(old, now string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(strings.Replace(string(whole), old, now, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change("/opt/hobkin/", "/old/place/")
	i.is(t, Elsewhere)
	keep(true, On) // the program was moved
	for _, off := range []string{"X-GNOME-Autostart-enabled=false", "Hidden=true", "Hidden = true "} {
		change("X-GNOME-Autostart-enabled=true", off)
		keep(true, Disabled) // a person did that in the desktop
		if err := i.Set(true); err != nil {
			t.Error(err)
		}
		i.is(t, On) // and that in our settings
	}
	keep(false, Off)
}

func TestPercent(t *testing.T) {
	if got := execLine("/opt/100 %/x"); got != `Exec="/opt/100 %%/x" --background` {
		t.Errorf("got %s", got)
	}
}

func TestNoPlace(t *testing.T) {
	if _, err := New("hobkin-desktop"); err == nil || !strings.Contains(err.Error(), "no absolute path") {
		t.Errorf("got %v", err)
	}
	t.Setenv("XDG_CONFIG_HOME", "relative")
	t.Setenv("HOME", "")
	if _, err := New("/x"); err == nil || !strings.Contains(err.Error(), "neither XDG_CONFIG_HOME nor HOME") {
		t.Errorf("got %v", err)
	}
	i, path := item(t, "/x")
	if err := os.WriteFile(filepath.Dir(path), nil, 0o600); err != nil { // in the folder's place
		t.Fatal(err)
	}
	if err := i.Set(true); err == nil || !strings.Contains(err.Error(), "login: mkdir") {
		t.Errorf("got %v", err)
	}
	if _, err := i.State(); err == nil {
		t.Error("no error for a folder that is none")
	}
}
