package agent

import (
	"encoding/json"
	"strings"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// judge looks at a call that ended: whether the turn goes in circles, and what
// the model is told about how it gets on.
func (r *run) judge(o *capability.Outcome) (policy.Verdict, []string) {
	verdict := r.loop.Judge(policy.Repeat{
		Tool: o.Call.Name, Args: string(o.Call.Args), Result: o.Result.Text, Failed: o.Failed(),
		Changes: o.Tool != nil && o.Tool.Class != capability.ReadOnly,
	})
	var notes []string
	if verdict != policy.Fine {
		notes = append(notes, policy.Note)
	}
	if note := r.work.Judge(deed(o)); note != "" {
		notes = append(notes, note)
	}
	if o.Call.Name == policy.PlanTool && !o.Failed() {
		r.plan.Wrote(o.Result.Text)
	} else if note := r.plan.Tick(); note != "" {
		notes = append(notes, note)
	}
	return verdict, notes
}

func (r *run) batch(calls []provider.ToolCall) policy.Verdict {
	list := make([]policy.Repeat, len(calls))
	for i, c := range calls {
		list[i] = policy.Repeat{Tool: c.Name, Args: c.Args}
	}
	return r.loop.Batch(list)
}

// deed is a call as the progress guard sees it. What the agent does for its own
// order, such as writing its plan, is neither look nor work.
func deed(o *capability.Outcome) policy.Deed {
	d := policy.Deed{Tool: o.Call.Name, Target: Summary(o.Call.Args)}
	if o.Tool == nil {
		return d
	}
	d.Waits = waits(o.Tool.Name, o.Call.Args)
	switch o.Tool.Class {
	case capability.ReadOnly, capability.Network:
		d.Looks = o.Tool.Category != capability.CategorySystem
		d.Empty = d.Looks && !o.Failed() && strings.HasPrefix(o.Result.Summary, "0 ")
	case capability.ReadWrite, capability.Exec, capability.ExternalAPI, capability.GUIControl:
		d.Changes = !o.Failed() && !d.Waits
	}
	return d
}

// waits reports whether a call only waits for something.
func waits(tool string, args json.RawMessage) bool {
	switch tool {
	case "shell_output":
		return true
	case "shell":
		var in struct {
			Command string `json:"command"`
		}
		return json.Unmarshal(args, &in) == nil && strings.HasPrefix(strings.TrimSpace(in.Command), "sleep ")
	}
	return strings.HasSuffix(tool, "_wait")
}
