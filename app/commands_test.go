package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

// write puts Markdown commands into the owner's folder.
func (s *scripted) write(t *testing.T, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(s.commandFolder(), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.commandFolder(), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// give gives a command as the window does.
func (s *scripted) give(t *testing.T, session, text string) (control.CommandReply, error) {
	t.Helper()
	return s.client.Command(t.Context(), control.CommandRequest{
		SendRequest: control.SendRequest{Session: session, Text: text, Channel: "desktop", Attended: true},
	})
}

// codes are the calls of a turn and how they failed.
func codes(list []agent.Event) (out []string) {
	for _, p := range payloads[agent.ToolCompleted](list) {
		out = append(out, strings.TrimSpace(p.Tool+" "+p.Code))
	}
	return out
}

func changes1(t *testing.T) providertest.Answer {
	t.Helper()
	return providertest.Call(
		toolCall(t, "1", "file_write", map[string]string{"path": "x.txt", "content": "x"}),
		toolCall(t, "2", "shell", map[string]string{"command": "rm -rf src"}),
		toolCall(t, "3", "file_read", map[string]string{"path": "a.txt"}),
	)
}

// TestMarkdownCommand holds a typed command to its tools: what it does not name
// is neither offered nor run, in a mode that would let it through, and the next
// message is held to nothing.
func TestMarkdownCommand(t *testing.T) {
	s := openScripted(t, changes1(t), providertest.Say("done"), providertest.Call(toolCall(t, "4", "file_write", map[string]string{"path": "x.txt", "content": "x"})), providertest.Say("done"))
	s.write(t, map[string]string{"look.md": "---\nallowed-tools: file_read, shell(git log *)\n---\nLook at $1 and tell."})
	if err := os.WriteFile(filepath.Join(s.ws, "a.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := s.client.Command(t.Context(), control.CommandRequest{SendRequest: control.SendRequest{Text: "/look a.txt", Mode: "auto", Channel: "cli", Attended: true}})
	if err != nil || r.Sent == nil {
		t.Fatalf("got %+v, %v", r, err)
	}
	list := s.watch(t, control.Sent(*r.Sent), nil)
	if got, want := codes(list), []string{"file_write not_allowed", "shell denied", "file_read"}; !slices.Equal(got, want) {
		t.Errorf("calls: %q, want %q", got, want)
	}
	in := payloads[agent.InputMessage](list)[0]
	if in.Text != "Look at a.txt and tell." || in.Command != "/look a.txt" {
		t.Errorf("the message is %+v", in)
	}
	req := s.script.Requests()[0]
	if names := toolNames(req); !slices.Equal(names, []string{"file_read", "shell"}) {
		t.Errorf("offered %v", names)
	}
	if card, err := s.client.Session(t.Context(), r.Sent.Session); err != nil || card.Title != "/look a.txt" {
		t.Errorf("the conversation is called %q, %v", card.Title, err)
	}
	list = s.play(t, control.SendRequest{Session: r.Sent.Session, Text: "write it", Channel: "cli", Attended: true}, allowOnce)
	if got := codes(list); !slices.Equal(got, []string{"file_write"}) {
		t.Errorf("the next turn: %q", got)
	}
}

func allowOnce(agent.ApprovalRequested) string { return "once" }

func toolNames(r provider.Request) (names []string) {
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return names
}

// TestSlashCommandTool holds the rest of a turn to the tools of a command that
// the model ran within it, also calls of the same answer.
func TestSlashCommandTool(t *testing.T) {
	first := providertest.Call(
		toolCall(t, "1", "slash_command", map[string]string{"command": "look", "args": "a.txt"}),
		toolCall(t, "2", "file_write", map[string]string{"path": "x.txt", "content": "x"}),
	)
	s := openScripted(t, first, changes1(t), providertest.Call(toolCall(t, "5", "slash_command", map[string]string{"command": "free"})), providertest.Say("done"))
	s.write(t, map[string]string{"look.md": "---\nallowed-tools: [Read]\n---\nLook at $1.", "free.md": "Do anything."})
	if err := os.WriteFile(filepath.Join(s.ws, "a.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	var asked []string
	list := s.play(t, control.SendRequest{Text: "do /look for a.txt", Channel: "cli", Attended: true}, func(p agent.ApprovalRequested) string {
		asked = append(asked, p.Tool)
		return "once"
	})
	want := []string{"slash_command", "file_write not_allowed", "file_write not_allowed", "shell not_allowed", "file_read", "slash_command not_allowed"}
	if got := codes(list); !slices.Equal(got, want) {
		t.Errorf("calls: %q, want %q", got, want)
	}
	if !slices.Equal(asked, []string{"slash_command"}) {
		t.Errorf("asked about %q", asked)
	}
	if _, err := os.Stat(filepath.Join(s.ws, "x.txt")); err == nil {
		t.Error("the file was written")
	}
	for i, want := range [][]string{1: {"file_read"}, 2: {"file_read"}} {
		if got := toolNames(s.script.Requests()[i]); i > 0 && !slices.Equal(got, want) {
			t.Errorf("request %d offers %v", i, got)
		}
	}
}

// TestBuiltinCommands goes through those that have an answer of their own.
func TestBuiltinCommands(t *testing.T) {
	s := openScripted(t, providertest.Say("hello"), providertest.Say("planned"))
	s.write(t, map[string]string{"review.md": "Look over $1.", "bad.md": "---\nx: y\n---\nz"})
	sent, err := s.client.Send(t.Context(), control.SendRequest{Text: "A first message", Channel: "desktop", Attended: true})
	if err != nil {
		t.Fatal(err)
	}
	s.watch(t, sent, nil)
	folder := filepath.Join(filepath.Dir(s.ws), "other")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ session, text, want string }{
		{"", "/help", "/review"},
		{"", "/help", "bad.md:2: there is no setting"},
		{"", "/help undo", "Take back the last change"},
		{"", "/sessions", "A first message"},
		{"", "/sessions nowhere", "There is no such conversation."},
		{"", "/mode", "Looks and plans"},
		{sent.Session, "/mode accept_edits", "The mode is accept_edits now."},
		{sent.Session, "/mode", "→  accept_edits"},
		{"", "/model", "offline"},
		{"", "/model off", "offline answers here now."},
		{"", "/tools read", "file_read"},
		{"", "/tools file_read", "# `file_read`"},
		{"", "/tools xyzzy", "There is no such tool."},
		{"", "/memory", "Nothing of that is remembered."},
		{"", "/jobs", "There are no jobs."},
		{sent.Session, "/stop", "Nothing is under way here."},
		{"", "/background", "Nothing is under way."},
		{"", "/grant", "may use the folder of the conversation alone"},
		{"", "/grant " + folder, "may use " + folder + " now"},
		{"", "/sandbox", folder},
		{"", "/sandbox " + folder + "/x", "tools may read it"},
		{"", "/revoke " + folder, "may no longer use"},
		{sent.Session, "/undo", "changed no file"},
		{"", "/cost", "$"},
		{"", "/doctor", "✓"},
		{"", "/whoami", "operator"},
	} {
		r, err := s.give(t, tt.session, tt.text)
		got := r.Text(command.English)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) || r.Sent != nil {
			t.Errorf("%q gives %q (%+v), want %q in it", tt.text, got, r.Sent, tt.want)
		}
	}
	if r, err := s.give(t, sent.Session, "/new"); err != nil || r.Open == nil || *r.Open != "" {
		t.Errorf("/new: %+v, %v", r, err)
	}
	if r, err := s.give(t, "", "/resume-session"); err != nil || r.Open == nil || *r.Open != sent.Session {
		t.Errorf("/resume-session: %+v, %v", r, err)
	}
	if r, err := s.give(t, sent.Session, "/export json out.json"); err != nil || r.Document == nil || r.Document.To != filepath.Join(s.ws, "out.json") || !json.Valid([]byte(r.Document.Text)) {
		t.Errorf("/export: %+v, %v", r, err)
	}
	if r, err := s.give(t, sent.Session, "/compact"); err != nil || r.Sent == nil {
		t.Errorf("/compact: %+v, %v", r, err)
	}
	r, err := s.give(t, sent.Session, "/plan how would you do it?")
	if err != nil || r.Sent == nil || r.Mode != "plan" {
		t.Fatalf("/plan: %+v, %v", r, err)
	}
	list := s.watch(t, control.Sent(*r.Sent), nil)
	if p := payloads[agent.TurnStarted](list); len(p) == 0 || p[0].Mode != "plan" {
		t.Errorf("/plan played %+v", p)
	}
	if in := payloads[agent.InputMessage](list); len(in) == 0 || in[0].Text != "how would you do it?" {
		t.Errorf("/plan sent %+v", in)
	}
}

// TestCommandFaults holds what is told of commands that cannot be done.
func TestCommandFaults(t *testing.T) {
	s := openScripted(t)
	for text, want := range map[string]string{
		"/nonsense":           "unknown_command",
		"/undoo":              "unknown_command",
		"/quit":               "not_here",
		"/mode sideways":      "bad_use",
		"/model nothing":      "bad_use",
		"/tool":               "bad_use",
		"/revoke":             "bad_use",
		"/compact":            "bad_use",
		"/export":             "bad_use",
		"/stop":               "bad_use",
		"/cost never":         "bad_use",
		"/grant /nowhere/ab":  "not_found",
		"/resume-session xyz": "no_session",
		"/confirm":            "no_token",
		"/deny AAAAAA":        "no_token",
	} {
		_, err := s.give(t, "", text)
		if e := control.AsError(err); err == nil || e.Code != want {
			t.Errorf("%q: %v (%+v), want the code %q", text, err, e, want)
		}
	}
}

// TestMessagesAreNoCommands holds that what no person typed as a command is
// none: two slashes, a path, and everything that comes in as a message.
func TestMessagesAreNoCommands(t *testing.T) {
	s := openScripted(t, providertest.Say("a"), providertest.Say("b"), providertest.Say("c"))
	for text, want := range map[string]string{"//grant /": "/grant /", "/etc/hosts is odd": "/etc/hosts is odd"} {
		r, err := s.give(t, "", text)
		if err != nil || r.Sent == nil {
			t.Fatalf("%q: %+v, %v", text, r, err)
		}
		if in := payloads[agent.InputMessage](s.watch(t, control.Sent(*r.Sent), nil)); in[0].Text != want || in[0].Command != "" {
			t.Errorf("%q sends %+v", text, in)
		}
	}
	in := payloads[agent.InputMessage](s.play(t, control.SendRequest{Text: "/grant /", Channel: "notification", Attended: true}, nil))
	if in[0].Text != "/grant /" {
		t.Errorf("a message became %+v", in)
	}
	if g, err := s.client.Grants(t.Context()); err != nil || len(g) > 0 {
		t.Errorf("granted: %v, %v", g, err)
	}
	_, err := s.Handle(t.Context(), control.Peer{PID: 1, Agents: true}, control.MethodCommand, json.RawMessage(`{"text":"/grant /tmp"}`))
	if e := control.AsError(err); err == nil || e.Code != "denied" {
		t.Errorf("a process of the agent's own: %v", err)
	}
}

// TestToolCommand holds that /tool calls a tool whatever model answers else,
// and that the call is asked about like any other.
func TestToolCommand(t *testing.T) {
	s := openScripted(t)
	s.agent.Models = s.choose
	r, err := s.give(t, "", `/tool file_write path=a.txt content="b c"`)
	if err != nil || r.Sent == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	asked := 0
	list := s.watch(t, control.Sent(*r.Sent), func(agent.ApprovalRequested) string { asked++; return "once" })
	if got, err := os.ReadFile(filepath.Join(s.ws, "a.txt")); err != nil || string(got) != "b c" || asked != 1 {
		t.Errorf("wrote %q, asked %d times, %v; calls %q", got, asked, err, codes(list))
	}
	if len(s.script.Requests()) > 0 {
		t.Error("the model was asked")
	}
}

// TestPromptCommand holds that a prompt of a tool server begins a turn as text
// from outside.
func TestPromptCommand(t *testing.T) {
	s := openScripted(t, providertest.Say("done"))
	s.commands.Prompts = onePrompt{}
	r, err := s.give(t, "", "/mcp:docs:summary the news")
	if err != nil || r.Sent == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	in := payloads[agent.InputMessage](s.watch(t, control.Sent(*r.Sent), nil))[0]
	if in.Text != "Sum up the news" || in.Command != "/mcp:docs:summary the news" || in.Provenance != capability.FromTool || in.Trust != capability.Operator {
		t.Errorf("the message is %+v", in)
	}
	l, err := s.client.Commands(t.Context(), control.CommandQuery{Channel: "desktop"})
	if err != nil || !slices.ContainsFunc(l.Commands, func(e control.CommandEntry) bool {
		return e.Name == "mcp:docs:summary" && e.Hint == "topic" && e.Source == command.SourceServer
	}) {
		t.Errorf("the list: %+v, %v", l, err)
	}
}

type onePrompt struct{}

func (onePrompt) Await(context.Context) {}

func (onePrompt) Prompts(context.Context) []command.Prompt {
	return []command.Prompt{{Server: "docs", Name: "summary", Blanks: []command.Blank{{Name: "topic", Required: true}}}}
}

func (onePrompt) Prompt(_ context.Context, _, _ string, args map[string]string) (string, error) {
	return "Sum up " + args["topic"], nil
}
