// Package chattest has a small core for tests of the window: it keeps sessions
// and events in memory and answers the methods that the window asks for. A test
// plays what the agent does with [Core.Publish].
package chattest

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

// A Core is a [control.Transport] that answers by itself.
type Core struct {
	Info   control.Info
	Models []control.Model
	Now    func() time.Time
	// OnSend is called for each message, on a goroutine of its own, after its
	// event was published; it may play a turn. Nil ends the turn at once.
	OnSend func(session, turn, text string)
	// Commands are the slash commands that there are.
	Commands control.Commands
	// OnCommand answers a command; nil sends it as a message.
	OnCommand func(r control.CommandRequest) (control.CommandReply, error)

	mu       sync.Mutex
	sessions []*session
	deleted  []*session
	watchers map[*watcher]bool
	calls    []Call
	fail     map[string]error
	turns    int
}

// A Call is a request that the window made.
type Call struct {
	Method string
	Params json.RawMessage
}

type session struct {
	control.Session

	events []agent.Event
}

type watcher struct {
	session string
	more    chan struct{}
	queue   []agent.Event
	broken  error
}

// New makes a core without sessions.
func New() *Core {
	return &Core{
		Info: control.Info{
			Protocol: control.Protocol, State: control.StateReady, Mode: "ask", Model: "offline/hobkin", ModelName: "Offline",
			Offline: true, Workspace: "/home/u/Documents", Sandbox: "standard",
		},
		Models:   []control.Model{{ID: "offline/hobkin", Title: "Offline", Provider: "offline", Current: true, Window: 8000}},
		Now:      time.Now,
		watchers: map[*watcher]bool{}, fail: map[string]error{},
	}
}

// Client is a client of the core.
func (c *Core) Client() *control.Client { return &control.Client{Transport: c} }

// Add puts a session there, with what happened in it.
func (c *Core) Add(s control.Session, turn string, payloads ...agent.Payload) {
	c.mu.Lock()
	c.sessions = append(c.sessions, &session{Session: s})
	c.mu.Unlock()
	for _, p := range payloads {
		c.Publish(s.ID, turn, p)
	}
}

// Empty reports whether nothing has happened in a session.
func (c *Core) Empty(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.session(id)
	return s == nil || len(s.events) == 0
}

// Fail makes a method fail from now on; nil makes it work again.
func (c *Core) Fail(method string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail[method] = err
}

// Calls are the requests of a method so far, their parameters as JSON.
func (c *Core) Calls(method string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, x := range c.calls {
		if x.Method == method {
			out = append(out, string(x.Params))
		}
	}
	return out
}

// Publish makes something happen in a session.
func (c *Core) Publish(id, turn string, p agent.Payload) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.session(id)
	if s == nil {
		return
	}
	e := agent.Event{Session: id, Turn: turn, At: c.Now(), Payload: p}
	if agent.Durable(p) {
		e.Seq = int64(len(s.events)) + 1
		s.events = append(s.events, e)
		s.note(p, e.At)
	}
	for w := range c.watchers {
		if w.session == "" || w.session == id {
			w.push(e)
		}
	}
}

// note keeps what lists show of the session.
func (s *session) note(p agent.Payload, at time.Time) {
	switch p.(type) {
	case agent.InputMessage:
		s.State, s.Updated, s.Messages = control.StateWorking, at, s.Messages+1
	case agent.ApprovalRequested, agent.QuestionAsked:
		s.State = control.StateWaiting
	case agent.ApprovalResolved, agent.QuestionAnswered:
		s.State = control.StateWorking
	default:
	}
	if agent.EndsTurn(p) {
		s.State, s.Updated = control.StateReady, at
	}
}

// Break cuts every watch with an error, as a core that goes away does.
func (c *Core) Break(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.watchers {
		w.broken = err
		w.wake()
	}
}

func (w *watcher) push(e agent.Event) {
	w.queue = append(w.queue, e)
	w.wake()
}

func (w *watcher) wake() {
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (c *Core) session(id string) *session {
	for _, s := range c.sessions {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// Watch implements [control.Transport].
func (c *Core) Watch(ctx context.Context, req control.WatchRequest) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		w := &watcher{session: req.Session, more: make(chan struct{}, 1)}
		c.mu.Lock()
		err := c.fail["watch"]
		if s := c.session(req.Session); s != nil && req.From > 0 {
			w.queue = slices.Clone(s.events[min(int(req.From)-1, len(s.events)):])
		}
		w.more <- struct{}{}
		c.watchers[w] = true
		c.mu.Unlock()
		defer func() {
			c.mu.Lock()
			delete(c.watchers, w)
			c.mu.Unlock()
		}()
		if err != nil {
			yield(agent.Event{}, err)
			return
		}
		for {
			select {
			case <-ctx.Done():
				return
			case <-w.more:
			}
			c.mu.Lock()
			events, broken := w.queue, w.broken
			w.queue = nil
			c.mu.Unlock()
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
			if broken != nil {
				yield(agent.Event{}, broken)
				return
			}
		}
	}
}
