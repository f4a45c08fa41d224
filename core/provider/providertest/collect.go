package providertest

import (
	"context"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// A Collected is a whole answer.
type Collected struct {
	Text      string          // the text deltas
	Reasoning string          // the reasoning deltas
	Parts     []provider.Part // in order
	Done      *provider.Done  // nil when the answer did not come to its end
	Err       error
	After     int // events that came after Done or an error: always 0 for a right model
}

// Message is the answer as the assistant's message.
func (c Collected) Message() provider.Message {
	return provider.Message{Role: provider.RoleAssistant, Parts: c.Parts}
}

// Calls are the tool calls of the answer.
func (c Collected) Calls() []provider.ToolCall {
	var calls []provider.ToolCall
	for _, p := range c.Parts {
		if call, ok := p.(provider.ToolCall); ok {
			calls = append(calls, call)
		}
	}
	return calls
}

// Collect asks m and gathers the answer.
func Collect(ctx context.Context, m provider.Model, req provider.Request) Collected {
	var (
		c              Collected
		text, thinking strings.Builder
	)
	for e, err := range m.Stream(ctx, req) {
		if c.Done != nil || c.Err != nil {
			c.After++
		}
		if err != nil {
			c.Err = err
			continue
		}
		switch e := e.(type) {
		case provider.TextDelta:
			text.WriteString(string(e))
		case provider.ReasoningDelta:
			thinking.WriteString(string(e))
		case provider.PartDone:
			c.Parts = append(c.Parts, e.Part)
		case provider.Done:
			c.Done = &e
		}
	}
	c.Text, c.Reasoning = text.String(), thinking.String()
	return c
}
