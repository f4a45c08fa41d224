package aimock_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/connect"
	"github.com/hobkin/hobkin/core/provider/providertest"
	"github.com/hobkin/hobkin/test/aimock"
)

const fixtures = `{"fixtures": [
  {"match": {"userMessage": "say hello"}, "response": {"content": "Hello from the mock, in more than one piece. Olá, 世界!"}},
  {"match": {"userMessage": "think", "hasToolResult": false}, "response": {"content": "Forty-two.", "reasoning": "Six times seven, I suppose."}},
  {"match": {"userMessage": "read one", "hasToolResult": false}, "response": {"toolCalls": [{"id": "call_one", "name": "file_read", "arguments": {"path": "notes.txt"}}]}},
  {"match": {"userMessage": "read one", "hasToolResult": true, "toolResultContains": "alpha"}, "response": {"content": "It says alpha."}},
  {"match": {"userMessage": "read both", "hasToolResult": false}, "response": {"content": "I read both.", "toolCalls": [
    {"id": "call_a", "name": "file_read", "arguments": {"path": "a.txt"}}, {"id": "call_b", "name": "file_read", "arguments": {"path": "b.txt"}}]}},
  {"match": {"userMessage": "read both", "hasToolResult": true}, "response": {"content": "Alpha and beta."}},
  {"match": {"userMessage": "busy", "sequenceIndex": 0}, "response": {"error": {"message": "Slow down", "type": "rate_limit_error"}, "status": 429, "retryAfter": 1}},
  {"match": {"userMessage": "busy", "sequenceIndex": 1}, "response": {"content": "Now."}},
  {"match": {"userMessage": "break off"}, "chunkSize": 4, "latency": 20, "response": {"content": "This answer is cut before it is whole, as happens on a bad network."}, "truncateAfterChunks": 9}
]}`

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestModels asks an independent mock in each format what an agent asks a
// model, and looks into its journal for what arrived.
func TestModels(t *testing.T) {
	address := aimock.Start(t, fixtures)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	for kind, spec := range map[string]provider.Spec{
		"openai_chat":      {BaseURL: address + "/v1", Model: "gpt-5-mini"},
		"openai_responses": {BaseURL: address + "/v1", Model: "gpt-5"},
		"anthropic":        {BaseURL: address, Model: "claude-sonnet-4-5"},
	} {
		t.Run(kind, func(t *testing.T) {
			spec.Kind = kind
			spec.Headers = map[string]string{"X-Test-Id": kind} // the mock counts for each
			spec.Key = func(context.Context) (string, error) { return "test-key", nil }
			m, err := connect.Open(spec, provider.Options{HTTP: client})
			if err != nil {
				t.Fatal(err)
			}
			h := host{t: t, model: m, address: address}
			t.Run("text", h.text)
			t.Run("reasoning", h.reasoning)
			t.Run("one call", h.oneCall)
			t.Run("two calls", h.twoCalls)
			t.Run("too many requests", h.busy)
			t.Run("cut stream", h.cut)
		})
	}
}

type host struct {
	t       *testing.T
	model   provider.Model
	address string
}

var fileRead = provider.Tool{
	Name: "file_read", Description: "Reads a file.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
}

func said(s string) provider.Message {
	return provider.Message{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: s}}}
}

func (h host) ask(t *testing.T, messages ...provider.Message) providertest.Collected {
	t.Helper()
	return providertest.Collect(t.Context(), h.model, provider.Request{
		System: "You are a test.", Messages: messages, Tools: []provider.Tool{fileRead}, Effort: "low",
	})
}

