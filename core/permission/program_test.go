//go:build !windows

package permission

import (
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

// The owner's rules for command lines hold for a tool that runs one program, and
// so do the floor and the judgement of what is harmless.
func TestRulesOfTheShellHoldForPrograms(t *testing.T) {
	tool := &capability.Capability{Name: "command_git", Kind: capability.KindBuiltin, Class: capability.Exec}
	for line, tt := range map[string]struct {
		rule Rule
		mode Mode
		want Action
	}{
		"git push origin main":   {Rule{Tool: "shell", Match: "git push *", Action: Deny}, Auto, Deny},
		"git fetch --tags":       {Rule{Tool: "shell", Match: "git fetch *", Action: Allow}, Ask, Allow},
		"git fetch origin":       {Rule{Tool: "command_git", Match: "git fetch *", Action: Allow}, Ask, Allow},
		"git gc":                 {Rule{Tool: "shell", Match: "git fetch *", Action: Allow}, Ask, AskFirst},
		"git log -1":             {Rule{Tool: "file_read", Action: Deny}, Auto, Allow},
		"git clean -xfd /":       {Rule{Tool: "file_read", Action: Deny}, Auto, AskFirst},
		"git -c alias.x='!id' x": {Rule{Tool: "file_read", Action: Deny}, Auto, AskFirst},
	} {
		b := newBench(t, tt.rule)
		turn := b.turn
		turn.Mode = string(tt.mode)
		v := b.Decide(tool, capability.Call{Name: tool.Name, Turn: turn}, capability.Preview{Shell: line, Dir: b.ws})
		if v.Action != tt.want {
			t.Errorf("%s with %s in %s: %s (%s), want %s", line, tt.rule, tt.mode, v.Action, v.Reason, tt.want)
		}
	}
}
