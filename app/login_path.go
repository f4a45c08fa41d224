package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/process"
	"github.com/hobkin/hobkin/core/sandbox"
)

// loginTime is how long a login shell may take to say its PATH.
const loginTime = 5 * time.Second

// pathMark stands before the PATH in what the shell prints: its start-up files
// may print too.
const pathMark = "HOBKIN-PATH:"

// loginPath is the PATH that a login shell of the user's has. A program that
// was started by the desktop has a bare one, without what the user's start-up
// files add; tool servers are found there. Empty when there is no such shell.
// It is asked once.
var loginPath = func() func(context.Context) string {
	var once sync.Once
	var path string
	return func(ctx context.Context) string {
		once.Do(func() { path = askLoginPath(ctx) })
		return path
	}
}()

func askLoginPath(ctx context.Context) string {
	shell := os.Getenv("SHELL")
	if !filepath.IsAbs(shell) {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loginTime)
	defer cancel()
	res, err := process.Run(ctx, process.Command{
		Args: []string{shell, "-l", "-c", `printf '\n` + pathMark + `%s\n' "$PATH"`}, Dir: "/",
		Env: sandbox.Env(sandbox.EnvConfig{}), Mark: "login-path", Grace: time.Second, //nolint:contextcheck // no sources are named
	})
	if err != nil || res.Stopped {
		slog.WarnContext(ctx, "app: the login shell does not say its PATH", "shell", shell, "error", err)
		return ""
	}
	for line := range strings.Lines(res.Stdout.String()) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), pathMark); ok {
			return path
		}
	}
	return ""
}
