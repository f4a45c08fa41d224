// Package chat is the chat window: what was said and done in a session, and
// what waits for a person.
//
//	events ──Model.Apply──► rows ──View──► widgets of the rows in view
//	clicks ──Glue──► control.Client
//
// [Model] is what the conversation shows, as plain data made from the session's
// events alone: replaying a session gives the same rows as watching it. Answers
// of commands stand among them for as long as it is open.
// [Window] is what stands around it: input, pickers, status. Neither imports a
// toolkit, starts a goroutine or takes a lock. [View] draws them with Fyne and
// decides nothing; glue.go is the one place where another goroutine meets them.
package chat

import (
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/approve"
	"github.com/hobkin/hobkin/ui/say"
)

// A Model is the state of one session's conversation. The zero Model is an
// empty chat.
type Model struct {
	Rows []*Row

	Last    int64   // number of the last stored event that was taken in
	Context int     // tokens of the last request and its answer
	Cost    float64 // US dollars so far
	Mode    string  // of the last turn; empty before the first
	Using   string  // model of the last turn, provider/model

	turns []turn // that have not ended, in order
	keys  int
}

// turn is a turn under way.
type turn struct {
	id      string
	started bool
	calls   int
	begun   time.Time
}

// A Row is one entry of the conversation.
type Row struct {
	Key     int // names the row for as long as the model lives
	Version int // grows with every change, so that only those are drawn again

	Kind Kind
	Turn string
	Text string     // what was said, or a sentence of the core's
	Head string     // the command that an aside answers
	Say  say.Phrase // a sentence of the window's, instead of Text
	Try  string     // advice, of a problem
	Live bool       // Text still grows
	Open bool       // folded text that a person opened

	Images int  // that came along with a message
	Queued bool // a message whose turn has not begun

	Tool *Tool
	Ask  *approve.Model
	Form *Form
}

// Kind says what a row is.
type Kind uint8

// The kinds of row.
const (
	KindPerson    Kind = iota // what the person said
	KindAnswer                // what the agent said
	KindReasoning             // what the model thinks, while its turn runs
	KindTool                  // a call
	KindAsk                   // an approval that waits
	KindForm                  // a question that waits
	KindNotice                // a sentence aside
	KindProblem               // why a turn could not go on
	KindEnd                   // the end of a turn that used tools
	KindDivider               // the conversation was shortened here
	KindAside                 // what a command answered; no part of the conversation
)

// Apply takes in one event of the session. An event that was taken in before,
// which a new connection may bring, changes nothing.
func (m *Model) Apply(e agent.Event) {
	if e.Seq != 0 {
		if e.Seq <= m.Last {
			return
		}
		m.Last = e.Seq
	}
	switch p := e.Payload.(type) {
	case agent.InputMessage:
		m.message(e, p)
	case agent.OutputDelta:
		m.grow(KindAnswer, e.Turn, p.Text)
	case agent.ReasoningDelta:
		m.grow(KindReasoning, e.Turn, p.Text)
	case agent.OutputCompleted:
		m.complete(e.Turn, p.Text)
	case agent.OutputReplaced:
		m.complete(e.Turn, p.Text)
	case agent.ModelGeneration:
		m.Context, m.Cost = p.Usage.Input+p.Usage.Output, m.Cost+p.CostUSD
	case agent.Notice:
		m.add(Row{Kind: KindNotice, Turn: e.Turn, Text: p.Text})
	case agent.BudgetWarned:
		m.add(Row{Kind: KindNotice, Turn: e.Turn, Say: say.P("The budget “{{.Name}}” is at {{.Spent}} of {{.Limit}}.", "Name", p.Budget, "Spent", p.Spent, "Limit", p.Limit)})
	case agent.ContextCompacting:
		m.add(Row{Kind: KindDivider, Turn: e.Turn, Live: true, Say: say.P("Shortening the conversation…")})
	case agent.ContextCompacted:
		m.compacted(e.Turn, p)
	default:
		m.applyTurn(e)
	}
}

// applyTurn takes in how turns begin and end.
func (m *Model) applyTurn(e agent.Event) {
	switch p := e.Payload.(type) {
	case agent.TurnStarted:
		m.started(e, p)
	case agent.TurnCompleted:
		if t := m.turn(e.Turn); t != nil && t.calls > 0 {
			m.add(Row{Kind: KindEnd, Turn: e.Turn, Say: say.P("Done in {{.Time}}", "Time", Took(time.Duration(p.DurationMS)*time.Millisecond))})
		}
	case agent.TurnFailed:
		m.add(Row{Kind: KindProblem, Turn: e.Turn, Text: p.Message, Try: p.Try})
	case agent.TurnSealed:
		m.add(Row{Kind: KindProblem, Turn: e.Turn, Text: p.Reason})
	case agent.TurnCancelled:
		m.add(Row{Kind: KindEnd, Turn: e.Turn, Say: say.P("Stopped")})
	default:
		m.applyCall(e)
	}
	if agent.EndsTurn(e.Payload) {
		m.endTurn(e.Turn)
	}
}

func (m *Model) message(e agent.Event, p agent.InputMessage) {
	queued := len(m.turns) > 0
	m.turns = append(m.turns, turn{id: e.Turn, begun: e.At})
	m.add(Row{Kind: KindPerson, Turn: e.Turn, Text: first(p.Command, p.Text), Images: p.Images, Queued: queued})
}

