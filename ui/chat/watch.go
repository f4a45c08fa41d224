package chat

import (
	"context"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

// A batch gathers events, so that the window is drawn at most ten times a
// second however fast they come, and at once when they come seldom.
type batch struct {
	out func([]agent.Event) // called with what was gathered

	mu     sync.Mutex
	events []agent.Event
	last   time.Time   // when out was called last
	timer  *time.Timer // calls it again; nil when nothing waits
}

// flushEvery is the least time between two drawings.
const flushEvery = 100 * time.Millisecond

func (b *batch) add(e agent.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
	if b.timer == nil {
		b.timer = time.AfterFunc(max(0, flushEvery-time.Since(b.last)), b.flush)
	}
}

func (b *batch) flush() {
	b.mu.Lock()
	events := b.events
	b.events, b.timer, b.last = nil, nil, time.Now()
	b.mu.Unlock()
	if len(events) > 0 {
		b.out(events)
	}
}

// stop ends it; what was gathered is not handed on.
func (b *batch) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = nil
	if b.timer != nil {
		b.timer.Stop()
	}
}

// How long a lost connection is left alone before it is tried again.
const (
	firstWait = 200 * time.Millisecond
	lastWait  = 5 * time.Second
)

// watch follows one session until ctx ends. A connection that is lost, or that
// had to leave out something, is made anew from the last event that came.
func (g *Glue) watch(ctx context.Context, id string, from int64, m *Model) {
	b := &batch{out: func(events []agent.Event) { g.opts.Post(func() { g.apply(m, events) }) }}
	defer b.stop()
	wait := firstWait
	for ctx.Err() == nil {
		var err error
		before := from
		for e, failed := range g.opts.Client.Watch(ctx, control.WatchRequest{Session: id, From: from}) {
			if err = failed; err != nil {
				break
			}
			if _, lagged := e.Payload.(agent.Lagged); lagged {
				break
			}
			if e.Seq != 0 {
				from = e.Seq + 1
			}
			b.add(e)
		}
		if from > before {
			wait = firstWait
		}
		if err != nil {
			g.opts.Post(func() { g.gone(m) })
		}
		if !pause(ctx, wait) {
			return
		}
		wait = min(2*wait, lastWait)
	}
}

// gone says that the core does not answer.
func (g *Glue) gone(m *Model) {
	if m == g.view.model && !g.view.win.Offline {
		g.view.win.Offline = true
		g.view.sync()
	}
}

// pause waits, and reports whether there is still someone to wait for.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// watchAll keeps the list of sessions and the state of the core true.
func (g *Glue) watchAll() {
	wait := firstWait
	for g.ctx.Err() == nil {
		lost := false
		for e, err := range g.opts.Client.Watch(g.ctx, control.WatchRequest{}) {
			if err != nil {
				lost = true
				break
			}
			wait = firstWait
			if listed(e.Payload) {
				g.opts.Post(func() { g.happened(e) })
			}
		}
		if !pause(g.ctx, wait) {
			return
		}
		wait = min(2*wait, lastWait)
		if lost {
			g.opts.Post(g.load)
		}
	}
}

// listed reports whether an event changes what the list shows of its session.
func listed(p agent.Payload) bool {
	switch p.(type) {
	case agent.InputMessage, agent.TurnStarted, agent.ApprovalRequested, agent.ApprovalResolved, agent.QuestionAsked, agent.QuestionAnswered:
		return true
	default:
		return agent.EndsTurn(p)
	}
}

// happened brings the list up to date after an event of any session.
func (g *Glue) happened(e agent.Event) {
	g.refreshSession(e.Session)
	if agent.EndsTurn(e.Payload) {
		ask(g, g.opts.Client.Info, func(info control.Info, err error) {
			if err == nil {
				g.view.win.Info = info
				g.view.sync()
			}
		})
	}
}
