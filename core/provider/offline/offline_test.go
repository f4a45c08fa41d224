package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
)

// schemas are those that a test depends on; the others take anything.
var schemas = map[string]string{
	"file_read":      `{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"integer"}},"required":["path"]}`,
	"content_search": `{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string"},"regex":{"type":["null","boolean"]},"include":{"type":"string"}},"required":["pattern"]}`,
	"git_read":       `{"type":"object","properties":{"command":{"type":"string"},"args":{"type":"array","items":{"type":"string"}}},"required":["command"]}`,
}

// offered makes tools of names.
func offered(names ...string) []provider.Tool {
	tools := make([]provider.Tool, len(names))
	for i, n := range names {
		schema := schemas[n]
		if schema == "" {
			schema = `{"type":"object"}`
		}
		tools[i] = provider.Tool{Name: n, Description: "Does " + strings.ReplaceAll(n, "_", " ") + ". More.", Parameters: json.RawMessage(schema)}
	}
	return tools
}

// every tool that an example calls, and one that none does.
func everyTool() []provider.Tool {
	var names []string
	seen := map[string]bool{}
	for _, e := range Examples() {
		for _, one := range append([]string{e.Call}, e.Then...) {
			name, _, _ := strings.Cut(one, " ")
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return offered(append(names, "subagents")...)
}

func newModel() *model { return &model{now: func() time.Time { return ExampleTime }} }

func user(text string) provider.Message {
	return provider.Message{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: text}}}
}

// answer runs a request to its end and checks the shape of the stream.
func answer(t *testing.T, req provider.Request) (calls []provider.ToolCall, text string) {
	t.Helper()
	done := 0
	var deltas strings.Builder
	for ev, err := range newModel().Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		if done > 0 {
			t.Error("something came after Done")
		}
		switch ev := ev.(type) {
		case provider.TextDelta:
			deltas.WriteString(string(ev))
		case provider.PartDone:
			switch p := ev.Part.(type) {
			case provider.ToolCall:
				calls = append(calls, p)
			case provider.Text:
				text += p.Text
			default:
				t.Errorf("an unexpected part %T", p)
			}
		case provider.ReasoningDelta:
			t.Error("it claims to think")
		case provider.Done:
			done++
			want := provider.StopEnd
			if len(calls) > 0 {
				want = provider.StopTools
			}
			if ev.Stop != want {
				t.Errorf("stop is %s, want %s", ev.Stop, want)
			}
		}
	}
	if done != 1 || deltas.String() != text || (text == "") == (len(calls) == 0) {
		t.Errorf("%d Done, deltas %q, text %q, %d calls", done, deltas.String(), text, len(calls))
	}
	return calls, text
}

// run plays a conversation: each step's calls get results from results, by
// tool, until a text comes.
func run(t *testing.T, req provider.Request, results map[string]string) (history []provider.Message, called []string, text string) {
	t.Helper()
	for range 10 {
		calls, text := answer(t, req)
		if len(calls) == 0 {
			said := provider.Message{Role: provider.RoleAssistant, Parts: []provider.Part{provider.Text{Text: text}}}
			return append(req.Messages, said), called, text
		}
		asked, got := provider.Message{Role: provider.RoleAssistant}, provider.Message{Role: provider.RoleTool}
		for _, c := range calls {
			called = append(called, c.Name+" "+c.Args)
			result := results[c.Name]
			asked.Parts = append(asked.Parts, c)
			got.Parts = append(got.Parts, provider.ToolResult{CallID: c.ID, Name: c.Name, Text: result, Failed: strings.HasPrefix(result, `{"error"`)})
		}
		req.Messages = append(req.Messages, asked, got)
	}
	t.Fatal("the model does not stop calling")
	return nil, nil, ""
}

func TestExamples(t *testing.T) {
	groupOf := map[string]bool{}
	for _, g := range groups {
		groupOf[g] = true
	}
	for _, e := range Examples() {
		if !groupOf[e.Group] {
			t.Errorf("%q is in no group", e.Say)
		}
		_, called, _ := run(t, provider.Request{Messages: []provider.Message{user(e.Say)}, Tools: everyTool()}, nil)
		if d := cmp.Diff(append([]string{e.Call + " " + e.Args}, e.Then...), called); d != "" {
			t.Errorf("%q (-want +got)\n%s", e.Say, d)
		}
	}
}

