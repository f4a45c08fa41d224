package policy

// A Tuning switches and tunes the built-ins that are part of every turn. The
// zero Tuning is their defaults.
type Tuning struct {
	Compaction Compaction
	Loop       LoopLimits
	Progress   ProgressLimits

	NoSecondAsk    bool // broken arguments are mended here or not at all
	NoInstructions bool // AGENTS.md and CLAUDE.md are left out of the prompt
	NoDate         bool // the date is left out of the prompt
}

// Compaction tunes when a [Compactor] shortens. Where it is off, a conversation
// is shortened only when a person asks, or when it cannot be sent otherwise.
type Compaction struct {
	Off  bool
	Full float64 // share of the window; 0 means [Full]
	Goal float64 // share of the window, below Full; 0 means [Goal]
}

// LoopLimits tune a [Loop].
type LoopLimits struct {
	Off  bool
	Warn int // equal calls, or answers; 0 means [WarnEqual]
	Stop int // more than Warn; 0 means [StopEqual]
}

// ProgressLimits tune a [Progress].
type ProgressLimits struct {
	Off   bool
	Looks int // looks in a row; 0 means [WarnLooks], and twice as many are the checkpoint
}
