package desktop

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/app/notify"
	"github.com/hobkin/hobkin/app/words"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
)

// A screen is a notification server that keeps what it shows. As a real one
// does, it has one notification a session.
type screen struct {
	err     error
	count   uint32
	visible map[uint32]notify.Notification
	all     []notify.Notification
}

func (s *screen) Show(_ context.Context, n notify.Notification) (uint32, error) {
	if s.err != nil {
		return 0, s.err
	}
	maps.DeleteFunc(s.visible, func(_ uint32, old notify.Notification) bool { return old.Session == n.Session })
	s.count++
	s.visible[s.count] = n
	s.all = append(s.all, n)
	return s.count, nil
}

func (s *screen) Withdraw(id uint32) { delete(s.visible, id) }
func (s *screen) Actions() bool      { return true }
func (s *screen) Close() error       { return nil }

// titles are what is on the screen now.
func (s *screen) titles() (titles []string) {
	for _, n := range s.visible {
		titles = append(titles, n.Title)
	}
	slices.Sort(titles)
	return titles
}

// listener is a core that hears answers.
type listener struct {
	answers []control.ApprovalAnswer
	asked   []string // methods
	err     error
}

func (l *listener) Do(_ context.Context, method string, params, _ any) error {
	l.asked = append(l.asked, method)
	if a, ok := params.(control.ApprovalAnswer); ok && method == control.MethodAnswer {
		l.answers = append(l.answers, a)
	}
	return l.err
}

func (*listener) Watch(context.Context, control.WatchRequest) iter.Seq2[agent.Event, error] {
	return func(func(agent.Event, error) bool) {}
}

func (*listener) Close() error { return nil }

// A scene is an alerts with all around it.
type scene struct {
	*alerts

	screen *screen
	core   *listener
	front  bool
	opened []string
}

func newScene() *scene {
	s := &scene{screen: &screen{visible: map[uint32]notify.Notification{}}, core: &listener{}}
	s.alerts = newAlerts(nil, s.screen, &control.Client{Transport: s.core},
		func() (bool, string) { return s.front, "" }, func(id string) { s.opened = append(s.opened, id) })
	return s
}

func (s *scene) play(t *testing.T, payloads ...agent.Payload) {
	t.Helper()
	for _, p := range payloads {
		s.apply(t.Context(), agent.Event{Session: "s", Turn: "1", Payload: p})
	}
}

func (s *scene) want(t *testing.T, titles ...string) {
	t.Helper()
	if d := cmp.Diff(titles, s.screen.titles()); d != "" {
		t.Errorf("on the screen (-want +got):\n%s", d)
	}
}

// only returns the one notification on the screen.
func (s *scene) only(t *testing.T) notify.Notification {
	t.Helper()
	if len(s.screen.visible) != 1 {
		t.Fatalf("on the screen: %q; want one", s.screen.titles())
	}
	for _, n := range s.screen.visible {
		return n
	}
	panic("unreachable")
}

var (
	allow = notify.Action{Key: "once", Label: "Allow once"}
	deny  = notify.Action{Key: "deny", Label: "Deny"}
)

func command(id, line string) agent.ApprovalRequested {
	return agent.ApprovalRequested{
		ID: id, Fingerprint: "print of " + id, Commands: strings.Fields(line),
		Preview: capability.Preview{Question: "Run " + id + "?", Summary: "Only looks", Shell: line, Dir: "/home/a"},
	}
}

func completed(took time.Duration) agent.TurnCompleted {
	return agent.TurnCompleted{DurationMS: took.Milliseconds()}
}

