package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/ui/approve"
)

// feed numbers the durable payloads and applies all to a new model.
func feed(turn string, payloads ...agent.Payload) *Model {
	m := &Model{}
	more(m, turn, payloads...)
	return m
}

func more(m *Model, turn string, payloads ...agent.Payload) {
	for _, p := range payloads {
		e := agent.Event{Session: "s", Turn: turn, Payload: p}
		if agent.Durable(p) {
			e.Seq = m.Last + 1
		}
		m.Apply(e)
	}
}

// lines shows rows as short text.
func lines(m *Model) []string {
	var out []string
	for _, r := range m.Rows {
		out = append(out, line(r))
	}
	return out
}

func line(r *Row) string {
	live := map[bool]string{true: "…"}[r.Live]
	switch r.Kind {
	case KindPerson:
		return "person: " + r.Text + map[bool]string{true: " (queued)"}[r.Queued]
	case KindAnswer:
		return "answer: " + r.Text + live
	case KindReasoning:
		return "thinks: " + r.Text + live
	case KindTool:
		return fmt.Sprintf("tool: %s [%s] %s", r.Tool.Title, r.Tool.Line(), r.Tool.Status().Key)
	case KindAsk:
		return "ask: " + r.Ask.ID
	case KindForm:
		return "form: " + r.Form.ID
	case KindProblem:
		return "problem: " + r.Text + r.Say.Key + "; " + r.Try
	case KindEnd:
		return "end: " + r.Say.Key
	case KindDivider:
		return "divider: " + r.Say.Key + live
	}
	return "notice: " + r.Text + r.Say.Key
}

func started(call string) agent.ToolStarted {
	return agent.ToolStarted{Call: call, Tool: "file_read", Title: "Read file", Summary: call + ".txt", Args: json.RawMessage(`{"path":"x"}`)}
}

