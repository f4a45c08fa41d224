package anthropic_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

// ask sends req to a model whose provider answers body, and returns the answer
// and the request as it went out.
func ask(t *testing.T, model string, req provider.Request, body string) (providertest.Collected, string) {
	t.Helper()
	canned := &providertest.Canned{Body: body}
	m, err := open(provider.Spec{Kind: "anthropic", Model: model}, provider.Options{HTTP: &http.Client{Transport: canned}})
	if err != nil {
		t.Fatal(err)
	}
	got := providertest.Collect(t.Context(), m, req)
	if len(canned.Asked()) != 1 {
		t.Fatalf("%d requests, error %v", len(canned.Asked()), got.Err)
	}
	return got, strings.TrimSpace(canned.Asked()[0])
}

var (
	picture = provider.Image{MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}
	ok      = strings.Join(stream(providertest.Turn{Text: "ok"}), "")
)

func message(role provider.Role, parts ...provider.Part) provider.Message {
	return provider.Message{Role: role, Parts: parts}
}

func said(s string) provider.Message { return message(provider.RoleUser, provider.Text{Text: s}) }

// TestRequest holds the whole request: thinking goes back as it came, results
// carry pictures and stand before what the user says, ids of other providers
// are made fit, and four places are marked for the cache.
func TestRequest(t *testing.T) {
	const mark = `"cache_control":{"type":"ephemeral"}`
	const source = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}`
	req := provider.Request{
		System: "Be brief.", MaxOutput: 6000, CacheKey: "session",
		Messages: []provider.Message{
			message(provider.RoleUser, provider.Text{Text: "a<b"}, picture),
			message(
				provider.RoleAssistant,
				provider.Reasoning{Text: "Hm.", Signature: "sig", Provider: "anthropic"}, provider.Reasoning{Signature: "sig2", Provider: "anthropic"},
				provider.Reasoning{Encrypted: "red", Provider: "anthropic"}, provider.Reasoning{Text: "broken off", Provider: "anthropic"},
				provider.Text{Text: "x"}, provider.ToolCall{ID: "functions.shot:0", Name: "shot", Args: `{"n":1}`}, provider.ToolCall{ID: "2", Name: "shot", Args: `{}`},
			),
			message(
				provider.RoleTool, provider.ToolResult{CallID: "functions.shot:0", Text: "done", Images: []provider.Image{picture}},
				provider.ToolResult{CallID: "2", Text: "no", Failed: true},
			),
			said("and?"),
		},
		Tools: []provider.Tool{{Name: "read"}, {Name: "shot", Description: "Takes one.", Parameters: []byte(`{"type":"object","properties":{}}`)}},
	}
	const want = `{"model":"claude-sonnet-4-5","max_tokens":6000,"system":[{"type":"text","text":"Be brief.",` + mark + `}],"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"a<b"},` + source + `,` + mark + `}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"sig"},{"type":"thinking","thinking":"","signature":"sig2"},` +
		`{"type":"redacted_thinking","data":"red"},{"type":"text","text":"x"},` +
		`{"type":"tool_use","id":"functions_shot_0_c74300f9e92a","name":"shot","input":{"n":1}},{"type":"tool_use","id":"2","name":"shot","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_shot_0_c74300f9e92a","content":[{"type":"text","text":"done"},` + source + `}]},` +
		`{"type":"tool_result","tool_use_id":"2","content":[{"type":"text","text":"no"}],"is_error":true},{"type":"text","text":"and?",` + mark + `}]}],` +
		`"tools":[{"name":"read","input_schema":{"type":"object","properties":{}}},{"name":"shot","description":"Takes one.","input_schema":{"type":"object","properties":{}},` + mark + `}],` +
		`"stream":true}`
	if _, got := ask(t, "claude-sonnet-4-5", req, ok); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	req.CacheKey = "" // switched off
	if _, got := ask(t, "claude-sonnet-4-5", req, ok); got != strings.NewReplacer(","+mark, "").Replace(want) {
		t.Errorf("without caching got %s", got)
	}
}

