package agent

import (
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// whole hides the word secret, but only when its text has ended.
type whole struct{ text string }

func (w *whole) Write(piece string) string { w.text += piece; return "" }
func (w *whole) Release() string           { return "" }
func (w *whole) Flush() string             { return hideWord(w.text) }

func hideWord(text string) string { return strings.ReplaceAll(text, "secret", "[hidden]") }

// What a model says of a secret reaches neither the watchers nor the history,
// also where it is split between two pieces; a call gets it as it was said.
func TestAnswerWithASecret(t *testing.T) {
	b := newBench(t,
		reply{events: []provider.Event{
			provider.TextDelta("the se"), provider.ReasoningDelta("a secret"), provider.TextDelta("cret"),
			provider.PartDone{Part: provider.Reasoning{Text: "a secret", Signature: "signed"}},
			provider.PartDone{Part: provider.Text{Text: "the secret"}},
			provider.PartDone{Part: call("1", "echo", `{"text":"secret"}`)},
			provider.Done{Stop: provider.StopTools},
		}},
		says("done"))
	b.Runner.Redact, b.Runner.Stream = hideWord, func() capability.TextStream { return &whole{} }
	var got strings.Builder
	for _, line := range shown(b.turn(t, input("do it"))) {
		got.WriteString(line + "\n")
	}
	for _, line := range b.history(t) {
		got.WriteString(line + "\n")
	}
	if strings.Contains(got.String(), "secret") || strings.Count(got.String(), "[hidden]") < 4 {
		t.Errorf("got %s", got.String())
	}
	for _, m := range b.model.requests()[1].Messages {
		if text := lines([]provider.Message{m})[0]; strings.Contains(text, "secret") {
			t.Errorf("the next request repeats it: %s", text)
		}
	}
}