// arrived is the last request in the journal, as Chat Completions would put it.
func (h host) arrived(t *testing.T) providertest.Asked {
	t.Helper()
	entries := aimock.Journal(t, h.address)
	last := entries[len(entries)-1]
	if last.Headers["authorization"]+last.Headers["x-api-key"] == "" { // the mock does not keep what is in them
		t.Errorf("no key arrived: %v", last.Headers)
	}
	a, err := providertest.ParseAsked("/chat/completions", string(last.Body))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (h host) text(t *testing.T) {
	got := h.ask(t, said("say hello"))
	const want = "Hello from the mock, in more than one piece. Olá, 世界!"
	if got.Err != nil || got.Text != want || got.Heard().Text != want || got.Done.Stop != provider.StopEnd {
		t.Errorf("got %+v", got)
	}
	a := h.arrived(t)
	if a.System != "You are a test." || a.Model != h.model.Info().Model || len(a.Tools) != 1 {
		t.Errorf("arrived: %+v", a)
	}
}

func (h host) reasoning(t *testing.T) {
	got := h.ask(t, said("think"))
	if got.Err != nil || got.Text != "Forty-two." || got.Reasoning != "Six times seven, I suppose." || got.Heard().Reasoning != got.Reasoning {
		t.Errorf("got %+v", got)
	}
}

func (h host) oneCall(t *testing.T) {
	first := h.ask(t, said("read one"))
	calls := first.Heard().Calls
	if first.Err != nil || len(calls) != 1 || calls[0].Name != "file_read" || calls[0].Args != `{"path":"notes.txt"}` || first.Done.Stop != provider.StopTools {
		t.Fatalf("got %+v", first)
	}
	second := h.ask(t, said("read one"), first.Message(), provider.Message{Role: provider.RoleTool, Parts: []provider.Part{
		provider.ToolResult{CallID: calls[0].ID, Name: "file_read", Text: "alpha"},
	}})
	if second.Err != nil || second.Text != "It says alpha." || second.Done.Stop != provider.StopEnd {
		t.Errorf("got %+v", second)
	}
}

func (h host) twoCalls(t *testing.T) {
	first := h.ask(t, said("read both"))
	calls := first.Heard().Calls
	if first.Err != nil || first.Text != "I read both." || len(calls) != 2 || calls[0].ID == calls[1].ID || first.Done.Stop != provider.StopTools {
		t.Fatalf("got %+v", first)
	}
	second := h.ask(t, said("read both"), first.Message(), provider.Message{Role: provider.RoleTool, Parts: []provider.Part{
		provider.ToolResult{CallID: calls[0].ID, Name: "file_read", Text: "alpha"},
		provider.ToolResult{CallID: calls[1].ID, Name: "file_read", Text: "no such file", Failed: true},
	}})
	if second.Err != nil || second.Text != "Alpha and beta." {
		t.Errorf("got %+v", second)
	}
	want := []providertest.Entry{
		{Role: "user", Kind: "text", Text: "read both"},
		{Role: "assistant", Kind: "text", Text: "I read both."},
		{Role: "assistant", Kind: "call", ID: calls[0].ID, Name: "file_read", Text: `{"path":"a.txt"}`},
		{Role: "assistant", Kind: "call", ID: calls[1].ID, Name: "file_read", Text: `{"path":"b.txt"}`},
		{Role: "tool", Kind: "result", ID: calls[0].ID, Text: "alpha"},
		{Role: "tool", Kind: "result", ID: calls[1].ID, Text: "no such file"},
	}
	if diff := cmp.Diff(want, h.arrived(t).Entries); diff != "" {
		t.Errorf("(-want +arrived)\n%s", diff)
	}
}

func (h host) busy(t *testing.T) {
	var told []provider.Retrying
	patient := provider.Retry(h.model, provider.RetryPolicy{First: time.Millisecond, Notify: func(r provider.Retrying) { told = append(told, r) }})
	got := providertest.Collect(t.Context(), patient, provider.Request{Messages: []provider.Message{said("busy")}})
	if got.Err != nil || got.Text != "Now." {
		t.Fatalf("got %+v", got)
	}
	if len(told) != 1 || told[0].Err.Kind != provider.KindRate || told[0].Err.Status != 429 || told[0].Wait < time.Second {
		t.Errorf("told %+v, want one wait of the second that was asked for", told)
	}
}

func (h host) cut(t *testing.T) {
	got := h.ask(t, said("break off"))
	pe, ok := errors.AsType[*provider.Error](got.Err)
	if !ok || pe.Kind != provider.KindNetwork || got.Done != nil || pe.Try == "" {
		t.Errorf("got %+v, want a network failure", got)
	}
	if !strings.HasPrefix("This answer is cut before it is whole, as happens on a bad network.", got.Text) {
		t.Errorf("text %q", got.Text)
	}
}
