package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/hobkin/hobkin/app"
	"github.com/hobkin/hobkin/core/control"
)

// startDesktop shows the running desktop's window, or starts the program.
func (c *cli) startDesktop(ctx context.Context, self string) error {
	client, err := app.Dial(ctx)
	switch {
	case err == nil:
		return client.ShowWindow(ctx, "")
	case !errors.Is(err, control.ErrNotRunning):
		return err
	}
	path, err := desktopProgram(self)
	if err != nil {
		return err
	}
	cmd := exec.Command(path) //nolint:noctx // it outlives this program on purpose
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", path, err)
	}
	return cmd.Process.Release()
}

// desktopProgram finds hobkin-desktop beside this program or on PATH.
func desktopProgram(self string) (string, error) {
	if resolved, err := exec.LookPath(self); err == nil {
		if abs, err := filepath.Abs(resolved); err == nil {
			beside := filepath.Join(filepath.Dir(abs), "hobkin-desktop")
			if path, err := exec.LookPath(beside); err == nil {
				return path, nil
			}
		}
	}
	path, err := exec.LookPath("hobkin-desktop")
	if err != nil {
		return "", errors.New("hobkin-desktop is not installed beside hobkin or on PATH; in a checkout, make build makes it")
	}
	return path, nil
}