func TestAlertsApproval(t *testing.T) {
	const more = "Open it to see the rest and to allow it."
	long := strings.Repeat("é", bodyRunes+1)
	diff := "--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n--- dash\n+++ plus\n"
	for name, tt := range map[string]struct {
		ask     agent.ApprovalRequested
		body    string
		actions []notify.Action
	}{
		"command": {command("x", "ls | sh"), "ls | sh\nin /home/a", []notify.Action{allow, deny}},
		"long":    {command("x", long), long[:2*bodyRunes] + "…\n" + more, []notify.Action{deny}},
		"hidden by line ends": {
			command("x", "ls"+strings.Repeat("\n", bodyLines)+"rm -r ."), "ls…\n" + more, []notify.Action{deny},
		},
		"with a warning": {
			agent.ApprovalRequested{Preview: capability.Preview{Shell: "ls", Dir: "/", Warnings: []string{"It cannot be read."}}},
			"ls\nin /\nIt cannot be read.",
			[]notify.Action{allow, deny},
		},
		"change": {
			agent.ApprovalRequested{Preview: capability.Preview{Summary: "a.txt", Diff: diff}},
			"a.txt\n--- dash\n+++ plus",
			[]notify.Action{allow, deny},
		},
		"address": {
			agent.ApprovalRequested{Preview: capability.Preview{URL: "https://example.org"}, Args: []byte(`{}`)},
			"https://example.org",
			[]notify.Action{allow, deny},
		},
		"nothing is told": {agent.ApprovalRequested{Args: []byte(`{"all":true}`)}, `{"all":true}`, []notify.Action{allow, deny}},
		"arguments too long": {
			agent.ApprovalRequested{Args: []byte(long)}, long[:2*bodyRunes] + "…\n" + more, []notify.Action{deny},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.play(t, tt.ask)
			n := s.only(t)
			if d := cmp.Diff(tt.body, n.Body); d != "" {
				t.Errorf("body (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.actions, n.Actions); d != "" {
				t.Errorf("buttons (-want +got):\n%s", d)
			}
			if n.Title != tt.ask.Preview.Question || n.Urgency != notify.Critical || n.Session != "s" {
				t.Errorf("title %q, urgency %v, session %q", n.Title, n.Urgency, n.Session)
			}
		})
	}
}

func TestAlertsQuietInFront(t *testing.T) {
	s := newScene()
	s.front = true
	s.play(t, command("x", "ls"), agent.QuestionAsked{ID: "q"}, agent.ApprovalResolved{ID: "x"}, agent.QuestionAnswered{ID: "q"}, completed(time.Hour))
	if len(s.screen.all) > 0 {
		t.Errorf("shown although the window is in front: %v", s.screen.titles())
	}
	s.front = false
	s.play(t, command("y", "ls"))
	s.want(t, "Run y?")
}

func TestAlertsWithoutServer(t *testing.T) {
	s := newScene()
	s.server = nil
	s.play(t, command("x", "ls"), agent.TurnFailed{Message: "x"})
	s.want(t)
}

func TestAlertsButtons(t *testing.T) {
	answer := func(decision string) []control.ApprovalAnswer {
		return []control.ApprovalAnswer{{ID: "x", Fingerprint: "print of x", Decision: decision, By: "notification"}}
	}
	refused := &control.Error{Code: "gone", Message: "it was answered"}
	long := strings.Repeat("x", bodyRunes+1)
	for name, tt := range map[string]struct {
		line, key string
		after     time.Duration
		err       error
		answers   []control.ApprovalAnswer
		opened    []string
	}{
		"allow":            {"ls", "once", quiet, nil, answer("once"), nil},
		"deny":             {"ls", "deny", time.Hour, nil, answer("deny"), nil},
		"click":            {"ls", notify.ActionOpen, quiet, nil, nil, []string{"s"}},
		"too early":        {"ls", "once", quiet - 1, nil, nil, []string{"s"}},
		"not offered":      {"ls", "always", quiet, nil, nil, []string{"s"}},
		"not seen whole":   {long, "once", quiet, nil, nil, []string{"s"}},
		"deny the unseen":  {long, "deny", quiet, nil, answer("deny"), nil},
		"answered already": {"ls", "once", quiet, refused, answer("once"), []string{"s"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScene()
				s.core.err = tt.err
				s.play(t, command("x", tt.line))
				press := time.NewTimer(tt.after)
				<-press.C
				s.only(t).Do(tt.key)
				if d := cmp.Diff(tt.answers, s.core.answers); d != "" {
					t.Errorf("answers (-want +got):\n%s", d)
				}
				if d := cmp.Diff(tt.opened, s.opened); d != "" {
					t.Errorf("opened (-want +got):\n%s", d)
				}
			})
		})
	}
}

