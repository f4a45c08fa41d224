package builder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hobkin/hobkin/core/agent"
)

// A BuiltIn is a part of every agent that a reference can tune. Its own id and
// its other names belong to it alone.
type BuiltIn struct {
	ID      string
	Aliases []string
	Does    string // a sentence; what it does when nothing tunes it
	Absent  string // why an agent that is built of parts has it not, and what to do; empty when it has

	validate func(config json.RawMessage, p Parts) error
	apply    func(a *agent.Agent, config json.RawMessage) error
}

// BuiltIns lists the built-in parts.
func BuiltIns() []BuiltIn {
	return []BuiltIn{
		tuned("tool_search", "Leaves the schemas of definitions' tools out of requests, once there are many. Off unless it is named; then 15 are many.", ToolSearch.check, ToolSearch.apply, "tool_deferral"),
		tuned("step_limit", "Ends a turn after 100 model calls.", StepLimit.check, StepLimit.apply, "max_steps"),
		tuned("retries", "Repeats requests whose failure may pass. Off unless it is named.", Retries.check, Retries.apply),
		tuned("error_disclosure", "Says how much of a failure is told: standard, minimal or verbose. Standard.", ErrorDisclosure.check, ErrorDisclosure.apply),
		tuned("prompt_caching", "Has the provider keep the beginning of a conversation at hand. On.", PromptCaching.check, PromptCaching.apply),
		tuned("output_limit", "Cuts results over 50,000 bytes to head and tail.", OutputLimit.check, OutputLimit.apply),
		tuned("compaction", "Shortens a conversation that fills 85 % of the model's window to 50 %. On.", Compaction.check, Compaction.apply),
		tuned("loop_detection", "Warns at 3 equal calls and ends a turn at 5. On.", LoopDetection.check, LoopDetection.apply),
		tuned("progress_guard", "Tells a model that gets nowhere, as after 24 looks without a change. On.", ProgressGuard.check, ProgressGuard.apply),
		tuned("tool_call_repair", "Mends the arguments of calls, and asks once more for those that it cannot mend. On.", ToolCallRepair.check, ToolCallRepair.apply),
		tuned("agent_instructions", "Adds AGENTS.md and CLAUDE.md of the workspace to the prompt. On.", AgentInstructions.check, AgentInstructions.apply, "agents_md"),
		tuned("current_time", "Tells the date in the prompt. On.", CurrentTime.check, CurrentTime.apply),
		absent("tool_approval", "whoever agrees to calls is given as Approve"),
		absent("ask_user", "the tool that asks is given in Base, with what it asks"),
		absent("todo_list", "the tool that keeps the list is given in Base"),
		absent("budgeting", "set Budgets of the built agent, with a ledger"),
		absent("guardrails", "set Guards and OutputGuards of the built agent's Runner"),
		absent("prompt_canary", "it belongs to the desktop program"),
		absent("output_persistence", "set Save of the built agent's Runner"),
		absent("output_distillation", "set Save and Distill of the built agent's Runner"),
	}
}

// find returns the built-in of an id or of one of its other names.
func find(id string) (BuiltIn, bool) {
	for _, b := range BuiltIns() {
		if b.ID == id || slices.Contains(b.Aliases, id) {
			return b, true
		}
	}
	return BuiltIn{}, false
}

// tuned makes a built-in whose configuration is a C.
func tuned[C any](id, does string, check func(C, Parts) error, apply func(C, *agent.Agent), aliases ...string) BuiltIn {
	read := func(raw json.RawMessage) (c C, err error) {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&c); err != nil {
			return c, unread(err)
		}
		return c, nil
	}
	return BuiltIn{
		ID: id, Aliases: aliases, Does: does,
		validate: func(raw json.RawMessage, p Parts) error {
			c, err := read(raw)
			if err != nil {
				return err
			}
			return check(c, p)
		},
		apply: func(a *agent.Agent, raw json.RawMessage) error {
			c, err := read(raw)
			if err == nil {
				apply(c, a)
			}
			return err
		},
	}
}

// unread says why a configuration does not decode, without showing it.
func unread(err error) error {
	if typ, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("has a %s for %s, which is a %s", typ.Value, typ.Field, typ.Type)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("is cut off")
	}
	return fmt.Errorf("does not fit: %w", err)
}

// absent makes a built-in of the desktop program alone: its id is taken all the
// same, and a reference to it is told what to do.
func absent(id, instead string) BuiltIn {
	return BuiltIn{ID: id, Does: "Not in an agent that is built of parts.", Absent: instead}
}
