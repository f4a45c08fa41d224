package chattest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/control"
)

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
	case control.MethodCommands:
		return c.Commands, nil
	case control.MethodCommand:
		return c.command(raw)
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

// command gives a command to the test, or makes a message of it.
func (c *Core) command(raw json.RawMessage) (any, error) {
	var r control.CommandRequest
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, err
	}
	if c.OnCommand != nil {
		return c.OnCommand(r)
	}
	sent, err := c.send(raw)
	if s, ok := sent.(control.Sent); ok {
		return control.CommandReply{Sent: &command.Sent{Session: s.Session, Turn: s.Turn, From: s.From}}, err
	}
	return nil, err
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
