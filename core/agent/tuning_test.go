package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// What is part of every turn can be switched and tuned, from the next turn on.
func TestTuning(t *testing.T) {
	same := func() reply { return calls(call("1", "echo", `{"text":"a"}`)) }
	many := func(n int) (out []reply) {
		for range n {
			out = append(out, same())
		}
		return append(out, says("done"))
	}
	long := strings.Repeat("word ", 2000)
	for name, tt := range map[string]struct {
		tuned   policy.Tuning
		replies []reply
		message string
		has     string // among the events
		not     string
	}{
		"a loop ends a turn":      {policy.Tuning{}, many(6), "go", "made 5 times", "turn.completed"},
		"a loop, sooner":          {policy.Tuning{Loop: policy.LoopLimits{Warn: 2, Stop: 3}}, many(6), "go", "made 3 times", "turn.completed"},
		"a loop, off":             {policy.Tuning{Loop: policy.LoopLimits{Off: true}}, many(6), "go", "turn.completed 7", "turn.sealed"},
		"asked again":             {policy.Tuning{}, []reply{calls(call("1", "echo", "]]]")), calls(call("2", "echo", `{"text":"a"}`)), says("done")}, "go", mendNote, "bad_input"},
		"not asked again":         {policy.Tuning{NoSecondAsk: true}, []reply{calls(call("1", "echo", "]]]")), says("done")}, "go", "bad_input", mendNote},
		"a full window":           {policy.Tuning{}, []reply{says("done")}, long, "context.compacting", "nothing"},
		"a full window, left so":  {policy.Tuning{Compaction: policy.Compaction{Off: true}}, []reply{says("done")}, long, "turn.completed", "context.compacting"},
		"a window that may be so": {policy.Tuning{Compaction: policy.Compaction{Full: 0.95}}, []reply{says("done")}, long, "turn.completed", "context.compacting"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tt.replies...)
			b.Tuning = func() policy.Tuning { return tt.tuned }
			if tt.message == long {
				size := policy.Tokens([]provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: long}}}}) + policy.Fixed(b.prompt(capability.Turn{Trust: capability.Operator, Attended: true, Mode: "auto"}), schemas(b.Registry.All()))
				b.model.info.Window = size * 100 / 90
			}
			got := strings.Join(shown(b.turn(t, input(tt.message))), "\n")
			if !strings.Contains(got, tt.has) || strings.Contains(got, tt.not) {
				t.Errorf("got\n%s\nwant %q and not %q", got, tt.has, tt.not)
			}
		})
	}
}

func TestTunedPrompt(t *testing.T) {
	turn := capability.Turn{Workspace: t.TempDir()}
	if err := os.WriteFile(filepath.Join(turn.Workspace, "AGENTS.md"), []byte("Use tabs."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, off := range []bool{false, true} {
		a := &Agent{Tuning: func() policy.Tuning { return policy.Tuning{NoInstructions: off, NoDate: off} }}
		got := a.prompt(turn)
		if strings.Contains(got, "Use tabs.") == off || strings.Contains(got, "- Date: ") == off {
			t.Errorf("off %v: %s", off, got)
		}
	}
}

// Without caching a provider is given no key to keep the conversation under.
func TestCaching(t *testing.T) {
	for name, tt := range map[string]struct {
		caching func() bool
		want    string
	}{
		"as is": {nil, "s"},
		"on":    {func() bool { return true }, "s"},
		"off":   {func() bool { return false }, ""},
	} {
		b := newBench(t, says("done"))
		b.Caching = tt.caching
		b.turn(t, input("go"))
		if got := b.model.requests()[0].CacheKey; got != tt.want {
			t.Errorf("%s: the key is %q", name, got)
		}
	}
}