// Requests keep their meaning, however they are dressed up.
func TestForgiving(t *testing.T) {
	for _, e := range Examples() {
		if strings.HasPrefix(e.Say, "/") || strings.HasPrefix(e.Say, "$") || strings.Contains(e.Say, "```") {
			continue
		}
		bare := strings.TrimSuffix(strings.TrimSuffix(e.Say, "?"), `".`)
		if bare+`".` == e.Say {
			bare += `"`
		}
		for _, say := range []string{"please " + bare, "Can you " + bare + ", please?", bare + " for me", "  Hey Hobkin,  " + bare + "  "} {
			if e.Call == "memory_store" || e.Call == "schedule_job" || e.Call == "todo_write" || e.Call == "shell" || strings.Contains(e.Say, "message fix") {
				say = "please " + bare // their last words are the text itself
			}
			calls, text := answer(t, provider.Request{Messages: []provider.Message{user(say)}, Tools: everyTool()})
			if len(calls) == 0 || calls[0].Name != e.Call || calls[0].Args != e.Args {
				t.Errorf("%q: got %v %q, want %s %s", say, calls, text, e.Call, e.Args)
			}
		}
	}
}

func TestAsksBack(t *testing.T) {
	tests := map[string]struct {
		said []string // in turn
		want string   // the call in the end, or a text when it starts with =
	}{
		"file":                 {[]string{"read", "notes.txt"}, `file_read {"path":"notes.txt"}`},
		"file, in words":       {[]string{"please read the file", "the file 'my notes.txt', please"}, `file_read {"path":"my notes.txt"}`},
		"folder":               {[]string{"list a folder", "docs"}, `list_dir {"path":"docs"}`},
		"what to find":         {[]string{"search for something", "two words"}, `content_search {"pattern":"two words"}`},
		"three questions":      {[]string{"replace something", "foo", `"bar baz"`, "notes.txt"}, `file_edit {"new_string":"bar baz","old_string":"foo","path":"notes.txt"}`},
		"content":              {[]string{"create a file named a.txt", "read me first"}, `file_write {"content":"read me first\n","path":"a.txt"}`},
		"message":              {[]string{"commit everything", "Fix the parser"}, `git_write {"args":["--all"],"command":"add"}`},
		"when":                 {[]string{"remind me to call Ada", "every friday at 4 pm"}, `schedule_job {"name":"call-ada","reminder":true,"schedule":"0 16 * * 5","task":"call Ada"}`},
		"when, not understood": {[]string{"remind me to call Ada", "some day", "tomorrow"}, `schedule_job {"name":"call-ada","reminder":true,"schedule":"2026-03-03T09:00:00Z","task":"call Ada"}`},
		"another request":      {[]string{"read", "find TODO in core"}, `content_search {"path":"core","pattern":"TODO"}`},
		"never mind":           {[]string{"read", "never mind"}, "=All right, I leave it."},
		"command":              {[]string{"run a command", "ls -la .."}, `shell {"command":"ls -la .."}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			req := provider.Request{Tools: everyTool()}
			var called []string
			var text string
			for i, s := range tt.said {
				req.Messages = append(req.Messages, user(s))
				req.Messages, called, text = run(t, req, nil)
				if i < len(tt.said)-1 && (len(called) > 0 || !strings.Contains(text, "?")) {
					t.Fatalf("%q: got %v, %q, want a question", s, called, text)
				}
			}
			if want, ok := strings.CutPrefix(tt.want, "="); ok {
				if text != want {
					t.Errorf("got %q, want %q", text, want)
				}
				return
			}
			if len(called) == 0 || called[0] != tt.want {
				t.Errorf("got %v %q, want %s", called, text, tt.want)
			}
		})
	}
}

// A bare name means nothing when someone else's words came between.
func TestOnlyOwnQuestions(t *testing.T) {
	req := provider.Request{Tools: everyTool(), Messages: []provider.Message{
		user("read"), {Role: provider.RoleAssistant, Parts: []provider.Part{provider.Text{Text: "I am another model."}}}, user("notes.txt"),
	}}
	calls, text := answer(t, req)
	if len(calls) > 0 || !strings.Contains(text, identity) {
		t.Errorf("got %v, %q", calls, text)
	}
}

func TestSays(t *testing.T) {
	long := strings.Repeat("word ", 500)
	tests := map[string]struct {
		say   string
		tools []provider.Tool
		want  []string
	}{
		"who":                {"What are you?", everyTool(), []string{identity, "find TODO in core", "config set models.main.provider"}},
		"hello":              {"hi there!", everyTool(), []string{identity, "read notes.txt"}},
		"help":               {"What can you do?", everyTool(), []string{"**Look**", "**Git**", "- what changed in git?", "`subagents`"}},
		"help, few tools":    {"help", offered("file_read"), []string{"- read notes.txt", "/tool file_read"}},
		"help, no tools":     {"help", nil, []string{"No tool is offered here"}},
		"not understood":     {"Sing me a song about files", everyTool(), []string{identity, "`file_", "connect a model", "The nearest I can do"}},
		"nearest":            {"could the commits of yesterday be pushed?", everyTool(), []string{"- `git_"}},
		"no tools":           {"Sing me a song", nil, []string{identity, "no tool is offered"}},
		"empty":              {"", everyTool(), []string{identity}},
		"long":               {long, everyTool(), []string{identity}},
		"not offered":        {"read notes.txt", offered("list_dir"), []string{"`file_read`, which is not offered", "hobkin tools list"}},
		"web not offered":    {"open example.org", offered("file_read"), []string{"`web_fetch`, which is not offered", "the web tools"}},
		"asked, not offered": {"read", offered("list_dir"), []string{"`file_read`, which is not offered"}},
		"push":               {"git push origin main", everyTool(), []string{"I never push"}},
		"tool without name":  {"/tool", everyTool(), []string{"/tool NAME"}},
		"tool not there":     {"/tool nothing a=b", everyTool(), []string{"`nothing`, which is not offered"}},
		"wrong key":          {"/tool file_read pth=a", everyTool(), []string{`it has no "pth"; it takes limit, offset, path`}},
		"thanks":             {"thank you very much!", everyTool(), []string{"welcome"}},
		"connect":            {"how do I connect a model?", everyTool(), []string{"hobkin secrets set openai"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			calls, text := answer(t, provider.Request{Messages: []provider.Message{user(tt.say)}, Tools: tt.tools})
			if len(calls) > 0 {
				t.Fatalf("it calls %v", calls)
			}
			for _, w := range tt.want {
				if !strings.Contains(text, w) {
					t.Errorf("%q is not in %q", w, text)
				}
			}
		})
	}
	_, text := answer(t, provider.Request{Messages: []provider.Message{user(`replace "a" with "b" in c.txt`)}, Tools: offered("file_read"), System: "# This session\n\n- Mode: plan. You can look"})
	if !strings.Contains(text, "plan mode") {
		t.Errorf("got %q", text)
	}
	_, text = answer(t, provider.Request{Messages: []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Image{MIME: "image/png"}}}}, Tools: everyTool()})
	if !strings.Contains(text, "cannot look at pictures") {
		t.Errorf("got %q", text)
	}
	if _, text = answer(t, provider.Request{}); !strings.Contains(text, identity) {
		t.Errorf("an empty request: got %q", text)
	}
}

