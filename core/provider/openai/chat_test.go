package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/openai"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

// opener makes a model of a spec.
type opener func(provider.Spec, provider.Options) (provider.Model, error)

// ask sends req to a model whose provider answers body, and returns the answer
// and the request as it went out.
func ask(t *testing.T, open opener, s provider.Spec, req provider.Request, body string) (providertest.Collected, string) {
	t.Helper()
	canned := &providertest.Canned{Body: body}
	m, err := open(s, provider.Options{HTTP: &http.Client{Transport: canned}})
	return collect(t, m, err, canned, req)
}

// askWith is ask of the Responses interface with options.
func askWith(t *testing.T, s provider.Spec, o provider.Options, req provider.Request, body string) (providertest.Collected, string) {
	t.Helper()
	canned := &providertest.Canned{Body: body}
	o.HTTP = &http.Client{Transport: canned}
	m, err := openResponses(s, o)
	return collect(t, m, err, canned, req)
}

func collect(t *testing.T, m provider.Model, err error, canned *providertest.Canned, req provider.Request) (providertest.Collected, string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(req.Messages) == 0 {
		req.Messages = []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "q"}}}}
	}
	got := providertest.Collect(t.Context(), m, req)
	sent := canned.Asked()
	if len(sent) != 1 {
		t.Fatalf("%d requests, error %v", len(sent), got.Err)
	}
	return got, strings.TrimSpace(sent[0])
}

// lines makes a stream of JSON documents.
func lines(docs ...string) string { return "data: " + strings.Join(docs, "\n\ndata: ") + "\n\n" }

// delta is a chunk with this delta, finish one with this reason.
func delta(d string) string { return `{"choices":[{"delta":` + d + `}]}` }

func finish(reason string) string {
	return `{"choices":[{"delta":{},"finish_reason":"` + reason + `"}]}`
}

func calls(cs ...string) string { return delta(`{"tool_calls":[` + strings.Join(cs, ",") + `]}`) }

