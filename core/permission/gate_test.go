//go:build !windows

package permission

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	goleak.VerifyTestMain(m)
}

// bench is a gate over a home with a workspace, keys and a project.
type bench struct {
	*Gate
	home, ws string
	rules    *ruleList
	turn     capability.Turn
}

type ruleList struct {
	list []Rule
	err  error
}

func (r *ruleList) Rules() []Rule { return r.list }

func (r *ruleList) AddRule(_ context.Context, one Rule) error {
	if r.err == nil {
		r.list = append(r.list, one)
	}
	return r.err
}

func newBench(tb testing.TB, rules ...Rule) *bench {
	tb.Helper()
	base, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	b := &bench{home: filepath.Join(base, "home", "me"), rules: &ruleList{list: rules}}
	b.ws = filepath.Join(b.home, "project")
	for _, file := range []string{".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/google-chrome/Default/Cookies", ".config/hobkin/config.toml", "project/a.txt", "project/build/x", "project/src/a.go", "other/b.txt", "project/.git/config"} {
		path := filepath.Join(b.home, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x\n"), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	for at, to := range map[string]string{"project/keys": "../.ssh", "project/homelink": "..", "project/keyfile": "../.ssh/id_ed25519"} {
		if err := os.Symlink(to, filepath.Join(b.home, at)); err != nil {
			tb.Fatal(err)
		}
	}
	policy, err := sandbox.New(sandbox.Config{Home: b.home, Workspace: b.ws, Own: []string{"~/.config/hobkin"}})
	if err != nil {
		tb.Fatal(err)
	}
	b.Gate = &Gate{Policy: policy, Rules: b.rules}
	b.turn = capability.Turn{Session: "s1", Workspace: b.ws, Trust: capability.Operator, Attended: true, Channel: "desktop", Mode: string(Ask)}
	return b
}

var shellTool = &capability.Capability{Name: "shell", Title: "Run a command", Kind: capability.KindBuiltin, Class: capability.Exec}

// shell judges a command line in a mode.
func (b *bench) shell(mode Mode, line string) Verdict {
	turn := b.turn
	turn.Mode = string(mode)
	return b.Decide(shellTool, capability.Call{ID: "c1", Name: "shell", Args: []byte(`{}`), Turn: turn}, capability.Preview{Shell: line, Dir: b.ws})
}

// outcome is a verdict in a word.
func outcome(v Verdict) string {
	switch {
	case v.Floor:
		return "floor"
	case v.Action == Allow:
		return "auto"
	}
	return string(v.Action)
}

func tool(name string, class capability.Class) *capability.Capability {
	return &capability.Capability{Name: name, Title: name, Kind: capability.KindBuiltin, Class: class}
}

func TestModes(t *testing.T) {
	b := newBench(t)
	inside := capability.Preview{Paths: []capability.PathUse{{Path: b.ws + "/a.txt", Write: true}}}
	outside := capability.Preview{Paths: []capability.PathUse{{Path: b.home + "/other/b.txt", Write: true}}}
	hook := capability.Preview{Paths: []capability.PathUse{{Path: b.ws + "/.git/hooks/pre-commit", Write: true}}}
	rc := capability.Preview{Paths: []capability.PathUse{{Path: b.ws + "/.envrc", Write: true}}}
	mcp := &capability.Capability{Name: "mcp__x__look", Kind: capability.KindMCP, Class: capability.ReadOnly, Hints: capability.Hints{ReadOnly: capability.Yes}}
	forget := tool("memory_forget", capability.ReadWrite)
	forget.Hints.Destructive = capability.Yes
	cases := map[string]struct {
		tool *capability.Capability
		p    capability.Preview
		want [5]string // plan, ask, accept_edits, auto, unattended
	}{
		"safe tool":         {tool("file_read", capability.ReadOnly), capability.Preview{}, [5]string{"auto", "auto", "auto", "auto", "auto"}},
		"recalling":         {tool("memory_recall", capability.ReadOnly), capability.Preview{}, [5]string{"auto", "auto", "auto", "auto", "auto"}},
		"safe but network":  {tool("web_fetch", capability.Network), capability.Preview{URL: "https://example.org/"}, [5]string{"deny", "auto", "auto", "auto", "auto"}},
		"reading, not safe": {tool("clipboard", capability.ReadOnly), capability.Preview{}, [5]string{"ask", "ask", "ask", "auto", "ask"}},
		"edit inside":       {tool("file_write", capability.ReadWrite), inside, [5]string{"deny", "ask", "auto", "auto", "ask"}},
		"edit outside":      {tool("file_edit", capability.ReadWrite), outside, [5]string{"deny", "ask", "ask", "ask", "ask"}},
		"edit, no path":     {tool("file_edit", capability.ReadWrite), capability.Preview{}, [5]string{"deny", "ask", "ask", "ask", "ask"}},
		"edit of a hook":    {tool("file_write", capability.ReadWrite), hook, [5]string{"deny", "ask", "ask", "ask", "ask"}},
		"edit of an rc":     {tool("file_write", capability.ReadWrite), rc, [5]string{"deny", "ask", "ask", "ask", "ask"}},
		"other write":       {tool("memory_store", capability.ReadWrite), capability.Preview{}, [5]string{"deny", "ask", "ask", "auto", "ask"}},
		"destructive":       {forget, capability.Preview{}, [5]string{"deny", "ask", "ask", "ask", "ask"}},
		"destructive call":  {tool("schedule_x", capability.ReadWrite), capability.Preview{Destructive: true}, [5]string{"deny", "ask", "ask", "ask", "ask"}},
		"network":           {tool("http_request", capability.Network), capability.Preview{URL: "https://example.org/"}, [5]string{"deny", "ask", "ask", "ask", "ask"}},
		"mouse":             {tool("computer_use", capability.GUIControl), capability.Preview{}, [5]string{"deny", "ask", "ask", "ask", "ask"}},
		"hints grant none":  {mcp, capability.Preview{}, [5]string{"ask", "ask", "ask", "ask", "ask"}},
		"harmless command":  {shellTool, capability.Preview{Shell: "ls", Dir: b.ws}, [5]string{"deny", "ask", "ask", "auto", "ask"}},
		"touching command":  {shellTool, capability.Preview{Shell: "touch x; rm x", Dir: b.ws}, [5]string{"deny", "ask", "ask", "ask", "ask"}},
		"keys by path":      {tool("file_read", capability.ReadOnly), capability.Preview{Paths: []capability.PathUse{{Path: b.home + "/.ssh/id_ed25519"}}}, [5]string{"floor", "floor", "floor", "floor", "floor"}},
	}
	for name, c := range cases {
		for i, mode := range Modes() {
			turn := b.turn
			turn.Mode = string(mode)
			got := outcome(b.Decide(c.tool, capability.Call{Name: c.tool.Name, Turn: turn}, c.p))
			if got != c.want[i] {
				t.Errorf("%s in %s: got %s, want %s", name, mode, got, c.want[i])
			}
		}
	}
}

func TestOrderOfRules(t *testing.T) {
	allow, ask, deny := Rule{Tool: "shell", Match: "npm *", Action: Allow}, Rule{Tool: "shell", Match: "npm *", Action: AskFirst}, Rule{Tool: "shell", Match: "npm *", Action: Deny}
	for name, c := range map[string]struct {
		rules []Rule
		mode  Mode
		want  string
	}{
		"allow":               {[]Rule{allow}, Ask, "auto"},
		"ask beats allow":     {[]Rule{allow, ask}, Ask, "ask"},
		"ask in auto":         {[]Rule{ask}, Auto, "ask"},
		"deny beats all":      {[]Rule{allow, ask, deny}, Auto, "deny"},
		"deny, last":          {[]Rule{allow, deny}, Ask, "deny"},
		"plan beats allow":    {[]Rule{allow}, Plan, "deny"},
		"allow in unattended": {[]Rule{allow}, Unattended, "auto"},
		"a broken deny holds": {[]Rule{allow, {Tool: "shell", Match: "npm ; x", Action: Deny}}, Ask, "deny"},
		"a broken allow is 0": {[]Rule{{Tool: "shell", Match: "npm; x", Action: Allow}}, Ask, "ask"},
		"no mode name":        {nil, "yolo", "ask"},
		"allow of everything": {[]Rule{{Tool: "*", Action: Allow}}, Ask, "auto"},
	} {
		b := newBench(t, c.rules...)
		if got := outcome(b.shell(c.mode, "npm test")); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if got := outcome(b.shell(c.mode, "npm test; rm -rf ~")); got != "floor" {
			t.Errorf("%s: the floor gave way: %s", name, got)
		}
	}
	b := newBench(t, Rule{Tool: "*", Action: Allow})
	for _, line := range []string{"eval x", "$CMD", "echo x |", "python -c 1", "curl x | sh"} {
		if got := outcome(b.shell(Auto, line)); got != "ask" {
			t.Errorf("%s with everything allowed: got %s, want ask", line, got)
		}
	}
}

// answering is an Asker with a ready answer; it keeps what it was asked.
type answering struct {
	answer Answer
	err    error
	asked  []agent.ApprovalRequested
}

func (a *answering) Ask(_ context.Context, _ capability.Turn, req agent.ApprovalRequested) (Answer, error) {
	a.asked = append(a.asked, req)
	return a.answer, a.err
}

func (b *bench) approve(tb testing.TB, line string, args string) error {
	tb.Helper()
	call := capability.Call{ID: "c1", Name: "shell", Args: []byte(args), Turn: b.turn}
	return b.Approve(tb.Context(), shellTool, call, capability.Preview{Shell: line, Dir: b.ws})
}

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer Decision
		again  string // what becomes of the same call next time
		other  string // and of another call of the session
		saved  int
		ok     bool
	}{
		"once":        {Once, "ask", "ask", 0, true},
		"session":     {ForSession, "auto", "auto", 0, true},
		"always":      {Always, "auto", "auto", 1, true},
		"deny":        {DenyOnce, "ask", "ask", 0, false},
		"deny always": {DenyAlways, "deny", "deny", 1, false},
		"cancelled":   {Cancelled, "ask", "ask", 0, false},
		"expired":     {Expired, "ask", "ask", 0, false},
		"unavailable": {Unavailable, "ask", "ask", 0, false},
		"nonsense":    {"yes", "ask", "ask", 0, false},
	} {
		b := newBench(t)
		b.Asker = &answering{answer: Answer{Decision: c.answer}}
		err := b.approve(t, "git commit -m one", `{"a":1}`)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, capability.Denied) {
			t.Errorf("%s: got %v", name, err)
		}
		if got := outcome(b.shell(Ask, "git commit -m one")); got != c.again {
			t.Errorf("%s: the same call again: got %s, want %s", name, got, c.again)
		}
		if got := outcome(b.shell(Ask, "git commit -m two")); got != c.other {
			t.Errorf("%s: another call: got %s, want %s", name, got, c.other)
		}
		if got := outcome(b.shell(Ask, "git push")); got != "ask" {
			t.Errorf("%s: a call of another kind: got %s, want ask", name, got)
		}
		if len(b.rules.list) != c.saved {
			t.Errorf("%s: saved %v, want %d", name, b.rules.list, c.saved)
		}
		b.turn.Session = "s2"
		if got := outcome(b.shell(Ask, "git commit -m one")); c.answer == ForSession && got != "ask" {
			t.Errorf("%s: it holds in another session: %s", name, got)
		}
	}
}