func TestRows(t *testing.T) {
	hello := agent.InputMessage{Text: "hello"}
	for name, tt := range map[string]struct {
		in   []agent.Payload
		want []string
	}{
		"deltas join":               {[]agent.Payload{hello, agent.OutputDelta{Text: "a"}, agent.OutputDelta{Text: "b"}}, []string{"person: hello", "answer: ab…"}},
		"the whole text replaces":   {[]agent.Payload{hello, agent.OutputDelta{Text: "ab"}, agent.OutputCompleted{Text: "abc"}}, []string{"person: hello", "answer: abc"}},
		"a text without deltas":     {[]agent.Payload{hello, agent.OutputCompleted{Text: "abc"}}, []string{"person: hello", "answer: abc"}},
		"taken back":                {[]agent.Payload{hello, agent.OutputDelta{Text: "ab"}, agent.OutputReplaced{Reason: "again"}, agent.OutputDelta{Text: "c"}}, []string{"person: hello", "answer: c…"}},
		"a step without a text":     {[]agent.Payload{hello, agent.OutputDelta{Text: "\n"}, agent.OutputCompleted{}, started("1")}, []string{"person: hello", "tool: Read file [1.txt] working"}},
		"thinking before answering": {[]agent.Payload{hello, agent.ReasoningDelta{Text: "hm"}, agent.OutputDelta{Text: "a"}, agent.ReasoningDelta{Text: "m"}}, []string{"person: hello", "thinks: hmm…", "answer: a…"}},
		"thinking is not kept": {
			[]agent.Payload{hello, agent.ReasoningDelta{Text: "hm"}, agent.OutputCompleted{Text: "a"}, agent.TurnCompleted{}},
			[]string{"person: hello", "answer: a"},
		},
		"steps have texts of their own": {
			[]agent.Payload{hello, agent.OutputCompleted{Text: "a"}, started("1"), agent.ToolCompleted{Call: "1", Summary: "3 lines"}, agent.OutputDelta{Text: "b"}, agent.OutputCompleted{Text: "b"}},
			[]string{"person: hello", "answer: a", "tool: Read file [1.txt · 3 lines] ", "answer: b"},
		},
		"calls side by side": {
			[]agent.Payload{hello, started("1"), started("2"), agent.ToolProgress{Call: "1", Text: "half"}, agent.ToolCompleted{Call: "2", Failed: true, Summary: "gone"}},
			[]string{"person: hello", "tool: Read file [1.txt · half] working", "tool: Read file [2.txt · gone] failed"},
		},
		"an approval waits": {
			[]agent.Payload{hello, started("1"), agent.ApprovalRequested{ID: "a", Call: "1"}},
			[]string{"person: hello", "tool: Read file [1.txt] waiting for you", "ask: a"},
		},
		"answered elsewhere": {
			[]agent.Payload{hello, started("1"), agent.ApprovalRequested{ID: "a", Call: "1"}, agent.ApprovalResolved{ID: "a", Call: "1", Decision: "once", By: "notification"}},
			[]string{"person: hello", "tool: Read file [1.txt] working"},
		},
		"denied": {
			[]agent.Payload{hello, started("1"), agent.ApprovalRequested{ID: "a", Call: "1"}, agent.ApprovalResolved{ID: "a", Call: "1", Decision: "deny"}, agent.ToolCompleted{Call: "1", Failed: true}},
			[]string{"person: hello", "tool: Read file [1.txt] denied"},
		},
		"a form": {
			[]agent.Payload{hello, started("1"), agent.QuestionAsked{ID: "q", Call: "1"}, agent.QuestionAsked{ID: "r", Call: "1"}, agent.QuestionAnswered{ID: "q"}},
			[]string{"person: hello", "tool: Read file [1.txt] working", "form: r"},
		},
		"stopped in the middle": {
			[]agent.Payload{hello, agent.OutputDelta{Text: "a"}, started("1"), agent.ApprovalRequested{ID: "a", Call: "1"}, agent.TurnCancelled{}},
			[]string{"person: hello", "answer: a", "tool: Read file [1.txt] stopped", "end: Stopped"},
		},
		"failed": {[]agent.Payload{hello, agent.TurnFailed{Message: "no key", Try: "add one"}}, []string{"person: hello", "problem: no key; add one"}},
		"sealed": {[]agent.Payload{hello, agent.TurnSealed{Reason: "100 steps"}}, []string{"person: hello", "problem: 100 steps; "}},
		"shortened": {
			[]agent.Payload{hello, agent.ContextCompacting{Tokens: 9}, agent.ContextCompacted{Before: 9, After: 3}},
			[]string{"person: hello", "divider: Conversation shortened: {{.Before}} to {{.After}} tokens"},
		},
		"being shortened": {[]agent.Payload{hello, agent.ContextCompacting{Tokens: 9}}, []string{"person: hello", "divider: Shortening the conversation……"}},
		"an end is said after work": {
			[]agent.Payload{hello, started("1"), agent.ToolCompleted{Call: "1"}, agent.TurnCompleted{DurationMS: 1200}},
			[]string{"person: hello", "tool: Read file [1.txt] ", "end: Done in {{.Time}}"},
		},
		"but not after talk": {[]agent.Payload{hello, agent.OutputCompleted{Text: "a"}, agent.TurnCompleted{}}, []string{"person: hello", "answer: a"}},
		"asides":             {[]agent.Payload{agent.Notice{Text: "retrying"}, agent.BudgetWarned{Budget: "day"}}, []string{"notice: retrying", "notice: The budget “{{.Name}}” is at {{.Spent}} of {{.Limit}}."}},
		"a call nobody knows": {
			[]agent.Payload{agent.ToolCompleted{Call: "x"}, agent.ToolOutput{Call: "x"}, agent.ApprovalResolved{ID: "x"}, agent.QuestionAnswered{ID: "x"}, agent.Lagged{Missed: 3}},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, lines(feed("t", tt.in...))); d != "" {
				t.Errorf("rows (-want +got):\n%s", d)
			}
		})
	}
}

func TestQueue(t *testing.T) {
	m := feed("t1", agent.InputMessage{Text: "one"}, agent.TurnStarted{Mode: "ask"})
	more(m, "t2", agent.InputMessage{Text: "two"})
	if d := cmp.Diff([]string{"person: one", "person: two (queued)"}, lines(m)); d != "" {
		t.Errorf("queued (-want +got):\n%s", d)
	}
	more(m, "t1", agent.OutputDelta{Text: "first"}, agent.TurnCompleted{})
	more(m, "t2", agent.TurnStarted{Mode: "plan"})
	if d := cmp.Diff([]string{"person: one", "person: two", "answer: first"}, lines(m)); d != "" {
		t.Errorf("begun (-want +got):\n%s", d)
	}
	if !m.Busy() || m.Mode != "plan" {
		t.Errorf("busy %v, mode %q; want the second turn's", m.Busy(), m.Mode)
	}
	more(m, "t2", agent.TurnCompleted{})
	if m.Busy() {
		t.Error("busy after the last turn ended")
	}
}

