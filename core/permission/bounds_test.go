//go:build !windows

package permission

import (
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

// TestBounds holds calls to the patterns of their turn, in every mode and
// whatever the rules allow; within them nothing is allowed that was not.
func TestBounds(t *testing.T) {
	for name, tt := range map[string]struct {
		bound capability.Bound
		shell string
		rules []Rule
		want  Action
	}{
		"the tool alone":            {capability.Bound{"shell"}, "rm a.txt", nil, AskFirst},
		"it fits":                   {capability.Bound{"shell(git log *)"}, "git log -3", nil, AskFirst},
		"as others write it":        {capability.Bound{"Bash(git log:*)"}, "git log -3", nil, AskFirst},
		"fitting allows nothing":    {capability.Bound{"shell(rm *)"}, "rm a.txt", nil, AskFirst},
		"it does not fit":           {capability.Bound{"shell(git log *)"}, "rm a.txt", nil, Deny},
		"part of it does not":       {capability.Bound{"shell(git log *)"}, "git log && rm a.txt", nil, Deny},
		"hidden in a substitution":  {capability.Bound{"shell(git log *)"}, "git log $(rm a.txt)", nil, Deny},
		"a redirection":             {capability.Bound{"shell(git log *)"}, "git log > a.txt", nil, Deny},
		"a rule does not lift it":   {capability.Bound{"shell(git log *)"}, "make", []Rule{{Tool: "shell", Match: "make", Action: Allow}}, Deny},
		"another tool is named":     {capability.Bound{"file_read"}, "git log", nil, Deny},
		"one of two patterns":       {capability.Bound{"shell(git log *)", "shell(make *)"}, "make test", []Rule{{Tool: "shell", Match: "make *", Action: Allow}}, Allow},
		"nothing may be used":       {capability.Bound{}, "git log", nil, Deny},
		"a deny rule still forbids": {capability.Bound{"shell(make *)"}, "make x", []Rule{{Tool: "shell", Match: "make *", Action: Deny}}, Deny},
	} {
		b := newBench(t, tt.rules...)
		tool := *shellTool
		tool.Aliases = []string{"Bash"}
		turn := b.turn.Within(tt.bound)
		v := b.Decide(&tool, capability.Call{Name: "shell", Turn: turn}, capability.Preview{Shell: tt.shell, Dir: b.ws})
		if v.Action != tt.want {
			t.Errorf("%s: %q is %s (%s), want %s", name, tt.shell, v.Action, v.Reason, tt.want)
		}
	}
}

func TestCheckBound(t *testing.T) {
	shell := &capability.Capability{Name: "shell", Aliases: []string{"Bash"}}
	find := func(name string) (*capability.Capability, bool) { return shell, name == "shell" || name == "Bash" }
	for text, want := range map[string]string{
		"file_read":           "",
		"Bash(git log *)":     "",
		"Bash(git log:*)":     "",
		"file_read(./src/**)": "",
		"Bash(a && b)":        "must be one command",
		"file_read(a b)":      "no host",
		"shell(":              "in brackets",
	} {
		err := CheckBound(capability.Bound{"list_dir", text}, find)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