func TestAlertsWithdraws(t *testing.T) {
	resolved := func(id string) agent.Payload { return agent.ApprovalResolved{ID: id} }
	for name, tt := range map[string]struct {
		happens []agent.Payload
		want    []string
	}{
		"approval":           {[]agent.Payload{command("x", "ls"), resolved("x")}, nil},
		"question":           {[]agent.Payload{agent.QuestionAsked{ID: "q"}, agent.QuestionAnswered{ID: "q"}}, nil},
		"another":            {[]agent.Payload{command("x", "ls"), resolved("y")}, []string{"Run x?"}},
		"twice":              {[]agent.Payload{command("x", "ls"), resolved("x"), resolved("x")}, nil},
		"the newer stays":    {[]agent.Payload{command("x", "ls"), command("y", "ls"), resolved("x")}, []string{"Run y?"}},
		"the older is back":  {[]agent.Payload{command("x", "ls"), command("y", "ls"), resolved("y")}, []string{"Run x?"}},
		"both":               {[]agent.Payload{command("x", "ls"), command("y", "ls"), resolved("y"), resolved("x")}, nil},
		"with the turn":      {[]agent.Payload{command("x", "ls"), agent.TurnCancelled{}}, nil},
		"not after the turn": {[]agent.Payload{command("x", "ls"), command("y", "ls"), agent.TurnCancelled{}, resolved("y")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.play(t, tt.happens...)
			s.want(t, tt.want...)
		})
	}
}

func TestAlertsTells(t *testing.T) {
	long := strings.Repeat("x", bodyRunes+1)
	for name, tt := range map[string]struct {
		happens []agent.Payload
		title   string
		body    string
		urgency notify.Urgency
	}{
		"question": {
			[]agent.Payload{agent.QuestionAsked{Questions: []agent.Question{{Question: "Which one?"}, {Question: "When?"}}}},
			"Hobkin has a question", "Which one?", notify.Normal,
		},
		"question without words": {[]agent.Payload{agent.QuestionAsked{}}, "Hobkin has a question", "", notify.Normal},
		"failure": {
			[]agent.Payload{agent.TurnFailed{Message: "No network.", Try: "Connect it."}},
			"Hobkin could not finish", "No network.\nConnect it.", notify.Normal,
		},
		"limit": {[]agent.Payload{agent.TurnSealed{Reason: "it took 50 steps"}}, "Hobkin stopped at a limit", "it took 50 steps", notify.Normal},
		"long turn": {
			[]agent.Payload{agent.OutputCompleted{Text: "I look."}, agent.OutputCompleted{Text: "Found it."}, agent.OutputCompleted{}, completed(longTurn + 1e6)},
			"Hobkin is done", "Found it.", notify.Low,
		},
		"long words": {[]agent.Payload{agent.OutputCompleted{Text: long}, completed(time.Hour)}, "Hobkin is done", long[:bodyRunes] + "…", notify.Low},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.play(t, tt.happens...)
			n := s.only(t)
			if len(s.screen.all) != 1 || n.Title != tt.title || n.Body != tt.body || n.Urgency != tt.urgency || len(n.Actions) > 0 {
				t.Errorf("%d shown: %q %q urgency %v buttons %v; want %q %q urgency %v", len(s.screen.all), n.Title, n.Body, n.Urgency, n.Actions, tt.title, tt.body, tt.urgency)
			}
			n.Do(notify.ActionOpen)
			if d := cmp.Diff([]string{"s"}, s.opened); d != "" {
				t.Errorf("opened (-want +got):\n%s", d)
			}
		})
	}
}

