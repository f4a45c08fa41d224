package builder

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
)

// The typed values of the built-ins that can be tuned.

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

// PromptCaching switches prompt_caching.
type PromptCaching struct {
	Off bool `json:"off"`
}

// Part implements [capability.Part].
func (p PromptCaching) Part() capability.Spec {
	return capability.Ref("prompt_caching").Config(p).Part()
}

func (PromptCaching) check(Parts) error { return nil }

func (p PromptCaching) apply(a *agent.Agent) { a.Caching = func() bool { return !p.Off } }

// OutputLimit tunes output_limit.
type OutputLimit struct {
	Inline int `json:"inline"` // bytes of a result that stay in the conversation, 1,024 to 65,536
}

// Part implements [capability.Part].
func (o OutputLimit) Part() capability.Spec { return capability.Ref("output_limit").Config(o).Part() }

func (o OutputLimit) check(Parts) error {
	if o.Inline < 1024 || o.Inline > 65_536 {
		return fmt.Errorf("has %d for inline; it is 1024 to 65536", o.Inline)
	}
	return nil
}

func (o OutputLimit) apply(a *agent.Agent) { a.Runner.Limits.Inline = o.Inline }
