package app

import "github.com/hobkin/hobkin/core/agent/policy"

// tuning is what the settings say of the built-ins that are part of every turn.
func (c *Core) tuning() policy.Tuning {
	p := c.cfg.Load().Policy
	return policy.Tuning{
		Compaction: policy.Compaction{
			Off: !p.Compaction.Enabled, Full: float64(p.Compaction.At) / 100, Goal: float64(p.Compaction.To) / 100,
		},
		Loop:           policy.LoopLimits{Off: !p.Loops.Enabled, Warn: p.Loops.Warn, Stop: p.Loops.Stop},
		Progress:       policy.ProgressLimits{Off: !p.Progress.Enabled, Looks: p.Progress.Looks},
		NoSecondAsk:    !p.Repair.AskAgain,
		NoInstructions: !p.Instructions.Enabled,
		NoDate:         !p.CurrentTime.Enabled,
	}
}
