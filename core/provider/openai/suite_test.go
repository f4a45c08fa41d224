package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/openai"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openChat(s provider.Spec, o provider.Options) (provider.Model, error) {
	s, _, err := s.Resolve()
	return openai.NewChat(s, o), err
}

func openResponses(s provider.Spec, o provider.Options) (provider.Model, error) {
	s, _, err := s.Resolve()
	return openai.NewResponses(s, o), err
}

var chat = providertest.Subject{
	Open: openChat, Spec: provider.Spec{Kind: "openai_chat", Model: "gpt-4o"},
	Stream: chatStream, Fault: data(map[string]any{"error": map[string]any{"message": "no capacity", "type": "server_error", "code": 503}}),
}

var responses = providertest.Subject{
	Open: openResponses, Spec: provider.Spec{Kind: "openai_responses", Model: "gpt-5"},
	Stream: responsesStream, Fault: data(map[string]any{"type": "response.failed", "response": map[string]any{
		"status": "failed", "error": map[string]any{"code": "server_error", "message": "no capacity"},
	}}),
}

func TestChatSuite(t *testing.T) { providertest.Suite(t, chat) }

func TestResponsesSuite(t *testing.T) { providertest.Suite(t, responses) }

func FuzzChat(f *testing.F) { fuzz(f, chat) }

func FuzzResponses(f *testing.F) { fuzz(f, responses) }

func fuzz(f *testing.F, s providertest.Subject) {
	f.Helper()
	turn := providertest.Turn{Thought: "Hm.", Text: "Yes.", Calls: []provider.ToolCall{{ID: "a", Name: "t", Args: `{"x":1}`}, {ID: "b", Name: "u", Args: "{}"}}}
	f.Add(strings.Join(s.Stream(turn), ""))
	f.Add(strings.Join(s.Stream(providertest.Turn{Text: "Yes."}), "") + s.Fault)
	f.Add(`{"error":"x"}`)
	f.Add(`data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"text":"a"}]}],"tool_calls":[{"function":{"name":"a","arguments":{}}}],"reasoning_details":[{"index":{}},{"index":[]}]},"finish_reason":"length"}]}`)
	f.Add(`{"object":"response","status":"incomplete","output":[{"type":"function_call","arguments":"{"}]}`)
	f.Fuzz(func(t *testing.T, body string) { providertest.Chew(t, s, body) })
}

// data is one event of a stream.
func data(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "data: " + string(b) + "\n\n"
}

// halves cuts a text into two pieces.
func halves(s string) []string {
	n := len(s) / 2
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return []string{s[:n], s[n:]}
}

// chatStream writes a turn as Chat Completions does.
func chatStream(t providertest.Turn) (out []string) {
	delta := func(v map[string]any) {
		out = append(out, data(map[string]any{"model": "gpt-4o", "choices": []any{map[string]any{"index": 0, "delta": v, "finish_reason": nil}}}))
	}
	for _, s := range halves(t.Thought) {
		delta(map[string]any{"reasoning_content": s})
	}
	for _, s := range halves(t.Text) {
		delta(map[string]any{"content": s})
	}
	for i, c := range t.Calls {
		delta(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""}}}})
		for _, s := range halves(c.Args) {
			delta(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": s}}}})
		}
	}
	finish := map[provider.Stop]string{provider.StopEnd: "stop", provider.StopTools: "tool_calls"}[t.Stop()]
	end := data(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish}}})
	return append(out, end+data(map[string]any{"choices": []any{}, "usage": map[string]any{
		"prompt_tokens": t.Usage.Input, "completion_tokens": t.Usage.Output, "prompt_tokens_details": map[string]any{"cached_tokens": t.Usage.CachedInput},
	}})+"data: [DONE]\n\n")
}

// responsesStream writes a turn as Responses does.
func responsesStream(t providertest.Turn) (out []string) {
	event := func(kind string, v map[string]any) {
		v["type"] = "response." + kind
		out = append(out, "event: response."+kind+"\n"+data(v))
	}
	event("created", map[string]any{"response": map[string]any{"status": "in_progress", "model": "gpt-5"}})
	if t.Thought != "" {
		for _, s := range halves(t.Thought) {
			event("reasoning_summary_text.delta", map[string]any{"delta": s})
		}
		event("output_item.done", map[string]any{"item": map[string]any{"id": "rs_1", "type": "reasoning", "encrypted_content": "secret", "summary": []any{map[string]any{"type": "summary_text", "text": t.Thought}}}})
	}
	if t.Text != "" {
		for _, s := range halves(t.Text) {
			event("output_text.delta", map[string]any{"delta": s})
		}
		event("output_item.done", map[string]any{"item": map[string]any{"id": "msg_1", "type": "message", "content": []any{map[string]any{"type": "output_text", "text": t.Text}}}})
	}
	for _, c := range t.Calls {
		for _, s := range halves(c.Args) {
			event("function_call_arguments.delta", map[string]any{"delta": s})
		}
		event("output_item.done", map[string]any{"item": map[string]any{"id": "fc_" + c.ID, "type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": c.Args}})
	}
	event("completed", map[string]any{"response": map[string]any{"status": "completed", "model": "gpt-5", "usage": map[string]any{
		"input_tokens": t.Usage.Input, "output_tokens": t.Usage.Output, "input_tokens_details": map[string]any{"cached_tokens": t.Usage.CachedInput},
	}}})
	return out
}
