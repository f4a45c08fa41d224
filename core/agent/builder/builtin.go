package builder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
)

// A BuiltIn is a part of every agent that a reference can tune. Its own id and
// its other names belong to it alone.
type BuiltIn struct {
	ID      string
	Aliases []string
	Does    string // a sentence; what it does when nothing tunes it

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
		fixed("compaction", "Shortens a conversation that nearly fills the model's window. Always on."),
		fixed("loop_detection", "Warns of and ends a turn that goes in circles. Always on."),
		fixed("tool_call_repair", "Mends the arguments of calls. Always on."),
		fixed("agent_instructions", "Adds AGENTS.md and CLAUDE.md of the workspace to the prompt. Always on.", "agents_md"),
		fixed("current_time", "Tells the date in the prompt. Always on."),
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

// fixed makes a built-in that takes no configuration.
func fixed(id, does string, aliases ...string) BuiltIn {
	type none struct{}
	return tuned(id, does, func(none, Parts) error { return nil }, func(none, *agent.Agent) {}, aliases...)
}

// ToolSearch tunes tool_search.
type ToolSearch struct {
	Threshold  *int     `json:"threshold,omitempty"`   // as many are many; nil means 15
	NeverDefer []string `json:"never_defer,omitempty"` // tools that are always sent whole
}

// Part implements [capability.Part].
func (t ToolSearch) Part() capability.Spec { return capability.Ref("tool_search").Config(t).Part() }

func (t ToolSearch) check(p Parts) error {
	if t.Threshold != nil && *t.Threshold < 0 {
		return fmt.Errorf("has a threshold of %d; the least is 0", *t.Threshold)
	}
	for _, name := range bridgeNames {
		if !slices.ContainsFunc(p.Base, func(c capability.Capability) bool { return c.Name == name }) {
			return fmt.Errorf("cannot take effect: %s is not among the tools of Base, so that nobody would find what is left out", name)
		}
	}
	return nil
}

// defaultThreshold is how many tools are many.
const defaultThreshold = 15

func (t ToolSearch) apply(a *agent.Agent) {
	d := capability.Deferral{Enabled: true, Threshold: defaultThreshold, NeverDefer: t.NeverDefer}
	if t.Threshold != nil {
		d.Threshold = *t.Threshold
	}
	a.Deferral = func() capability.Deferral { return d }
}

// StepLimit tunes step_limit.
type StepLimit struct {
	Most int `json:"most"` // model calls of one turn, 1 to 1,000
}

// Part implements [capability.Part].
func (s StepLimit) Part() capability.Spec { return capability.Ref("step_limit").Config(s).Part() }

func (s StepLimit) check(Parts) error {
	if s.Most < 1 || s.Most > 1000 {
		return fmt.Errorf("has %d for most; it is 1 to 1000", s.Most)
	}
	return nil
}

func (s StepLimit) apply(a *agent.Agent) { a.MaxSteps = s.Most }

// Retries switches retries on.
type Retries struct{}

// Part implements [capability.Part].
func (r Retries) Part() capability.Spec { return capability.Ref("retries").Config(r).Part() }

func (Retries) check(Parts) error    { return nil }
func (Retries) apply(a *agent.Agent) { a.Retries = true }

// ErrorDisclosure tunes error_disclosure.
type ErrorDisclosure struct {
	Level capability.Disclosure `json:"level"`
}

// Part implements [capability.Part].
func (e ErrorDisclosure) Part() capability.Spec {
	return capability.Ref("error_disclosure").Config(e).Part()
}

func (e ErrorDisclosure) check(Parts) error {
	switch e.Level {
	case capability.Standard, capability.Minimal, capability.Verbose:
		return nil
	}
	return errors.New("has an unknown level; there are standard, minimal and verbose")
}

func (e ErrorDisclosure) apply(a *agent.Agent) { a.Runner.Disclosure = e.Level }
