// Package trayapp joins the desktop program: a core, the socket that serves it,
// and the tray around it; or, in the child process, the window.
//
// It is apart from package app so that the command line, which shares the core,
// links neither tray nor window.
package trayapp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/DeRuina/timberjack"

	"github.com/hobkin/hobkin/app"
	"github.com/hobkin/hobkin/app/calm"
	"github.com/hobkin/hobkin/app/desktop"
	"github.com/hobkin/hobkin/app/login"
	"github.com/hobkin/hobkin/app/notify"
	"github.com/hobkin/hobkin/app/single"
	"github.com/hobkin/hobkin/app/socket"
	"github.com/hobkin/hobkin/app/words"
	"github.com/hobkin/hobkin/assets"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/process"
	"github.com/hobkin/hobkin/core/secret"
)

// Options are the command line of the desktop program.
type Options struct {
	Hidden  bool   // start without the window
	Session string // show this session
}

// Run is the background process. When one runs already, its window is
// shown instead. It must be called on the main goroutine.
func Run(ctx context.Context, o Options) (err error) {
	paths, err := config.DefaultPaths()
	if err != nil {
		return err
	}
	if err := paths.Create(); err != nil {
		return err
	}
	lock, err := single.Take(paths.Runtime)
	if errors.Is(err, single.ErrRunning) {
		return showRunning(ctx, paths, o)
	}
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }() // the kernel does it too
	if err := process.BecomeSubreaper(ctx); err != nil {
		return fmt.Errorf("trayapp: %w", err)
	}
	redactor := &secret.Redactor{}
	logs := logTo(paths, redactor)
	defer func() { _ = logs.Close() }()
	defer crashReports(redactor)()
	defer app.Crashes("hobkin-desktop", redactor).Guard(func(sentence string) { err = errors.New(sentence) })
	return desk(ctx, paths, redactor, o)
}

// crashReports lets the runtime leave a report when this process dies; the
// result is called at its clean end.
func crashReports(redactor *secret.Redactor) (stop func()) {
	stop, err := app.Crashes("hobkin-desktop", redactor).Watch()
	if err != nil {
		slog.Warn("trayapp: crash reports", "error", err)
		return func() {}
	}
	return stop
}

// showRunning asks the desktop that runs to show itself.
func showRunning(ctx context.Context, paths config.Paths, o Options) error {
	if o.Hidden {
		return nil
	}
	client, err := control.Dial(ctx, paths.Socket())
	if err != nil {
		return fmt.Errorf("the Hobkin that runs does not answer; end it, then start it again: %w", err)
	}
	return client.ShowWindow(ctx, o.Session)
}

// settled is how long after the start what only it needed is given back.
const settled = 2 * time.Second

// grow is how much the heap may grow, in percent: the program waits for most of
// its life, and should be small meanwhile.
const grow = 50

// logTo sends the log to a file that is kept small, without secrets.
func logTo(paths config.Paths, redactor *secret.Redactor) io.Closer {
	file := &timberjack.Logger{Filename: filepath.Join(paths.Logs(), "hobkin.log"), MaxSize: 5, MaxBackups: 3, FileMode: 0o600}
	slog.SetDefault(slog.New(redactor.Handler(slog.NewTextHandler(file, nil))))
	return file
}

// desk joins core, socket and desktop, and runs them until the person quits.
func desk(ctx context.Context, paths config.Paths, redactor *secret.Redactor, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	notifier, err := notify.Open(ctx)
	if err != nil {
		slog.WarnContext(ctx, "trayapp: notifications", "error", err)
	} else {
		defer func() { logClose("notifications", notifier.Close()) }()
	}
	var d *desktop.Desktop
	ready := make(chan struct{}) // closed when d is there
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("trayapp: %w", err)
	}
	atLogin, err := login.New(self)
	if err != nil {
		slog.WarnContext(ctx, "trayapp: starting at login", "error", err)
	}
	core, err := app.Open(ctx, app.Options{
		Paths: paths, Desktop: true, Redactor: redactor, Notifier: notifier, AtLogin: atLogin,
		Show: func(session string) error { <-ready; d.Show(session); return nil },
		Quit: func() { <-ready; d.Quit() },
	})
	if err != nil {
		return err
	}
	defer func() { logClose("core", core.Close()) }() //nolint:contextcheck // it must close after ctx has ended
	if err := core.MakeWorkspace(); err != nil {
		return err
	}
	server, err := socket.Listen(ctx, paths.Socket(), core)
	if err != nil {
		return err
	}
	defer func() { logClose("socket", server.Close()) }()
	d = desktop.New(desktop.Options{ //nolint:contextcheck // Run gets it
		Client: core.Client(), Server: server, Icon: trayIcon, Program: self, Hidden: o.Hidden, Session: o.Session, Notify: notifier,
		Words: words.In(setting(ctx, core.Client(), "desktop.language")),
	})
	close(ready)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := core.Follow(ctx); err != nil {
			slog.ErrorContext(ctx, "trayapp: watching the settings", "error", err)
		}
	})
	wg.Go(func() { core.StartServers(ctx); core.ServeInbound(ctx) })
	wg.Go(func() { logClose("jobs", core.RunJobs(ctx)) })
	defer calm.After(settled, grow)()
	err = d.Run(ctx)
	cancel()
	wg.Wait()
	return err
}

// trayIcon is the tray's picture for a state.
func trayIcon(s control.State) []byte {
	if s == control.StateUsing {
		return assets.TrayIcon("stop") // it is the button that stops it
	}
	return assets.TrayIcon(string(s))
}

func logClose(what string, err error) {
	if err != nil {
		slog.Error("trayapp: closing", "part", what, "error", err)
	}
}
