package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
)

// testKey is the key that subjects send. It must not come up in any message.
const testKey = "sk-test-0123456789abcdef"

// A Subject is a wire format under test.
type Subject struct {
	Open func(s provider.Spec, o provider.Options) (provider.Model, error)
	Spec provider.Spec // Kind and Model; the suite adds the rest

	// Stream writes an answer in the format, piece by piece: the last one ends it.
	Stream func(t Turn) []string
	// Fault writes an error that comes within a stream.
	Fault string
}

// A Turn is an answer to be written in a wire format.
type Turn struct {
	Thought string
	Text    string
	Calls   []provider.ToolCall
	Usage   provider.Usage // Input, Output and CachedInput
}

// Stop is how the turn ends.
func (t Turn) Stop() provider.Stop {
	if len(t.Calls) > 0 {
		return provider.StopTools
	}
	return provider.StopEnd
}

// Suite is the contract of [provider.Model] for one that speaks over HTTP.
func Suite(t *testing.T, s Subject) {
	t.Helper()
	t.Run("whole answers", s.wholeAnswers)
	t.Run("any history", s.anyHistory)
	t.Run("side by side", s.sideBySide)
	t.Run("caller stops reading", s.callerStops)
	t.Run("cancelled before", s.cancelledBefore)
	t.Run("cancelled within", s.cancelledWithin)
	t.Run("keys", s.keys)
	t.Run("rude providers", s.rude)
	t.Run("requests too large", s.tooLarge)
	t.Run("redirects", s.redirects)
}

// serve starts a provider and opens the model behind it.
func (s Subject) serve(t *testing.T, o provider.Options, h http.HandlerFunc) provider.Model {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	o.HTTP = server.Client()
	return s.open(t, server.URL, o)
}

func (s Subject) open(t *testing.T, base string, o provider.Options) provider.Model {
	t.Helper()
	spec := s.Spec
	spec.Name, spec.BaseURL = "acme", base
	spec.Key = func(context.Context) (string, error) { return testKey, nil }
	m, err := s.Open(spec, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Info(); got.Provider != "acme" || got.Model != spec.Model || got.Window <= 0 || got.Title == "" {
		t.Errorf("info: %+v", got)
	}
	return m
}

// write sends the pieces as a stream, each at once.
func write(w http.ResponseWriter, pieces ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, p := range pieces {
		_, _ = io.WriteString(w, p) // the client may be gone
		w.(http.Flusher).Flush()
	}
}

func question(s string) provider.Request {
	return provider.Request{Messages: []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: s}}}}}
}

func (s Subject) wholeAnswers(t *testing.T) {
	usage := provider.Usage{Input: 100, Output: 20, CachedInput: 30}
	one := provider.ToolCall{ID: "call_1", Name: "file_read", Args: `{"path":"a.txt"}`}
	two := provider.ToolCall{ID: "call_2", Name: "file_write", Args: `{"path":"b","text":"1\n\"2\"\u00e9"}`}
	for name, turn := range map[string]Turn{
		"text":     {Text: "Hello, 世界.\nBye.", Usage: usage},
		"call":     {Calls: []provider.ToolCall{one}, Usage: usage},
		"all":      {Thought: "Let me see.\n", Text: "I look.", Calls: []provider.ToolCall{one, two}, Usage: usage},
		"no usage": {Text: "Hi"},
	} {
		t.Run(name, func(t *testing.T) {
			m := s.serve(t, provider.Options{}, func(w http.ResponseWriter, _ *http.Request) { write(w, s.Stream(turn)...) })
			got := Collect(t.Context(), m, question("go"))
			want := Heard{
				Text: turn.Text, Reasoning: turn.Thought, Calls: turn.Calls, Stop: turn.Stop(), Usage: turn.Usage, Model: s.Spec.Model,
			}
			h := got.Heard()
			h.Opaque = nil
			if diff := cmp.Diff(want.sorted(), h); diff != "" || got.Err != nil {
				t.Errorf("error %v, (-want +got)\n%s", got.Err, diff)
			}
			if got.Text != turn.Text || got.Reasoning != turn.Thought || got.After != 0 {
				t.Errorf("shown: %q, %q; %d events after the end", got.Text, got.Reasoning, got.After)
			}
		})
	}
}