// Many texts look like requests and are none.
func TestNotRequests(t *testing.T) {
	for _, say := range []string{
		"read me the news", "open your mind", "show me what you mean", "find me a good restaurant that is open now and not too expensive\nplease do it well", "what is love?",
		"replace the whole government", "write me a poem about autumn", "every day is a good day, I think?", "undo the harm", "is it raining?", "the file is broken",
	} {
		calls, _ := answer(t, provider.Request{Messages: []provider.Message{user(say)}, Tools: everyTool()})
		for _, c := range calls {
			if c.Name != "content_search" { // a harmless look
				t.Errorf("%q became %s %s", say, c.Name, c.Args)
			}
		}
	}
}

func TestCallIDsAreUniqueAndSteady(t *testing.T) {
	req := provider.Request{Tools: everyTool()}
	seen := map[string]bool{}
	for i := range 20 {
		req.Messages = append(req.Messages, user("what changed in git?"))
		again, _ := answer(t, req)
		calls, _ := answer(t, req)
		if d := cmp.Diff(again, calls); d != "" {
			t.Fatalf("the same request gave other calls:\n%s", d)
		}
		for _, c := range calls {
			if seen[c.ID] {
				t.Fatalf("round %d: %s is used twice", i, c.ID)
			}
			seen[c.ID] = true
		}
		req.Messages, _, _ = run(t, req, map[string]string{"git_read": "## main\n"})
	}
	if len(seen) != 40 {
		t.Errorf("got %d ids, want 40", len(seen))
	}
}

