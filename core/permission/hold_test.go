//go:build !windows

package permission

import (
	"context"
	"errors"
	"testing"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
)

// saying is an asker that always gives the same answer.
type saying Decision

func (s saying) Ask(context.Context, capability.Turn, agent.ApprovalRequested) (Answer, error) {
	return Answer{Decision: Decision(s), By: "test"}, nil
}

// TestHold: what no one answers is held where its tool can keep it; what a
// person, a rule, a mode or the trust turns down is turned down.
func TestHold(t *testing.T) {
	keeper := tool("memory_store", capability.ReadWrite)
	keeper.Category = capability.CategoryMemory
	for name, x := range map[string]struct {
		mode   Mode
		trust  capability.Trust
		asker  Asker
		rules  []Rule
		tool   *capability.Capability
		held   bool
		passes bool
	}{
		"unattended":           {Unattended, capability.Operator, saying(Once), nil, keeper, true, true},
		"no one to ask":        {Ask, capability.Operator, nil, nil, keeper, true, true},
		"no answer":            {Ask, capability.Operator, saying(Expired), nil, keeper, true, true},
		"agreed to":            {Ask, capability.Operator, saying(Once), nil, keeper, false, true},
		"turned down":          {Ask, capability.Operator, saying(DenyOnce), nil, keeper, false, false},
		"closed":               {Ask, capability.Operator, saying(Cancelled), nil, keeper, false, false},
		"a rule says ask":      {Unattended, capability.Operator, nil, []Rule{{Tool: "memory_store", Action: AskFirst}}, keeper, true, true},
		"a rule says no":       {Unattended, capability.Operator, nil, []Rule{{Tool: "memory_store", Action: Deny}}, keeper, false, false},
		"a rule says yes":      {Unattended, capability.Operator, nil, []Rule{{Tool: "memory_store", Action: Allow}}, keeper, false, true},
		"plan mode":            {Plan, capability.Operator, nil, nil, keeper, false, false},
		"a guest":              {Ask, capability.Guest, nil, nil, keeper, false, false},
		"a tool that does not": {Unattended, capability.Operator, nil, nil, tool("file_write", capability.ReadWrite), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, x.rules...)
			b.Asker = x.asker
			held := false
			b.Hold = func(c *capability.Capability, _ capability.Call, reason string) bool {
				held = c == keeper && reason != ""
				return held
			}
			turn := b.turn
			turn.Mode, turn.Trust = string(x.mode), x.trust
			err := b.Approve(t.Context(), x.tool, capability.Call{ID: "c", Name: x.tool.Name, Args: []byte(`{}`), Turn: turn}, capability.Preview{})
			if held != x.held || (err == nil) != x.passes || err != nil && !errors.Is(err, capability.Denied) {
				t.Errorf("held %v, %v; want %v, to pass %v", held, err, x.held, x.passes)
			}
		})
	}
}