// anyHistory sends what a damaged session may hold.
func (s Subject) anyHistory(t *testing.T) {
	var body atomic.Value
	m := s.serve(t, provider.Options{}, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body.Store(r.URL.Path + "\n" + string(b))
		write(w, s.Stream(Turn{Text: "ok"})...)
	})
	got := Collect(t.Context(), m, provider.Request{
		System: "Be brief.",
		Messages: []provider.Message{
			{Role: provider.RoleTool, Parts: []provider.Part{provider.ToolResult{CallID: "lost", Text: "orphan"}}},
			{Role: provider.RoleAssistant, Parts: []provider.Part{
				provider.Reasoning{Text: "foreign", Signature: "sig", Provider: "other"},
				provider.ToolCall{ID: "a", Name: "file_read", Args: `{"path": "x`},
				provider.ToolCall{ID: "a", Name: "no such tool!", Args: ""},
			}},
			{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{}, provider.Text{Text: "and \xff now?"}, provider.Image{MIME: "image/png"}}},
		},
		Tools: []provider.Tool{{Name: "file_read", Parameters: json.RawMessage(`{"oneOf":[{"properties":{"path":{"type":"string"}}}]}`)}},
	})
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	path, raw, _ := strings.Cut(body.Load().(string), "\n")
	asked, err := ParseAsked(path, raw)
	if err != nil {
		t.Fatal(err)
	}
	calls, results := asked.Of("call"), asked.Of("result")
	if len(calls) != 2 || len(results) != 2 || calls[0].ID == calls[1].ID || calls[0].ID != results[0].ID || calls[1].ID != results[1].ID {
		t.Errorf("calls %+v, results %+v", calls, results)
	}
	if asked.System != "Be brief." || asked.Entries[0].Role != "user" || len(asked.Of("reasoning")) != 0 ||
		strings.Contains(raw, "orphan") || strings.Contains(raw, "oneOf") || !strings.Contains(raw, "interrupted") {
		t.Errorf("request: %s", raw)
	}
}

// sideBySide uses one model from many goroutines: it keeps nothing between calls.
func (s Subject) sideBySide(t *testing.T) {
	m := s.serve(t, provider.Options{}, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		for word := range strings.FieldsSeq(strings.Map(letters, string(b))) {
			if strings.HasPrefix(word, "question") {
				write(w, s.Stream(Turn{Text: "answer to " + word})...)
			}
		}
	})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			q := "question" + string(rune('a'+i))
			if got := Collect(t.Context(), m, question(q)); got.Err != nil || got.Text != "answer to "+q {
				t.Errorf("%s: got %q, %v", q, got.Text, got.Err)
			}
		})
	}
	wg.Wait()
}

func letters(r rune) rune {
	if 'a' <= r && r <= 'z' {
		return r
	}
	return ' '
}

// hanging answers with the first pieces of a turn and then nothing. gone is
// closed when the client has left.
func (s Subject) hanging(gone chan struct{}, pieces int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then is the client's leaving seen
		all := s.Stream(Turn{Text: "some text to be shown"})
		if pieces > 0 {
			write(w, all[:min(pieces, len(all)-1)]...)
		}
		<-r.Context().Done()
		if gone != nil {
			close(gone)
		}
	}
}

func (s Subject) callerStops(t *testing.T) {
	gone := make(chan struct{})
	m := s.serve(t, provider.Options{}, s.hanging(gone, 99))
	for e, err := range m.Stream(t.Context(), question("go")) {
		if _, ok := e.(provider.TextDelta); !ok || err != nil {
			t.Fatalf("got %#v, %v", e, err)
		}
		break
	}
	await(t, gone)
}

func (s Subject) cancelledBefore(t *testing.T) {
	m := s.serve(t, provider.Options{}, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := Collect(ctx, m, question("go")); !errors.Is(got.Err, context.Canceled) || got.After != 0 {
		t.Errorf("got %+v", got)
	}
}

func (s Subject) cancelledWithin(t *testing.T) {
	gone := make(chan struct{})
	m := s.serve(t, provider.Options{}, s.hanging(gone, 99))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for e, err := range m.Stream(ctx, question("go")) {
		if _, ok := e.(provider.TextDelta); ok {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", last)
	}
	await(t, gone)
}

// keys that cannot be had end the request before it is made; a missing one is
// named when the provider wants it.
func (s Subject) keys(t *testing.T) {
	locked := errors.New("locked")
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	for name, tc := range map[string]struct {
		key   func(context.Context) (string, error)
		says  string
		asked int32
	}{
		"locked": {func(context.Context) (string, error) { return "", locked }, "its key could not be read", 0},
		"none":   {nil, "it wants a key and none is set", 1},
	} {
		asked.Store(0)
		spec := s.Spec
		spec.Name, spec.BaseURL, spec.Key = "acme", server.URL, tc.key
		m, err := s.Open(spec, provider.Options{HTTP: server.Client()})
		if err != nil {
			t.Fatal(err)
		}
		e := failure(t, Collect(t.Context(), m, question("go")), provider.KindAuth)
		if e.Message != tc.says || asked.Load() != tc.asked || (tc.asked == 0) != errors.Is(e, locked) {
			t.Errorf("%s: %q after %d requests, cause %v", name, e.Message, asked.Load(), e.Err)
		}
	}
}

func await(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the request was not ended")
	}
}
