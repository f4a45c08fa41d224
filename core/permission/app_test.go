//go:build !windows

package permission

import (
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

// TestPrograms: acts on the screen are agreed to program by program; looks are
// not asked about, and a drag from one program to another needs both.
func TestPrograms(t *testing.T) {
	act := func(apps ...string) capability.Preview { return capability.Preview{Apps: apps} }
	alone := act("gedit")
	alone.Alone = true
	for name, c := range map[string]struct {
		rules []Rule
		p     capability.Preview
		mode  Mode
		want  string
	}{
		"unknown to the owner":        {nil, act("gedit"), Ask, "ask"},
		"auto asks too":               {nil, act("gedit"), Auto, "ask"},
		"allowed":                     {[]Rule{{Tool: "computer_use", Match: "app:gedit", Action: Allow}}, act("gedit"), Ask, "auto"},
		"allowed, in large letters":   {[]Rule{{Tool: "computer_use", Match: "app:GEdit", Action: Allow}}, act("gedit"), Ask, "auto"},
		"another program":             {[]Rule{{Tool: "computer_use", Match: "app:gedit", Action: Allow}}, act("firefox"), Ask, "ask"},
		"a longer name":               {[]Rule{{Tool: "computer_use", Match: "app:gedit", Action: Allow}}, act("gedit-2"), Ask, "ask"},
		"any program":                 {[]Rule{{Tool: "computer_use", Match: "app:*", Action: Allow}}, act("firefox"), Ask, "auto"},
		"any, but one without a name": {[]Rule{{Tool: "computer_use", Match: "app:*", Action: Allow}}, act(""), Ask, "ask"},
		"both of a drag":              {[]Rule{{Tool: "computer_use", Match: "app:gedit", Action: Allow}}, act("gedit", "firefox"), Ask, "ask"},
		"both of a drag, allowed":     {[]Rule{{Tool: "computer_use", Match: "app:gedit", Action: Allow}, {Tool: "computer_use", Match: "app:firefox", Action: Allow}}, act("gedit", "firefox"), Ask, "auto"},
		"denied":                      {[]Rule{{Tool: "computer_use", Match: "app:*", Action: Allow}, {Tool: "computer_use", Match: "app:firefox", Action: Deny}}, act("gedit", "firefox"), Ask, "deny"},
		"alone":                       {[]Rule{{Tool: "computer_use", Match: "app:gedit", Action: Allow}}, alone, Ask, "ask"},
		"plan mode":                   {[]Rule{{Tool: "computer_use", Match: "app:gedit", Action: Allow}}, act("gedit"), Plan, "deny"},
		"a look":                      {nil, capability.Preview{Effect: capability.EffectLook}, Ask, "auto"},
		"a look that is denied":       {[]Rule{{Tool: "computer_use", Action: Deny}}, capability.Preview{Effect: capability.EffectLook}, Ask, "deny"},
	} {
		b := newBench(t, c.rules...)
		turn := b.turn
		turn.Mode = string(c.mode)
		computer := tool("computer_use", capability.GUIControl)
		if got := outcome(b.Decide(computer, capability.Call{Name: computer.Name, Turn: turn}, c.p)); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// TestProgramRules: what is offered for always is the one program, and nothing
// is offered where there are two or none that can be told.
func TestProgramRules(t *testing.T) {
	b := newBench(t)
	computer := tool("computer_use", capability.GUIControl)
	for want, apps := range map[string][]string{"app:gedit": {"gedit"}, "": {"gedit", "firefox"}} {
		s := b.subject(computer, capability.Call{Name: computer.Name, Turn: b.turn}, capability.Preview{Apps: apps})
		got := ""
		if r := b.provenRule(s); r != nil {
			got = r.Match
		}
		if got != want {
			t.Errorf("for %q the rule is %q, want %q", apps, got, want)
		}
	}
	if err := (Rule{Tool: "computer_use", Match: "app:a*", Action: Allow}).Check(); err == nil {
		t.Error("half a name of a program is taken")
	}
}