func TestItemsFitTheSchema(t *testing.T) {
	tool := provider.Tool{Name: "todo_write", Parameters: json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object",
		"properties":{"text":{"type":"string"},"status":{"type":"string","enum":["pending","done"]}},"required":["status","text"]}}}}`)}
	calls, _ := answer(t, provider.Request{Messages: []provider.Message{user("to-do: a, b")}, Tools: []provider.Tool{tool}})
	want := `{"items":[{"status":"pending","text":"a"},{"status":"pending","text":"b"}]}`
	if len(calls) != 1 || calls[0].Args != want {
		t.Errorf("got %v, want %s", calls, want)
	}
}

func TestStreamStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	var last error
	for _, err := range newModel().Stream(ctx, provider.Request{Messages: []provider.Message{user("help")}, Tools: everyTool()}) {
		n++
		last = err
		cancel()
	}
	if n != 2 || last == nil {
		t.Errorf("after cancel: %d events, last error %v", n, last)
	}
	for ev, err := range newModel().Stream(t.Context(), provider.Request{Messages: []provider.Message{user("help")}}) {
		if err != nil || ev == nil {
			t.Errorf("got %v, %v", ev, err)
		}
		break // the reader leaves
	}
}

func TestInfo(t *testing.T) {
	if got := New().Info(); got.Provider != "offline" || !got.Tools || got.Images || got.Window < 1<<30 || got.Assumed {
		t.Errorf("got %+v", got)
	}
	if len(Grammar()) < 100 {
		t.Errorf("the grammar has %d forms", len(Grammar()))
	}
}

func FuzzStream(f *testing.F) {
	for _, e := range Examples() {
		f.Add(e.Say, "")
	}
	f.Add("read", "notes.txt")
	f.Add("/tool file_read {\"path\": [", "\xff„“«»``` ``")
	f.Add("remind me in 99999999999999999999 minutes to", "every 0 days at 25:61")
	tools := everyTool()
	f.Fuzz(func(t *testing.T, first, second string) {
		req := provider.Request{Tools: tools, Messages: []provider.Message{user(first)}}
		calls, text := answer(t, req)
		for _, c := range calls {
			if !json.Valid([]byte(c.Args)) {
				t.Errorf("%q became %s", first, c.Args)
			}
		}
		reply := provider.Message{Role: provider.RoleAssistant}
		result := provider.Message{Role: provider.RoleTool}
		for i, c := range calls {
			reply.Parts = append(reply.Parts, c)
			result.Parts = append(result.Parts, provider.ToolResult{CallID: c.ID, Name: c.Name, Text: second, Failed: i%2 == len(second)%2})
		}
		if len(calls) > 0 {
			req.Messages = append(req.Messages, reply, result)
			answer(t, req)
			return
		}
		reply.Parts = append(reply.Parts, provider.Text{Text: text})
		req.Messages = append(req.Messages, reply, user(second))
		answer(t, req)
	})
}

func BenchmarkFirstAnswer(b *testing.B) {
	req := provider.Request{Messages: []provider.Message{user("what changed in git?")}, Tools: everyTool()}
	for b.Loop() {
		for ev, err := range newModel().Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(ev, err)
			}
		}
	}
}

func BenchmarkPuzzled(b *testing.B) {
	req := provider.Request{Messages: []provider.Message{user(fmt.Sprint("why ", strings.Repeat("in the end of all ", 40)))}, Tools: everyTool()}
	for b.Loop() {
		for ev, err := range newModel().Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(ev, err)
			}
		}
	}
}
