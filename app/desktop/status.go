package desktop

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/app/tray"
	"github.com/hobkin/hobkin/app/words"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

// A status follows the events of all sessions and says what the agent as a
// whole is doing. The zero status is ready.
type status struct {
	words    words.Words
	sessions map[string]*sessionStatus
	failed   string // why the last turn failed, until another one starts

	computer agent.ComputerState // how the use of the screen stands
}

type sessionStatus struct {
	said    map[string]string // what a person said, by turn, until the turn ends
	running string            // turn that runs
	since   time.Time
	waiting map[string]bool // open approvals and questions by id
}

// apply takes in one event.
func (s *status) apply(e agent.Event) {
	switch p := e.Payload.(type) {
	case agent.Lagged:
		*s = status{words: s.words, computer: s.computer} // an end may be among what was missed: a state must not stay for ever
		return
	case agent.ComputerState:
		s.computer = p
		return
	default:
	}
	ss := s.session(e.Session)
	switch p := e.Payload.(type) {
	case agent.InputMessage:
		ss.said[e.Turn] = p.Text
	case agent.TurnStarted:
		ss.running, ss.since = e.Turn, e.At
		s.failed = ""
	case agent.ApprovalRequested:
		ss.waiting[p.ID] = true
	case agent.ApprovalResolved:
		delete(ss.waiting, p.ID)
	case agent.QuestionAsked:
		ss.waiting[p.ID] = true
	case agent.QuestionAnswered:
		delete(ss.waiting, p.ID)
	case agent.TurnFailed:
		s.failed = p.Message
	default: // the rest changes no state
	}
	if agent.EndsTurn(e.Payload) {
		delete(ss.said, e.Turn)
		if ss.running == e.Turn {
			ss.running = ""
			clear(ss.waiting)
		}
	}
	if ss.running == "" && len(ss.said) == 0 && len(ss.waiting) == 0 {
		delete(s.sessions, e.Session)
	}
}

func (s *status) session(id string) *sessionStatus {
	if s.sessions == nil {
		s.sessions = map[string]*sessionStatus{}
	}
	ss := s.sessions[id]
	if ss == nil {
		ss = &sessionStatus{said: map[string]string{}, waiting: map[string]bool{}}
		s.sessions[id] = ss
	}
	return ss
}

// running lists the sessions with a turn under way, the longest first.
func (s *status) running() []string {
	ids := slices.DeleteFunc(slices.Collect(maps.Keys(s.sessions)), func(id string) bool { return s.sessions[id].running == "" })
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(s.sessions[a].since.Compare(s.sessions[b].since), strings.Compare(a, b))
	})
	return ids
}

// saidRunes is how much of a message the menu shows.
const saidRunes = 40

// view is what the tray shows of s. A broken part that was told at start, such
// as a damaged database, shows where nothing else does.
func (s *status) view(degraded string) tray.View {
	running := s.running()
	v := tray.View{
		State: control.StateReady, Text: s.words.L("Ready"), Busy: len(running) > 0,
		Computer: s.computer.On, Paused: s.computer.Paused, Using: s.computer.Held && !s.computer.Paused,
	}
	for _, ss := range s.sessions {
		if len(ss.waiting) > 0 {
			v.State, v.Text, v.Using = control.StateWaiting, s.words.L("Waiting for you"), false
			return v
		}
	}
	switch {
	case s.computer.Paused && (len(running) > 0 || s.computer.Held):
		v.State, v.Text = control.StatePaused, s.words.L("Computer use is paused")
	case s.computer.Held:
		v.State, v.Text = control.StateUsing, s.using()
	case len(running) > 0:
		ss := s.sessions[running[0]]
		v.State, v.Text = control.StateWorking, s.words.L("Working")
		if said := brief(ss.said[ss.running], saidRunes); said != "" {
			v.Text = s.words.L("Working: “{{.Said}}”", "Said", said)
		}
	case s.failed != "":
		v.State, v.Text = control.StateError, s.words.L("Error: {{.Why}}", "Why", brief(s.words.Foreign(s.failed), 2*saidRunes))
	case degraded != "":
		v.State, v.Text = control.StateError, brief(degraded, 2*saidRunes)
	case s.computer.Paused:
		v.State, v.Text = control.StatePaused, s.words.L("Computer use is paused")
	}
	return v
}

// using says what is done with the screen.
func (s *status) using() string {
	switch {
	case s.computer.Waiting:
		return s.words.L("Waiting for your hands to rest")
	case s.computer.Program != "":
		return s.words.L("Using “{{.Program}}”", "Program", brief(s.computer.Program, saidRunes))
	}
	return s.words.L("Using the screen")
}

// brief is the first line of text, at most n runes of it.
func brief(text string, n int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(line); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return line
}