// TestChatOddities takes what servers send that are only nearly compatible.
func TestChatOddities(t *testing.T) {
	a := provider.ToolCall{ID: "1", Name: "add", Args: `{"a":1}`}
	b := provider.ToolCall{ID: "2", Name: "mul", Args: `{"b":2}`}
	both := []provider.ToolCall{a, b}
	for name, tc := range map[string]struct {
		body  string
		text  string
		calls []provider.ToolCall
		stop  provider.Stop
	}{
		"pieces by index, in turn": {
			body: lines(calls(`{"index":0,"id":"1","function":{"name":"add","arguments":""}}`), calls(`{"index":1,"id":"2","function":{"name":"mul","arguments":"{\"b\""}}`),
				calls(`{"index":0,"function":{"arguments":"{\"a\":1}"}}`), calls(`{"index":1,"function":{"arguments":":2}"}}`), finish("tool_calls"), "[DONE]"),
			calls: both, stop: provider.StopTools,
		},
		"no index": {
			body: lines(calls(`{"id":"1","function":{"name":"add","arguments":"{\"a\""}}`), calls(`{"function":{"arguments":":1}"}}`),
				calls(`{"id":"2","function":{"name":"mul","arguments":"{\"b\":2}"}}`), finish("tool_calls")),
			calls: both, stop: provider.StopTools,
		},
		"index always 0": {
			body: lines(calls(`{"index":0,"id":"1","function":{"name":"add","arguments":"{\"a\":1}"}}`), calls(`{"index":0,"id":"2","function":{"name":"mul","arguments":"{\"b\""}}`),
				calls(`{"index":0,"function":{"arguments":":2}"}}`), finish("tool_calls")),
			calls: both, stop: provider.StopTools,
		},
		"id and name with every piece": {
			body: lines(calls(`{"index":0,"id":"1","function":{"name":"add","arguments":"{\"a\""}}`), calls(`{"index":0,"id":"1","function":{"name":"add","arguments":":1}"}}`),
				calls(`{"index":1,"id":"2","function":{"name":"mul","arguments":"{\"b\":2}"}}`), finish("tool_calls")),
			calls: both, stop: provider.StopTools,
		},
		"the whole call twice": {
			body:  lines(calls(`{"index":0,"id":"1","function":{"name":"add","arguments":"{\"a\":1}"}}`), calls(`{"index":0,"id":"1","function":{"name":"add","arguments":"{\"a\":1}"}}`), finish("tool_calls")),
			calls: both[:1], stop: provider.StopTools,
		},
		"all in one piece, arguments an object, said to stop": {
			body:  lines(calls(`{"id":"1","function":{"name":"add","arguments":{"a":1}}}`, `{"id":"2","function":{"name":"mul","arguments":{"b":2}}}`), finish("stop")),
			calls: both, stop: provider.StopTools,
		},
		"a name in pieces": {
			body:  lines(calls(`{"index":0,"id":"1","function":{"name":"a"}}`), calls(`{"index":0,"function":{"name":"dd","arguments":"{\"a\":1}"}}`), finish("tool_calls")),
			calls: both[:1], stop: provider.StopTools,
		},
		"one document":           {body: ` {"choices":[{"message":{"content":"hi","tool_calls":[{"id":"1","function":{"name":"add","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}`, text: "hi", calls: both[:1], stop: provider.StopTools},
		"no reason but the word": {body: lines(delta(`{"content":"hi"}`), "[DONE]"), text: "hi", stop: provider.StopEnd},
		"neither word nor end":   {body: "data: " + finish("stop"), stop: provider.StopEnd},
		"content in pieces":      {body: lines(delta(`{"content":[{"type":"text","text":"h"},{"type":"text","text":"i"}]}`), finish("stop")), text: "hi", stop: provider.StopEnd},
		"another answer beside":  {body: lines(`{"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"hi"}}]}`, finish("stop")), text: "hi", stop: provider.StopEnd},
		"refusal":                {body: lines(delta(`{"refusal":"I must not."}`), finish("stop")), text: "I must not.", stop: provider.StopRefused},
		"filter":                 {body: lines(delta(`{"content":"a"}`), finish("content_filter")), text: "a", stop: provider.StopRefused},
		"limit":                  {body: lines(delta(`{"content":"a"}`), finish("length")), text: "a", stop: provider.StopLength},
		"limit within a call": {
			body:  lines(calls(`{"index":0,"id":"1","function":{"name":"add","arguments":"{\"a\":1}"}}`), calls(`{"index":1,"id":"2","function":{"name":"mul","arguments":"{\"b\""}}`), finish("length")),
			calls: both[:1], stop: provider.StopLength,
		},
		"types that surprise": {body: lines(`{"model":7,"usage":"none","choices":[{"index":"0","delta":{"content":"hi","reasoning":{"a":1}}}]}`, finish("stop")), text: "hi", stop: provider.StopEnd},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := ask(t, openChat, chat.Spec, provider.Request{}, tc.body)
			if got.Err != nil || got.Text != tc.text || got.Heard().Text != tc.text || got.Done.Stop != tc.stop {
				t.Errorf("got %+v", got)
			}
			if diff := cmp.Diff(tc.calls, got.Calls()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Calls without an id, or with the same one, get one of their own.
func TestChatIDs(t *testing.T) {
	for name, id := range map[string]string{"none": `""`, "the same": `"x"`} {
		got, _ := ask(t, openChat, chat.Spec, provider.Request{}, lines(
			calls(`{"index":0,"id":`+id+`,"function":{"name":"a","arguments":"{}"}}`), calls(`{"index":1,"id":`+id+`,"function":{"name":"b","arguments":"{}"}}`), finish("tool_calls")))
		c := got.Calls()
		if len(c) != 2 || c[0].Name != "a" || c[1].Name != "b" || c[0].ID == "" || c[1].ID == "" || c[0].ID == c[1].ID {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// What a model thought goes back in the field that it came in, with its calls.
func TestChatReasoning(t *testing.T) {
	call := calls(`{"index":0,"id":"1","function":{"name":"a","arguments":"{}"}}`)
	for name, tc := range map[string]struct {
		deltas []string
		text   string
		back   string // what the next request has
	}{
		"reasoning_content": {[]string{delta(`{"reasoning_content":"I "}`), delta(`{"reasoning_content":"see"}`), call}, "I see", `"reasoning_content":"I see"`},
		"not without calls": {[]string{delta(`{"reasoning_content":"I see"}`), delta(`{"content":"a"}`)}, "I see", `{"role":"assistant","content":"a"}`},
		"reasoning":         {[]string{delta(`{"reasoning":"I see"}`), call}, "I see", `{"role":"assistant","tool_calls"`},
		"details": {
			[]string{
				delta(`{"reasoning":"I ","reasoning_details":[{"type":"reasoning.text","index":0,"text":"I "}]}`),
				delta(`{"reasoning":"see","reasoning_details":[{"type":"reasoning.text","index":0,"text":"see","signature":"s"}]}`),
				delta(`{"reasoning_details":[{"type":"reasoning.encrypted","index":1,"data":"x"}]}`), call,
			},
			"I see", `"reasoning_details":[{"index":0,"signature":"s","text":"I see","type":"reasoning.text"},{"data":"x","index":1,"type":"reasoning.encrypted"}]`,
		},
		"in the content": {[]string{delta(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"I see"}]}]}`), call}, "I see", `{"role":"assistant","tool_calls"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := ask(t, openChat, chat.Spec, provider.Request{}, lines(append(tc.deltas, finish("stop"))...))
			if got.Reasoning != tc.text || got.Heard().Reasoning != tc.text {
				t.Errorf("thought %q, parts %+v", got.Reasoning, got.Parts)
			}
			q := provider.Message{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "q"}}}
			_, sent := ask(t, openChat, chat.Spec, provider.Request{Messages: []provider.Message{q, got.Message(), q}}, lines(finish("stop")))
			if !strings.Contains(sent, tc.back) {
				t.Errorf("sent %s, want %s in it", sent, tc.back)
			}
		})
	}
}

var picture = provider.Image{MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}

func conversation() provider.Request {
	return provider.Request{
		System: "Be brief.", Effort: "none", MaxOutput: 100, CacheKey: "session-1",
		Messages: []provider.Message{
			{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "a<b"}, picture}},
			{Role: provider.RoleAssistant, Parts: []provider.Part{provider.Text{Text: "x"}, provider.ToolCall{ID: "1", Name: "shot", Args: "{}"}}},
			{Role: provider.RoleTool, Parts: []provider.Part{provider.ToolResult{CallID: "1", Text: "done", Images: []provider.Image{picture}}}},
		},
		Tools: []provider.Tool{{Name: "shot", Description: "Takes one.", Parameters: []byte(`{"type":"object","properties":{}}`)}},
	}
}

