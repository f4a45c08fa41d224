package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// PlanTool is the tool that writes the plan; its result is the plan as a list
// with boxes.
const PlanTool = "todo_write"

// RemindAfter is how many calls after the plan was written, or the last
// reminder, the model is reminded of steps that are open.
const RemindAfter = 12

// A Plan reminds a model of the plan that it wrote. The zero Plan has none.
type Plan struct {
	open  []string
	since int // calls
}

// PlanOf is the plan as a conversation has it, also after it was shortened.
func PlanOf(history []provider.Message) Plan {
	for _, m := range slices.Backward(history) {
		for _, p := range slices.Backward(m.Parts) {
			if text, kind := keepable(p); kind == planPrefix {
				var plan Plan
				plan.Wrote(text)
				return plan
			}
		}
	}
	return Plan{}
}

// Wrote takes in a plan that was written.
func (p *Plan) Wrote(text string) {
	p.open, p.since = nil, 0
	for line := range strings.Lines(text) {
		if step, ok := strings.CutPrefix(strings.TrimSpace(line), "- [ ] "); ok {
			p.open = append(p.open, step)
		}
	}
}

// Tick counts a call of another tool, and returns what the model should be
// told, empty for nothing.
func (p *Plan) Tick() string {
	if p.since++; p.since < RemindAfter || len(p.open) == 0 {
		return ""
	}
	p.since = 0
	return fmt.Sprintf("Reminder: the plan has %d open steps; the next is %q. Say with %s how far it is.", len(p.open), capability.CutText(p.open[0], 200), PlanTool)
}
