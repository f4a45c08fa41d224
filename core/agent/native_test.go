package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// native is a model whose provider shortens conversations itself.
type native struct {
	*scripted
	err     error
	compact []provider.Request
}

func (n *native) Compact(_ context.Context, req provider.Request) (provider.Reasoning, provider.Done, error) {
	n.compact = append(n.compact, req)
	return provider.Reasoning{ID: "compaction", Encrypted: "ITEM", Provider: "test"}, provider.Done{Stop: provider.StopEnd, Usage: provider.Usage{Input: 50}}, n.err
}

// TestCascade makes a conversation too long and looks which stage shortens it.
func TestCascade(t *testing.T) {
	for name, tt := range map[string]struct {
		steps   int // calls, each with 4,000 bytes there and back
		native  bool
		err     error // of the provider's own way
		summary []reply
		method  string
		has     string // in the next request
	}{
		"masking":                       {steps: 8, method: "masking", has: "was left out to save space"},
		"native":                        {steps: 3, native: true, method: "native", has: "(ITEM)"},
		"native fails, summary":         {steps: 3, native: true, err: errors.New("no"), summary: []reply{says("## Task\nTHE SUMMARY")}, method: "summary", has: "THE SUMMARY"},
		"summary":                       {steps: 3, summary: []reply{says("## Task\nTHE SUMMARY")}, method: "summary", has: "THE SUMMARY"},
		"summary fails, trim":           {steps: 3, summary: []reply{{err: errors.New("no")}}, method: "trim", has: "What the user asked for"},
		"summary is empty, trim":        {steps: 3, summary: []reply{says(" ")}, method: "trim", has: "What the user asked for"},
		"summary is no shorter, trim":   {steps: 3, summary: []reply{says(strings.Repeat("word ", 6000))}, method: "trim", has: "What the user asked for"},
		"no model that can sum up,trim": {steps: 3, method: "trim", has: "What the user asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			var replies []reply
			for i := range tt.steps {
				if tt.method == "masking" {
					replies = append(replies, calls(call("", "long", fmt.Sprintf(`{"text":"%d"}`, i))))
					continue
				}
				replies = append(replies, calls(call("", "echo", fmt.Sprintf(`{"text":"%d%s"}`, i, strings.Repeat("x", 4000)))))
			}
			b := newBench(t, append(replies, reply{err: &provider.Error{Provider: "test", Kind: provider.KindContext, Message: "too long"}}, says("done"))...)
			add(t, b, "long", capability.Result{Text: strings.Repeat("x", 4000)})
			b.aside.replies = tt.summary
			model := &native{scripted: b.model, err: tt.err}
			b.model.info.NativeCompaction = tt.native
			b.Models = func(ctx context.Context, role, override string) ([]Choice, error) {
				list, err := b.choose(ctx, role, override)
				if role != "background" {
					list[0].Model = model
				}
				return list, err
			}
			var got ContextCompacted
			for _, e := range b.turn(t, input("the task")) {
				if p, ok := e.Payload.(ContextCompacted); ok {
					got = p
				}
			}
			if got.Method != tt.method || got.After >= got.Before {
				t.Errorf("got %+v, want %s", got, tt.method)
			}
			last := b.model.requests()[len(b.model.requests())-1].Messages
			shown := lines(last)
			for _, m := range last {
				for _, p := range m.Parts {
					if r, ok := p.(provider.Reasoning); ok {
						shown = append(shown, "("+r.Encrypted+")")
					}
				}
			}
			text := strings.Join(shown, "\n")
			if !strings.Contains(text, tt.has) || !strings.Contains(text, "the task") {
				t.Errorf("%q is not in what was sent:\n%.3000s", tt.has, text)
			}
		})
	}
}

// TestForget: what a provider no longer takes of its own is left out, once.
func TestForget(t *testing.T) {
	refused := &provider.Error{Provider: "test", Kind: provider.KindInvalid, Status: 400, Message: "the encrypted content could not be verified"}
	thought := provider.Message{Role: provider.RoleAssistant, Parts: []provider.Part{
		provider.Reasoning{Text: "Hm.", Encrypted: "OLD", Provider: "test"}, provider.Text{Text: "yes"},
	}}
	for name, tt := range map[string]struct {
		before  []provider.Message
		replies []reply
		end     string
		asked   int
	}{
		"thoughts are refused": {[]provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "q"}}}, thought}, []reply{{err: refused}, says("done")}, "turn.completed", 2},
		"that was not it":      {[]provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "q"}}}, thought}, []reply{{err: refused}, {err: refused}}, "turn.failed", 2},
		"there are none":       {nil, []reply{{err: refused}}, "turn.failed", 1},
	} {
		b := newBench(t, tt.replies...)
		for _, m := range tt.before {
			if err := b.journal.AppendMessage(t.Context(), "s", "earlier", m); err != nil {
				t.Fatal(err)
			}
		}
		events := b.turn(t, input("go on"))
		if got := events[len(events)-1].Payload.Name(); got != tt.end || len(b.model.requests()) != tt.asked {
			t.Errorf("%s: %s after %d requests, want %s after %d", name, got, len(b.model.requests()), tt.end, tt.asked)
		}
		last := b.model.requests()[tt.asked-1].Messages
		if tt.asked == 2 && slices.ContainsFunc(last, func(m provider.Message) bool {
			return slices.ContainsFunc(m.Parts, func(p provider.Part) bool { _, ok := p.(provider.Reasoning); return ok })
		}) {
			t.Errorf("%s: it was sent again with thoughts", name)
		}
	}
}
