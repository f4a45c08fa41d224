package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/approve"
	"github.com/hobkin/hobkin/ui/say"
)

// A Tool is a call as its card shows it.
type Tool struct {
	Name, Title string
	Touched     string // what it touches: "notes.txt"
	Found       string // what came of it: "14 found"
	State       ToolState
	Code        string // of a failure
	Cut         bool   // its turn ended before it did
	Progress    string
	Output      string // live while it runs, then what the model read
	Diff        string
	Args        string // JSON, indented
	SavedAs     string // where the whole result lies, when it was too long
	Images      int
	Repaired    []string // what was mended in the arguments
	Decision    string   // how the approval went; empty when none was needed
	Took        time.Duration
	Plan        []Step // of todo_write

	Undone      bool   // its change was taken back from its card
	UndoProblem string // why that did not work
}

// ToolState says how a call stands.
type ToolState uint8

// The states of a call.
const (
	ToolRunning ToolState = iota
	ToolWaiting           // for a person
	ToolDone
	ToolFailed
)

// Ended reports whether the call came to its end.
func (t *Tool) Ended() bool { return t.State == ToolDone || t.State == ToolFailed }

// A Step is a line of the agent's plan.
type Step struct {
	Text  string
	State string // pending, in_progress or completed
}

// A Form is a question that waits for the person.
type Form struct {
	agent.QuestionAsked

	Answers  map[string][]string // by question, as far as they are given
	Answered bool                // sent; the core has not yet confirmed it
	Problem  string              // why the answer did not arrive
}

const (
	maxLive = 32 << 10 // bytes of live output that a card keeps
	maxArgs = 32 << 10 // bytes of arguments that a card shows
)

// applyCall takes in what concerns calls, approvals and questions.
func (m *Model) applyCall(e agent.Event) {
	switch p := e.Payload.(type) {
	case agent.ToolStarted:
		if t := m.turn(e.Turn); t != nil {
			t.calls++
		}
		m.add(Row{Kind: KindTool, Turn: e.Turn, Text: p.Call, Tool: newTool(p)})
	case agent.ToolProgress:
		m.tool(p.Call, func(t *Tool) { t.Progress = p.Text })
	case agent.ToolOutput:
		m.tool(p.Call, func(t *Tool) { t.Output = tail(t.Output+p.Text, maxLive) })
	case agent.ToolRepaired:
		m.tool(p.Call, func(t *Tool) { t.Repaired = append(t.Repaired, p.Note) })
	case agent.ToolCompleted:
		m.tool(p.Call, func(t *Tool) { t.finish(p) })
	case agent.ApprovalRequested:
		m.tool(p.Call, func(t *Tool) { t.State = ToolWaiting })
		m.add(Row{Kind: KindAsk, Turn: e.Turn, Text: p.ID, Ask: approve.New(p)})
	case agent.ApprovalResolved:
		m.drop(func(r *Row) bool { return r.Kind == KindAsk && r.Text == p.ID })
		m.tool(p.Call, func(t *Tool) {
			t.Decision = p.Decision
			if !t.Ended() {
				t.State = ToolRunning
			}
		})
	case agent.QuestionAsked:
		m.tool(p.Call, func(t *Tool) { t.State = ToolWaiting })
		m.add(Row{Kind: KindForm, Turn: e.Turn, Text: p.ID, Form: newForm(p)})
	case agent.QuestionAnswered:
		m.answered(p.ID)
	default: // the others were taken in before, or show nothing, as Lagged
	}
}

func newTool(p agent.ToolStarted) *Tool {
	t := &Tool{Name: p.Tool, Title: p.Title, Touched: p.Summary}
	if t.Title == "" {
		t.Title = p.Tool
	}
	if p.Tool == "todo_write" {
		t.Plan = planOf(p.Args)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, p.Args, "", "  "); err != nil {
		out.Reset()
		out.Write(p.Args)
	}
	if t.Args = out.String(); len(t.Args) > maxArgs {
		t.Args = strings.ToValidUTF8(t.Args[:maxArgs], "") + "…"
	}
	return t
}

// planOf reads the steps of a plan, in whichever of the common shapes.
func planOf(args json.RawMessage) []Step {
	var in struct {
		Items []json.RawMessage `json:"items"`
		Todos []json.RawMessage `json:"todos"`
	}
	if json.Unmarshal(args, &in) != nil {
		return nil
	}
	var out []Step
	for _, raw := range slices.Concat(in.Items, in.Todos) {
		var s struct {
			Text    string `json:"text"`
			Content string `json:"content"`
			Title   string `json:"title"`
			Status  string `json:"status"`
			State   string `json:"state"`
			Done    bool   `json:"done"`
		}
		if json.Unmarshal(raw, &s) != nil {
			_ = json.Unmarshal(raw, &s.Text) // a plain list of sentences
		}
		step := Step{Text: s.Text + s.Content + s.Title, State: s.Status + s.State}
		if s.Done {
			step.State = "completed"
		}
		if step.Text != "" {
			out = append(out, step)
		}
	}
	return out
}

