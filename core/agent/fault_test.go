package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

func TestTurnFaults(t *testing.T) {
	t.Run("a model that panics", func(t *testing.T) {
		b := newBench(t, reply{also: func(*reply) { panic("oh") }})
		events := b.turn(t, input("do it"))
		p, ok := events[len(events)-1].Payload.(TurnFailed)
		if !ok || p.Code != "internal" || strings.Contains(p.Message, "oh") {
			t.Errorf("got %v, want an internal error without its words", events[len(events)-1].Payload)
		}
		b.model.replies = append(b.model.replies, says("fine"))
		events = b.turn(t, input("again"))
		if _, ok := events[len(events)-1].Payload.(TurnCompleted); !ok {
			t.Errorf("the session is dead: %v", events[len(events)-1].Payload)
		}
	})
	t.Run("no model", func(t *testing.T) {
		b := newBench(t)
		none := &capability.Failure{Code: "no_model", When: "x", Try: "connect one"}
		b.Models = func(context.Context, string, string) ([]Choice, error) {
			return nil, none.Becausef("no model is connected")
		}
		events := b.turn(t, input("do it"))
		want := TurnFailed{"no_model", "no model is connected", "connect one"}
		if got := events[len(events)-1].Payload; got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("a full disk", func(t *testing.T) {
		b := newBench(t)
		b.model.replies = []reply{{also: func(r *reply) {
			b.journal.fail(errors.New("disk full"))
			*r = says("x")
		}}}
		events := b.turn(t, input("do it"))
		last := events[len(events)-1]
		if p, ok := last.Payload.(TurnFailed); !ok || p.Code != "not_stored" || last.Seq != 0 {
			t.Errorf("got %d %v, want not_stored without a number", last.Seq, last.Payload)
		}
		if _, err := b.Send(t.Context(), input("more")); err == nil {
			t.Error("a message that is not stored is acknowledged")
		}
	})
	t.Run("secrets", func(t *testing.T) {
		b := newBench(t, calls(call("1", "echo", `{"text":"fail hunter2"}`)), says("done"))
		b.Runner.Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "•••") }
		for _, line := range shown(b.turn(t, input("do it")))[1:] {
			if strings.Contains(line, "hunter2") {
				t.Errorf("a secret is in %s", line)
			}
		}
	})
}
