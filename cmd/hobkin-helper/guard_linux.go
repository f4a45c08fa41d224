package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/hobkin/hobkin/computeruse/native/x11"
)

// guardReady is what the guard prints once it watches.
const guardReady = "ready"

// guardTime is how long a guard may take to start.
const guardTime = 5 * time.Second

// startGuard starts this program once more, as the one that releases what a
// killed helper left pressed. It is in a session of its own, so that what ends
// the helper's whole group does not end it; it ends by itself right after.
func startGuard(ctx context.Context, window uint32) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, "--guard", fmt.Sprintf("%#x", window)) //nolint:gosec // this program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ready := make(chan error, 1)
	go func() {
		line, err := bufio.NewReader(out).ReadString('\n')
		if err == nil && line != guardReady+"\n" {
			err = fmt.Errorf("it said %q", line)
		}
		ready <- err
		_ = cmd.Wait() // with the connection that it watches
	}()
	select {
	case err := <-ready:
		return err
	case <-time.After(guardTime):
		_ = cmd.Process.Kill()
		return errors.New("the guard does not start")
	}
}

// keepGuard is the guard.
func keepGuard(ctx context.Context, window uint32, out io.Writer) error {
	return x11.Guard(context.WithoutCancel(ctx), os.Getenv("DISPLAY"), window, func() {
		_, _ = fmt.Fprintln(out, guardReady) // a helper that is gone already reads it no more
	})
}
