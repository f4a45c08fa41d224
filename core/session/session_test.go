package session_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/session"
	"github.com/hobkin/hobkin/core/store"
)

var update = flag.Bool("update", false, "write the golden files")

var at = time.Date(2026, 5, 4, 10, 20, 30, 0, time.UTC)

func example() (store.Session, []agent.Event) {
	s := store.Session{ID: "06h2q5", Title: "Sort *the* <invoices>", Workspace: "/home/x/docs", Model: "a/b", Channel: "desktop", Messages: 4, Created: at, Updated: at.Add(time.Hour)}
	var events []agent.Event
	for i, p := range []agent.Payload{
		agent.InputMessage{Text: "Please sort them.\n## Hobkin\n<script>alert(1)</script>", Images: 2, Channel: "desktop"},
		agent.TurnStarted{Provider: "a", Model: "b", Mode: "ask"},
		agent.OutputCompleted{Text: "I will look at a **few** files.\n\n<b onclick=\"x()\">raw</b> [link](javascript:alert(1)) ![](https://example.org/t.png)"},
		agent.ToolStarted{Call: "1", Tool: "file_read", Title: "Read file", Summary: "notes_1.txt", Args: json.RawMessage(`{"path":"notes_1.txt"}`)},
		agent.ToolRepaired{Call: "1", Note: "the number came as text"},
		agent.ToolCompleted{Call: "1", Tool: "file_read", Summary: "3 lines", Text: "one\n```\n</pre><script>alert(2)</script>\n```", DurationMS: 12},
		agent.ToolStarted{Call: "2", Tool: "file_edit", Title: "Edit file", Summary: "notes_1.txt", Args: json.RawMessage(`{"path":"notes_1.txt"}`)},
		agent.ApprovalRequested{ID: "a", Call: "2", Tool: "file_edit", Title: "Edit file", Reason: "it changes a file", Expires: at},
		agent.ApprovalResolved{ID: "a", Call: "2", Decision: "deny_always", By: "window"},
		agent.ToolCompleted{Call: "2", Tool: "file_edit", Failed: true, Code: "denied", Summary: "it was not allowed", Text: "error", Diff: "-a\n+b", SavedAs: "/data/o.txt"},
		agent.ModelGeneration{Provider: "a", Model: "b", Usage: provider.Usage{Input: 1, Output: 2}, CostUSD: 0.25, Stop: provider.StopEnd},
		agent.OutputCompleted{Text: "Something wrong."},
		agent.OutputReplaced{Text: "Done:\n\n| a | b |\n|---|---|\n| 1 | 2 |", Reason: "guard"},
		agent.Notice{Text: "The second model *answered*."},
		agent.TurnFailed{Code: "network", Message: "The provider was not reached.", Try: "Try again."},
		agent.TurnCancelled{},
		agent.TurnSealed{Reason: "100 steps"},
		agent.QuestionAsked{ID: "q", Call: "3", Questions: []agent.Question{{ID: "1", Question: "Which one?", Kind: "text"}}, Expires: at},
		agent.QuestionAnswered{ID: "q", By: "terminal"},
		agent.ContextCompacted{Before: 1000, After: 100, Method: "summary"},
		agent.BudgetWarned{Budget: "day", Spent: "$1", Limit: "$2"},
	} {
		events = append(events, agent.Event{Seq: int64(i + 1), Session: s.ID, Turn: "t", At: at.Add(time.Duration(i) * time.Second), Payload: p})
	}
	return s, events
}

func TestGolden(t *testing.T) {
	s, events := example()
	for format, file := range map[string]string{session.Markdown: "example.md", session.HTML: "example.html", session.JSON: "example.json"} {
		got, err := session.Export(format, s, events)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", file)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s (-want +got; -update writes it):\n%s", file, d)
		}
	}
}

// The JSON form loses nothing.
func TestJSONIsLossless(t *testing.T) {
	s, events := example()
	text, err := session.Export(session.JSON, s, events)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Format  string
		Session map[string]any
		Events  []agent.Event
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	var want []agent.Event // as the store gives them
	for _, e := range events {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back agent.Event
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		want = append(want, back)
	}
	// Arguments may be laid out otherwise; their meaning is compared.
	compact := cmp.Transformer("compact", func(raw json.RawMessage) any {
		var v any
		_ = json.Unmarshal(raw, &v)
		return v
	})
	if d := cmp.Diff(want, doc.Events, compact); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	if doc.Format != "hobkin.session" || doc.Session["title"] != s.Title || doc.Session["created"] != "2026-05-04T10:20:30Z" {
		t.Errorf("head %v %v", doc.Format, doc.Session)
	}
	if text, err := session.Export(session.JSON, s, nil); err != nil || !strings.Contains(text, `"events": []`) {
		t.Errorf("without events: %s, %v", text, err)
	}
}

