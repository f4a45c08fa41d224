package agent

// The names of the events, as they stand in JSON.

// Name implements [Payload].
func (InputMessage) Name() string { return "input.message" }

// Name implements [Payload].
func (TurnStarted) Name() string { return "turn.started" }

// Name implements [Payload].
func (TurnCompleted) Name() string { return "turn.completed" }

// Name implements [Payload].
func (TurnFailed) Name() string { return "turn.failed" }

// Name implements [Payload].
func (TurnCancelled) Name() string { return "turn.cancelled" }

// Name implements [Payload].
func (TurnSealed) Name() string { return "turn.sealed" }

// Name implements [Payload].
func (OutputDelta) Name() string { return "output.delta" }

// Name implements [Payload].
func (OutputCompleted) Name() string { return "output.completed" }

// Name implements [Payload].
func (OutputReplaced) Name() string { return "output.replaced" }

// Name implements [Payload].
func (ReasoningDelta) Name() string { return "reasoning.delta" }

// Name implements [Payload].
func (ToolStarted) Name() string { return "tool.started" }

// Name implements [Payload].
func (ToolProgress) Name() string { return "tool.progress" }

// Name implements [Payload].
func (ToolOutput) Name() string { return "tool.output" }

// Name implements [Payload].
func (ToolRepaired) Name() string { return "tool.repaired" }

// Name implements [Payload].
func (ToolCompleted) Name() string { return "tool.completed" }

// Name implements [Payload].
func (ApprovalRequested) Name() string { return "approval.requested" }

// Name implements [Payload].
func (ApprovalResolved) Name() string { return "approval.resolved" }

// Name implements [Payload].
func (QuestionAsked) Name() string { return "question.asked" }

// Name implements [Payload].
func (QuestionAnswered) Name() string { return "question.answered" }

// Name implements [Payload].
func (ContextCompacting) Name() string { return "context.compacting" }

// Name implements [Payload].
func (ContextCompacted) Name() string { return "context.compacted" }

// Name implements [Payload].
func (BudgetWarned) Name() string { return "budget.warned" }

// Name implements [Payload].
func (BudgetPaused) Name() string { return "budget.paused" }

// Name implements [Payload].
func (BudgetResumed) Name() string { return "budget.resumed" }

// Name implements [Payload].
func (BudgetSealed) Name() string { return "budget.sealed" }

// Name implements [Payload].
func (ModelGeneration) Name() string { return "model.generation" }

// Name implements [Payload].
func (Notice) Name() string { return "notice" }

// Name implements [Payload].
func (Lagged) Name() string { return "stream.lagged" }

// The set is closed: nothing outside this package is a Payload.

func (InputMessage) payload()      {}
func (TurnStarted) payload()       {}
func (TurnCompleted) payload()     {}
func (TurnFailed) payload()        {}
func (TurnCancelled) payload()     {}
func (TurnSealed) payload()        {}
func (OutputDelta) payload()       {}
func (OutputCompleted) payload()   {}
func (OutputReplaced) payload()    {}
func (ReasoningDelta) payload()    {}
func (ToolStarted) payload()       {}
func (ToolProgress) payload()      {}
func (ToolOutput) payload()        {}
func (ToolRepaired) payload()      {}
func (ToolCompleted) payload()     {}
func (ApprovalRequested) payload() {}
func (ApprovalResolved) payload()  {}
func (QuestionAsked) payload()     {}
func (QuestionAnswered) payload()  {}
func (ContextCompacting) payload() {}
func (ContextCompacted) payload()  {}
func (BudgetWarned) payload()      {}
func (BudgetPaused) payload()      {}
func (BudgetResumed) payload()     {}
func (BudgetSealed) payload()      {}
func (ModelGeneration) payload()   {}
func (Notice) payload()            {}
func (Lagged) payload()            {}