func TestThinking(t *testing.T) {
	call := provider.ToolCall{ID: "1", Name: "a", Args: "{}"}
	result := message(provider.RoleTool, provider.ToolResult{CallID: "1", Text: "r"})
	thought := provider.Reasoning{Text: "t", Signature: "s", Provider: "anthropic"}
	for name, tc := range map[string]struct {
		model, effort string
		max           int
		history       []provider.Message
		want          string // empty: no thinking is asked for
	}{
		"default":         {"claude-opus-5", "", 0, nil, ""},
		"none":            {"claude-opus-5", "none", 0, nil, ""},
		"by effort":       {"claude-opus-5", "high", 0, nil, `"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}`},
		"by budget":       {"claude-sonnet-4-20250514", "medium", 0, nil, `"thinking":{"type":"enabled","budget_tokens":10000}`},
		"alias":           {"claude-opus-4-1", "low", 0, nil, `"thinking":{"type":"enabled","budget_tokens":4000}`},
		"little room":     {"claude-haiku-4-5", "high", 8000, nil, `"budget_tokens":4000`},
		"no room":         {"claude-haiku-4-5", "high", 2000, nil, ""},
		"old":             {"claude-3-5-haiku-20241022", "high", 0, nil, ""},
		"within a turn":   {"claude-sonnet-4-5", "high", 0, []provider.Message{said("q"), message(provider.RoleAssistant, call), result}, ""},
		"goes on":         {"claude-sonnet-4-5", "high", 0, []provider.Message{said("q"), message(provider.RoleAssistant, thought, call), result}, `"budget_tokens":24000`},
		"in a later turn": {"claude-sonnet-4-5", "high", 0, []provider.Message{said("q"), message(provider.RoleAssistant, call), result, message(provider.RoleAssistant, provider.Text{Text: "x"}), said("q")}, `"budget_tokens":24000`},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.history == nil {
				tc.history = []provider.Message{said("q")}
			}
			_, got := ask(t, tc.model, provider.Request{Messages: tc.history, Effort: tc.effort, MaxOutput: tc.max}, ok)
			if has := strings.Contains(got, `"thinking":{`); has != (tc.want != "") || !strings.Contains(got, tc.want) {
				t.Errorf("sent %s, want %s", got, tc.want)
			}
		})
	}
}

func TestMaxTokens(t *testing.T) {
	for name, tc := range map[string]struct {
		model string
		chars int
		want  string
	}{
		"known":           {"claude-opus-4-1", 10, `"max_tokens":32000`},
		"unknown":         {"acme-1", 10, `"max_tokens":8192`},
		"window near end": {"claude-opus-4-1", 720_000, `"max_tokens":19999`},
		"window full":     {"claude-opus-4-1", 900_000, `"max_tokens":4096`},
	} {
		if _, got := ask(t, tc.model, provider.Request{Messages: []provider.Message{said(strings.Repeat("x", tc.chars) + "abcd")}}, ok); !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %.60s, want %s", name, got, tc.want)
		}
	}
}

// A picture that would be refused must not make the session unusable.
func TestPictureTooLarge(t *testing.T) {
	large := provider.Image{MIME: "image/png", Data: append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 4<<20)...)}
	_, got := ask(t, "claude-sonnet-4-5", provider.Request{Messages: []provider.Message{message(provider.RoleUser, large)}}, ok)
	if strings.Contains(got, base64.StdEncoding.EncodeToString(large.Data[:9])) || !strings.Contains(got, "[a picture was left out: it is larger than 5 MB]") {
		t.Errorf("sent %d bytes: %.200s", len(got), got)
	}
}

func TestAnswers(t *testing.T) {
	start := event("message_start", map[string]any{"message": map[string]any{"model": "m", "usage": map[string]any{"input_tokens": 5, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 11}}})
	end := func(reason string) string {
		return event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": reason}, "usage": map[string]any{"output_tokens": 3, "input_tokens": 0}}) + event("message_stop", map[string]any{})
	}
	block := func(b map[string]any, deltas ...map[string]any) string {
		out := []string{event("content_block_start", map[string]any{"index": 0, "content_block": b})}
		for _, d := range deltas {
			out = append(out, event("content_block_delta", map[string]any{"index": 0, "delta": d}))
		}
		return strings.Join(append(out, event("content_block_stop", map[string]any{"index": 0})), "")
	}
	use := map[string]any{"type": "tool_use", "id": "1", "name": "a", "input": map[string]any{"x": 1}}
	half := map[string]any{"partial_json": `{"x`}
	for name, tc := range map[string]struct {
		body  string
		parts []provider.Part
		stop  provider.Stop
	}{
		"arguments at the start": {start + block(use) + end("tool_use"), []provider.Part{provider.ToolCall{ID: "1", Name: "a", Args: `{"x":1}`}}, provider.StopTools},
		"redacted":               {start + block(map[string]any{"type": "redacted_thinking", "data": "d"}) + end("end_turn"), []provider.Part{provider.Reasoning{Encrypted: "d", Provider: "anthropic"}}, provider.StopEnd},
		"hosted tool":            {start + block(map[string]any{"type": "server_tool_use", "id": "s"}, half) + end("end_turn"), nil, provider.StopEnd},
		"half a call at the limit": {
			start + block(use, half) + end("max_tokens"), nil, provider.StopLength,
		},
		"half a call otherwise": {start + block(use, half) + end("tool_use"), []provider.Part{provider.ToolCall{ID: "1", Name: "a", Args: `{"x`}}, provider.StopTools},
		"window full":           {start + end("model_context_window_exceeded"), nil, provider.StopLength},
		"refusal":               {start + end("refusal"), nil, provider.StopRefused},
		"stop sequence":         {start + end("stop_sequence"), nil, provider.StopEnd},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := ask(t, "m", provider.Request{Messages: []provider.Message{said("q")}}, tc.body)
			if got.Err != nil || got.Done.Stop != tc.stop {
				t.Fatalf("got %+v", got)
			}
			if diff := cmp.Diff(tc.parts, got.Parts); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if want := (provider.Usage{Input: 23, Output: 3, CachedInput: 11, CacheWrite: 7}); got.Done.Usage != want {
				t.Errorf("usage %+v, want %+v", got.Done.Usage, want)
			}
		})
	}
}