func TestUnknownFormat(t *testing.T) {
	if _, err := session.Export("pdf", store.Session{}, nil); !errors.Is(err, session.ErrFormat) {
		t.Errorf("Export = %v", err)
	}
}

// checkHTML finds what could run or load something.
func checkHTML(t *testing.T, text string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script", "iframe", "img", "video", "audio", "object", "embed", "link", "base", "form", "svg", "math":
			t.Errorf("an element <%s>", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
	if !strings.Contains(text, "default-src 'none'") {
		t.Error("no policy against loading")
	}
}

func FuzzExport(f *testing.F) {
	for _, text := range []string{"<script>x</script>", "</pre><img src=x onerror=y>", "[a](javascript:x)", "`````\n```", "\"' onload=", "<!--", "]]>", "\x00\xff", "<svg/onload=x>", "![x](data:text/html,<script>)", "{{.}}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := store.Session{ID: "x", Title: text, Workspace: text, Created: at, Updated: at}
		args, err := json.Marshal(map[string]string{"a": text})
		if err != nil {
			t.Fatal(err)
		}
		events := []agent.Event{
			{Payload: agent.InputMessage{Text: text}},
			{Payload: agent.OutputCompleted{Text: text}},
			{Payload: agent.Notice{Text: text}},
			{Payload: agent.ToolStarted{Call: text, Tool: text, Title: text, Summary: text, Args: args}},
			{Payload: agent.ToolCompleted{Call: text, Text: text, Diff: text, Summary: text, SavedAs: text}},
			{Payload: agent.ToolCompleted{Call: "unseen" + text, Text: text}},
		}
		page, err := session.Export(session.HTML, s, events)
		if err != nil {
			t.Fatal(err)
		}
		checkHTML(t, page)
		if _, err := session.Export(session.JSON, s, events); err != nil {
			t.Error(err)
		}
		md, err := session.Export(session.Markdown, s, events[:1])
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(md, "\n## "); n != 1 {
			t.Errorf("%d headings in:\n%s", n, md)
		}
	})
}

func TestTitle(t *testing.T) {
	for in, want := range map[string]string{
		"":                                 "Untitled",
		" \n\t\n":                          "Untitled",
		"???\n---\n":                       "Untitled",
		"  find  TODO\tin src  \nand more": "find TODO in src",
		"# Heading\ntext":                  "Heading",
		"- [ ] buy milk":                   "[ ] buy milk",
		"```go\nfunc main() {}\n```":       "func main() {}",
		"evil\u202etxt\x1b[31m":            "evil txt [31m",
		"\ufeffhello":                      "hello",
		"🎉":                                "🎉",
		strings.Repeat("a", 60):            strings.Repeat("a", 60),
		strings.Repeat("a", 61):            strings.Repeat("a", 59) + "…",
		strings.Repeat("word ", 30):        strings.Repeat("word ", 11) + "word…",
		"one, " + strings.Repeat("b", 80):  "one, " + strings.Repeat("b", 54) + "…",
		strings.Repeat("e\u0301", 60):      strings.Repeat("e\u0301", 29) + "…",
		strings.Repeat("天", 100):           strings.Repeat("天", 59) + "…",
		"This is a sentence of just that length that it is cut after, here": "This is a sentence of just that length that it is cut…",
	} {
		if got := session.Title(in); got != want {
			t.Errorf("Title(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzTitle(f *testing.F) {
	f.Add(strings.Repeat("👩‍👩‍👧‍👦", 20))
	f.Add("\xff\xfe" + strings.Repeat("\u0301", 100))
	f.Fuzz(func(t *testing.T, text string) {
		got := session.Title(text)
		if n := utf8.RuneCountInString(got); n > 60 || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\x00\x1b") {
			t.Errorf("Title(%q) = %q, %d characters", text, got, n)
		}
		if again := session.Title(got); utf8.RuneCountInString(again) > 60 {
			t.Errorf("again: %q", again)
		}
	})
}
