package memory

import (
	"context"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/memory"
)

func init() {
	capability.AddPreviewed(&Tools, capability.Capability{
		Name:        "memory_forget",
		Title:       "Forget",
		Description: "Forgets one thing that was remembered, by its key. The owner can restore it.",
		Class:       capability.ReadWrite,
		Category:    capability.CategoryMemory,
		Available:   ownersOnly,
		Hints:       capability.Hints{ReadOnly: capability.No, Destructive: capability.No, Idempotent: capability.Yes, OpenWorld: capability.No, ConcurrencyKey: "memory"},
		Docs: capability.Docs{
			When: "when the person asks to forget something; to set something right, store it under its key instead",
			Examples: []capability.Example{
				{When: "the person wants something forgotten", In: forgetIn{Key: "dentist"}},
				{When: "something is no longer so", In: forgetIn{Key: "holiday-plans"}},
			},
			Fails: []*capability.Failure{memory.Unknown, memory.BadScope, memory.Blank, memory.TooLong, memory.HasSecret, memory.Unsure, memory.TooManyHeld},
		},
	}, (*Host).forget, (*Host).previewForget)
}

type forgetIn struct {
	Key string `json:"key" min:"1" max:"200" jsonschema:"key of what is remembered, as memory_recall shows it"`
}

func (h *Host) previewForget(ctx context.Context, call capability.Call, in forgetIn) (capability.Preview, error) {
	p := capability.Preview{Question: "Forget this?", Summary: memory.Key(in.Key)}
	hits, err := h.Book.Recall(ctx, memory.Question{Place: h.place(call.Turn), Key: in.Key, Limit: 1})
	if err == nil && len(hits) > 0 {
		p.Summary = about(hits[0].Row.Key, hits[0].Row.Value)
	}
	return p, nil
}

func (h *Host) forget(ctx context.Context, call capability.Call, in forgetIn) (capability.Result, error) {
	from := h.origin(call)
	out, err := h.Book.Remove(ctx, memory.Removal{
		Place: h.place(call.Turn), Key: in.Key, Session: call.Turn.Session, Turn: call.Turn.ID, Call: call.ID, Source: from.Source, By: "agent", Hold: from.Hold,
	})
	if err != nil {
		return capability.Result{}, err
	}
	if from.Hold != "" {
		return capability.Result{Text: heldText("Forgetting “"+out.Row.Key+"”", from.Hold), Summary: "waits for the owner"}, nil
	}
	return capability.Result{Text: "Forgot " + about(out.Row.Key, out.Row.Value), Summary: "forgot " + out.Row.Key}, nil
}
