package system

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/capability"
)

func TestNotificationsArePlain(t *testing.T) {
	b := newBench(t)
	b.ok("notify", `{"title": "a\u202eb\u0007\nc", "body": "one\ntwo\tthree\u200b", "actions": ["  go  on "]}`)
	want := []Notification{{Session: "s", Title: "ab c", Body: "one\ntwo three", Urgency: "normal", Actions: []string{"go on"}}}
	if d := cmp.Diff(want, b.host.Notifier.(*screen).shown); d != "" {
		t.Errorf("shown (-want +got):\n%s", d)
	}
	b.host.Notifier = nil
	if _, try := b.fails("notify", `{"title": "x"}`, "no_notifier"); !strings.Contains(try, "install") {
		t.Errorf("advice %q", try)
	}
}

func TestThePlanBelongsToItsSession(t *testing.T) {
	b := newBench(t)
	b.ok("todo_write", `{"items": [{"text": "one"}]}`)
	if d := cmp.Diff([]Todo{{Text: "one", Status: "pending"}}, b.host.Plan("s")); d != "" {
		t.Errorf("plan (-want +got):\n%s", d)
	}
	if p := b.host.Plan("another"); len(p) != 0 {
		t.Errorf("another session has the plan %v", p)
	}
	b.host.EndSession("s")
	if p := b.host.Plan("s"); len(p) != 0 {
		t.Errorf("the plan %v is there after the session", p)
	}
}

func TestAccessIsNotAskedForWhereNoOneIs(t *testing.T) {
	const ask = `{"path": "/opt/x", "reason": "y"}`
	for name, change := range map[string]func(*capability.Turn){
		"unattended": func(t *capability.Turn) { t.Attended = false },
		"guest":      func(t *capability.Turn) { t.Trust = capability.Guest },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			change(&b.turn)
			b.fails("request_directory_access", ask, "not_allowed")
			_, err := b.host.dryRun(capability.Call{Turn: b.turn}, accessIn{Path: "/opt/x"})
			if !errors.Is(err, noOne) {
				t.Errorf("asked directly: %v", err)
			}
		})
	}
}

func TestAGrantThatIsNotKept(t *testing.T) {
	b := newBench(t)
	outside := t.TempDir()
	b.host.Grants.(*grants).fail = errors.New("the settings are read-only")
	message, _ := b.fails("request_directory_access", `{"path": "`+outside+`", "reason": "y"}`, "no_grants")
	if !strings.Contains(message, "read-only") {
		t.Errorf("message %q", message)
	}
	b.host.Grants = nil
	b.fails("request_directory_access", `{"path": "`+outside+`", "reason": "y"}`, "no_grants")
}

// A guest is told of no tool that guests cannot use.
func TestHelpForGuests(t *testing.T) {
	b := newBench(t)
	b.turn.Trust = capability.Guest
	if message, _ := b.fails("tool_help", `{"name": "shell"}`, "unknown_tool"); strings.Contains(message, "shell_kill") {
		t.Errorf("message %q", message)
	}
	b.ok("tool_help", `{"name": "Notify"}`)
	b.host.Registry = nil
	_, err := b.host.help(t.Context(), capability.Call{Turn: b.turn}, helpIn{Name: "notify"})
	if !errors.Is(err, unknownTool) {
		t.Errorf("without a registry: %v", err)
	}
}

// Without a desktop its tools say so, and what they need.
func TestNoDesktop(t *testing.T) {
	b := newBench(t)
	b.host.Desktop = func() []string { return []string{"PATH=/nowhere"} }
	for tool, args := range map[string]string{"clipboard": `{"action": "read"}`, "open_path": `{"target": "https://go.dev"}`} {
		if message, _ := b.fails(tool, args, "no_desktop"); !strings.Contains(message, "neither Wayland nor X11") {
			t.Errorf("%s: %q", tool, message)
		}
	}
	b.host.Desktop = func() []string { return []string{"PATH=/nowhere", "DISPLAY=:99"} }
	if _, try := b.fails("clipboard", `{"action": "read"}`, "no_clipboard"); !strings.Contains(try, "xclip") {
		t.Errorf("advice %q", try)
	}
	if message, _ := b.fails("open_path", `{"target": "https://go.dev"}`, "no_desktop"); !strings.Contains(message, "xdg-open") {
		t.Errorf("message %q", message)
	}
}