func TestState(t *testing.T) {
	hello := agent.InputMessage{Text: "hello"}
	for name, tt := range map[string]struct {
		in   []agent.Payload
		want control.State
	}{
		"nothing yet": {nil, control.StateReady},
		"works":       {[]agent.Payload{hello}, control.StateWorking},
		"asks":        {[]agent.Payload{hello, agent.ApprovalRequested{ID: "a"}}, control.StateWaiting},
		"questions":   {[]agent.Payload{hello, agent.QuestionAsked{ID: "a"}}, control.StateWaiting},
		"done":        {[]agent.Payload{hello, agent.TurnCompleted{}}, control.StateReady},
		"failed":      {[]agent.Payload{hello, agent.TurnFailed{}}, control.StateError},
		"and again":   {[]agent.Payload{hello, agent.TurnFailed{}, hello}, control.StateWorking},
	} {
		if got := feed("t", tt.in...).State(); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestNothingIsTakenTwice(t *testing.T) {
	m := feed("t", agent.InputMessage{Text: "a"})
	m.Apply(agent.Event{Seq: 1, Turn: "t", Payload: agent.InputMessage{Text: "a"}})
	if len(m.Rows) != 1 {
		t.Errorf("rows = %q, want one", lines(m))
	}
}

func TestCosts(t *testing.T) {
	m := feed("t",
		agent.ModelGeneration{Usage: provider.Usage{Input: 1000, Output: 200}, CostUSD: 0.02},
		agent.ModelGeneration{Usage: provider.Usage{Input: 1500, Output: 100}, CostUSD: 0.03})
	if m.Context != 1600 || m.Cost != 0.05 {
		t.Errorf("context %d, cost %v; want 1600 and 0.05", m.Context, m.Cost)
	}
	more(m, "t", agent.ContextCompacted{Before: 1600, After: 400})
	if m.Context != 400 {
		t.Errorf("context %d after shortening, want 400", m.Context)
	}
}

func TestToolDetails(t *testing.T) {
	m := feed("t", started("1"), agent.ToolRepaired{Call: "1", Note: "a number was text"}, agent.ToolOutput{Call: "1", Text: strings.Repeat("line\n", maxLive)})
	tool := m.Rows[0].Tool
	if len(tool.Output) > maxLive || !strings.HasPrefix(tool.Output, "line\n") {
		t.Errorf("live output: %d bytes, starts %.8q", len(tool.Output), tool.Output)
	}
	more(m, "t", agent.ToolCompleted{Call: "1", Tool: "file_edit", Text: "Edited x. Change c-7, file_undo takes it back.", Diff: "+x", DurationMS: 1500, SavedAs: "/o"})
	want := &Tool{
		Name: "file_read", Title: "Read file", Touched: "1.txt", State: ToolDone, Args: "{\n  \"path\": \"x\"\n}", Took: 1500 * time.Millisecond,
		Output: "Edited x. Change c-7, file_undo takes it back.", Diff: "+x", SavedAs: "/o", Repaired: []string{"a number was text"},
	}
	if d := cmp.Diff(want, tool); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if tool.Undo() != "c-7" {
		t.Errorf("undo = %q, want c-7", tool.Undo())
	}
	tool.Undone = true
	if tool.Undo() != "" {
		t.Error("what was taken back can be taken back again")
	}
}

func TestPlan(t *testing.T) {
	want := []Step{{"one", "completed"}, {"two", "pending"}}
	for name, args := range map[string]string{
		"text and status":   `{"items":[{"text":"one","status":"completed"},{"text":"two","status":"pending"}]}`,
		"content and state": `{"todos":[{"content":"one","state":"completed"},{"content":"two","state":"pending"}]}`,
	} {
		m := feed("t", agent.ToolStarted{Call: "1", Tool: "todo_write", Args: json.RawMessage(args)})
		if d := cmp.Diff(want, m.Rows[0].Tool.Plan); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if got := planOf(json.RawMessage(`{"items":["one",{"title":"two","done":true},3]}`)); len(got) != 2 || got[1].State != "completed" {
		t.Errorf("mixed: %+v", got)
	}
	if planOf(json.RawMessage(`[`)) != nil {
		t.Error("a plan from broken arguments")
	}
}

func TestForm(t *testing.T) {
	choice := agent.Question{ID: "c", Kind: "choice", Question: "Which?", Options: []string{"x", "y"}, Default: "y"}
	several := agent.Question{ID: "m", Kind: "choice", Question: "Which ones?", Options: []string{"x", "y"}, MultiSelect: true}
	secret := agent.Question{ID: "s", Kind: "secret", Question: "Key?", Default: "not shown"}
	f := newForm(agent.QuestionAsked{ID: "q", Questions: []agent.Question{choice, several, secret}})
	f.Pick(several, "x", true)
	f.Pick(several, "y", true)
	f.Pick(several, "x", false)
	f.Pick(choice, "x", true)
	if _, ok := f.Answer(); ok || f.Missing() != "Key?" {
		t.Errorf("sent without a key; missing %q", f.Missing())
	}
	f.Answers["s"] = []string{"k"}
	got, ok := f.Answer()
	want := control.QuestionAnswer{ID: "q", Answers: map[string][]string{"c": {"x"}, "m": {"y"}, "s": {"k"}}, By: "window"}
	if d := cmp.Diff(want, got); !ok || d != "" {
		t.Errorf("ok %v (-want +got):\n%s", ok, d)
	}
	if _, again := f.Answer(); again {
		t.Error("sent twice")
	}
	f.Failed("no")
	if _, again := f.Answer(); !again || f.Problem != "" {
		t.Error("cannot be sent again after it failed")
	}
}

func TestTook(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0.0 s", 140 * time.Millisecond: "0.1 s", 61 * time.Second: "1 min 1 s", 3*time.Hour + 4*time.Minute: "3 h 4 min"} {
		if got := Took(d); string(got) != want {
			t.Errorf("Took(%v) = %q, want %q", d, got, want)
		}
	}
}

// script makes a plausible session: turns with texts, calls and questions.
func script(t *rapid.T) []agent.Event {
	var out []agent.Event
	var seq int64
	put := func(turn string, p agent.Payload) {
		e := agent.Event{Session: "s", Turn: turn, Payload: p}
		if agent.Durable(p) {
			seq++
			e.Seq = seq
		}
		out = append(out, e)
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "turns") {
		turn := fmt.Sprint("t", i)
		put(turn, agent.InputMessage{Text: "do " + turn})
		put(turn, agent.TurnStarted{Provider: "p", Model: "m", Mode: "ask"})
		for step := range rapid.IntRange(0, 4).Draw(t, "steps") {
			text := rapid.StringN(0, 12, -1).Draw(t, "text")
			if rapid.Bool().Draw(t, "thinks") {
				put(turn, agent.ReasoningDelta{Text: "hm"})
			}
			if rapid.Bool().Draw(t, "retry") {
				put(turn, agent.OutputDelta{Text: "half"})
				put(turn, agent.OutputReplaced{Reason: "again"})
			}
			for _, r := range text {
				put(turn, agent.OutputDelta{Text: string(r)})
			}
			put(turn, agent.ModelGeneration{CostUSD: 0.01})
			put(turn, agent.OutputCompleted{Text: text})
			scriptCalls(t, turn, step, put)
		}
		end := []agent.Payload{agent.TurnCompleted{DurationMS: 5}, agent.TurnFailed{Message: "x"}, agent.TurnCancelled{}, agent.TurnSealed{Reason: "y"}}
		put(turn, rapid.SampledFrom(end).Draw(t, "end"))
	}
	return out
}

func scriptCalls(t *rapid.T, turn string, step int, put func(string, agent.Payload)) {
	for c := range rapid.IntRange(0, 2).Draw(t, "calls") {
		id := fmt.Sprint(turn, step, c)
		put(turn, started(id))
		put(turn, agent.ToolOutput{Call: id, Text: "live"})
		put(turn, agent.ToolProgress{Call: id, Text: "half"})
		if rapid.Bool().Draw(t, "asks") {
			put(turn, agent.ApprovalRequested{ID: "a" + id, Call: id})
			if rapid.Bool().Draw(t, "answered") {
				put(turn, agent.ApprovalResolved{ID: "a" + id, Call: id, Decision: "once"})
			}
		}
		if rapid.Bool().Draw(t, "done") {
			put(turn, agent.ToolCompleted{Call: id, Summary: "ok", Failed: rapid.Bool().Draw(t, "failed")})
		}
	}
}

var asShown = []cmp.Option{
	cmpopts.IgnoreFields(Row{}, "Key", "Version"), cmpopts.IgnoreFields(Tool{}, "Progress", "Output"),
	cmpopts.IgnoreUnexported(approve.Model{}), cmpopts.EquateEmpty(),
}

// TestReplay holds that a session read again from its start shows what it
// showed while it happened, whatever was streamed, and that a connection that
// broke anywhere and came back with the stored events changes nothing.
func TestReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := script(t)
		var live, again, broken Model
		cut := rapid.IntRange(0, len(events)).Draw(t, "cut")
		for i, e := range events {
			live.Apply(e)
			if e.Seq != 0 {
				again.Apply(e)
			}
			if i < cut {
				broken.Apply(e)
			}
		}
		back := max(0, broken.Last-2)
		for _, e := range events {
			if e.Seq > back {
				broken.Apply(e)
			}
		}
		for what, m := range map[string]*Model{"replayed": &again, "after a break": &broken} {
			if d := cmp.Diff(live.Rows, m.Rows, asShown...); d != "" {
				t.Errorf("%s (-live +got):\n%s", what, d)
			}
			if m.Busy() || m.Waiting() {
				t.Errorf("%s: busy %v, waiting %v after the end", what, m.Busy(), m.Waiting())
			}
		}
		if !slices.IsSortedFunc(live.Rows, func(a, b *Row) int { return a.Key - b.Key }) {
			t.Error("rows are out of order")
		}
	})
}