const url = "data:image/png;base64,iVBORw0KGgo="

// TestChatRequest holds the whole request. Pictures of results follow as the
// user's: Chat Completions takes none in results.
func TestChatRequest(t *testing.T) {
	const messages = `"messages":[{"role":"system","content":"Be brief."},` +
		`{"role":"user","content":[{"type":"text","text":"a<b"},{"type":"image_url","image_url":{"url":"` + url + `"}}]},` +
		`{"role":"assistant","content":"x","tool_calls":[{"id":"1","type":"function","function":{"name":"shot","arguments":"{}"}}]},` +
		`{"role":"tool","content":"done","tool_call_id":"1"},` +
		`{"role":"user","content":[{"type":"text","text":"Pictures from the result of shot (1):"},{"type":"image_url","image_url":{"url":"` + url + `"}}]}],` +
		`"tools":[{"type":"function","function":{"name":"shot","description":"Takes one.","parameters":{"type":"object","properties":{}}}}],` +
		`"stream":true,"stream_options":{"include_usage":true}`
	for name, tc := range map[string]struct {
		spec provider.Spec
		want string
	}{
		"openai": {
			provider.Spec{Kind: "openai_chat", Model: "gpt-5.1"},
			`{"model":"gpt-5.1",` + messages + `,"max_completion_tokens":100,"reasoning_effort":"none","prompt_cache_key":"session-1"}`,
		},
		"another server": {
			provider.Spec{Kind: "openrouter", Model: "openai/gpt-4o"}, `{"model":"openai/gpt-4o",` + messages + `,"max_tokens":100}`,
		},
	} {
		if _, got := ask(t, openChat, tc.spec, conversation(), lines(finish("stop"))); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tc.want)
		}
	}
}

func TestEffort(t *testing.T) {
	for name, tc := range map[string]struct{ model, want, sent string }{
		"default":        {"gpt-5", "", ``},
		"high":           {"gpt-5", "high", `"reasoning_effort":"high"`},
		"none, gpt-5":    {"gpt-5", "none", `"reasoning_effort":"minimal"`},
		"none, gpt-5.2":  {"gpt-5.2", "none", `"reasoning_effort":"none"`},
		"none, o4":       {"openai/o4-mini", "none", `"reasoning_effort":"low"`},
		"none, qwen":     {"qwen3:8b", "none", `"reasoning_effort":"none"`},
		"does not think": {"gpt-4o", "high", ``},
	} {
		_, sent := ask(t, openChat, provider.Spec{Kind: "openai_chat", Model: tc.model}, provider.Request{Effort: tc.want}, lines(finish("stop")))
		if has := strings.Contains(sent, "reasoning_effort"); has != (tc.sent != "") || !strings.Contains(sent, tc.sent) {
			t.Errorf("%s: sent %s", name, sent)
		}
	}
}

func TestUsage(t *testing.T) {
	got, _ := ask(t, openChat, chat.Spec, provider.Request{}, lines(finish("stop"), `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_cache_hit_tokens":5,"completion_tokens_details":{"reasoning_tokens":2}}}`))
	if want := (provider.Usage{Input: 9, Output: 4, CachedInput: 5, Reasoning: 2}); got.Done == nil || got.Done.Usage != want {
		t.Errorf("got %+v, want %+v", got.Done, want)
	}
}

func TestInfo(t *testing.T) {
	s, _, err := provider.Spec{Kind: "openai", Model: "gpt-5"}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if i := openai.NewChat(s, provider.Options{}).Info(); !i.Images || i.ToolResultImages {
		t.Errorf("chat takes pictures from the user only: %+v", i)
	}
	if i := openai.NewResponses(s, provider.Options{}).Info(); !i.Images || !i.ToolResultImages {
		t.Errorf("responses takes pictures in results: %+v", i)
	}
}
