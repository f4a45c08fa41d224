package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"

	"github.com/hobkin/hobkin/app/socket"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/secret"
)

// ConnectOptions say how the command line reaches a core.
type ConnectOptions struct {
	Workspace string            // absolute folder to work in when the core is our own
	Tell      func(text string) // is told, in a sentence, what is broken and goes on without; may be nil
	LogTo     io.Writer
	Redactor  *secret.Redactor // nil makes one

	// Passphrase is asked for when the key of the model is sealed; nil never.
	Passphrase secret.Passphrase
	LogLevel   slog.Level
}

// Connect returns a client of the running desktop, or else of a core in this
// process, which the client's Close ends.
func Connect(ctx context.Context, o ConnectOptions) (*control.Client, error) {
	client, err := Dial(ctx)
	if !errors.Is(err, control.ErrNotRunning) {
		return client, err
	}
	paths, err := config.DefaultPaths()
	if err != nil {
		return nil, err
	}
	redactor := o.Redactor
	if redactor == nil {
		redactor = &secret.Redactor{}
	}
	slog.SetDefault(slog.New(redactor.Handler(slog.NewTextHandler(o.LogTo, &slog.HandlerOptions{Level: o.LogLevel}))))
	core, err := Open(ctx, Options{Paths: paths, Workspace: o.Workspace, Redactor: redactor})
	if err != nil {
		return nil, err
	}
	if text := core.store.Degraded(); text != "" && o.Tell != nil {
		o.Tell(text)
	}
	if o.Passphrase != nil {
		if err := core.unlockModel(ctx, o.Passphrase); err != nil {
			return nil, errors.Join(err, core.Close()) //nolint:contextcheck // it must close after ctx has ended
		}
	}
	return core.Client(), nil
}

// Dial returns a client of the running desktop, or [control.ErrNotRunning].
func Dial(ctx context.Context) (*control.Client, error) {
	paths, err := config.DefaultPaths()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(paths.Socket()); err != nil {
		return nil, control.ErrNotRunning
	}
	return control.Dial(ctx, paths.Socket())
}

// StartedByAgent reports whether one of the agent's own tools started this
// process, directly or through others.
func StartedByAgent() (bool, error) { return socket.StartedByAgent(os.Getpid(), 0) }

// ConfigPath is where the settings are.
func ConfigPath() (string, error) {
	paths, err := config.DefaultPaths()
	return paths.ConfigFile(), err
}

// CheckConfig reads the settings file and reports every fault in it.
func CheckConfig() (path string, err error) {
	path, err = ConfigPath()
	if err != nil {
		return "", err
	}
	_, err = config.Load(path)
	return path, err
}
