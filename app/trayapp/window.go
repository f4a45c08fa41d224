package trayapp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/hobkin/hobkin/app/desktop"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/secret"
	"github.com/hobkin/hobkin/core/version"
	"github.com/hobkin/hobkin/ui/window"
)

// RunWindow is the child process that shows the windows of the background
// process, which speaks to it on its standard input and output, see
// [desktop.Order] and [desktop.Notice]. It must be called on the main goroutine.
func RunWindow(ctx context.Context, o Options) error {
	paths, err := config.DefaultPaths()
	if err != nil {
		return err
	}
	client, err := control.Dial(ctx, paths.Socket())
	if err != nil {
		return fmt.Errorf("the window belongs to a running desktop, start that one: hobkin desktop: %w", err)
	}
	defer crashReports(&secret.Redactor{})()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	commands := make(chan window.Command)
	go func() { // ends with the input, which ends with the parent; a read cannot be cancelled
		defer close(commands)
		orders(ctx, os.Stdin, commands)
	}()
	return window.Run(ctx, client, window.Options{
		Session: o.Session, Hidden: true, Theme: setting(ctx, client, "desktop.theme"), Language: setting(ctx, client, "desktop.language"), Version: version.Version,
		Commands: commands, Notify: tell(os.Stdout),
	})
}

// orders passes on what the background process wants until its pipe ends.
func orders(ctx context.Context, r io.Reader, out chan<- window.Command) {
	for dec := json.NewDecoder(r); ; {
		var o desktop.Order
		if err := dec.Decode(&o); err != nil {
			return
		}
		select {
		case out <- window.Command{Show: o.Show, Session: o.Session, Setup: o.Setup, Quit: o.Quit}:
		case <-ctx.Done():
			return
		}
	}
}

// tell writes notices as lines; a parent that is gone does not hear them.
func tell(w io.Writer) func(window.Notice) {
	var mu sync.Mutex
	enc := json.NewEncoder(w)
	return func(n window.Notice) {
		mu.Lock()
		defer mu.Unlock()
		_ = enc.Encode(desktop.Notice{Ready: n.Ready, Focused: n.Focused, Session: n.Session, Hidden: n.Hidden})
	}
}

// setting is one that the window starts with; empty where it is left to the system.
func setting(ctx context.Context, c *control.Client, key string) string {
	values, err := c.ConfigGet(ctx, key)
	if err != nil || len(values) != 1 {
		return ""
	}
	value := strings.Trim(values[0].Value, `"`)
	if value == "system" {
		return ""
	}
	return value
}
