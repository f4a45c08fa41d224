// Package chattest has a small core for tests of the window: it keeps sessions
// and events in memory and answers the methods that the window asks for. A test
// plays what the agent does with [Core.Publish].
package chattest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
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

// Do implements [control.Transport].
func (c *Core) Do(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.calls = append(c.calls, Call{method, raw})
	err = c.fail[method]
	c.mu.Unlock()
	if err != nil {
		return err
	}
	out, err := c.answer(ctx, method, raw)
	if err != nil || result == nil {
		return err
	}
	if raw, err = json.Marshal(out); err != nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

// Close implements [control.Transport].
func (c *Core) Close() error { return nil }

func (c *Core) answer(_ context.Context, method string, raw json.RawMessage) (any, error) {
	switch method {
	case control.MethodInfo:
		return c.Info, nil
	case control.MethodModels:
		return c.Models, nil
	case control.MethodSend:
		return c.send(raw)
	case control.MethodAnswer:
		return nil, c.resolve(raw)
	case control.MethodAnswerQuestion:
		return nil, c.answered(raw)
	}
	var id struct{ ID string }
	if err := json.Unmarshal(raw, &id); err != nil {
		return nil, err
	}
	return c.answerOf(method, id.ID, raw)
}

// answerOf answers what is about one session.
func (c *Core) answerOf(method, id string, raw json.RawMessage) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.session(id)
	switch method {
	case control.MethodSessions:
		return c.list(raw)
	case control.MethodSessionRestore:
		i := slices.IndexFunc(c.deleted, func(s *session) bool { return s.ID == id })
		if i < 0 {
			return nil, &control.Error{Code: "not_found", Message: "there is no such session"}
		}
		c.sessions = append(c.sessions, c.deleted[i])
		c.deleted = slices.Delete(c.deleted, i, i+1)
		return nil, nil
	case control.MethodStop, control.MethodUndo:
		return control.Undone{Text: "taken back"}, nil
	}
	if s == nil {
		return nil, &control.Error{Code: "not_found", Message: "there is no such session"}
	}
	switch method {
	case control.MethodSession:
		return s.Session, nil
	case control.MethodSessionChange:
		return s.change(raw)
	case control.MethodSessionDelete:
		c.sessions = slices.DeleteFunc(c.sessions, func(x *session) bool { return x == s })
		c.deleted = append(c.deleted, s)
		return nil, nil
	case control.MethodSessionExport:
		return control.Export{Format: "markdown", Text: "# " + s.Title}, nil
	}
	return nil, fmt.Errorf("chattest: no method %s", method)
}

func (c *Core) list(raw json.RawMessage) (any, error) {
	var q control.SessionQuery
	if err := json.Unmarshal(raw, &q); err != nil {
		return nil, err
	}
	out := []control.Session{}
	for _, s := range c.sessions {
		if strings.Contains(strings.ToLower(s.Title), strings.ToLower(q.Search)) {
			out = append(out, s.Session)
		}
	}
	slices.SortStableFunc(out, func(a, b control.Session) int {
		if a.Pinned != b.Pinned {
			return map[bool]int{true: -1, false: 1}[a.Pinned]
		}
		return b.Updated.Compare(a.Updated)
	})
	return out, nil
}

func (s *session) change(raw json.RawMessage) (any, error) {
	var ch control.SessionChange
	if err := json.Unmarshal(raw, &ch); err != nil {
		return nil, err
	}
	set := func(to *string, v *string) {
		if v != nil {
			*to = *v
		}
	}
	set(&s.Title, ch.Title)
	set(&s.Mode, ch.Mode)
	set(&s.Model, ch.Model)
	if ch.Pinned != nil {
		s.Pinned = *ch.Pinned
	}
	return s.Session, nil
}

func (c *Core) send(raw json.RawMessage) (any, error) {
	var r control.SendRequest
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.turns++
	turn := fmt.Sprintf("turn-%d", c.turns)
	if r.Session == "" {
		r.Session = fmt.Sprintf("session-%d", c.turns)
		c.sessions = append(c.sessions, &session{Session: control.Session{ID: r.Session, Title: r.Text, Workspace: c.Info.Workspace, Mode: c.Info.Mode}})
	}
	c.mu.Unlock()
	c.Publish(r.Session, turn, agent.InputMessage{Text: r.Text, Images: len(r.Images), Channel: r.Channel})
	if c.OnSend == nil {
		c.Publish(r.Session, turn, agent.TurnCompleted{})
	} else {
		go c.OnSend(r.Session, turn, r.Text)
	}
	return control.Sent{Session: r.Session, Turn: turn, From: 1}, nil
}

// resolve ends an approval as the core does, whichever session it is in.
func (c *Core) resolve(raw json.RawMessage) error {
	var a control.ApprovalAnswer
	if err := json.Unmarshal(raw, &a); err != nil {
		return err
	}
	return c.end(func(e agent.Event) agent.Payload {
		if p, ok := e.Payload.(agent.ApprovalRequested); ok && p.ID == a.ID {
			return agent.ApprovalResolved{ID: a.ID, Call: p.Call, Decision: a.Decision, By: a.By}
		}
		return nil
	})
}

func (c *Core) answered(raw json.RawMessage) error {
	var a control.QuestionAnswer
	if err := json.Unmarshal(raw, &a); err != nil {
		return err
	}
	return c.end(func(e agent.Event) agent.Payload {
		if p, ok := e.Payload.(agent.QuestionAsked); ok && p.ID == a.ID {
			return agent.QuestionAnswered{ID: a.ID, By: a.By}
		}
		return nil
	})
}

// end publishes what ends the event that which finds.
func (c *Core) end(which func(agent.Event) agent.Payload) error {
	c.mu.Lock()
	var found agent.Event
	var end agent.Payload
	for _, s := range c.sessions {
		for _, e := range s.events {
			if p := which(e); p != nil {
				found, end = e, p
			}
		}
	}
	c.mu.Unlock()
	if end == nil {
		return &control.Error{Code: "not_waiting", Message: "that was answered already"}
	}
	c.Publish(found.Session, found.Turn, end)
	return nil
}
