//go:build !windows

package permission

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
)

// replying answers every question alike and keeps them.
type replying struct {
	decision Decision
	asked    []agent.ApprovalRequested
}

func (a *replying) Ask(_ context.Context, _ capability.Turn, req agent.ApprovalRequested) (Answer, error) {
	a.asked = append(a.asked, req)
	return Answer{Decision: a.decision}, nil
}

func TestReview(t *testing.T) {
	wants := func(context.Context, Reviewed) (bool, string) { return true, "The reviewer wants a look." }
	passes := func(context.Context, Reviewed) (bool, string) { return false, "" }
	dies := func(context.Context, Reviewed) (bool, string) { panic("x") }
	for name, tt := range map[string]struct {
		review   func(context.Context, Reviewed) (bool, string)
		rules    []Rule
		line     string
		decision Decision
		away     bool
		err      error
		asked    string // reason of the question; empty when none is asked
	}{
		"none":                      {nil, nil, "ls", DenyOnce, false, nil, ""},
		"passes":                    {passes, nil, "ls", DenyOnce, false, nil, ""},
		"asks, agreed":              {wants, nil, "ls", Once, false, nil, "The reviewer wants a look."},
		"asks, turned down":         {wants, nil, "ls", DenyOnce, false, capability.Denied, "The reviewer wants a look."},
		"a rule does not lift it":   {wants, []Rule{{Tool: "shell", Match: "make *", Action: "allow"}}, "make all", DenyOnce, false, capability.Denied, "The reviewer wants a look."},
		"no one is there":           {wants, nil, "ls", Once, true, capability.Denied, ""},
		"it dies":                   {dies, nil, "ls", Once, false, nil, "The check of this call failed."},
		"what is asked about stays": {passes, nil, "make all", Once, false, nil, "make"},
		"the floor stays":           {passes, nil, "rm -rf /", Once, false, Floor, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tt.rules...)
			asker := &replying{decision: tt.decision}
			b.Asker, b.Review = asker, tt.review
			turn := b.turn
			turn.Mode, turn.Attended = string(Auto), !tt.away
			err := b.Approve(t.Context(), shellTool, capability.Call{ID: "c1", Name: "shell", Args: []byte(`{}`), Turn: turn}, capability.Preview{Shell: tt.line, Dir: b.ws})
			if !errors.Is(err, tt.err) || (tt.err == nil) != (err == nil) {
				t.Errorf("got %v, want %v", err, tt.err)
			}
			switch {
			case tt.asked == "" && len(asker.asked) > 0:
				t.Errorf("asked %q", asker.asked[0].Reason)
			case tt.asked != "" && len(asker.asked) == 0:
				t.Error("no one was asked")
			case tt.asked != "" && strings.HasPrefix(tt.asked, "The ") && (asker.asked[0].Reason != tt.asked || asker.asked[0].Rule != ""):
				t.Errorf("asked %q, offering the rule %q", asker.asked[0].Reason, asker.asked[0].Rule)
			}
		})
	}
}

// What a person agreed to for the session is not asked again, but for another
// call.
func TestReviewOfWhatWasAgreedTo(t *testing.T) {
	b := newBench(t)
	asker := &replying{decision: ForSession}
	b.Asker = asker
	b.Review = func(context.Context, Reviewed) (bool, string) { return true, "Look." }
	turn := b.turn
	turn.Mode = string(Auto)
	for i, args := range []string{`{"command":"ls"}`, `{"command":"ls"}`, `{"command":"ls -l"}`} {
		err := b.Approve(t.Context(), shellTool, capability.Call{ID: "c", Name: "shell", Args: []byte(args), Turn: turn}, capability.Preview{Shell: "ls", Dir: b.ws})
		if want := []int{1, 1, 2}[i]; err != nil || len(asker.asked) != want {
			t.Errorf("call %d: %v, asked %d times, want %d", i, err, len(asker.asked), want)
		}
	}
}
