package openai_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
)

// TestResponsesRequest holds the whole request: nothing is stored, reasoning
// comes and goes encrypted, and results carry their pictures.
func TestResponsesRequest(t *testing.T) {
	req := conversation()
	req.Effort = "high"
	assistant := &req.Messages[1]
	assistant.Parts = append([]provider.Part{
		provider.Reasoning{ID: "rs_1", Text: "Hm.", Encrypted: "enc", Provider: "openai"},
		provider.Reasoning{ID: "rs_2", Text: "not kept by a server that does not store", Provider: "openai"},
	}, assistant.Parts...)
	const want = `{"model":"gpt-5","instructions":"Be brief.","input":[` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"a<b"},{"type":"input_image","image_url":"` + url + `"}]},` +
		`{"type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"enc"},` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]},` +
		`{"type":"function_call","call_id":"1","name":"shot","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"1","output":[{"type":"input_text","text":"done"},{"type":"input_image","image_url":"` + url + `"}]}],` +
		`"tools":[{"type":"function","name":"shot","description":"Takes one.","parameters":{"type":"object","properties":{}},"strict":false}],` +
		`"stream":true,"store":false,"include":["reasoning.encrypted_content"],"reasoning":{"effort":"high","summary":"auto"},` +
		`"max_output_tokens":100,"prompt_cache_key":"session-1"}`
	_, got := ask(t, openResponses, provider.Spec{Kind: "openai", Model: "gpt-5"}, req, completed(`"status":"completed"`))
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func completed(fields string) string {
	return lines(`{"type":"response.completed","response":{` + fields + `}}`)
}

func TestResponsesAnswers(t *testing.T) {
	const call = `{"id":"fc_1","type":"function_call","call_id":"c","name":"a","arguments":"{}"}`
	for name, tc := range map[string]struct {
		body  string
		text  string
		calls []provider.ToolCall
		stop  provider.Stop
	}{
		"items only at the end": {
			body:  completed(`"status":"completed","output":[{"id":"m","type":"message","content":[{"type":"output_text","text":"hi"}]},` + call + `]`),
			calls: []provider.ToolCall{{ID: "c", Name: "a", Args: "{}", ItemID: "fc_1"}}, text: "hi", stop: provider.StopTools,
		},
		"items twice": {
			body:  lines(`{"type":"response.output_item.done","item":`+call+`}`, `{"type":"response.completed","response":{"status":"completed","output":[`+call+`]}}`),
			calls: []provider.ToolCall{{ID: "c", Name: "a", Args: "{}", ItemID: "fc_1"}}, stop: provider.StopTools,
		},
		"items without ids, twice": {
			body: lines(`{"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"a","arguments":"{}"}}`,
				`{"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","call_id":"c","name":"a","arguments":"{}"}]}}`),
			calls: []provider.ToolCall{{ID: "c", Name: "a", Args: "{}"}}, stop: provider.StopTools,
		},
		"only pieces":         {body: lines(`{"type":"response.output_text.delta","delta":"h"}`, `{"type":"response.output_text.delta","delta":"i"}`, `{"type":"response.completed","response":{"status":"completed"}}`), text: "hi", stop: provider.StopEnd},
		"one document":        {body: `{"status":"completed","output":[{"id":"m","type":"message","content":[{"type":"output_text","text":"hi"}]}]}`, text: "hi", stop: provider.StopEnd},
		"refusal":             {body: completed(`"status":"completed","output":[{"id":"m","type":"message","content":[{"type":"refusal","refusal":"No."}]}]`), text: "No.", stop: provider.StopRefused},
		"limit":               {body: lines(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"id":"f","type":"function_call","call_id":"c","name":"a","arguments":"{\"x\""}]}}`), stop: provider.StopLength},
		"limit, item by item": {body: lines(`{"type":"response.output_item.done","item":{"id":"f","type":"function_call","status":"incomplete","call_id":"c","name":"a","arguments":"{\"x\""}}`, `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`), stop: provider.StopLength},
		"filter":              {body: lines(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}`), stop: provider.StopRefused},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := ask(t, openResponses, responses.Spec, provider.Request{}, tc.body)
			if got.Err != nil || got.Heard().Text != tc.text || got.Done.Stop != tc.stop {
				t.Errorf("got %+v", got)
			}
			if diff := cmp.Diff(tc.calls, got.Calls()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Summaries in several parts are paragraphs, shown as they are kept.
func TestResponsesReasoning(t *testing.T) {
	got, _ := ask(t, openResponses, responses.Spec, provider.Request{}, lines(
		`{"type":"response.reasoning_summary_part.added","summary_index":0}`, `{"type":"response.reasoning_summary_text.delta","delta":"One."}`,
		`{"type":"response.reasoning_summary_part.added","summary_index":1}`, `{"type":"response.reasoning_summary_text.delta","delta":"Two."}`,
		`{"type":"response.output_item.done","item":{"id":"rs","type":"reasoning","encrypted_content":"e","summary":[{"text":"One."},{"text":"Two."}]}}`,
		`{"type":"response.completed","response":{"status":"completed"}}`))
	want := []provider.Part{provider.Reasoning{Text: "One.\n\nTwo.", ID: "rs", Encrypted: "e", Provider: "openai_responses"}}
	if diff := cmp.Diff(want, got.Parts); diff != "" || got.Reasoning != "One.\n\nTwo." {
		t.Errorf("shown %q, %s", got.Reasoning, diff)
	}
}
