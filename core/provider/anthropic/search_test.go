package anthropic_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
)

const (
	searchUse    = `{"type":"server_tool_use","id":"srv_1","name":"tool_search_tool_bm25","input":{"query":"rain"}}`
	searchResult = `{"type":"tool_search_tool_result","tool_use_id":"srv_1","content":{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"rain"}]}}`
)

func block(raw string) provider.Reasoning {
	return provider.Reasoning{Provider: "anthropic", Block: []byte(raw)}
}

// searching is a request whose model searched and called what it found.
func searching(deferred ...provider.Tool) provider.Request {
	return provider.Request{
		CacheKey: "s", MaxOutput: 6000,
		Messages: []provider.Message{
			said("rain?"),
			message(provider.RoleAssistant, block(searchUse), block(searchResult), provider.ToolCall{ID: "1", Name: "rain", Args: `{}`}),
			message(provider.RoleTool, provider.ToolResult{CallID: "1", Text: "none"}),
		},
		Tools:    []provider.Tool{{Name: "read"}},
		Deferred: deferred,
	}
}

// TestSearchRequest holds what the provider's own search for tools needs: the
// tools marked, none of them with a mark for the cache, and the blocks of
// earlier searches as they came.
func TestSearchRequest(t *testing.T) {
	const mark = `"cache_control":{"type":"ephemeral"}`
	const call = `{"type":"tool_use","id":"1","name":"rain","input":{}}`
	request := func(blocks, tools string) string {
		return `{"model":"claude-sonnet-4-5","max_tokens":6000,"messages":[{"role":"user","content":[{"type":"text","text":"rain?",` + mark + `}]},` +
			`{"role":"assistant","content":[` + blocks + call + `]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"none"}],` + mark + `}]}],` +
			`"tools":[{"name":"read","input_schema":{"type":"object","properties":{}},` + mark + `}` + tools + `],"stream":true}`
	}
	const search = `,{"type":"tool_search_tool_bm25_20251119","name":"tool_search_tool_bm25"}`
	deferred := func(name string) string {
		return `,{"name":"` + name + `","description":"d","input_schema":{"type":"object","properties":{}},"defer_loading":true}`
	}
	rain, snow := provider.Tool{Name: "rain", Description: "d"}, provider.Tool{Name: "snow", Description: "d"}
	for name, tt := range map[string]struct {
		req  provider.Request
		want string
	}{
		"a search goes back":                  {searching(rain, snow), request(searchUse+","+searchResult+",", search+deferred("rain")+deferred("snow"))},
		"what it found is gone":               {searching(snow), request("", search+deferred("snow"))},
		"nothing is left out of this request": {searching(), request("", "")},
	} {
		if _, got := ask(t, "claude-sonnet-4-5", tt.req, ok); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tt.want)
		}
	}
	for name, parts := range map[string][]provider.Part{
		"half a search":                  {block(searchUse)},
		"a result alone":                 {block(searchResult)},
		"another provider's":             {provider.Reasoning{Provider: "openai", Block: []byte(searchUse)}, provider.Reasoning{Provider: "openai", Block: []byte(searchResult)}},
		"blocks that are not understood": {block(`{"type":"other"}`), block(`[1]`), block(`{"type":"tool_search_tool_result","tool_use_id":"x","content":7}`)},
	} {
		req := searching(rain)
		req.Messages[1].Parts = append(parts, req.Messages[1].Parts[2])
		if _, got := ask(t, "claude-sonnet-4-5", req, ok); got != request("", search+deferred("rain")) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestSearchAnswer holds that the blocks of a search are kept, in their place,
// and shown to nobody.
func TestSearchAnswer(t *testing.T) {
	at := func(index int, typ string, fields map[string]any) string {
		fields["index"] = index
		return event(typ, fields)
	}
	part := func(index int, start map[string]any, delta map[string]any) string {
		out := at(index, "content_block_start", map[string]any{"content_block": start})
		if delta != nil {
			out += at(index, "content_block_delta", map[string]any{"delta": delta})
		}
		return out + at(index, "content_block_stop", map[string]any{})
	}
	body := event("message_start", map[string]any{"message": map[string]any{"model": "m"}}) +
		part(0, map[string]any{"type": "server_tool_use", "id": "srv_1", "name": "tool_search_tool_bm25", "input": map[string]any{}}, map[string]any{"type": "input_json_delta", "partial_json": `{"query":"rain"}`}) +
		part(1, map[string]any{"type": "tool_search_tool_result", "tool_use_id": "srv_1", "content": map[string]any{"type": "tool_search_tool_search_result", "tool_references": []any{map[string]any{"type": "tool_reference", "tool_name": "rain"}}}}, nil) +
		part(2, map[string]any{"type": "tool_use", "id": "1", "name": "rain", "input": map[string]any{}}, nil) +
		event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": "tool_use"}}) + event("message_stop", map[string]any{})
	got, _ := ask(t, "claude-sonnet-4-5", searching(provider.Tool{Name: "rain"}), body)
	if got.Err != nil || len(got.Parts) != 3 || got.Text != "" {
		t.Fatalf("%+v", got)
	}
	back := searching(provider.Tool{Name: "rain", Description: "d"})
	back.Messages[1].Parts = got.Parts
	_, first := ask(t, "claude-sonnet-4-5", back, ok)
	_, want := ask(t, "claude-sonnet-4-5", searching(provider.Tool{Name: "rain", Description: "d"}), ok)
	if d := cmp.Diff(sorted(want), sorted(first)); d != "" {
		t.Errorf("the answer goes back changed (-want +got):\n%s", d)
	}
}

// sorted is the members of the blocks in the order of their names, for the
// order within what came is the server's.
func sorted(s string) string {
	return strings.ReplaceAll(s, `{"tool_references":[{"tool_name":"rain","type":"tool_reference"}],"type":"tool_search_tool_search_result"}`,
		`{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"rain"}]}`)
}

func TestWhichModelsSearch(t *testing.T) {
	for model, want := range map[string]bool{
		"claude-opus-4-5": true, "claude-sonnet-4-5-20250929": true, "claude-opus-4-6": true, "claude-sonnet-5": true, "claude-opus-5-20260801": true,
		"claude-opus-4-20250514": false, "claude-sonnet-4-0": false, "claude-opus-4-1": false, "claude-haiku-4-5": false, "claude-3-5-sonnet-20241022": false, "m": false,
	} {
		m, err := open(provider.Spec{Kind: "anthropic", Model: model}, provider.Options{})
		if err != nil || m.Info().HostedToolSearch != want {
			t.Errorf("%s: %v, %v", model, m.Info().HostedToolSearch, err)
		}
	}
	m, err := open(provider.Spec{Kind: "anthropic", Model: "claude-opus-4-5", BaseURL: "http://127.0.0.1:1"}, provider.Options{})
	if err != nil || m.Info().HostedToolSearch {
		t.Errorf("at another server: %v", err)
	}
}
