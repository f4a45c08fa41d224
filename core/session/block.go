package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/agent"
)

// A kind sorts blocks by who speaks.
type kind string

const (
	user      kind = "user"
	assistant kind = "assistant"
	tool      kind = "tool"
	notice    kind = "notice"
)

// A block is a piece of a conversation as people read it.
type block struct {
	Kind kind
	At   time.Time
	Text string // what was said, a tool's output, or the sentence of a notice
	Tool *run   // of a tool's block
}

// A run is the use of a tool.
type run struct {
	Title, Name, Summary string
	Args                 string // JSON, indented
	Outcome              string // "14 found"; empty while it runs
	Failed               bool
	Diff, SavedAs        string
	Notes                []string // what was mended, who agreed
}

// A teller turns events into blocks.
type teller struct {
	list  []*block
	calls map[string]*block
	asked map[string]*block // by id of the approval
	turn  string            // of the last event
}

func blocks(events []agent.Event) []*block {
	t := teller{calls: map[string]*block{}, asked: map[string]*block{}}
	for _, e := range events {
		t.tell(e)
		t.turn = e.Turn
	}
	return t.list
}

func (t *teller) add(k kind, e agent.Event, text string) *block {
	b := &block{Kind: k, At: e.At, Text: text}
	t.list = append(t.list, b)
	return b
}

func (t *teller) tell(e agent.Event) {
	switch p := e.Payload.(type) {
	case agent.InputMessage:
		text := p.Text
		if p.Command != "" {
			text = p.Command + "\n\n" + text
		}
		t.add(user, e, text+counted(p.Images, "image"))
	case agent.OutputCompleted:
		if strings.TrimSpace(p.Text) != "" { // a step of calls alone says nothing
			t.add(assistant, e, p.Text)
		}
	case agent.OutputReplaced:
		t.replace(e, p)
	case agent.QuestionAsked:
		for _, q := range p.Questions {
			t.add(notice, e, "Asked: "+q.Question)
		}
	case agent.ToolStarted, agent.ToolRepaired, agent.ToolCompleted, agent.ApprovalRequested, agent.ApprovalResolved:
		t.tellTool(e)
	default:
		if text := sentence(p); text != "" {
			t.add(notice, e, text)
		}
	}
}

// sentence says what happened, or nothing where a reader need not know.
func sentence(p agent.Payload) string {
	switch p := p.(type) {
	case agent.QuestionAnswered:
		return "The question was answered" + by(p.By) + "."
	case agent.ContextCompacted:
		return fmt.Sprintf("The conversation was shortened for the model, from about %d to %d tokens.", p.Before, p.After)
	case agent.BudgetWarned:
		return fmt.Sprintf("Budget %s: %s of %s spent.", p.Budget, p.Spent, p.Limit)
	case agent.Notice:
		return p.Text
	case agent.TurnFailed:
		return strings.TrimSpace("It could not go on: " + p.Message + " " + p.Try)
	case agent.TurnCancelled:
		return strings.TrimSpace("Stopped. " + p.Reason)
	case agent.TurnSealed:
		return strings.TrimSpace("Stopped at a limit. " + p.Reason)
	default: // deltas, progress and accounts
		return ""
	}
}

// replace takes back what the same turn said last. With nothing in its place it
// takes back only what was shown while it came, which is not told here.
func (t *teller) replace(e agent.Event, p agent.OutputReplaced) {
	if p.Text == "" {
		return
	}
	if n := len(t.list); n > 0 && t.turn == e.Turn && t.list[n-1].Kind == assistant {
		t.list[n-1].Text = p.Text
		return
	}
	t.add(assistant, e, p.Text)
}

func (t *teller) tellTool(e agent.Event) {
	switch p := e.Payload.(type) {
	case agent.ToolStarted:
		b := t.call(e, p.Call, p.Tool, p.Title)
		b.Tool.Summary, b.Tool.Args = p.Summary, indented(p.Args)
	case agent.ToolRepaired:
		b := t.call(e, p.Call, "", "")
		b.Tool.Notes = append(b.Tool.Notes, "Mended: "+p.Note)
	case agent.ApprovalRequested:
		b := t.call(e, p.Call, p.Tool, p.Title)
		if b.Tool.Args == "" {
			b.Tool.Args = indented(p.Args)
		}
		b.Tool.Notes = append(b.Tool.Notes, "Asked first: "+p.Reason)
		t.asked[p.ID] = b
	case agent.ApprovalResolved:
		b, ok := t.asked[p.ID]
		if !ok {
			b = t.call(e, p.Call, "", "")
		}
		b.Tool.Notes = append(b.Tool.Notes, "Answer: "+strings.ReplaceAll(p.Decision, "_", " ")+by(p.By))
	case agent.ToolCompleted:
		b := t.call(e, p.Call, p.Tool, "")
		b.Text = p.Text + counted(p.Images, "image")
		b.Tool.Failed, b.Tool.Diff, b.Tool.SavedAs = p.Failed, p.Diff, p.SavedAs
		b.Tool.Outcome = outcome(p)
	default: // not about a tool
	}
}

// call returns the block of a call, also of one whose beginning is not here.
func (t *teller) call(e agent.Event, id, name, title string) *block {
	b, ok := t.calls[id]
	if !ok {
		b = t.add(tool, e, "")
		b.Tool = &run{}
		t.calls[id] = b
	}
	if name != "" {
		b.Tool.Name = name
	}
	if title != "" {
		b.Tool.Title = title
	}
	return b
}

// Head is a run in one line.
func (r *run) Head() string {
	head := r.Title
	if head == "" {
		head = r.Name
	}
	if head == "" {
		head = "Tool"
	}
	if r.Summary != "" {
		head += ": " + r.Summary
	}
	return head
}

func outcome(p agent.ToolCompleted) string {
	took := time.Duration(p.DurationMS) * time.Millisecond
	what := "done"
	switch {
	case p.Summary != "":
		what = p.Summary
	case p.Failed:
		what = "failed"
	}
	return fmt.Sprintf("%s (%s)", what, took)
}

func by(who string) string {
	if who == "" {
		return ""
	}
	return ", in the " + who
}

func counted(n int, what string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "\n[1 " + what + "]"
	}
	return fmt.Sprintf("\n[%d %ss]", n, what)
}

// indented makes JSON readable; what is no JSON stays as it is.
func indented(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	if out.String() == "{}" || out.String() == "null" {
		return ""
	}
	return out.String()
}
