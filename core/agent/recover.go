package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// Unanswered is a message that was stored and has no answer, because the
// program ended before or during its turn.
type Unanswered struct {
	Session string
	Turn    string
	Text    string
	Trust   capability.Trust
	Started bool // its turn was under way
}

// Recover closes what a killed program left open in these sessions: turns that
// ran or waited end as interrupted, and requests for approval are withdrawn.
// It returns the messages that still wait for an answer; [Agent.Resume] gives
// it. Call it before the first Send. A session that cannot be read does not
// keep the others from being recovered.
func (a *Agent) Recover(ctx context.Context, sessions []string) ([]Unanswered, error) {
	var (
		out  []Unanswered
		errs []error
	)
	for _, id := range sessions {
		sc, err := a.scan(ctx, id)
		if err == nil {
			err = a.closeOpen(ctx, id, sc)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("agent: recovering session %s: %w", id, err))
			continue
		}
		out = append(out, sc.waiting()...)
	}
	return out, errors.Join(errs...)
}

func (a *Agent) closeOpen(ctx context.Context, session string, sc *scan) error {
	for _, ask := range sc.asked {
		gone := ApprovalResolved{ID: ask.ID, Call: ask.Call, Decision: "cancelled", By: "restart"}
		if _, err := a.Hub.Publish(ctx, session, ask.turn, gone); err != nil {
			return err
		}
	}
	for _, t := range sc.turns {
		if t.ended {
			continue
		}
		if t.Started {
			marker := provider.Message{Role: provider.RoleAssistant, Parts: []provider.Part{provider.Text{Text: interruptedMarker}}}
			if err := a.Journal.AppendMessage(ctx, session, t.Turn, marker); err != nil {
				return err
			}
		}
		if _, err := a.Hub.Publish(ctx, session, t.Turn, TurnCancelled{interrupted}); err != nil {
			return err
		}
	}
	return nil
}

// resumeText is what the model is told, and what the chat shows.
const resumeText = "Go on with what was interrupted."

// Resume answers what [Agent.Recover] found unanswered in a session, in one new
// turn. Of in everything counts but text and images; its trust is lowered to
// that of the messages, never raised. The error is [NothingToResume] when
// nothing waits.
func (a *Agent) Resume(ctx context.Context, in Input) (Sent, error) {
	if _, ok := a.Running()[in.Session]; ok {
		return Sent{}, NothingToResume.Becausef("a turn of this session is running")
	}
	sc, err := a.scan(ctx, in.Session)
	if err != nil {
		return Sent{}, fmt.Errorf("agent: reading the session: %w", err)
	}
	waiting := sc.waiting()
	if len(waiting) == 0 {
		return Sent{}, NothingToResume.Becausef("every message of this session has its answer")
	}
	for _, w := range waiting {
		if w.Trust != capability.Operator {
			in.Trust = w.Trust
		}
	}
	in.Text, in.Images = resumeText, nil
	return a.Send(ctx, in)
}

// scan is what the events of a session tell about its turns.
type scan struct {
	turns []*scanned // open, or interrupted and not answered since; oldest first
	asked []asked    // approvals without a decision
}

type scanned struct {
	Unanswered
	ended bool
}

type asked struct{ ID, Call, turn string }

func (sc *scan) waiting() []Unanswered {
	var out []Unanswered
	for _, t := range sc.turns {
		out = append(out, t.Unanswered)
	}
	return out
}

// scan reads all events of a session, page by page.
func (a *Agent) scan(ctx context.Context, session string) (*scan, error) {
	sc := &scan{}
	for next := int64(1); ; {
		page, err := a.Journal.EventsFrom(ctx, session, next, replayPage)
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			return sc, nil
		}
		for _, e := range page {
			sc.event(e)
			next = e.Seq + 1
		}
	}
}

func (sc *scan) event(e Event) {
	switch p := e.Payload.(type) {
	case InputMessage:
		sc.turns = append(sc.turns, &scanned{Unanswered: Unanswered{Session: e.Session, Turn: e.Turn, Text: p.Text, Trust: p.Trust}})
	case TurnStarted:
		if t := sc.find(e.Turn); t != nil {
			t.Started = true
		}
	case ApprovalRequested:
		sc.asked = append(sc.asked, asked{p.ID, p.Call, e.Turn})
	case ApprovalResolved:
		sc.resolved(p.ID)
	case TurnCancelled:
		sc.end(e.Turn, p.Reason == interrupted)
	case TurnCompleted, TurnFailed, TurnSealed:
		sc.end(e.Turn, false)
	default: // what happens within a turn says nothing about its end
	}
}

func (sc *scan) find(turn string) *scanned {
	for _, t := range sc.turns {
		if t.Turn == turn {
			return t
		}
	}
	return nil
}

func (sc *scan) resolved(id string) {
	sc.asked = slices.DeleteFunc(sc.asked, func(a asked) bool { return a.ID == id })
}

// end closes a turn. One that came to an end of its own has seen the messages
// that were interrupted before it, so they wait no longer.
func (sc *scan) end(turn string, broken bool) {
	if broken {
		if t := sc.find(turn); t != nil {
			t.ended = true
		}
		return
	}
	sc.turns = slices.DeleteFunc(sc.turns, func(t *scanned) bool { return t.ended || t.Turn == turn })
}
