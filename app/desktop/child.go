package desktop

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"time"
)

// The window runs in a child process. The parent sends it [Order]s as lines of
// JSON on its standard input and hears [Notice]s on its standard output. The end
// of its input tells the child to go: it cannot outlive the parent.

// An Order is a line to the window process.
type Order struct {
	Show    bool   `json:"show,omitempty"`
	Session string `json:"session,omitempty"` // which one to show; empty keeps what is open
	Quit    bool   `json:"quit,omitempty"`
}

// A Notice is a line from the window process.
type Notice struct {
	Ready   bool   `json:"ready,omitempty"`   // the window is on the screen
	Focused *bool  `json:"focused,omitempty"` // it came to the front, or left it
	Session string `json:"session,omitempty"` // the session it shows
	Hidden  bool   `json:"hidden,omitempty"`  // a person closed it
}

const (
	warmFor     = 10 * time.Minute // a closed window's process is kept so long, for a quick next click
	maxRestarts = 3                // of a window that crashed, within restartIn
	restartIn   = 10 * time.Minute
	endGrace    = 3 * time.Second // from the order to quit to the kill
)

// errCrashed is told when a window crashed so often that it is left alone.
var errCrashed = errors.New("the window crashed several times and is not started again by itself; the log tells more")

// A window supervises the child process.
type window struct {
	command func() *exec.Cmd          // makes the child's command
	started func(pid int, alive bool) // tells the socket that the process is a window
	failed  func(error)               // tells the person

	mu      sync.Mutex
	child   *child
	focused bool
	session string
	crashes []time.Time
	closing bool
	wg      sync.WaitGroup
}

type child struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	shown bool
	warm  *time.Timer   // ends a hidden child
	told  bool          // it was ordered to quit
	done  chan struct{} // closed when the process has ended
}

// show brings the window to the front, starting its process when there is none.
func (w *window) show(session string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closing {
		return nil
	}
	if w.child == nil {
		if err := w.startLocked(); err != nil {
			return err
		}
	}
	c := w.child
	if c.warm != nil {
		c.warm.Stop()
		c.warm = nil
	}
	c.shown = true
	return w.orderLocked(Order{Show: true, Session: session})
}

// inFront reports whether the window has the focus, and the session it shows.
func (w *window) inFront() (bool, string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.focused, w.session
}

// close ends the child and waits for it.
func (w *window) close() {
	w.mu.Lock()
	w.closing = true
	w.quitLocked()
	w.mu.Unlock()
	w.wg.Wait()
}

func (w *window) startLocked() error {
	cmd := w.command()
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("desktop: window: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("desktop: window: %w", err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("desktop: starting the window: %w", err)
	}
	w.started(cmd.Process.Pid, true)
	c := &child{cmd: cmd, in: in, done: make(chan struct{})}
	w.child = c
	w.wg.Go(func() { w.follow(c, out) })
	return nil
}

func (w *window) orderLocked(o Order) error {
	if err := json.NewEncoder(w.child.in).Encode(o); err != nil {
		return fmt.Errorf("desktop: the window does not listen: %w", err)
	}
	return nil
}

// quitLocked tells the child to go, and sees to it that it goes.
func (w *window) quitLocked() {
	c := w.child
	if c == nil || c.told {
		return
	}
	c.told = true
	_ = w.orderLocked(Order{Quit: true})
	_ = c.in.Close()
	killer := time.AfterFunc(endGrace, func() { _ = c.cmd.Process.Kill() })
	w.wg.Go(func() {
		<-c.done
		killer.Stop()
	})
}

// follow reads what the child says until it ends.
func (w *window) follow(c *child, out io.Reader) {
	sc := bufio.NewScanner(out)
	for sc.Scan() {
		var n Notice
		if err := json.Unmarshal(sc.Bytes(), &n); err != nil {
			slog.Warn("desktop: the window said something odd", "line", sc.Text())
			continue
		}
		w.notice(c, n)
	}
	err := c.cmd.Wait()
	close(c.done)
	w.ended(c, err)
}

func (w *window) notice(c *child, n Notice) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n.Focused != nil {
		w.focused = *n.Focused
	}
	if n.Session != "" {
		w.session = n.Session
	}
	if n.Hidden {
		w.focused, c.shown = false, false
		c.warm = time.AfterFunc(warmFor, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.child == c && !c.shown {
				w.quitLocked()
			}
		})
	}
}

// ended tidies up after the child and starts another when it crashed before a
// person's eyes.
func (w *window) ended(c *child, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.started(c.cmd.Process.Pid, false)
	if c.warm != nil {
		c.warm.Stop()
	}
	if w.child == c {
		w.child, w.focused = nil, false
	}
	if err == nil || c.told || w.closing || !c.shown {
		return
	}
	slog.Error("desktop: the window ended unexpectedly", "error", err)
	now := time.Now()
	w.crashes = append(w.crashes, now)
	for len(w.crashes) > 0 && now.Sub(w.crashes[0]) > restartIn {
		w.crashes = w.crashes[1:]
	}
	if len(w.crashes) > maxRestarts {
		w.failed(errCrashed)
		return
	}
	if err := w.startLocked(); err != nil {
		w.failed(err)
		return
	}
	w.child.shown = true
	if err := w.orderLocked(Order{Show: true, Session: w.session}); err != nil {
		slog.Error("desktop: showing the window again", "error", err)
	}
}

// WindowCommand makes the command that runs program as a window.
func WindowCommand(ctx context.Context, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, program, append([]string{"--window"}, args...)...)
}
