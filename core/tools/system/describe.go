package system

import (
	"context"

	"github.com/hobkin/hobkin/core/capability"
)

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:        capability.DescribeTool,
		Title:       "Read a tool's parameters",
		Description: "Returns the description and the schemas of a tool whose parameters are left out here. It can be called from the next step on.",
		Class:       capability.ReadOnly,
		Category:    capability.CategorySystem,
		Hints:       capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No, Exact: true},
		Docs: capability.Docs{
			When: "when the name of the tool is known and its parameters are not; tool_search finds names",
			Examples: []capability.Example{
				{When: "a tool of the list of names fits", In: describeIn{Name: "mcp_calendar_create_event"}},
				{When: "another name of a tool is known", In: describeIn{Name: "CreateEvent"}},
			},
			Fails: []*capability.Failure{unknownTool},
		},
	}, (*Host).describe)
}

type describeIn struct {
	Name string `json:"name" min:"1" max:"100" jsonschema:"name of the tool"`
}

type describeOut struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	When        string `json:"when,omitempty" jsonschema:"when to use it"`
	Class       string `json:"class" jsonschema:"what a call may touch"`
	Parameters  any    `json:"parameters" jsonschema:"JSON Schema of the arguments"`
	Output      any    `json:"output,omitempty" jsonschema:"JSON Schema of the structured result"`
}

func (h *Host) describe(_ context.Context, call capability.Call, in describeIn) (describeOut, error) {
	if h.Registry == nil {
		return describeOut{}, unknownTool.Becausef("no tools are known here")
	}
	f := call.Offered()
	c, ok := h.Registry.Find(in.Name)
	if !ok || !h.Registry.Allows(f, c.Name) {
		return describeOut{}, h.unknown(in.Name, f)
	}
	out := describeOut{Name: c.Name, Description: c.Description, When: c.Docs.When, Class: string(c.Class), Parameters: c.Parameters}
	if len(c.Output) > 0 {
		out.Output = c.Output
	}
	return out, nil
}

// Summary is the line of the tool's card.
func (d describeOut) Summary() string { return d.Name }