func TestSessionGrantOfOneCall(t *testing.T) {
	b := newBench(t)
	b.Asker = &answering{answer: Answer{Decision: ForSession}}
	if err := b.approve(t, "python -c 'print(1)'", `{"command":"x"}`); err != nil {
		t.Fatal(err)
	}
	b.Asker = &answering{answer: Answer{Decision: DenyOnce}}
	if err := b.approve(t, "python -c 'print(1)'", `{ "command": "x" }`); err != nil {
		t.Errorf("the very same call asked again: %v", err)
	}
	if err := b.approve(t, "python -c 'print(1)'", `{"command":"y"}`); err == nil {
		t.Error("a call with other arguments ran")
	}
	b.Forget("s1")
	if err := b.approve(t, "python -c 'print(1)'", `{"command":"x"}`); err == nil {
		t.Error("a forgotten session still holds")
	}
}

func TestNoOneToAsk(t *testing.T) {
	for name, change := range map[string]func(*bench){
		"no asker":   func(b *bench) { b.Asker = nil },
		"unattended": func(b *bench) { b.turn.Mode = string(Unattended) },
		"no person":  func(b *bench) { b.turn.Attended = false },
		"a guest":    func(b *bench) { b.turn.Trust = capability.Guest },
	} {
		b := newBench(t)
		asker := &answering{answer: Answer{Decision: Once}}
		b.Asker = asker
		change(b)
		err := b.approve(t, "git commit -m x", `{}`)
		u, ok := capability.AsUserError(err)
		if !ok || !errors.Is(err, capability.Denied) || len(asker.asked) > 0 {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		if want := "go on without it; the owner can allow it beforehand with the rule “allow shell: git commit *”"; u.Try != want {
			t.Errorf("%s: the advice is %q, want %q", name, u.Try, want)
		}
	}
	b := newBench(t)
	b.Granted = func(capability.Turn) []Rule { return []Rule{{Tool: "shell", Match: "git commit *", Action: Allow}} }
	b.turn.Mode = string(Unattended)
	if err := b.approve(t, "git commit -m x", `{}`); err != nil {
		t.Errorf("what the job's creator allowed: %v", err)
	}
}

func TestAskerFails(t *testing.T) {
	b := newBench(t)
	broken := errors.New("the window is gone")
	b.Asker = &answering{answer: Answer{Decision: Once}, err: broken}
	if err := b.approve(t, "git commit -m x", `{}`); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.Asker = &answering{answer: Answer{Decision: Once}}
	call := capability.Call{Name: "shell", Turn: b.turn}
	if err := b.Approve(ctx, shellTool, call, capability.Preview{Shell: "git push", Dir: b.ws}); !errors.Is(err, context.Canceled) {
		t.Errorf("an answer after the turn was stopped: got %v", err)
	}
}

// A rule that cannot be kept does not undo what the person agreed to.
func TestAlwaysThatCannotBeSaved(t *testing.T) {
	b := newBench(t)
	b.rules.err = errors.New("disk full")
	b.Asker = &answering{answer: Answer{Decision: Always}}
	if err := b.approve(t, "git commit -m x", `{}`); err != nil {
		t.Errorf("got %v", err)
	}
	if got := outcome(b.shell(Ask, "git commit -m y")); got != "auto" {
		t.Errorf("it does not even hold for the session: %s", got)
	}
}

func TestRequest(t *testing.T) {
	b := newBench(t)
	asker := &answering{answer: Answer{Decision: DenyOnce}}
	b.Asker = asker
	line := "sudo rm -rf build && echo \u202Ehi"
	_ = b.approve(t, line, `{"command":"a\u202eb","n":12345678901234567890}`)
	if len(asker.asked) != 1 {
		t.Fatal("nobody was asked")
	}
	r := asker.asked[0]
	if want := []string{"rm -rf build (through sudo)", `echo $'\u202ehi'`}; !slices.Equal(r.Commands, want) {
		t.Errorf("commands %q, want %q", r.Commands, want)
	}
	if r.Preview.Shell != `sudo rm -rf build && echo \u{202e}hi` || r.Preview.Question != "Run this command?" || r.Preview.Dir != b.ws {
		t.Errorf("preview %+v", r.Preview)
	}
	if string(r.Args) != `{"command":"a\\u{202e}b","n":12345678901234567890}` {
		t.Errorf("args %s", r.Args)
	}
	if r.Risk != High || r.Rule != "" || r.Fingerprint == "" || r.Call != "c1" || r.Title != "Run a command" || r.Reason == "" || len(r.Preview.Warnings) == 0 {
		t.Errorf("request %+v", r)
	}
}

func TestFilter(t *testing.T) {
	if p := Filter(Plan); p == nil || p.Allows(capability.ReadWrite) || p.Allows(capability.Network) || !p.Allows(capability.ReadOnly) {
		t.Errorf("plan: %+v", p)
	}
	for _, m := range Modes()[1:] {
		if Filter(m) != nil {
			t.Errorf("%s narrows what is offered", m)
		}
	}
}

func TestParseMode(t *testing.T) {
	for in, want := range map[string]Mode{"": Ask, "plan": Plan, " Accept-Edits ": AcceptEdits, "AUTO": Auto, "unattended": Unattended} {
		if got, err := ParseMode(in); err != nil || got != want {
			t.Errorf("ParseMode(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for in, near := range map[string]string{"atuo": "auto", "acceptedits": "accept_edits", "pln": "plan", "unatended": "unattended", "asks": "ask"} {
		if _, err := ParseMode(in); err == nil || !slices.Contains([]string{near}, string(nearest(in))) {
			t.Errorf("ParseMode(%q): %v, want one that names %q", in, err, near)
		}
	}
	for _, m := range Modes() {
		if m.Title() == "" || m.Description() == "" {
			t.Errorf("%s has no words for people", m)
		}
	}
}
