package system

import (
	"context"
	"crypto/rand"
	"errors"
	"net/netip"
	"slices"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
)

// command is what package process is given for a line.
func (h *Host) command(l *line, call capability.Call) process.Command {
	limits := h.limits()
	return process.Command{
		Args: l.argv(), Dir: l.dir, Env: l.env, Mark: call.ID + "-" + rand.Text()[:8],
		Keep: limits.Keep, Grace: limits.Grace, Confine: l.held, Terminal: l.terminal(),
	}
}

// foreground runs a line to its end.
func (h *Host) foreground(ctx context.Context, call capability.Call, l *line) (capability.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout(h.limits()))
	defer cancel()
	live := newLive(call)
	c := h.command(l, call)
	c.Output = live.add
	lines := process.NewKept(c.Keep)
	shown := newDisplay(func(line string) { _, _ = lines.Write([]byte(line + "\n")) })
	if l.PTY {
		c.Output = func(s process.Stream, chunk []byte) { live.add(s, shown.draw(chunk)) }
	}
	p, err := process.Start(ctx, c)
	if err != nil {
		return capability.Result{}, startError(ctx, err)
	}
	w := watch{process: p, live: live, warn: call.Progress}
	w.until(p.Done())
	o := &outcome{line: l, res: p.Wait(), listens: w.listens}
	if l.PTY {
		shown.end()
		o.res.Stdout = lines
	}
	switch {
	case o.res.Stopped && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return o.failure(timedOut, "the command was ended after %s", span(o.res.Duration))
	case o.res.Stopped:
		return o.failure(capability.Cancelled, "the command was stopped after %s", span(o.res.Duration))
	}
	return o.result(), nil
}

// startError says why a command did not start.
func startError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return notStarted.Becausef("the shell did not start: %v", err)
}

const (
	flushEvery  = 100 * time.Millisecond // at most ten events a second
	listenEvery = 500 * time.Millisecond
	rest        = 20 // times as long as a look took is waited before the next: many commands take little of the machine
)

// A watch shows the output of a command as it comes, and looks whether the
// command begins to listen.
type watch struct {
	process *process.Process
	live    *live
	warn    func(string)           // told once of each address
	heard   func([]netip.AddrPort) // told of all addresses when there is a new one; may be nil
	listens []netip.AddrPort
}

// until watches until done.
func (w *watch) until(done <-chan struct{}) {
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	listen := time.NewTimer(listenEvery)
	defer listen.Stop()
	for {
		select {
		case <-done:
			w.live.flush(true)
			return
		case <-flush.C:
			w.live.flush(false)
		case <-listen.C:
			start := time.Now()
			w.look()
			listen.Reset(max(listenEvery, rest*time.Since(start)))
		}
	}
}

// look notes new addresses at which the command listens.
func (w *watch) look() {
	for _, addr := range w.process.Listening() {
		if !slices.Contains(w.listens, addr) {
			w.listens = append(w.listens, addr)
			w.warn(listenWarning(addr))
			if w.heard != nil {
				w.heard(w.listens)
			}
		}
	}
}

// listenWarning says what listening at addr means.
func listenWarning(addr netip.AddrPort) string {
	return "It listens on " + addr.String() + ", which other machines can reach."
}
