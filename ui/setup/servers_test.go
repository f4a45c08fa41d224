package setup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hobkin/hobkin/core/control"
)

func TestStatus(t *testing.T) {
	tools := []control.ServerTool{{Name: "a"}}
	for _, tt := range []struct {
		s    control.Server
		key  string
		mood Mood
	}{
		{control.Server{State: "ready", Tools: tools}, "Ready · {{.N}} tools", Good},
		{control.Server{State: "ready"}, "Ready, but it offers no tools", Ask},
		{control.Server{State: "ready", Tools: tools, Notes: []string{"x"}}, "Ready · {{.N}} tools · {{.Bad}} left out", Ask},
		{control.Server{State: "ready", Tools: tools, Held: []control.ServerChange{{}}}, "Changed since you trusted it · {{.N}} held back", Bad},
		{control.Server{State: "starting"}, "Starting…", Quiet},
		{control.Server{State: "disabled"}, "Switched off", Quiet},
		{control.Server{State: "needs_login"}, "Needs you to sign in", Ask},
		{control.Server{State: "failed", Reason: "x"}, "Is tried again: {{.Reason}}", Ask},
		{control.Server{State: "quarantined", Reason: "x"}, "Does not work: {{.Reason}}", Bad},
	} {
		if p, mood := Status(tt.s); p.Key != tt.key || mood != tt.mood {
			t.Errorf("%+v is %q, %v; want %q, %v", tt.s, p.Key, mood, tt.key, tt.mood)
		}
	}
	p, _ := Status(control.Server{State: "failed", Reason: strings.Repeat("long\n", 100)})
	if r := p.Args["Reason"].(string); len([]rune(r)) > mostReason || strings.Contains(r, "\n") {
		t.Errorf("the reason is %q", r)
	}
}

func TestForm(t *testing.T) {
	for _, tt := range []struct {
		f    Form
		want control.ServerEntry
		bad  string
	}{
		{Form{Name: " files ", Where: `npx -y "a server" --dir '/my files' ""`, PassEnv: "A, B;C"}, control.ServerEntry{
			Name: "files", Command: "npx", Args: []string{"-y", "a server", "--dir", "/my files", ""}, PassEnv: []string{"A", "B", "C"},
		}, ""},
		{Form{Name: "docs", Where: "https://docs.example/mcp", Auth: "keyring:docs"}, control.ServerEntry{Name: "docs", URL: "https://docs.example/mcp", Auth: "keyring:docs"}, ""},
		{Form{Name: "one", Where: "server"}, control.ServerEntry{Name: "one", Command: "server", Args: []string{}}, ""},
		{Form{Where: "x"}, control.ServerEntry{}, "Give the server a name"},
		{Form{Name: "x"}, control.ServerEntry{}, "Give a command or an address"},
		{Form{Name: "x", Where: `npx "open`}, control.ServerEntry{}, "A quote of the command is not closed"},
		{Form{Name: "x", Where: `""`}, control.ServerEntry{}, "Give a command or an address"},
	} {
		got, err := tt.f.Entry()
		if tt.bad != "" {
			if err == nil || err.Error() != tt.bad {
				t.Errorf("%+v gave %v, want %q", tt.f, err, tt.bad)
			}
			continue
		}
		if d := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); err != nil || d != "" {
			t.Errorf("%+v: %v\n%s", tt.f, err, d)
		}
	}
}

func TestTexts(t *testing.T) {
	s := control.Server{
		Shown: "npx x", About: "mail 1.0", Notes: []string{"tool 2 is malformed"},
		Tools: []control.ServerTool{{Name: "send", Offered: "mcp_mail_send", Description: "Sends\n mail."}, {Name: "list"}},
		Held:  []control.ServerChange{{Tool: "send", Diff: "-a\n+b\n"}},
	}
	if got := Tools(s); got != "mcp_mail_send\n    Sends mail.\nlist\n\ntool 2 is malformed\n" {
		t.Errorf("tools: %q", got)
	}
	if got := Changes(s); !strings.Contains(got, "+b") {
		t.Errorf("changes: %q", got)
	}
	if got := About(s).Args["Text"]; got != "mail 1.0 · npx x" {
		t.Errorf("about: %v", got)
	}
	var m Servers
	m.Set([]control.Server{s}, nil)
	m.Do("mail", true)
	m.Do("mail", false)
	if !m.Loaded || len(m.List) != 1 || len(m.Busy) != 0 {
		t.Errorf("%+v", m)
	}
}