func (m *Model) started(e agent.Event, p agent.TurnStarted) {
	m.Mode = p.Mode
	if p.Model != "" {
		m.Using = p.Provider + "/" + p.Model
	}
	t := m.turn(e.Turn)
	if t == nil { // a turn without a message: a job's, or one that goes on
		m.turns = append(m.turns, turn{id: e.Turn})
		t = &m.turns[len(m.turns)-1]
	}
	t.started, t.begun = true, e.At
	m.each(e.Turn, KindPerson, func(r *Row) { r.Queued = false })
}

func (m *Model) turn(id string) *turn {
	for i := range m.turns {
		if m.turns[i].id == id {
			return &m.turns[i]
		}
	}
	return nil
}

func (m *Model) add(r Row) {
	m.keys++
	r.Key = m.keys
	m.Rows = append(m.Rows, &r)
}

// each calls change for the turn's rows of a kind.
func (m *Model) each(turn string, kind Kind, change func(*Row)) {
	for _, r := range slices.Backward(m.Rows) {
		if r.Turn == turn && r.Kind == kind {
			r.Version++
			change(r)
		}
	}
}

// live returns the row of the turn that still grows.
func (m *Model) live(kind Kind, turn string) *Row {
	for _, r := range slices.Backward(m.Rows) {
		switch {
		case r.Turn == turn && r.Kind == kind && r.Live:
			return r
		case r.Turn == turn && r.Kind == KindPerson:
			return nil
		}
	}
	return nil
}

// grow adds to the text row of this step, starting one when there is none.
func (m *Model) grow(kind Kind, turn, text string) {
	if r := m.live(kind, turn); r != nil {
		r.Text += text
		r.Version++
		return
	}
	m.add(Row{Kind: kind, Turn: turn, Text: text, Live: true})
}

// complete puts the whole text of a step in the place of what grew. A step
// without a text leaves no row.
func (m *Model) complete(turn, text string) {
	if r := m.live(KindReasoning, turn); r != nil {
		r.Live = false
		r.Version++
	}
	r := m.live(KindAnswer, turn)
	switch empty := strings.TrimSpace(text) == ""; {
	case r == nil && !empty:
		m.add(Row{Kind: KindAnswer, Turn: turn, Text: text})
	case r != nil && empty:
		m.drop(func(x *Row) bool { return x == r })
	case r != nil:
		r.Text, r.Live = text, false
		r.Version++
	}
}

func (m *Model) compacted(turn string, p agent.ContextCompacted) {
	m.Context = p.After
	words := say.P("Conversation shortened: {{.Before}} to {{.After}} tokens", "Before", p.Before, "After", p.After)
	if r := m.live(KindDivider, turn); r != nil {
		r.Say, r.Live = words, false
		r.Version++
		return
	}
	m.add(Row{Kind: KindDivider, Turn: turn, Say: words})
}

func (m *Model) drop(which func(*Row) bool) { m.Rows = slices.DeleteFunc(m.Rows, which) }

// endTurn withdraws what the turn still asked, forgets what is not kept, and
// marks calls that were cut off.
func (m *Model) endTurn(id string) {
	m.drop(func(r *Row) bool {
		return r.Turn == id && (r.Kind == KindAsk || r.Kind == KindForm || r.Kind == KindReasoning)
	})
	for _, r := range m.Rows {
		if r.Turn != id {
			continue
		}
		cut := r.Kind == KindTool && !r.Tool.Ended()
		if cut {
			r.Tool.State, r.Tool.Cut = ToolFailed, true
		}
		if cut || r.Live || r.Queued {
			r.Live, r.Queued = false, false
			r.Version++
		}
	}
	m.turns = slices.DeleteFunc(m.turns, func(t turn) bool { return t.id == id })
}

// Aside shows what a command answered, as Markdown. It is gone when the session
// is opened again: unlike all other rows it comes from no event.
func (m *Model) Aside(command, words string) {
	m.add(Row{Kind: KindAside, Head: command, Text: words})
}

// Busy reports whether a turn runs or is queued.
func (m *Model) Busy() bool { return len(m.turns) > 0 }

// Asks are the approvals that wait.
func (m *Model) Asks() []*approve.Model {
	var out []*approve.Model
	for _, r := range m.Rows {
		if r.Kind == KindAsk {
			out = append(out, r.Ask)
		}
	}
	return out
}

// Waiting reports whether the person is asked something.
func (m *Model) Waiting() bool {
	return slices.ContainsFunc(m.Rows, func(r *Row) bool { return r.Kind == KindAsk || r.Kind == KindForm })
}

// State is the session's state.
func (m *Model) State() control.State {
	switch {
	case m.Waiting():
		return control.StateWaiting
	case m.Busy():
		return control.StateWorking
	}
	for _, r := range slices.Backward(m.Rows) {
		if r.Kind == KindProblem {
			return control.StateError
		}
		if r.Kind != KindAside {
			break
		}
	}
	return control.StateReady
}

// LastSaid is what the person said last, to be edited and sent again.
func (m *Model) LastSaid() string {
	for _, r := range slices.Backward(m.Rows) {
		if r.Kind == KindPerson {
			return r.Text
		}
	}
	return ""
}
