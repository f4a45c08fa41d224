package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/memory"
)

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:  "memory_recall",
		Title: "Recall",
		Description: "Finds what is remembered: one memory by its key, or by words; without either the newest. " +
			"It can also look through past conversations and the files that the owner added.",
		Class:     capability.ReadOnly,
		Category:  capability.CategoryMemory,
		OwnerData: true,
		Available: ownersOnly,
		Hints:     capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No, Exact: true},
		Docs: capability.Docs{
			When: "when the person refers to something said before, or it helps to know their ways; what stands in the prompt need not be asked for",
			Examples: []capability.Example{
				{When: "the person asks about something they once told", In: recallIn{Search: "dentist"}},
				{When: "it was said in an earlier conversation, but not to be remembered", In: recallIn{Search: "tax return", Source: memory.SourceHistory}},
			},
		},
	}, (*Host).recall)
}

type recallIn struct {
	Key    string `json:"key,omitempty" max:"200" jsonschema:"key of one memory"`
	Search string `json:"search,omitempty" max:"1000" jsonschema:"words to look for"`
	Scope  string `json:"scope,omitempty" enum:"current,owner,all" default:"current" jsonschema:"current: what counts here; owner: about the person alone; all: of every conversation and job too"`
	Source string `json:"source,omitempty" enum:"memories,history,files,all" default:"memories" jsonschema:"memories; history: past conversations; files: those that the owner added; all"`
	Limit  int    `json:"limit,omitempty" min:"1" max:"100" default:"10" jsonschema:"how many of each source at the most"`
}

func (h *Host) recall(ctx context.Context, call capability.Call, in recallIn) (capability.Result, error) {
	hits, err := h.Book.Recall(ctx, memory.Question{Place: h.place(call.Turn), Key: in.Key, Search: in.Search, Scope: in.Scope, Source: in.Source, Limit: in.Limit})
	if err != nil {
		return capability.Result{}, err
	}
	r := capability.Result{Summary: fmt.Sprintf("%d found", len(hits))}
	var b strings.Builder
	for _, x := range hits {
		if x.Row == nil {
			r.Untrusted = true // what stands in a conversation or a file may be anyone's
		}
		b.WriteString(show(x))
	}
	if r.Text = b.String(); len(hits) == 0 {
		r.Text = "Nothing is remembered about that.\n"
		if in.Key == "" && in.Search == "" {
			r.Text = "Nothing is remembered yet.\n"
		}
	}
	return r, nil
}

func show(x memory.Hit) string {
	if x.Row == nil {
		text := strings.Join(strings.Fields(x.Text), " ")
		return fmt.Sprintf("- %s, “%s”: %s\n", x.Where, x.Title, capability.CutMiddle(text, 1500))
	}
	m := x.Row
	where := ""
	if m.Scope == memory.ScopeSession || m.Scope == memory.ScopeJob {
		where = ", of this " + m.Scope
	}
	return fmt.Sprintf("- %s: %s (%s%s, %s)\n", m.Key, strings.ReplaceAll(m.Value, "\n", "\n  "), m.Category, where, m.At.Local().Format("2 Jan 2006"))
}
