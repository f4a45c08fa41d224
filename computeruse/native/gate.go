package native

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A gate lets one act through at a time, and none while paused.
type gate struct {
	mu       sync.Mutex
	lookOnly bool
	noCorner bool    // the pointer in a corner does not pause
	paused   string  // by whom, empty: not
	running  *strike // nil: none
	last     time.Time
}

// A strike is an act under way.
type strike struct {
	stop context.CancelCauseFunc
	done chan struct{}
	sent atomic.Bool // some input has gone out
}

// errPaused is why an act's context ended when somebody paused.
var errPaused = errors.New("paused")

// enter begins an act. What it returns must be given to leave.
func (g *gate) enter(ctx context.Context) (context.Context, *strike, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.lookOnly:
		return nil, nil, &wire.Error{Code: wire.LookOnly, Message: "this helper was started only to look"}
	case g.paused != "":
		return nil, nil, pausedError(g.paused, false)
	case g.running != nil:
		return nil, nil, &wire.Error{Code: wire.Busy, Message: "another act is under way"}
	}
	ctx, stop := context.WithCancelCause(ctx)
	g.running = &strike{stop: stop, done: make(chan struct{})}
	return ctx, g.running, nil
}

func (g *gate) leave(st *strike) {
	g.mu.Lock()
	defer g.mu.Unlock()
	st.stop(nil)
	g.running, g.last = nil, time.Now()
	close(st.done)
}

// judge gives an act's error its code, and says whether something went out.
func (g *gate) judge(ctx context.Context, st *strike, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(context.Cause(ctx), errPaused) {
		g.mu.Lock()
		defer g.mu.Unlock()
		return pausedError(g.paused, st.sent.Load())
	}
	e := *wireError(ctx, err, "the act")
	e.Sent = e.Sent || st.sent.Load()
	return &e
}

func pausedError(by string, sent bool) error {
	who := map[string]string{
		wire.ByHotkey: "with the hotkey", wire.ByCorner: "by throwing the pointer into a corner", wire.ByBar: "on the bar",
	}[by]
	message := "computer use is paused"
	if who != "" {
		message = "a person paused computer use " + who
	}
	return &wire.Error{Code: wire.IsPaused, Message: message, Fix: "wait until it is resumed", Sent: sent}
}

// close stops further acts and ends the running one; it returns when that has
// ended, and whether there was one.
func (g *gate) close(ctx context.Context, by string) (stopped bool, err error) {
	g.mu.Lock()
	if g.paused == "" {
		g.paused = by
	}
	st := g.running
	g.mu.Unlock()
	if st == nil {
		return false, nil
	}
	st.stop(errPaused)
	select {
	case <-st.done:
		return true, nil
	case <-ctx.Done():
		return true, &wire.Error{Code: wire.TimedOut, Message: "the act under way does not end"}
	}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.paused = ""
}

// slammable reports whether a corner pauses: an act runs, or ran a short while
// ago, and the person did not say to do without it.
func (g *gate) slammable() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.noCorner && (g.running != nil || time.Since(g.last) < slamWithin)
}
