package system

import (
	"context"

	"github.com/hobkin/hobkin/core/capability"
)

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:        capability.CallTool,
		Title:       "Call a tool by name",
		Description: "Calls a tool whose parameters are left out here. It is the same as calling the tool itself: the same rules and approvals hold.",
		Class:       capability.ReadOnly,
		Category:    capability.CategorySystem,
		Hints:       capability.Hints{ReadOnly: capability.Yes, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "when tool_search or tool_describe told of a tool and it cannot be called directly",
			Examples: []capability.Example{
				{When: "tool_describe showed the parameters", In: bridgeIn{Name: "mcp_calendar_create_event", Args: map[string]any{"title": "Lunch"}}},
				{When: "the tool takes nothing", In: bridgeIn{Name: "mcp_calendar_list"}},
			},
			Fails: []*capability.Failure{unknownTool},
		},
	}, (*Host).bridge)
}

type bridgeIn struct {
	Name string         `json:"name" min:"1" max:"100" jsonschema:"name of the tool"`
	Args map[string]any `json:"args,omitempty" jsonschema:"its arguments"`
}

// bridge is never reached in a turn: the path of a call takes the call apart.
// Whoever calls the handler itself is told so.
func (h *Host) bridge(_ context.Context, _ capability.Call, in bridgeIn) (string, error) {
	return "", unknownTool.Becausef("%s leads to %s only where calls are run", capability.CallTool, in.Name)
}
