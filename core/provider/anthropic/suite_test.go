package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/anthropic"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(s provider.Spec, o provider.Options) (provider.Model, error) {
	s, _, err := s.Resolve()
	return anthropic.New(s, o), err
}

var subject = providertest.Subject{
	Open: open, Spec: provider.Spec{Kind: "anthropic", Model: "claude-sonnet-4-5"},
	Stream: stream, Fault: event("error", map[string]any{"error": map[string]any{"type": "overloaded_error", "message": "Overloaded"}}),
}

func TestSuite(t *testing.T) { providertest.Suite(t, subject) }

func FuzzStream(f *testing.F) {
	turn := providertest.Turn{Thought: "Hm.", Text: "Yes.", Calls: []provider.ToolCall{{ID: "a", Name: "t", Args: `{"x":1}`}, {ID: "b", Name: "u", Args: "{}"}}}
	f.Add(strings.Join(stream(turn), ""))
	f.Add(strings.Join(stream(providertest.Turn{Text: "Yes."}), "") + subject.Fault)
	f.Add(`{"type":"message","content":[{"type":"tool_use","input":{}}],"stop_reason":"tool_use"}`)
	f.Add("data: {\"type\":\"content_block_stop\",\"index\":7}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}\n\n")
	f.Fuzz(func(t *testing.T, body string) { providertest.Chew(t, subject, body) })
}

// event is one event of a stream.
func event(kind string, v map[string]any) string {
	v["type"] = kind
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "event: " + kind + "\ndata: " + string(b) + "\n\n"
}

// halves cuts a text into two pieces.
func halves(s string) []string {
	n := len(s) / 2
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return []string{s[:n], s[n:]}
}

// stream writes a turn as Messages does.
func stream(t providertest.Turn) (out []string) {
	add := func(kind string, v map[string]any) { out = append(out, event(kind, v)) }
	add("message_start", map[string]any{"message": map[string]any{"type": "message", "model": "claude-sonnet-4-5", "usage": map[string]any{
		"input_tokens": t.Usage.Input - t.Usage.CachedInput, "cache_read_input_tokens": t.Usage.CachedInput, "output_tokens": min(1, t.Usage.Output),
	}}})
	add("ping", map[string]any{})
	index := -1
	block := func(start map[string]any, kind, key, text string) {
		index++
		add("content_block_start", map[string]any{"index": index, "content_block": start})
		for _, s := range halves(text) {
			add("content_block_delta", map[string]any{"index": index, "delta": map[string]any{"type": kind, key: s}})
		}
		if start["type"] == "thinking" {
			add("content_block_delta", map[string]any{"index": index, "delta": map[string]any{"type": "signature_delta", "signature": "sig"}})
		}
		add("content_block_stop", map[string]any{"index": index})
	}
	if t.Thought != "" {
		block(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, "thinking_delta", "thinking", t.Thought)
	}
	if t.Text != "" {
		block(map[string]any{"type": "text", "text": ""}, "text_delta", "text", t.Text)
	}
	for _, c := range t.Calls {
		block(map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": map[string]any{}}, "input_json_delta", "partial_json", c.Args)
	}
	reason := map[provider.Stop]string{provider.StopEnd: "end_turn", provider.StopTools: "tool_use"}[t.Stop()]
	end := event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": reason}, "usage": map[string]any{"output_tokens": t.Usage.Output}})
	return append(out, end+event("message_stop", map[string]any{}))
}
