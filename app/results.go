package app

import (
	"context"

	"github.com/hobkin/hobkin/core/agent/policy/distill"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/tools/system"
)

// results joins what keeps results small and readable: see docs/policies.md.
func (c *Core) results() {
	c.runner.Recall = "tool_result_recall"
	c.runner.Distill = c.distill
	c.runner.Disclosure = capability.Disclosure(c.cfg.Load().Policy.Errors.Disclosure)
}

// resultLimits are what of a result stays in the chat, from the settings.
func (c *Core) resultLimits() capability.Limits {
	cfg := c.cfg.Load()
	return capability.Limits{
		Inline: cfg.Tools.Output.InlineBytes, Success: cfg.Tools.Shell.InlineSuccess, Failure: cfg.Tools.Shell.InlineFailure,
		Distill: cfg.Policy.Distillation.FromBytes, Whole: cfg.Policy.Distillation.ToBytes,
	}
}

// shellLimits bound commands, from the settings.
func (c *Core) shellLimits() system.Limits {
	s := c.cfg.Load().Tools.Shell
	return system.Limits{Keep: s.KeptBytes, Timeout: s.Timeout.Std(), MaxTimeout: s.MaxTimeout.Std()}
}

func (c *Core) distill(text string) (short, how string) {
	if !c.cfg.Load().Policy.Distillation.Enabled {
		return text, ""
	}
	return distill.Text(text)
}

// noSession is where outputs of calls lie that belong to no conversation: those
// of the command line.
const noSession = "calls"

func (c *Core) saveOutput(ctx context.Context, call capability.Call, text string) (string, error) {
	return c.store.SaveOutput(ctx, outputsOf(call.Turn.Session), call.ID, text)
}

func outputsOf(session string) string {
	if session == "" {
		return noSession
	}
	return session
}

// outputs are the saved ones, for tool_result_recall.
type outputs struct{ c *Core }

// Output implements [system.Outputs].
func (o outputs) Output(ctx context.Context, session, call string) (string, []string, error) {
	return o.c.store.Output(ctx, outputsOf(session), call)
}
