package browser

import (
	"context"
	"errors"
	"time"
)

// An Effect is what came of an act.
type Effect struct {
	Arrival *Arrival // where the tab went; nil when it stayed on its page
	URL     string   // the address afterwards
	Dialog  *Dialog  // that is open now; nil without one
	Notes   []Note   // tabs that opened or closed, downloads, crashes
}

const (
	// tickTime bounds the turn that a page gets to react: an ordinary one needs a
	// few milliseconds.
	tickTime = 500 * time.Millisecond
	// quietTime is how long requests that an act began are waited for.
	quietTime = 1500 * time.Millisecond
)

// Settle runs an act and waits until the page has dealt with it: its own turn,
// then what it requested, then a new page if the act led to one. There is no
// fixed wait. That the act opened a dialog, closed the tab or left the page is no
// error.
func (t *Tab) Settle(ctx context.Context, act func(ctx context.Context) error) (*Effect, error) {
	v, done, err := t.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return t.settle(ctx, v, act)
}

func (t *Tab) settle(ctx context.Context, v *view, act func(ctx context.Context) error) (*Effect, error) {
	_, serial := t.b.Since(0)
	begin := time.Now()
	v.mu.Lock()
	commits := v.moves.commits
	had := v.dialog
	v.mu.Unlock()
	if err := act(ctx); err != nil && !(errors.Is(err, DialogOpen) && had != v.openDialog()) && !t.left(v, err) {
		return nil, t.explain(v, err)
	}
	arrival, err := v.calm(ctx, begin, commits)
	if err != nil && !t.left(v, err) {
		return nil, t.explain(v, err)
	}
	v.mu.Lock()
	e := &Effect{URL: v.url}
	if v.dialog != nil {
		d := *v.dialog
		e.Dialog = &d
	}
	v.mu.Unlock()
	e.Arrival = arrival
	if arrival == nil && e.Dialog == nil {
		v.learnTitle(ctx) // scripts change it
	}
	e.Notes, _ = t.b.Since(serial)
	return e, nil
}

// left reports whether an error says no more than that the tab closed itself.
func (t *Tab) left(v *view, err error) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.gone && !v.in.ending() && errors.Is(v.explain(err), TabGone)
}

func (v *view) openDialog() *Dialog {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.dialog
}

// tick is a turn of the page: what an act set off has run, timers of zero
// included. A page that is not in view has no frames to draw, so a timer stands in.
const tick = `new Promise(done => { const next = () => setTimeout(done, 0); requestAnimationFrame(next); setTimeout(next, 50) })`

// calm waits until the page is quiet. It returns where the page went, if it did.
func (v *view) calm(ctx context.Context, begin time.Time, commits int) (*Arrival, error) {
	v.turn(ctx)
	over := func() bool { return v.dialog != nil || v.crashed || v.moves.commits != commits || v.moves.under }
	if _, err := v.within(ctx, quietTime, func() bool { return over() || !v.busyLocked(begin) }); err != nil {
		return nil, err
	}
	v.mu.Lock()
	moving := v.moves.commits != commits || v.moves.under
	v.mu.Unlock()
	if !moving {
		if v.openDialog() == nil {
			v.turn(ctx) // what was fetched is now shown
		}
		return nil, nil
	}
	if _, err := v.settled(ctx, commits); err != nil {
		return nil, err
	}
	v.mu.Lock()
	moved := v.moves.commits != commits
	v.mu.Unlock()
	if !moved { // a download, or an answer without a page
		return nil, nil
	}
	if v.blocked() {
		return nil, v.failed(v.in.refused.failure(0, v.address()))
	}
	if err := v.arrive(ctx); err != nil {
		return nil, err
	}
	return v.arrival(ctx), nil
}

// turn gives the page a turn. That it cannot take one, because it is busy, gone
// or asks something, is for others to say.
func (v *view) turn(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, tickTime)
	defer cancel()
	_ = v.session.Call(ctx, "Runtime.evaluate", map[string]any{"expression": tick, "awaitPromise": true, "silent": true}, nil)
}
