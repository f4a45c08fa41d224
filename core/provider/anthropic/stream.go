package anthropic

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// An event is one document of an answer, with the fields of all types.
type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message *answer         `json:"message"`
	Block   *answerBlock    `json:"content_block"`
	Delta   *delta          `json:"delta"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// An answer is a message as the interface gives it out.
type answer struct {
	Type       string          `json:"type"`
	Model      string          `json:"model"`
	Content    []answerBlock   `json:"content"`
	StopReason string          `json:"stop_reason"`
	Usage      usage           `json:"usage"`
	Error      json.RawMessage `json:"error"`
}

type answerBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
}

type delta struct {
	Text        string `json:"text"`
	Thinking    string `json:"thinking"`
	Signature   string `json:"signature"`
	PartialJSON string `json:"partial_json"`
	StopReason  string `json:"stop_reason"`
}

type usage struct {
	Input      *int `json:"input_tokens"`
	Output     *int `json:"output_tokens"`
	CacheRead  *int `json:"cache_read_input_tokens"`
	CacheWrite *int `json:"cache_creation_input_tokens"`
}

// A block is a content block under way.
type block struct {
	start     answerBlock
	text      strings.Builder
	thinking  strings.Builder
	signature strings.Builder
	args      strings.Builder
}

// A decoder puts an answer together.
type decoder struct {
	provider string
	computer *provider.Computer // what calls of the hosted tool are calls of; nil: there is none
	screen   provider.Screen    // what their points are of

	blocks map[int]*block
	model  string
	stop   string
	calls  bool
	held   []provider.Event // calls whose arguments are not whole
	fresh  int              // tokens of input that no cache had to do with
	read   int
	write  int
	output int
}

// Frame implements [provider.Decoder].
func (d *decoder) Frame(name string, doc []byte, whole bool) (events []provider.Event, done bool, err error) {
	if name == provider.StreamDone {
		return nil, true, nil
	}
	if whole {
		return d.entire(doc)
	}
	var e event
	_ = json.Unmarshal(doc, &e) // fields of another type than usual are passed over
	if e.Type == "" {
		e.Type = name
	}
	switch e.Type {
	case "content_block_start", "content_block_delta", "content_block_stop":
		return d.block(e), false, nil
	case "message_start":
		if e.Message != nil {
			d.model = e.Message.Model
			d.count(e.Message.Usage)
		}
	case "message_delta":
		if e.Delta != nil && e.Delta.StopReason != "" {
			d.stop = e.Delta.StopReason
		}
		if e.Usage != nil {
			d.count(*e.Usage)
		}
	case "message_stop":
		return nil, true, nil
	case "error":
		return nil, true, provider.ParseFault(e.Error).Error(d.provider)
	}
	return nil, false, nil
}

// block takes in an event of one content block.
func (d *decoder) block(e event) []provider.Event {
	b := d.blocks[e.Index]
	switch {
	case e.Type == "content_block_start" && e.Block != nil:
		b = &block{start: *e.Block}
		d.blocks[e.Index] = b
		return b.begin()
	case e.Type == "content_block_delta" && b != nil && e.Delta != nil:
		return b.add(*e.Delta)
	case e.Type == "content_block_stop":
		delete(d.blocks, e.Index)
		return d.close(b)
	}
	return nil
}

// entire reads an answer that was not streamed.
func (d *decoder) entire(doc []byte) (events []provider.Event, done bool, err error) {
	var a answer
	err = json.Unmarshal(doc, &a)
	if len(a.Error) > 0 && string(a.Error) != "null" {
		return nil, true, provider.ParseFault(a.Error).Error(d.provider)
	}
	if a.Type != "message" {
		return nil, true, provider.NotUnderstood(d.provider, err)
	}
	d.model, d.stop = a.Model, a.StopReason
	d.count(a.Usage)
	for _, start := range a.Content {
		b := &block{start: start}
		events = append(events, b.begin()...)
		events = append(events, d.close(b)...)
	}
	return events, true, nil
}

// begin takes what a block has at its start, which is all of it in an answer
// that was not streamed.
func (b *block) begin() []provider.Event {
	return b.add(delta{Text: b.start.Text, Thinking: b.start.Thinking, Signature: b.start.Signature})
}

// add takes in a piece.
func (b *block) add(d delta) (events []provider.Event) {
	b.signature.WriteString(d.Signature)
	b.args.WriteString(d.PartialJSON)
	if d.Text != "" && b.speaks() {
		b.text.WriteString(d.Text)
		events = append(events, provider.TextDelta(d.Text))
	}
	if d.Thinking != "" && b.start.Type == "thinking" {
		b.thinking.WriteString(d.Thinking)
		events = append(events, provider.ReasoningDelta(d.Thinking))
	}
	return events
}

// speaks reports whether text in the block is meant to be read. Types that are
// not known are taken for text, and are nothing when none comes.
func (b *block) speaks() bool {
	switch b.start.Type {
	case "thinking", "redacted_thinking", "tool_use", searchUse, searchResult:
		return false
	}
	return true
}

// close makes a part of a block that is whole.
func (d *decoder) close(b *block) []provider.Event {
	if b == nil {
		return nil
	}
	var part provider.Part
	switch b.start.Type {
	case "thinking":
		part = provider.Reasoning{Text: b.thinking.String(), Signature: b.signature.String(), Provider: d.provider}
	case "redacted_thinking":
		part = provider.Reasoning{Encrypted: b.start.Data, Provider: d.provider}
	case "tool_use":
		d.calls = true
		call := provider.PartDone{Part: d.call(b)}
		if !json.Valid([]byte(b.arguments())) {
			d.held = append(d.held, call)
			return nil
		}
		return []provider.Event{call}
	case searchUse, searchResult:
		if part = d.searchPart(b); part == nil {
			return nil
		}
	default:
		if b.text.Len() == 0 {
			return nil
		}
		part = provider.Text{Text: b.text.String()}
	}
	return []provider.Event{provider.PartDone{Part: part}}
}

// call is a call as the agent knows it.
func (d *decoder) call(b *block) provider.ToolCall {
	c := provider.ToolCall{ID: b.start.ID, Name: b.start.Name, Args: b.arguments()}
	if d.computer != nil && c.Name == computerName {
		c.Name, c.Args = d.computer.Tool, ours(c.Args, d.computer, d.screen)
	}
	return c
}

// arguments come in pieces, or with the start of the block.
func (b *block) arguments() string {
	if b.args.Len() > 0 {
		return b.args.String()
	}
	if len(b.start.Input) > 0 && string(b.start.Input) != "null" {
		return string(b.start.Input)
	}
	return "{}"
}

// count takes in numbers; later ones replace earlier ones, unless they are not
// given.
func (d *decoder) count(u usage) {
	for to, from := range map[*int]*int{&d.fresh: u.Input, &d.output: u.Output, &d.read: u.CacheRead, &d.write: u.CacheWrite} {
		if from != nil && *from > 0 {
			*to = *from
		}
	}
}

// End implements [provider.Decoder].
func (d *decoder) End() ([]provider.Event, error) {
	if d.stop == "" {
		return nil, provider.Broken(d.provider, nil)
	}
	var events []provider.Event
	for _, index := range slices.Sorted(maps.Keys(d.blocks)) { // left open by a server that does not close them
		events = append(events, d.close(d.blocks[index])...)
	}
	done := provider.Done{
		Stop: d.reason(), Model: d.model,
		Usage: provider.Usage{
			Input: d.fresh + d.read + d.write, Output: d.output, CachedInput: d.read, CacheWrite: d.write,
		},
	}
	if done.Stop != provider.StopLength { // there half a call must not be mended and run
		events = append(events, d.held...)
	}
	return append(events, done), nil
}

func (d *decoder) reason() provider.Stop {
	switch d.stop {
	case "max_tokens", "model_context_window_exceeded":
		return provider.StopLength
	case "refusal":
		return provider.StopRefused
	case "tool_use":
		return provider.StopTools
	}
	if d.calls {
		return provider.StopTools
	}
	return provider.StopEnd
}
