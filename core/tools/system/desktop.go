package system

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/process"
)

// What the tools of the desktop share.

// desktopNames are the variables by which a program finds the desktop.
var desktopNames = []string{
	"PATH", "HOME", "USER", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "DESKTOP_SESSION", "DBUS_SESSION_BUS_ADDRESS", "SystemRoot", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "PATHEXT",
}

// desktop is the environment of programs that we start for the desktop. No
// command of the model gets it.
func (h *Host) desktop() []string {
	if h.Desktop != nil {
		return h.Desktop()
	}
	var env []string
	for _, name := range desktopNames {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// valueOf is the value of a variable of an environment.
func valueOf(env []string, name string) string {
	for _, pair := range env {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// installed finds a program on PATH.
func installed(env []string, name string) string {
	for _, dir := range filepath.SplitList(valueOf(env, "PATH")) {
		if path := programIn(dir, name); path != "" && filepath.IsAbs(dir) {
			return path
		}
	}
	return ""
}

const (
	desktopTime = 10 * time.Second // a desktop that does not answer by then hangs
	maxClip     = 1 << 20          // bytes of the clipboard
)

// helper runs a program of the desktop. What it leaves running goes on: that
// holds the clipboard, or is the window that was opened.
func helper(ctx context.Context, env, argv []string, input string) (process.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, desktopTime)
	defer cancel()
	c := process.Command{Args: argv, Dir: os.TempDir(), Env: env, Leave: true, Keep: 2 * maxClip}
	if input != "" {
		r, w, err := os.Pipe()
		if err != nil {
			return process.Result{}, fmt.Errorf("system: %w", err)
		}
		defer func() { _ = r.Close() }()
		written := make(chan struct{})
		defer func() { <-written }()
		defer func() { _ = r.Close() }() // before that is waited for: a program that did not read lets go
		go func() {                      // ends when all is read, or no one reads any more
			defer close(written)
			_, _ = io.WriteString(w, input)
			_ = w.Close()
		}()
		c.Input = r
	}
	res, err := process.Run(ctx, c)
	if err == nil && res.Stopped {
		err = errors.New("it did not answer")
	}
	return res, err
}