// TestVersions holds that every change of a row is seen: what is drawn depends
// on the version alone.
func TestVersions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m Model
		seen := map[int]string{}
		version := map[int]int{}
		for _, e := range script(t) {
			m.Apply(e)
			for _, r := range m.Rows {
				now := line(r) + fmt.Sprint(r.Tool)
				if r.Tool != nil {
					now = line(r) + fmt.Sprintf("%+v", *r.Tool)
				}
				if old, ok := seen[r.Key]; ok && old != now && version[r.Key] == r.Version {
					t.Fatalf("row %d changed from %q to %q without a new version", r.Key, old, now)
				}
				seen[r.Key], version[r.Key] = now, r.Version
			}
		}
	})
}

// FuzzApply takes in any events: nothing that arrives may break the window.
func FuzzApply(f *testing.F) {
	f.Add([]byte(`{"type":"tool.started","seq":1,"turn":"t","data":{"call":"1","args":{"items":[1]}}}`))
	f.Add([]byte(`{"type":"approval.requested","seq":1,"data":{"id":"1","args":null}}`))
	f.Add([]byte(`{"type":"input.message","seq":1,"data":{"text":"x"}}` + "\n" + `{"type":"turn.failed","seq":1,"data":{}}`))
	f.Add([]byte(`{"type":"output.delta","data":{"text":"\u0000"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var m Model
		for line := range strings.Lines(string(raw)) {
			var e agent.Event
			if json.Unmarshal([]byte(line), &e) != nil {
				continue
			}
			before := m.Last
			m.Apply(e)
			if m.Last < before {
				t.Errorf("the last number went from %d to %d", before, m.Last)
			}
		}
		for _, r := range m.Rows {
			if (r.Kind == KindTool) != (r.Tool != nil) || (r.Kind == KindAsk) != (r.Ask != nil) || (r.Kind == KindForm) != (r.Form != nil) {
				t.Errorf("a row of kind %d lacks its part: %+v", r.Kind, r)
			}
		}
	})
}
