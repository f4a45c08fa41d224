package openai

import (
	"encoding/json"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// fieldReasoningContent is one of the names under which servers send what a
// model thought. Those that use it want it back with the calls that it led to,
// so it is kept as the ID of the part.
const fieldReasoningContent = "reasoning_content"

// A chunk is one document of an answer, with the fields of all servers.
type chunk struct {
	Object  string `json:"object"`
	Model   string `json:"model"`
	Choices []struct {
		Index        int        `json:"index"`
		Delta        *chatDelta `json:"delta"`
		Message      *chatDelta `json:"message"`
		FinishReason string     `json:"finish_reason"`
	} `json:"choices"`
	Usage *chatUsage      `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type chatDelta struct {
	Content          json.RawMessage `json:"content"` // a string, or a list of pieces
	Refusal          string          `json:"refusal"`
	ReasoningContent string          `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningDetails []detail        `json:"reasoning_details"`
	ToolCalls        []callDelta     `json:"tool_calls"`
}

type chatUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	PromptDetails    struct {
		Cached     int `json:"cached_tokens"`
		CacheWrite int `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	CacheHit int `json:"prompt_cache_hit_tokens"` // DeepSeek's name for it
}

// A chatDecoder puts an answer together.
type chatDecoder struct {
	provider string

	model    string
	usage    provider.Usage
	text     strings.Builder
	thinking strings.Builder
	field    string // where the thinking came in, if it is wanted back there
	details  detailSet
	calls    callSet
	finish   string
	closed   bool // the stream said [DONE], or the answer came in one piece
	refused  bool
}

// Frame implements [provider.Decoder].
func (d *chatDecoder) Frame(name string, doc []byte, whole bool) (events []provider.Event, done bool, err error) {
	if name == provider.StreamDone {
		d.closed = true
		return nil, true, nil
	}
	var c chunk
	typeErr := json.Unmarshal(doc, &c) // fields of another type than usual are passed over
	if fault, ok := faultIn(name, doc, c); ok {
		return nil, true, fault.Error(d.provider)
	}
	if whole && len(c.Choices) == 0 {
		return nil, true, provider.NotUnderstood(d.provider, typeErr)
	}
	d.closed = d.closed || whole
	if c.Model != "" {
		d.model = c.Model
	}
	if c.Usage != nil {
		d.usage = c.Usage.usage()
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // only one answer was asked for
		}
		if choice.FinishReason != "" {
			d.finish = choice.FinishReason
		}
		for _, delta := range []*chatDelta{choice.Delta, choice.Message} {
			if delta != nil {
				events = append(events, d.delta(*delta)...)
			}
		}
	}
	return events, whole, nil
}

// faultIn finds an error in place of a piece of the answer.
func faultIn(name string, doc []byte, c chunk) (provider.Fault, bool) {
	if len(c.Error) > 0 && string(c.Error) != "null" && string(c.Error) != "false" {
		return provider.ParseFault(c.Error), true
	}
	if c.Object == "error" || name == "error" {
		return provider.ParseFault(doc), true
	}
	return provider.Fault{}, false
}

// delta takes in one piece of the answer.
func (d *chatDecoder) delta(m chatDelta) (events []provider.Event) {
	thought := m.ReasoningContent
	if thought != "" {
		d.field = fieldReasoningContent
	} else {
		thought = jsonText(m.Reasoning)
	}
	said, alsoThought := pieces(m.Content)
	if thought += alsoThought; thought == "" {
		thought = textOf(m.ReasoningDetails)
	}
	d.details.add(m.ReasoningDetails)
	if thought != "" {
		d.thinking.WriteString(thought)
		events = append(events, provider.ReasoningDelta(thought))
	}
	if m.Refusal != "" {
		d.refused = true
		said += m.Refusal
	}
	if said != "" {
		d.text.WriteString(said)
		events = append(events, provider.TextDelta(said))
	}
	for _, c := range m.ToolCalls {
		d.calls.add(c)
	}
	return events
}

// End implements [provider.Decoder].
func (d *chatDecoder) End() ([]provider.Event, error) {
	if d.finish == "" && !d.closed {
		return nil, provider.Broken(d.provider, nil)
	}
	if d.finish == "error" {
		return nil, provider.Fault{}.Error(d.provider)
	}
	stop := d.stop()
	var events []provider.Event
	if d.thinking.Len() > 0 || len(d.details) > 0 {
		events = append(events, provider.PartDone{Part: provider.Reasoning{
			Text: d.thinking.String(), ID: d.field, Encrypted: d.details.String(), Provider: d.provider,
		}})
	}
	if d.text.Len() > 0 {
		events = append(events, provider.PartDone{Part: provider.Text{Text: d.text.String()}})
	}
	for _, call := range d.calls.done(stop == provider.StopLength) {
		events = append(events, provider.PartDone{Part: call})
	}
	return append(events, provider.Done{Stop: stop, Usage: d.usage, Model: d.model}), nil
}

// stop goes by what came before what was said of it: many servers say stop
// after calls.
func (d *chatDecoder) stop() provider.Stop {
	switch {
	case d.finish == "length":
		return provider.StopLength
	case d.finish == "content_filter" || d.refused:
		return provider.StopRefused
	case len(d.calls) > 0:
		return provider.StopTools
	}
	return provider.StopEnd
}

func (u chatUsage) usage() provider.Usage {
	return provider.Usage{
		Input: u.PromptTokens, Output: u.CompletionTokens,
		CachedInput: max(u.PromptDetails.Cached, u.CacheHit), CacheWrite: u.PromptDetails.CacheWrite,
		Reasoning: u.CompletionDetails.Reasoning,
	}
}

// jsonText is a JSON string, or nothing for any other value.
func jsonText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// pieces reads content that is a text or, as with Mistral, a list of texts and
// thoughts.
func pieces(raw json.RawMessage) (said, thought string) {
	if s := jsonText(raw); s != "" {
		return s, ""
	}
	var list []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return "", ""
	}
	var texts, thoughts strings.Builder
	for _, p := range list {
		if p.Type == "thinking" {
			inner, _ := pieces(p.Thinking)
			thoughts.WriteString(inner)
			continue
		}
		texts.WriteString(p.Text)
	}
	return texts.String(), thoughts.String()
}
