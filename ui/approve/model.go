// Package approve is the card that asks a person about a call.
//
// [Model] decides what the card says and when it may be answered, without a
// toolkit; [Card] draws it. A card tells the exact effect before anything else,
// takes no answer in the first moments after it appeared, and has no answer
// that a person could give by accident: Enter answers only on a button that was
// reached on purpose.
package approve

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/say"
)

// Quiet is how long a card takes no answer after it appeared or moved: clicks
// and keys then were meant for what stood there before.
const Quiet = 500 * time.Millisecond

// Decision is an answer, in the words of the protocol.
type Decision string

// The answers.
const (
	Once    Decision = "once"
	Session Decision = "session"
	Always  Decision = "always"
	Deny    Decision = "deny"
)

// A Model is one request for approval.
type Model struct {
	agent.ApprovalRequested

	Confirm  bool     // the rule of Always is shown and must be agreed to
	Answered Decision // what the person chose; the core has not yet confirmed it
	Problem  string   // why the answer did not arrive

	shown time.Time // when what is shown appeared; zero until it was drawn
}

// New makes the model of a request.
func New(r agent.ApprovalRequested) *Model { return &Model{ApprovalRequested: r} }

// Appeared says that the card was drawn at now, or moved under the pointer. The
// quiet time begins anew.
func (m *Model) Appeared(now time.Time) { m.shown = now }

// Drawn starts the quiet time if the card was not drawn before.
func (m *Model) Drawn(now time.Time) {
	if m.shown.IsZero() {
		m.shown = now
	}
}

// Ready reports whether an answer counts at now.
func (m *Model) Ready(now time.Time) bool {
	return m.Answered == "" && !m.shown.IsZero() && now.Sub(m.shown) >= Quiet
}

// Wait is how long it takes until an answer counts.
func (m *Model) Wait(now time.Time) time.Duration { return max(0, Quiet-now.Sub(m.shown)) }

// Choose takes a person's click at now. The answer is to be sent where ok is
// true. Always first shows the rule that would be written, and is an answer
// when it is chosen again.
func (m *Model) Choose(d Decision, now time.Time) (a control.ApprovalAnswer, ok bool) {
	switch {
	case !m.Ready(now):
		return a, false
	case d == Always && m.Rule == "":
		return a, false
	case d == Always && !m.Confirm:
		m.Confirm = true
		m.Appeared(now)
		return a, false
	}
	m.Answered, m.Problem = d, ""
	return control.ApprovalAnswer{ID: m.ID, Fingerprint: m.Fingerprint, Decision: string(d), By: "window"}, true
}

// Back leaves the question about the rule.
func (m *Model) Back(now time.Time) {
	m.Confirm = false
	m.Appeared(now)
}

// Failed takes back an answer that did not arrive.
func (m *Model) Failed(why string, now time.Time) {
	m.Answered, m.Problem = "", why
	m.Appeared(now)
}

// A Fact is a line of the card: what, in a word, and the exact value.
type Fact struct {
	Name  say.Phrase
	Value string
}

// Facts are the exact places and things a call would touch, besides the diff
// and the command, which are shown whole.
func (m *Model) Facts() []Fact {
	var out []Fact
	p := m.Preview
	if p.Dir != "" {
		out = append(out, Fact{say.P("In folder"), p.Dir})
	}
	if p.URL != "" {
		out = append(out, Fact{say.P("Address"), p.URL})
	}
	for _, name := range p.Apps {
		out = append(out, Fact{say.P("Program"), name})
	}
	for _, u := range p.Paths {
		name := say.P("Reads")
		if u.Write {
			name = say.P("Writes")
		}
		out = append(out, Fact{name, u.Path})
	}
	return out
}

// Commands are the single commands of the line, where there is more than one:
// the line itself is shown anyway.
func (m *Model) Commands() []string {
	if len(m.ApprovalRequested.Commands) < 2 {
		return nil
	}
	return m.ApprovalRequested.Commands
}

// Arguments are the call's arguments, for a call whose effect nothing else
// shows. Nothing is asked about blindly.
func (m *Model) Arguments() string {
	p := m.Preview
	if p.Diff != "" || p.Shell != "" || p.URL != "" {
		return ""
	}
	var out bytes.Buffer
	if err := json.Indent(&out, m.Args, "", "  "); err != nil {
		return string(m.Args)
	}
	if out.String() == "{}" {
		return ""
	}
	return out.String()
}

// Question is what is asked.
func (m *Model) Question() string {
	if m.Preview.Question == "" {
		return m.Title
	}
	return m.Preview.Question
}

// Asked is the question in a phrase of the window's own, where it has one: about
// a program on the screen.
func (m *Model) Asked() say.Phrase {
	if apps := m.Preview.Apps; len(apps) == 1 && apps[0] != "" && !m.Preview.Alone {
		return say.P("Use the mouse and the keyboard in {{.Program}}?", "Program", apps[0])
	}
	return say.Phrase{}
}

// RiskText says how risky the call is; nothing for a low risk.
func (m *Model) RiskText() say.Phrase {
	switch m.Risk {
	case "high":
		return say.P("High risk")
	case "medium":
		return say.P("Some risk")
	}
	return say.Phrase{}
}
