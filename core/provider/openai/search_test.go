package openai_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
)

const (
	searchCall   = `"type":"tool_search_call","call_id":null,"execution":"server","status":"completed","arguments":{"paths":["rain"]}`
	searchOutput = `"type":"tool_search_output","call_id":null,"execution":"server","status":"completed","tools":[{"type":"function","name":"rain"}]`
)

// TestSearch follows the provider's own search for tools there and back: the
// tools marked, the entries of a search and the namespace as they came.
func TestSearch(t *testing.T) {
	spec := provider.Spec{Kind: "openai", Model: "gpt-5.4"}
	rain := provider.Tool{Name: "rain", Description: "d"}
	req := provider.Request{
		Messages: []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "rain?"}}}},
		Tools:    []provider.Tool{{Name: "read"}}, Deferred: []provider.Tool{rain},
	}
	answer := lines(
		`{"type":"response.output_item.done","item":{"id":"ts_1",`+searchCall+`}}`,
		`{"type":"response.output_item.done","item":{"id":"ts_2",`+searchOutput+`}}`,
		`{"type":"response.output_item.done","item":{"id":"fc_1","type":"function_call","call_id":"c","name":"rain","namespace":"rain","arguments":"{}"}}`,
		`{"type":"response.completed","response":{"status":"completed","output":[{"id":"ts_1",`+searchCall+`},{"id":"ts_2",`+searchOutput+`},{"id":"fc_1","type":"function_call","call_id":"c","name":"rain","namespace":"rain","arguments":"{}"}]}}`,
	)
	got, sent := ask(t, openResponses, spec, req, answer)
	const tools = `"tools":[{"type":"function","name":"read","parameters":{"type":"object","properties":{}},"strict":false},{"type":"tool_search"},` +
		`{"type":"function","name":"rain","description":"d","parameters":{"type":"object","properties":{}},"strict":false,"defer_loading":true}]`
	if !strings.Contains(sent, tools) {
		t.Errorf("sent %s", sent)
	}
	if got.Err != nil || len(got.Parts) != 3 || got.Done.Stop != provider.StopTools {
		t.Fatalf("%+v", got)
	}
	if d := cmp.Diff(provider.Part(provider.ToolCall{ID: "c", Name: "rain", Args: "{}", ItemID: "fc_1", Namespace: "rain"}), got.Parts[2]); d != "" {
		t.Errorf("the call (-want +got):\n%s", d)
	}
	req.Messages = append(
		req.Messages, provider.Message{Role: provider.RoleAssistant, Parts: got.Parts},
		provider.Message{Role: provider.RoleTool, Parts: []provider.Part{provider.ToolResult{CallID: "c", Name: "rain", Text: "none"}}},
	)
	_, sent = ask(t, openResponses, spec, req, answer)
	const back = `{"arguments":{"paths":["rain"]},"call_id":null,"execution":"server","status":"completed","type":"tool_search_call"},` +
		`{"call_id":null,"execution":"server","status":"completed","tools":[{"type":"function","name":"rain"}],"type":"tool_search_output"},` +
		`{"type":"function_call","call_id":"c","name":"rain","namespace":"rain","arguments":"{}"}`
	if !strings.Contains(sent, back) {
		t.Errorf("the search goes back as %s", sent)
	}
	req.Deferred = nil
	_, sent = ask(t, openResponses, spec, req, answer)
	if strings.Contains(sent, "tool_search") || strings.Contains(sent, "namespace") || !strings.Contains(sent, `{"type":"function_call","call_id":"c","name":"rain","arguments":"{}"}`) {
		t.Errorf("without a search: %s", sent)
	}
}

// TestSearchIsAskedFor holds that only the official interface, and only when
// asked for, is given tools to search.
func TestSearchIsAskedFor(t *testing.T) {
	for name, tt := range map[string]struct {
		spec provider.Spec
		on   bool
		want bool
	}{
		"asked for":         {provider.Spec{Kind: "openai", Model: "gpt-5.4"}, true, true},
		"a later model":     {provider.Spec{Kind: "openai", Model: "gpt-6-astra"}, true, true},
		"a small one":       {provider.Spec{Kind: "openai", Model: "gpt-5.4-mini"}, true, true},
		"by itself":         {provider.Spec{Kind: "openai", Model: "gpt-5.4"}, false, false},
		"an earlier model":  {provider.Spec{Kind: "openai", Model: "gpt-5.2"}, true, false},
		"another family":    {provider.Spec{Kind: "openai", Model: "o4-mini"}, true, false},
		"at another server": {provider.Spec{Kind: "openai", Model: "gpt-5.4", BaseURL: "http://127.0.0.1:1/v1"}, true, false},
	} {
		m, err := openResponses(tt.spec, provider.Options{HostedToolSearch: tt.on})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Info().HostedToolSearch; got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
