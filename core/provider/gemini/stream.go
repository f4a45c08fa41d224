package gemini

import (
	"crypto/rand"
	"encoding/json"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// An answer is one document of a stream, or the whole of it.
type answer struct {
	Candidates []struct {
		Content content `json:"content"`
		Finish  string  `json:"finishReason"`
	} `json:"candidates"`
	Feedback struct {
		Block string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *usage          `json:"usageMetadata"`
	Model string          `json:"modelVersion"`
	Error json.RawMessage `json:"error"`
}

type usage struct {
	Prompt   int `json:"promptTokenCount"`
	Tools    int `json:"toolUsePromptTokenCount"`
	Answer   int `json:"candidatesTokenCount"`
	Thoughts int `json:"thoughtsTokenCount"`
	Cached   int `json:"cachedContentTokenCount"`
}

// A decoder puts an answer together. Pieces of text that follow each other are
// one part, as are pieces of thoughts.
type decoder struct {
	provider string

	text, thoughts strings.Builder
	calls          bool
	finish         string
	blocked        string
	model          string
	usage          usage
}

// Frame implements [provider.Decoder].
func (d *decoder) Frame(name string, doc []byte, whole bool) (events []provider.Event, done bool, err error) {
	if name == provider.StreamDone {
		return nil, true, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(doc, &list) != nil { // a stream that did not come as events is a list
		list = []json.RawMessage{doc}
	}
	for _, raw := range list {
		more, err := d.document(raw)
		events = append(events, more...)
		if err != nil {
			return events, true, err
		}
	}
	if whole && d.finish == "" && d.blocked == "" && len(events) == 0 {
		return events, true, provider.NotUnderstood(d.provider, nil)
	}
	return events, false, nil
}

func (d *decoder) document(raw json.RawMessage) (events []provider.Event, err error) {
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil && a.Candidates == nil && a.Error == nil {
		return nil, provider.NotUnderstood(d.provider, err)
	}
	if len(a.Error) > 0 && string(a.Error) != "null" {
		return nil, provider.ParseFault(a.Error).Error(d.provider)
	}
	if a.Model != "" {
		d.model = a.Model
	}
	if a.Usage != nil {
		d.usage = *a.Usage
	}
	if a.Feedback.Block != "" {
		d.blocked = a.Feedback.Block
	}
	if len(a.Candidates) == 0 {
		return nil, nil
	}
	for _, p := range a.Candidates[0].Content.Parts {
		events = append(events, d.part(p)...)
	}
	if f := a.Candidates[0].Finish; f != "" {
		d.finish = f
	}
	return events, nil
}

func (d *decoder) part(p part) (events []provider.Event) {
	switch {
	case p.Call != nil:
		events = d.flush()
		d.calls = true
		id := p.Call.ID
		if id == "" {
			id = "call_" + rand.Text()[:20]
		}
		args := string(p.Call.Args)
		if args == "" || args == "null" {
			args = "{}"
		}
		return append(events, provider.PartDone{Part: provider.ToolCall{ID: id, Name: p.Call.Name, Args: args, Signature: p.Signature}})
	case p.Text == "":
		return nil
	case p.Thought:
		if d.text.Len() > 0 {
			events = d.flush()
		}
		d.thoughts.WriteString(p.Text)
		return append(events, provider.ReasoningDelta(p.Text))
	}
	if d.thoughts.Len() > 0 {
		events = d.flush()
	}
	d.text.WriteString(p.Text)
	return append(events, provider.TextDelta(p.Text))
}

// flush makes a part of what was gathered.
func (d *decoder) flush() (events []provider.Event) {
	if d.thoughts.Len() > 0 {
		events = append(events, provider.PartDone{Part: provider.Reasoning{Text: d.thoughts.String(), Provider: d.provider}})
	}
	if d.text.Len() > 0 {
		events = append(events, provider.PartDone{Part: provider.Text{Text: d.text.String()}})
	}
	d.thoughts.Reset()
	d.text.Reset()
	return events
}

// End implements [provider.Decoder].
func (d *decoder) End() ([]provider.Event, error) {
	switch {
	case d.finish == "" && d.blocked == "":
		return nil, provider.Broken(d.provider, nil)
	case d.finish == "MALFORMED_FUNCTION_CALL" || d.finish == "UNEXPECTED_TOOL_CALL":
		return nil, &provider.Error{
			Provider: d.provider, Kind: provider.KindResponse,
			Message: "the model made a call that cannot be read", Try: "send the message again, or choose another model",
		}
	}
	u := d.usage
	return append(d.flush(), provider.Done{Stop: d.stop(), Model: d.model, Usage: provider.Usage{
		Input: u.Prompt + u.Tools, Output: u.Answer + u.Thoughts, CachedInput: u.Cached, Reasoning: u.Thoughts,
	}}), nil
}

func (d *decoder) stop() provider.Stop {
	switch d.finish {
	case "MAX_TOKENS":
		return provider.StopLength
	case "", "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY":
		return provider.StopRefused
	}
	if d.calls {
		return provider.StopTools
	}
	return provider.StopEnd
}
