package builder

import (
	"cmp"
	"fmt"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
)

// The typed values of the built-ins that are part of every turn. The zero value
// of each is its default.

// Compaction tunes compaction.
type Compaction struct {
	Off bool `json:"off,omitempty"` // shorten only what a model refuses for its length
	At  int  `json:"at,omitempty"`  // percent of the window, 30 to 95; 0 means 85
	To  int  `json:"to,omitempty"`  // percent of the window, from 10, and at least 10 less than At; 0 means 50
}

// Part implements [capability.Part].
func (c Compaction) Part() capability.Spec { return capability.Ref("compaction").Config(c).Part() }

func (c Compaction) check(Parts) error {
	at, to := cmp.Or(c.At, 85), cmp.Or(c.To, 50)
	switch {
	case at < 30 || at > 95:
		return fmt.Errorf("has %d for at; it is 30 to 95", at)
	case to < 10 || to > at-10:
		return fmt.Errorf("has %d for to; it is 10 to %d, 10 less than at", to, at-10)
	}
	return nil
}

func (c Compaction) apply(a *agent.Agent) {
	tune(a, func(t *policy.Tuning) {
		t.Compaction = policy.Compaction{Off: c.Off, Full: float64(c.At) / 100, Goal: float64(c.To) / 100}
	})
}

// LoopDetection tunes loop_detection.
type LoopDetection struct {
	Off  bool `json:"off,omitempty"`
	Warn int  `json:"warn,omitempty"` // equal calls at which the model is told, 2 to 50; 0 means 3
	Stop int  `json:"stop,omitempty"` // equal calls that end a turn, more than Warn, at most 100; 0 means 5
}

// Part implements [capability.Part].
func (l LoopDetection) Part() capability.Spec {
	return capability.Ref("loop_detection").Config(l).Part()
}

func (l LoopDetection) check(Parts) error {
	warn, stop := cmp.Or(l.Warn, policy.WarnEqual), cmp.Or(l.Stop, policy.StopEqual)
	switch {
	case warn < 2 || warn > 50:
		return fmt.Errorf("has %d for warn; it is 2 to 50", warn)
	case stop <= warn || stop > 100:
		return fmt.Errorf("has %d for stop; it is %d to 100, more than warn", stop, warn+1)
	}
	return nil
}

func (l LoopDetection) apply(a *agent.Agent) {
	tune(a, func(t *policy.Tuning) { t.Loop = policy.LoopLimits{Off: l.Off, Warn: l.Warn, Stop: l.Stop} })
}

// ProgressGuard tunes progress_guard.
type ProgressGuard struct {
	Off   bool `json:"off,omitempty"`
	Looks int  `json:"looks,omitempty"` // looks in a row after which the model is told, 5 to 500; 0 means 24
}

// Part implements [capability.Part].
func (p ProgressGuard) Part() capability.Spec {
	return capability.Ref("progress_guard").Config(p).Part()
}

func (p ProgressGuard) check(Parts) error {
	if p.Looks != 0 && (p.Looks < 5 || p.Looks > 500) {
		return fmt.Errorf("has %d for looks; it is 5 to 500", p.Looks)
	}
	return nil
}

func (p ProgressGuard) apply(a *agent.Agent) {
	tune(a, func(t *policy.Tuning) { t.Progress = policy.ProgressLimits{Off: p.Off, Looks: p.Looks} })
}

// ToolCallRepair tunes tool_call_repair. What can be mended without the model
// always is.
type ToolCallRepair struct {
	NoSecondAsk bool `json:"no_second_ask,omitempty"` // do not ask the model again
}

// Part implements [capability.Part].
func (r ToolCallRepair) Part() capability.Spec {
	return capability.Ref("tool_call_repair").Config(r).Part()
}

func (ToolCallRepair) check(Parts) error { return nil }

func (r ToolCallRepair) apply(a *agent.Agent) {
	tune(a, func(t *policy.Tuning) { t.NoSecondAsk = r.NoSecondAsk })
}

// AgentInstructions switches agent_instructions.
type AgentInstructions struct {
	Off bool `json:"off,omitempty"`
}

// Part implements [capability.Part].
func (i AgentInstructions) Part() capability.Spec {
	return capability.Ref("agent_instructions").Config(i).Part()
}

func (AgentInstructions) check(Parts) error { return nil }

func (i AgentInstructions) apply(a *agent.Agent) {
	tune(a, func(t *policy.Tuning) { t.NoInstructions = i.Off })
}

// CurrentTime switches current_time.
type CurrentTime struct {
	Off bool `json:"off,omitempty"`
}

// Part implements [capability.Part].
func (c CurrentTime) Part() capability.Spec { return capability.Ref("current_time").Config(c).Part() }

func (CurrentTime) check(Parts) error { return nil }

func (c CurrentTime) apply(a *agent.Agent) { tune(a, func(t *policy.Tuning) { t.NoDate = c.Off }) }

// tune changes one thing of what holds for every turn.
func tune(a *agent.Agent, change func(*policy.Tuning)) {
	var t policy.Tuning
	if a.Tuning != nil {
		t = a.Tuning()
	}
	change(&t)
	a.Tuning = func() policy.Tuning { return t }
}
