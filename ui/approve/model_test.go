package approve

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/say"
)

var request = agent.ApprovalRequested{
	ID: "a1", Call: "c1", Tool: "file_edit", Title: "Edit file", Fingerprint: "f", Rule: "allow file_edit: ~/x/**",
	Preview: capability.Preview{Question: "Change a file?", Diff: "-a\n+b"},
}

func TestChoose(t *testing.T) {
	answer := func(d Decision) *control.ApprovalAnswer {
		return &control.ApprovalAnswer{ID: "a1", Fingerprint: "f", Decision: string(d), By: "window"}
	}
	for name, tt := range map[string]struct {
		rule  string
		after []time.Duration // each choice comes so long after the one before
		pick  []Decision
		want  *control.ApprovalAnswer
	}{
		"at once":                        {"r", []time.Duration{0}, []Decision{Once}, nil},
		"just before the quiet ends":     {"r", []time.Duration{Quiet - 1}, []Decision{Once}, nil},
		"after the quiet":                {"r", []time.Duration{Quiet}, []Decision{Once}, answer(Once)},
		"for the session":                {"r", []time.Duration{Quiet}, []Decision{Session}, answer(Session)},
		"deny waits as well":             {"r", []time.Duration{Quiet - 1}, []Decision{Deny}, nil},
		"deny":                           {"r", []time.Duration{Quiet}, []Decision{Deny}, answer(Deny)},
		"always asks first":              {"r", []time.Duration{Quiet}, []Decision{Always}, nil},
		"always, clicked twice":          {"r", []time.Duration{Quiet, Quiet / 2}, []Decision{Always, Always}, nil},
		"always, agreed":                 {"r", []time.Duration{Quiet, Quiet}, []Decision{Always, Always}, answer(Always)},
		"always without a rule":          {"", []time.Duration{Quiet, Quiet}, []Decision{Always, Always}, nil},
		"a second answer does not count": {"r", []time.Duration{Quiet, Quiet}, []Decision{Once, Deny}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := request
				r.Rule = tt.rule
				m := New(r)
				m.Drawn(time.Now())
				var got *control.ApprovalAnswer
				for i, d := range tt.pick {
					<-time.After(tt.after[i])
					got = nil
					if a, ok := m.Choose(d, time.Now()); ok {
						got = &a
					}
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("the last choice (-want +got):\n%s", d)
				}
			})
		})
	}
}

func TestNothingCountsBeforeItWasDrawn(t *testing.T) {
	if _, ok := New(request).Choose(Once, time.Now().Add(time.Hour)); ok {
		t.Error("an answer counted for a card that nobody saw")
	}
}

func TestMovingBeginsTheQuietAnew(t *testing.T) {
	m, now := New(request), time.Now()
	m.Drawn(now)
	m.Appeared(now.Add(Quiet))
	if m.Ready(now.Add(Quiet + Quiet/2)) {
		t.Error("ready half a quiet time after it moved")
	}
	m.Drawn(now.Add(Quiet + Quiet/2)) // drawn again in its place
	if !m.Ready(now.Add(2 * Quiet)) {
		t.Error("not ready a quiet time after it moved")
	}
}

func TestFailedCanBeAnsweredAgain(t *testing.T) {
	m, now := New(request), time.Now()
	m.Drawn(now)
	m.Choose(Once, now.Add(Quiet))
	m.Failed("the desktop hung up", now.Add(Quiet))
	if a, ok := m.Choose(Deny, now.Add(2*Quiet)); !ok || a.Decision != "deny" {
		t.Errorf("got %+v, %v; want a denial", a, ok)
	}
}

func TestWhatTheCardSays(t *testing.T) {
	for name, tt := range map[string]struct {
		r    agent.ApprovalRequested
		want []string // each must be somewhere on the card
	}{
		"an edit": {
			agent.ApprovalRequested{Preview: capability.Preview{Diff: "+x", Paths: []capability.PathUse{{Path: "/a/b.txt", Write: true}}}},
			[]string{"Writes /a/b.txt"},
		},
		"a command": {
			agent.ApprovalRequested{Commands: []string{"cd x", "rm -r y"}, Preview: capability.Preview{Shell: "cd x && rm -r y", Dir: "/a"}},
			[]string{"In folder /a", "cd x", "rm -r y"},
		},
		"an address":     {agent.ApprovalRequested{Preview: capability.Preview{URL: "https://example.org"}}, []string{"Address https://example.org"}},
		"something else": {agent.ApprovalRequested{Title: "Remember", Args: json.RawMessage(`{"text":"x"}`)}, []string{`"text": "x"`, "Remember"}},
		"broken args":    {agent.ApprovalRequested{Args: json.RawMessage(`{"a`)}, []string{`{"a`}},
	} {
		t.Run(name, func(t *testing.T) {
			m := New(tt.r)
			lines := append([]string{m.Question(), m.Arguments()}, m.Commands()...)
			for _, f := range m.Facts() {
				lines = append(lines, f.Name.Key+" "+f.Value)
			}
			card := strings.Join(lines, "\n")
			for _, w := range tt.want {
				if !strings.Contains(card, w) {
					t.Errorf("%q is not on the card:\n%s", w, card)
				}
			}
		})
	}
}

func TestRisk(t *testing.T) {
	for risk, want := range map[string]say.Phrase{"high": say.P("High risk"), "medium": say.P("Some risk"), "low": {}} {
		if got := New(agent.ApprovalRequested{Risk: risk}).RiskText(); got.Key != want.Key {
			t.Errorf("%s: got %q, want %q", risk, got.Key, want.Key)
		}
	}
}

// A question about a program on the screen is asked in the person's language, and
// the program stands among the facts; what a provider wants checked keeps its own
// words.
func TestPrograms(t *testing.T) {
	r := request
	r.Preview = capability.Preview{Question: "Use the mouse and the keyboard in “gedit”?", Summary: "left click", Apps: []string{"gedit"}}
	m := New(r)
	if p := m.Asked(); p.Key != "Use the mouse and the keyboard in {{.Program}}?" || p.Args["Program"] != "gedit" {
		t.Errorf("asked %+v", p)
	}
	if f := m.Facts(); len(f) != 1 || f[0].Name.Key != "Program" || f[0].Value != "gedit" {
		t.Errorf("the facts are %+v", f)
	}
	for name, apps := range map[string][]string{"none": nil, "unknown": {""}, "two": {"gedit", "gimp"}} {
		m.Preview.Apps = apps
		if p := m.Asked(); !p.IsZero() {
			t.Errorf("%s: asked %+v", name, p)
		}
	}
	m.Preview.Apps, m.Preview.Alone = []string{"gedit"}, true
	if p := m.Asked(); !p.IsZero() {
		t.Errorf("with a warning of the provider: %+v", p)
	}
}
