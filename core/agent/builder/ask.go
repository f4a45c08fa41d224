package builder

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
)

// A Reply is what became of a message.
type Reply struct {
	Text  string // the last thing the model said
	Calls []Call // in the order in which they began
}

// A Call is one call of a tool.
type Call struct {
	Tool     string
	Args     json.RawMessage
	Progress []string        // what it told on its way
	Text     string          // what the model read
	Data     json.RawMessage // the structured result
	Code     string          // of a failure; empty when it succeeded
}

// A TurnError says why a turn had no answer.
type TurnError struct {
	Code    string // such as no_answer or rate_limited; cancelled and sealed too
	Message string
	Try     string
}

// Error is the message with its code.
func (e *TurnError) Error() string { return e.Code + ": " + e.Message }

// Ask sends a message of the owner to a conversation, which begins with it if
// it is new, and waits for the end of its turn. Where ctx ends before that the
// turn is stopped. A turn that came to no end by itself is a [TurnError].
func (a *Agent) Ask(ctx context.Context, session, text string) (Reply, error) {
	watch, cancel := context.WithCancel(ctx)
	defer cancel()
	live := a.Hub.Watch(watch, session, 0) // from before the turn: what a tool tells on its way is not kept
	sent, err := a.Send(ctx, agent.Input{
		Session: session, Text: text, Channel: "program", Trust: capability.Operator, Mode: "auto",
		Workspace: a.parts.Workspace, Locale: a.parts.Locale, Provenance: capability.FromPerson,
	})
	if err != nil {
		return Reply{}, err
	}
	f := &following{turn: sent.Turn, at: map[string]int{}}
	for again := false; ; again = true {
		err := f.follow(live)
		switch {
		case f.ended != nil:
			return f.Reply, failure(f.ended)
		case err == nil && ctx.Err() == nil && !again: // it fell behind: what is kept is read once more
			f = &following{turn: sent.Turn, at: map[string]int{}}
			live = a.Hub.Watch(watch, session, sent.From)
			continue
		}
		a.StopTurn(session, sent.Turn)
		return f.Reply, cmp.Or(err, ctx.Err(), errLost)
	}
}

var errLost = errors.New("builder: the end of the turn was not seen")

// following is a reply that is coming in.
type following struct {
	Reply

	turn  string
	at    map[string]int // id of a call → its place
	ended agent.Payload
}

// follow takes in events until the turn ends, or some of them were missed.
func (f *following) follow(events iter.Seq2[agent.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		if _, lagged := e.Payload.(agent.Lagged); lagged {
			return nil
		}
		if e.Turn != f.turn {
			continue
		}
		f.take(e.Payload)
		if agent.EndsTurn(e.Payload) {
			f.ended = e.Payload
			return nil
		}
	}
	return nil
}

// take adds what an event tells.
func (f *following) take(p agent.Payload) {
	switch p := p.(type) {
	case agent.OutputCompleted:
		f.Text = p.Text
	case agent.ToolStarted:
		f.at[p.Call] = len(f.Calls)
		f.Calls = append(f.Calls, Call{Tool: p.Tool, Args: p.Args})
	case agent.ToolProgress:
		if i, ok := f.at[p.Call]; ok {
			f.Calls[i].Progress = append(f.Calls[i].Progress, p.Text)
		}
	case agent.ToolCompleted:
		if i, ok := f.at[p.Call]; ok {
			f.Calls[i].Text, f.Calls[i].Data, f.Calls[i].Code = p.Text, p.Data, p.Code
		}
	default:
	}
}

// failure says why a turn did not come to its end.
func failure(end agent.Payload) error {
	switch end := end.(type) {
	case agent.TurnFailed:
		return &TurnError{end.Code, end.Message, end.Try}
	case agent.TurnCancelled:
		return &TurnError{Code: "cancelled", Message: "the turn was stopped " + end.Reason}
	case agent.TurnSealed:
		return &TurnError{Code: "sealed", Message: end.Reason}
	default:
		return nil
	}
}
