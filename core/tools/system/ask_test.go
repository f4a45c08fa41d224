package system

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hobkin/hobkin/core/capability"
)

func TestNoOneThere(t *testing.T) {
	const both = `{"questions": [{"id": "a", "question": "A?", "kind": "choice", "options": ["x", "y"], "default": "y"}, {"id": "b", "question": "B?", "kind": "text", "default": "z"}]}`
	const without = `{"questions": [{"id": "a", "question": "A?", "kind": "choice", "options": ["x", "y"], "default": "y"}, {"id": "b", "question": "B?", "kind": "text"}]}`
	for name, change := range map[string]func(*workbench){
		"unattended": func(b *workbench) { b.turn.Attended = false },
		"no asker":   func(b *workbench) { b.host.Asker = nil },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			change(b)
			r := b.ok("ask_user", both)
			if !strings.Contains(r.Text, "- a: y (the default)\n- b: z (the default)\n") || r.Summary != "defaults" {
				t.Errorf("%s: %q", r.Summary, r.Text)
			}
			b.fails("ask_user", without, "no_one_there")
		})
	}
}

func TestAnswerComesTooLate(t *testing.T) {
	for name, tt := range map[string]struct {
		q    Question
		code string
	}{
		"with a default": {Question{ID: "silent", Question: "Well?", Kind: "text", Default: "so"}, ""},
		"without":        {Question{ID: "silent", Question: "Well?", Kind: "text"}, "unanswered"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &Host{Asker: person{}}
				call := capability.Call{Turn: capability.Turn{Attended: true}}
				r, err := h.ask(t.Context(), call, askIn{Questions: []Question{tt.q}, TimeoutS: 60})
				switch u, _ := capability.AsUserError(err); {
				case tt.code == "" && (err != nil || !strings.Contains(r.Text, "No answer came within 1m0s")):
					t.Errorf("got %q, %v", r.Text, err)
				case tt.code != "" && (u == nil || u.Code != tt.code):
					t.Errorf("got %v, want %s", err, tt.code)
				}
			})
		})
	}
}

// What a surface gives out by mistake does not reach the model.
func TestASecretIsNeverTold(t *testing.T) {
	b := newBench(t)
	o := b.call(t.Context(), "ask_user", `{"questions": [{"id": "leak", "question": "Token?", "kind": "secret"}]}`)
	if !o.Failed() || strings.Contains(o.Result.Text, "hunter2") {
		t.Errorf("got %q, %v", o.Result.Text, o.Err)
	}
	b.fails("ask_user", `{"questions": [{"id": "broken", "question": "Well?", "kind": "text"}]}`, "internal")
}

func TestFaultsOfQuestions(t *testing.T) {
	ab := []string{"a", "b"}
	for name, tt := range map[string]struct {
		q  Question
		at string
	}{
		"text":                      {Question{Question: "?", Kind: kindText, Default: "x"}, ""},
		"choice":                    {Question{Question: "?", Kind: kindChoice, Options: ab, Default: "b", MultiSelect: true}, ""},
		"one option or another":     {Question{Question: "?", Kind: kindChoice, Options: ab[:1], AllowOther: true, Default: "c"}, ""},
		"invisible":                 {Question{Question: "\u200b", Kind: kindText}, "question"},
		"options of a text":         {Question{Question: "?", Kind: kindText, Options: ab}, "options"},
		"several secrets":           {Question{Question: "?", Kind: kindSecret, MultiSelect: true}, "multi_select"},
		"default of a secret":       {Question{Question: "?", Kind: kindSecret, Default: "x"}, "default"},
		"no options":                {Question{Question: "?", Kind: kindChoice, AllowOther: true}, "options"},
		"one option":                {Question{Question: "?", Kind: kindChoice, Options: ab[:1]}, "options"},
		"default that is not there": {Question{Question: "?", Kind: kindChoice, Options: ab, Default: "c"}, "default"},
		"the same option twice":     {Question{Question: "?", Kind: kindChoice, Options: []string{"a", "a"}}, "options"},
		"an empty option":           {Question{Question: "?", Kind: kindChoice, Options: []string{"a", " "}}, "options"},
	} {
		t.Run(name, func(t *testing.T) {
			if at, why := tt.q.fault(); at != tt.at {
				t.Errorf("fault at %q (%s), want at %q", at, why, tt.at)
			}
		})
	}
}
