package openai

import (
	"context"
	"encoding/json"

	"github.com/hobkin/hobkin/core/provider"
)

// compactionID marks reasoning that stands for the beginning of a conversation:
// it goes back as an item of its own kind.
const compactionID = "compaction"

type compactRequest struct {
	Model        string `json:"model"`
	Instructions string `json:"instructions,omitempty"`
	Input        []any  `json:"input"`
}

// Compact implements [provider.Compacter].
func (r *Responses) Compact(ctx context.Context, req provider.Request) (provider.Reasoning, provider.Done, error) {
	var (
		item provider.Reasoning
		done provider.Done
	)
	body := func(messages []provider.Message) any {
		full := r.request(provider.Request{System: req.System}, messages)
		return compactRequest{Model: full.Model, Instructions: full.Instructions, Input: full.Input}
	}
	for event, err := range r.endpoint.Ask(ctx, req.Messages, r.info, provider.Exchange{
		Path: "/responses/compact", Body: body, Decoder: &compactDecoder{provider: r.info.Provider, model: r.info.Model},
	}) {
		if err != nil {
			return item, done, err
		}
		switch event := event.(type) {
		case provider.PartDone:
			item, _ = event.Part.(provider.Reasoning)
		case provider.Done:
			done = event
		case provider.TextDelta, provider.ReasoningDelta:
		}
	}
	return item, done, nil
}

// A compactDecoder reads the one document that a compaction answers with.
type compactDecoder struct {
	provider, model string

	usage responsesUsage
	found bool
}

// Frame implements [provider.Decoder].
func (d *compactDecoder) Frame(_ string, doc []byte, _ bool) ([]provider.Event, bool, error) {
	var answer struct {
		Output []outputItem    `json:"output"`
		Usage  responsesUsage  `json:"usage"`
		Error  json.RawMessage `json:"error"`
	}
	err := json.Unmarshal(doc, &answer)
	if len(answer.Error) > 0 && string(answer.Error) != "null" {
		return nil, true, provider.ParseFault(answer.Error).Error(d.provider)
	}
	d.usage = answer.Usage
	for _, it := range answer.Output {
		if (it.Type == "compaction" || it.Type == "compaction_summary") && it.Encrypted != "" {
			d.found = true
			return []provider.Event{provider.PartDone{Part: provider.Reasoning{ID: compactionID, Encrypted: it.Encrypted, Provider: d.provider}}}, true, nil
		}
	}
	return nil, true, provider.NotUnderstood(d.provider, err)
}

// End implements [provider.Decoder].
func (d *compactDecoder) End() ([]provider.Event, error) {
	if !d.found {
		return nil, provider.Broken(d.provider, nil)
	}
	return []provider.Event{provider.Done{Stop: provider.StopEnd, Model: d.model, Usage: provider.Usage{
		Input: d.usage.Input, Output: d.usage.Output, CachedInput: d.usage.InputDetails.Cached, Reasoning: d.usage.OutputDetails.Reasoning,
	}}}, nil
}
