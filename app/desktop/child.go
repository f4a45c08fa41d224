package desktop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
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
	Setup   bool   `json:"setup,omitempty"`   // show the settings instead
	Quit    bool   `json:"quit,omitempty"`
}

// A Notice is a line from the window process.
type Notice struct {
	Ready   bool   `json:"ready,omitempty"`   // the window is on the screen
	Focused *bool  `json:"focused,omitempty"` // it came to the front, or left it
	Session string `json:"session,omitempty"` // the session it shows
	Hidden  bool   `json:"hidden,omitempty"`  // a person closed it
}

// maxRestarts is how often a window that crashed is started again within
// window.restartIn.
const maxRestarts = 3

// errCrashed is told when a window crashed so often that it is left alone.
var errCrashed = errors.New("the window crashed several times and is not started again by itself; the log tells more")

// A window supervises the child process.
type window struct {
	command func() *exec.Cmd          // makes the child's command
	started func(pid int, alive bool) // tells the socket that the process is a window
	failed  func(error)               // tells the person; called without a lock

	warmFor   time.Duration // a closed window's process is kept so long, for a quick next click
	restartIn time.Duration // crashes are forgotten after it
	orderTime time.Duration // how long the child may take to read an order
	endGrace  time.Duration // from the order to quit to the kill

	mu      sync.Mutex
	child   *child // nil when there is none, or none that is not on its way out
	focused bool
	session string
	crashes []time.Time
	closing bool
	wg      sync.WaitGroup
}

// newWindow prepares a window that nothing shows yet.
func newWindow(command func() *exec.Cmd, started func(int, bool), failed func(error)) *window {
	return &window{
		command: command, started: started, failed: failed,
		warmFor: 10 * time.Minute, restartIn: 10 * time.Minute, orderTime: time.Second, endGrace: 3 * time.Second,
	}
}

type child struct {
	cmd    *exec.Cmd
	in     *os.File
	shown  bool
	warm   *time.Timer   // ends a hidden child
	told   bool          // it was ordered to quit
	missed *Order        // what it did not hear; the next child does
	done   chan struct{} // closed when the process has ended
}

// show brings the window to the front, starting its process when there is none.
func (w *window) show(session string) error { return w.bring(Order{Show: true, Session: session}) }

// showSetup does the same with the window of the settings.
func (w *window) showSetup() error { return w.bring(Order{Setup: true}) }

func (w *window) bring(o Order) error {
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
	w.child.stay()
	w.orderLocked(w.child, o)
	return nil
}

// stay notes that the window is wanted on the screen.
func (c *child) stay() {
	c.shown = true
	if c.warm != nil {
		c.warm.Stop()
		c.warm = nil
	}
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
	stdin, in, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("desktop: window: %w", err)
	}
	c := &child{cmd: w.command(), in: in, done: make(chan struct{})}
	c.cmd.Stdin, c.cmd.Stderr = stdin, os.Stderr
	c.cmd.Stdout = &lines{each: func(line []byte) { w.heard(c, line) }}
	c.cmd.WaitDelay = w.endGrace // something the child started may hold its output open
	err = c.cmd.Start()
	_ = stdin.Close()
	if err != nil {
		_ = in.Close()
		return fmt.Errorf("desktop: starting the window: %w", err)
	}
	w.started(c.cmd.Process.Pid, true)
	w.child = c
	w.wg.Go(func() {
		err := c.cmd.Wait()
		close(c.done)
		w.ended(c, err)
	})
	return nil
}

// orderLocked gives the child an order. One that does not read is on its way
// out, or hangs and is killed: the order waits for the next child.
func (w *window) orderLocked(c *child, o Order) {
	_ = c.in.SetWriteDeadline(time.Now().Add(w.orderTime)) // where the system knows none, a full pipe blocks
	if err := json.NewEncoder(c.in).Encode(o); err != nil {
		slog.Warn("desktop: the window does not listen", "error", err)
		c.missed = &o
		_ = c.cmd.Process.Kill()
	}
}

// quitLocked tells the child to go, and sees to it that it goes.
func (w *window) quitLocked() {
	c := w.child
	if c == nil {
		return
	}
	w.child, w.focused = nil, false // a click from now on starts another
	c.told = true
	w.orderLocked(c, Order{Quit: true})
	_ = c.in.Close()
	killer := time.AfterFunc(w.endGrace, func() { _ = c.cmd.Process.Kill() })
	w.wg.Go(func() {
		<-c.done
		killer.Stop()
	})
}

// heard takes in a line of the child's output.
func (w *window) heard(c *child, line []byte) {
	var n Notice
	if err := json.Unmarshal(line, &n); err != nil {
		slog.Warn("desktop: the window said something odd", "line", brief(string(line), bodyRunes))
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.child != c {
		return
	}
	if n.Focused != nil {
		w.focused = *n.Focused
	}
	if n.Session != "" {
		w.session = n.Session
	}
	if n.Ready || w.focused {
		c.stay() // a click may have crossed with the notice that it was closed
	}
	if n.Hidden {
		w.hiddenLocked(c)
	}
}

// hiddenLocked keeps a closed window's process for a while.
func (w *window) hiddenLocked(c *child) {
	w.focused, c.shown = false, false
	if c.warm != nil {
		c.warm.Stop()
	}
	c.warm = time.AfterFunc(w.warmFor, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.child == c && !c.shown {
			w.quitLocked()
		}
	})
}

// ended tidies up after the child.
func (w *window) ended(c *child, err error) {
	w.started(c.cmd.Process.Pid, false)
	if err := w.again(c, err); err != nil {
		w.failed(err)
	}
}

// again starts another child when this one ended before a person's eyes, or
// before it did what was asked.
func (w *window) again(c *child, ended error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.warm != nil {
		c.warm.Stop()
	}
	_ = c.in.Close()
	if w.child == c {
		w.child, w.focused = nil, false
	}
	crashed := c.shown && ended != nil && !errors.Is(ended, exec.ErrWaitDelay)
	if c.told || w.closing || !crashed && c.missed == nil {
		return nil
	}
	slog.Error("desktop: the window ended unexpectedly", "error", ended)
	now := time.Now()
	w.crashes = slices.DeleteFunc(w.crashes, func(at time.Time) bool { return now.Sub(at) > w.restartIn })
	w.crashes = append(w.crashes, now)
	if len(w.crashes) > maxRestarts {
		return errCrashed
	}
	if w.child == nil {
		if err := w.startLocked(); err != nil {
			return err
		}
	}
	o := Order{Show: true, Session: w.session}
	if c.missed != nil && c.missed.Session != "" {
		o.Session = c.missed.Session
	}
	w.child.stay()
	w.orderLocked(w.child, o)
	return nil
}

// lines passes on what is written to it, line by line.
type lines struct {
	each func(line []byte) // without the line's end; only valid during the call
	part []byte            // of a line that has not ended
}

// maxLine is where a longer line is cut: a program that floods must not fill
// the memory of another.
const maxLine = 64 << 10

// Write implements [io.Writer].
func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for {
		line, rest, whole := bytes.Cut(p, []byte{'\n'})
		l.part = append(l.part, line[:min(len(line), maxLine-len(l.part))]...)
		if !whole {
			return n, nil
		}
		l.each(l.part)
		l.part, p = l.part[:0], rest
	}
}

// WindowCommand makes the command that runs program as a window.
func WindowCommand(ctx context.Context, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, program, append([]string{"--window"}, args...)...)
}