func newForm(p agent.QuestionAsked) *Form {
	f := &Form{QuestionAsked: p, Answers: map[string][]string{}}
	for _, q := range p.Questions {
		if q.Kind == "choice" && q.Default != "" && slices.Contains(q.Options, q.Default) {
			f.Answers[q.ID] = []string{q.Default}
		}
		if q.Kind == "text" && q.Default != "" {
			f.Answers[q.ID] = []string{q.Default}
		}
	}
	return f
}

// Missing names the first question that has no answer yet; nothing when the
// form can be sent.
func (f *Form) Missing() string {
	for _, q := range f.Questions {
		if a := f.Answers[q.ID]; len(a) == 0 || strings.TrimSpace(strings.Join(a, "")) == "" {
			return q.Question
		}
	}
	return ""
}

// Answer is what is to be sent, where the form is complete.
func (f *Form) Answer() (a control.QuestionAnswer, ok bool) {
	if f.Answered || f.Missing() != "" {
		return a, false
	}
	f.Answered, f.Problem = true, ""
	return control.QuestionAnswer{ID: f.ID, Answers: f.Answers, By: "window"}, true
}

// Failed takes back an answer that did not arrive.
func (f *Form) Failed(why string) { f.Answered, f.Problem = false, why }

// Pick chooses an option of a question, or takes the choice back where several
// may be chosen.
func (f *Form) Pick(q agent.Question, option string, on bool) {
	now := slices.DeleteFunc(slices.Clone(f.Answers[q.ID]), func(s string) bool { return s == option })
	switch {
	case on && q.MultiSelect:
		now = append(now, option)
	case on:
		now = []string{option}
	}
	f.Answers[q.ID] = now
}

func (m *Model) answered(id string) {
	var call string
	m.drop(func(r *Row) bool {
		gone := r.Kind == KindForm && r.Text == id
		if gone {
			call = r.Form.Call
		}
		return gone
	})
	m.tool(call, func(t *Tool) {
		if t.State == ToolWaiting {
			t.State = ToolRunning
		}
	})
}

// tool changes the card of a call.
func (m *Model) tool(call string, change func(*Tool)) {
	for _, r := range slices.Backward(m.Rows) {
		if r.Kind == KindTool && r.Text == call {
			r.Version++
			change(r.Tool)
			return
		}
	}
}

func (t *Tool) finish(p agent.ToolCompleted) {
	t.State, t.Found, t.Progress, t.Code = ToolDone, p.Summary, "", p.Code
	if p.Failed {
		t.State = ToolFailed
	}
	t.Output, t.Diff, t.SavedAs, t.Images = p.Text, p.Diff, p.SavedAs, p.Images
	t.Took = time.Duration(p.DurationMS) * time.Millisecond
}

// changeRE finds the id of a change in what a file tool says.
var changeRE = regexp.MustCompile(`Change (\S+), file_undo`)

// Undo names the change that the card can take back; empty when there is none.
func (t *Tool) Undo() string {
	if t.State != ToolDone || t.Diff == "" || t.Undone || t.Name == "file_undo" {
		return ""
	}
	if found := changeRE.FindStringSubmatch(t.Output); found != nil {
		return found[1]
	}
	return ""
}

// Line is the card's facts after the title: what it touched, what came of it.
func (t *Tool) Line() string {
	var out []string
	for _, s := range []string{t.Touched, t.Found, t.Progress} {
		if s = firstLine(s); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, " · ")
}

// Status is the state in a word, where it is not plainly done.
func (t *Tool) Status() say.Phrase {
	switch {
	case t.Undone:
		return say.P("taken back")
	case t.Cut:
		return say.P("stopped")
	case t.State == ToolWaiting:
		return say.P("waiting for you")
	case t.State == ToolRunning:
		return say.P("working")
	case t.State == ToolFailed && (t.Decision == "deny" || t.Decision == "deny_always"):
		return say.P("denied")
	case t.State == ToolFailed && t.Decision == "expired":
		return say.P("nobody answered")
	case t.State == ToolFailed:
		return say.P("failed")
	}
	return say.Phrase{}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// tail keeps at most n bytes of the end of s, from the start of a line.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	if _, rest, ok := strings.Cut(s, "\n"); ok {
		return rest
	}
	return strings.ToValidUTF8(s, "")
}

// Took shows a duration as a card does: 0.1 s, 2 min 5 s, 1 h 4 min.
func Took(d time.Duration) say.Number {
	switch {
	case d < time.Minute:
		return say.Number(fmt.Sprintf("%.1f s", d.Seconds()))
	case d < time.Hour:
		return say.Number(fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60))
	}
	return say.Number(fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60))
}
