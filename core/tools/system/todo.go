package system

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:        "todo_write",
		Aliases:     []string{"TodoWrite"},
		Title:       "Write the plan",
		Description: "Replaces the plan of this conversation, which the person sees. Send the whole list each time; an empty list takes the plan away.",
		Class:       capability.ReadOnly,
		Category:    capability.CategorySystem,
		Hints:       capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No, ConcurrencyKey: "plan"},
		Docs: capability.Docs{
			When: "for work of three steps or more: at its start, and whenever a step begins or ends; not for a single step",
			Examples: []capability.Example{
				{When: "work of several steps begins", In: todoIn{Items: []Todo{{Text: "Find the fault", Status: "in_progress"}, {Text: "Write a failing test"}, {Text: "Mend it"}}}},
				{When: "a step is done", In: todoIn{Items: []Todo{{Text: "Find the fault", Status: "done"}, {Text: "Write a failing test", Status: "in_progress"}, {Text: "Mend it"}}}},
			},
		},
	}, (*Host).todo)
}

type todoIn struct {
	Items []Todo `json:"items" max:"100" jsonschema:"the steps in order"`
}

// A Todo is one step of a plan.
type Todo struct {
	Text   string `json:"text" min:"1" max:"500" jsonschema:"what to do, in a few words"`
	Status string `json:"status,omitempty" enum:"pending,in_progress,done" default:"pending" jsonschema:"how far it is"`
}

// Plan is the plan of a session as it was written last.
func (h *Host) Plan(session string) []Todo { return slices.Clone(h.plans.of(session)) }

func (h *Host) todo(_ context.Context, call capability.Call, in todoIn) (capability.Result, error) {
	items := make([]Todo, 0, len(in.Items))
	done := 0
	for i, t := range in.Items {
		if t.Text = onLine(t.Text); t.Text == "" {
			return capability.Result{}, capability.BadInput.Becausef("/items/%d/text: it is empty", i)
		}
		if t.Status == "" {
			t.Status = "pending"
		}
		if t.Status == "done" {
			done++
		}
		items = append(items, t)
	}
	data, err := json.Marshal(todoIn{items})
	if err != nil {
		return capability.Result{}, fmt.Errorf("system: marshalling the plan: %w", err)
	}
	h.plans.set(call.Turn.Session, items)
	if len(items) == 0 {
		return capability.Result{Text: "The plan is empty now.", Summary: "no plan", Data: data}, nil
	}
	return capability.Result{Text: markdownPlan(items), Summary: fmt.Sprintf("%d of %d done", done, len(items)), Data: data}, nil
}

func markdownPlan(items []Todo) string {
	var b strings.Builder
	for _, t := range items {
		switch t.Status {
		case "done":
			b.WriteString("- [x] " + t.Text + "\n")
		case "in_progress":
			b.WriteString("- [ ] **" + t.Text + "** (in progress)\n")
		default:
			b.WriteString("- [ ] " + t.Text + "\n")
		}
	}
	return b.String()
}
