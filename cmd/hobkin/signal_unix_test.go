//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestSecondInterrupt stops a program that hangs where no context reaches: it
// opens a settings file that is a pipe no one writes to.
func TestSecondInterrupt(t *testing.T) {
	exe, err := exec.LookPath("hobkin") // put on PATH by testscript.Main
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "home")
	if err := os.MkdirAll(filepath.Join(home, "config"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(home, "config", "config.toml"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "config", "check")
	cmd.Env = append(os.Environ(), "HOBKIN_HOME="+home)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick, tooLong := time.NewTicker(200*time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.Success() {
				t.Errorf("it ended with %v", err)
			}
			return
		case <-tick.C:
			_ = cmd.Process.Signal(os.Interrupt)
		case <-tooLong:
			_ = cmd.Process.Kill()
			t.Fatal("it does not end at a second interrupt")
		}
	}
}
