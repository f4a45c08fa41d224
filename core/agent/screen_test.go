package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// screenSecret replaces whatever says "secret", and dies of "boom".
func screenSecret(_ context.Context, _ capability.Turn, text string) (string, string) {
	if strings.Contains(text, "boom") {
		panic("boom")
	}
	if !strings.Contains(text, "secret") {
		return text, ""
	}
	return "(withheld)", "it told a secret"
}

func TestScreen(t *testing.T) {
	both := reply{events: []provider.Event{
		provider.TextDelta("the secret is"),
		provider.PartDone{Part: provider.Text{Text: "the secret is"}},
		provider.PartDone{Part: provider.Text{Text: " 7"}},
		provider.PartDone{Part: call("1", "echo", `{"text":"x"}`)},
		provider.Done{Stop: provider.StopTools},
	}}
	for name, tt := range map[string]struct {
		replies []reply
		want    string // the history's second message
		said    []string
	}{
		"passes":       {[]reply{says("all is well")}, "assistant: all is well", []string{"all is well"}},
		"replaced":     {[]reply{says("the secret is 7")}, "assistant: (withheld)", []string{"(withheld)"}},
		"with a call":  {[]reply{both, says("done")}, `assistant: (withheld) | →echo {"text":"x"}`, []string{"(withheld)", "done"}},
		"it broke off": {[]reply{{events: []provider.Event{provider.TextDelta("the secret is")}}}, "assistant: (withheld) | [The turn ended here: test: the answer broke off.]", []string{"(withheld)"}},
		"a dead check": {[]reply{says("boom")}, "assistant: (withheld: the answer could not be checked)", []string{"(withheld: the answer could not be checked)"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tt.replies...)
			b.Screen = screenSecret
			events := b.turn(t, input("go"))
			raw, err := json.Marshal(events)
			if err != nil || strings.Contains(string(raw), "secret is") {
				t.Errorf("an event keeps it: %s, %v", raw, err)
			}
			if got := b.history(t)[1]; got != tt.want {
				t.Errorf("stored %q, want %q", got, tt.want)
			}
			var said []string
			for _, e := range events {
				if p, ok := e.Payload.(OutputCompleted); ok {
					said = append(said, p.Text)
				}
			}
			if strings.Join(said, "|") != strings.Join(tt.said, "|") {
				t.Errorf("said %q, want %q", said, tt.said)
			}
			if taken := strings.Contains(string(raw), `"output.replaced"`); taken != (name != "passes") {
				t.Errorf("taken back: %v", taken)
			}
		})
	}
}

// What is held is shown when it was checked, and not before; thoughts are not.
func TestHeldAnswer(t *testing.T) {
	withThought := func(r reply) reply {
		r.events = append([]provider.Event{provider.ReasoningDelta("the secret is 7")}, r.events...)
		return r
	}
	for name, tt := range map[string]struct {
		reply reply
		held  bool
		want  []string
	}{
		"held, passes":    {withThought(says("all is well")), true, []string{"completed all is well"}},
		"held, replaced":  {withThought(says("the secret is 7")), true, []string{"replaced", "completed (withheld)"}},
		"held, broke off": {reply{events: []provider.Event{provider.TextDelta("the secret is")}}, true, []string{"replaced", "completed (withheld)"}},
		"not held":        {withThought(says("the secret is 7")), false, []string{"thought the secret is 7", "delta the secret is 7", "replaced", "completed (withheld)"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tt.reply)
			b.Screen, b.Holds = screenSecret, func() bool { return tt.held }
			watch := b.Hub.Watch(t.Context(), "s", 0)
			b.turn(t, input("go"))
			var got []string
			for e, err := range watch {
				if err != nil {
					t.Fatal(err)
				}
				if EndsTurn(e.Payload) {
					break
				}
				switch p := e.Payload.(type) {
				case OutputDelta:
					got = append(got, "delta "+p.Text)
				case ReasoningDelta:
					got = append(got, "thought "+p.Text)
				case OutputReplaced:
					got = append(got, "replaced")
				case OutputCompleted:
					got = append(got, "completed "+p.Text)
				default: // not of the answer
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOneSendAStep(t *testing.T) {
	b := newBench(t, calls(call("1", "tell", `{"text":"a"}`), call("2", "echo", `{"text":"b"}`), call("3", "tell", `{"text":"c"}`)), calls(call("4", "tell", `{"text":"d"}`)), says("done"))
	sent := []string{}
	c, err := capability.Func("tell", "Sends a message.", func(_ context.Context, in sayIn) (string, error) {
		sent = append(sent, in.Text)
		return "sent", nil
	})
	c.Class, c.Hints.Sends = capability.ReadWrite, true
	if err != nil || b.Registry.Register(c) != nil {
		t.Fatal(err)
	}
	events := b.turn(t, input("tell them"))
	if strings.Join(sent, "") != "ad" {
		t.Errorf("sent %q, want the first of each step", sent)
	}
	refused := 0
	for _, e := range events {
		if p, ok := e.Payload.(ToolCompleted); ok && p.Code == "one_send" {
			refused++
			if !strings.HasSuffix(p.Text, "try another way.") {
				t.Errorf("no hint: %q", p.Text)
			}
		}
	}
	if refused != 1 {
		t.Errorf("%d were refused", refused)
	}
}

// How much a failed turn tells is what the owner chose.
func TestDisclosedFailures(t *testing.T) {
	for name, tt := range map[string]struct {
		d        capability.Disclosure
		err      error
		has, not string
	}{
		"standard": {capability.Standard, errors.New("driver: no route to 10.1.2.3"), "internal error ", "10.1.2.3"},
		"verbose":  {capability.Verbose, errors.New("driver: no route to 10.1.2.3"), "no route to 10.1.2.3", "stack"},
		"minimal":  {capability.Minimal, &provider.Error{Provider: "x", Kind: provider.KindInvalid, Message: "10.1.2.3 says no", Try: "look"}, "did not answer as it should", "10.1.2.3"},
	} {
		b := newBench(t, reply{err: tt.err})
		b.Runner.Disclosure = tt.d
		events := b.turn(t, input("go"))
		p, ok := events[len(events)-1].Payload.(TurnFailed)
		if !ok || !strings.Contains(p.Message, tt.has) || strings.Contains(p.Message, tt.not) || p.Try == "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