func TestAlertsSilent(t *testing.T) {
	for name, happens := range map[string][]agent.Payload{
		"steps of a long turn": {agent.TurnStarted{}, agent.OutputCompleted{Text: "I look."}, agent.OutputCompleted{Text: "More."}},
		"short turn":           {agent.OutputCompleted{Text: "Hello."}, completed(longTurn)},
		"stopped":              {agent.OutputCompleted{Text: "Hello."}, agent.TurnCancelled{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.play(t, happens...)
			if len(s.screen.all) > 0 {
				t.Errorf("shown: %v", s.screen.titles())
			}
		})
	}
}

// In another language all is told in that one, but what the core has no words for.
func TestAlertsInALanguage(t *testing.T) {
	for _, tt := range []struct {
		happens agent.Payload
		want    []string // title, body, buttons
	}{
		{agent.ApprovalRequested{ID: "1", Preview: capability.Preview{Question: "Run a command?", Shell: "ls", Dir: "/tmp"}}, []string{"Einen Befehl ausführen?", "ls\nin /tmp", "Einmal erlauben", "Ablehnen"}},
		{agent.QuestionAsked{}, []string{"Hobkin hat eine Frage", ""}},
		{agent.TurnFailed{Message: "No network.", Try: "Connect it."}, []string{"Hobkin konnte nicht fertig werden", "No network.\nConnect it."}},
		{agent.ComputerState{Held: true, Program: "gedit"}, []string{"Hobkin benutzt den Bildschirm", "In „gedit“. Bewegen Sie die Maus oder benutzen Sie die Tastatur, dann tritt er zur Seite.", "Pausieren", "Anhalten"}},
		{agent.ComputerState{Paused: true, By: "corner"}, []string{"Die Computernutzung ist pausiert", "Sie haben die Maus in eine Ecke des Bildschirms bewegt.", "Fortsetzen", "Anhalten"}},
	} {
		s := newScene()
		s.words = words.In("de")
		s.play(t, tt.happens)
		n := s.only(t)
		got := []string{n.Title, n.Body}
		for _, b := range n.Actions {
			got = append(got, b.Label)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%T (-want +got):\n%s", tt.happens, d)
		}
	}
	s := status{words: words.In("de"), computer: agent.ComputerState{Held: true, Waiting: true}}
	if got := s.view("").Text; got != "Wartet, bis Ihre Hände ruhen" {
		t.Errorf("the tray says %q", got)
	}
}

// The words of one turn are not told at the end of the next.
func TestAlertsForgetsWords(t *testing.T) {
	s := newScene()
	s.play(t, agent.OutputCompleted{Text: "Old."}, completed(time.Second), completed(time.Hour))
	if n := s.only(t); n.Body != "" {
		t.Errorf("body = %q; want none", n.Body)
	}
}

func TestAlertsCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		wait := func(d time.Duration) { timer := time.NewTimer(d); <-timer.C }
		s.play(t, agent.TurnFailed{Message: "one"}, agent.TurnFailed{Message: "too soon"})
		s.apply(t.Context(), agent.Event{Session: "other", Payload: agent.TurnFailed{Message: "of another session"}})
		s.play(t, command("x", "ls"), agent.QuestionAsked{ID: "q"}) // a person is needed
		wait(calm - 1)
		s.play(t, completed(time.Hour))
		wait(1)
		s.play(t, completed(time.Hour))
		var got []string
		for _, n := range s.screen.all {
			got = append(got, n.Title)
		}
		want := []string{"Hobkin could not finish", "Hobkin could not finish", "Run x?", "Hobkin has a question", "Hobkin is done"}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("shown (-want +got):\n%s", d)
		}
		if len(s.last) != 1 {
			t.Errorf("%d sessions are remembered; want the one just told of", len(s.last))
		}
	})
}

// A server that is missing now may be there later.
func TestAlertsServerMissing(t *testing.T) {
	s := newScene()
	for _, err := range []error{notify.ErrUnavailable, errors.New("odd")} {
		s.screen.err = err
		s.play(t, command("x", "ls"), agent.ApprovalResolved{ID: "x"}, agent.TurnFailed{Message: "m"})
		s.want(t)
	}
	s.screen.err = nil
	s.play(t, agent.TurnFailed{Message: "m"})
	s.want(t, "Hobkin could not finish")
}
