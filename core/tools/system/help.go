package system

import (
	"context"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

var unknownTool = &capability.Failure{Code: "unknown_tool", When: "no tool that is offered here has that name", Try: "use one of the closest names that the message lists"}

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:        "tool_help",
		Title:       "Show a tool's page",
		Description: "Returns everything that is known of a tool: parameters, examples, ways to fail and what helps then.",
		Class:       capability.ReadOnly,
		Category:    capability.CategorySystem,
		Hints:       capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "when a call was refused for its arguments, or before the first call of a tool that is not clear",
			Examples: []capability.Example{
				{When: "the arguments of an edit were refused", In: helpIn{Name: "file_edit"}},
				{When: "another name of a tool is known", In: helpIn{Name: "Bash"}},
			},
			Fails: []*capability.Failure{unknownTool},
		},
	}, (*Host).help)
}

type helpIn struct {
	Name string `json:"name" min:"1" max:"100" jsonschema:"name or other name of the tool"`
}

// nearest is how many names an unknown one is answered with.
const nearest = 5

func (h *Host) help(_ context.Context, call capability.Call, in helpIn) (capability.Result, error) {
	if h.Registry == nil {
		return capability.Result{}, unknownTool.Becausef("no tools are known here")
	}
	seen := call.Offered()
	seen.IncludeHidden = true
	c, ok := h.Registry.Find(in.Name)
	if !ok || !h.Registry.Allows(seen, c.Name) {
		return capability.Result{}, h.unknown(in.Name, seen)
	}
	var b strings.Builder
	if err := capability.Markdown(&b, c); err != nil {
		return capability.Result{}, err
	}
	return capability.Result{Text: b.String(), Summary: c.Name}, nil
}
