package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/openai"
	"github.com/hobkin/hobkin/core/provider/providertest/valid"
)

// toServer sends every request to a test server, whatever its address says.
type toServer struct{ *httptest.Server }

func (s toServer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host = "http", strings.TrimPrefix(s.URL, "http://")
	return http.DefaultTransport.RoundTrip(req)
}

// TestCompact: the provider's item comes back whole, goes along with the next
// request as an item of its own kind, and stays away from other providers.
func TestCompact(t *testing.T) {
	const answer = `{"id":"resp_1","object":"response.compaction","output":[{"id":"msg_1","type":"message","role":"user","content":[{"type":"input_text","text":"q"}]},` +
		`{"id":"cmp_1","type":"compaction","encrypted_content":"SECRET"}],"usage":{"input_tokens":100,"output_tokens":20,"input_tokens_details":{"cached_tokens":5}}}`
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		asked = append(asked, r.URL.Path+" "+string(b))
		if strings.HasSuffix(r.URL.Path, "/compact") {
			_, _ = io.WriteString(w, answer)
			return
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	s, _, err := provider.Spec{Kind: "openai", Model: "gpt-5"}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	m := openai.NewResponses(s, provider.Options{HTTP: &http.Client{Transport: toServer{server}}})
	if !m.Info().NativeCompaction {
		t.Error("it does not say that it can")
	}
	question := provider.Message{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "q"}}}
	item, done, err := m.Compact(t.Context(), provider.Request{System: "Be brief.", Messages: []provider.Message{question}})
	if err != nil || item.Encrypted != "SECRET" || item.Provider != "openai" || done.Usage != (provider.Usage{Input: 100, Output: 20, CachedInput: 5}) {
		t.Fatalf("got %+v, %+v, %v", item, done, err)
	}
	const want = `/v1/responses/compact {"model":"gpt-5","instructions":"Be brief.","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"q"}]}]}`
	if strings.TrimSpace(asked[0]) != want {
		t.Errorf("asked %s\nwant %s", asked[0], want)
	}
	next := []provider.Message{question, {Role: provider.RoleAssistant, Parts: []provider.Part{item, provider.Text{Text: "on"}}}, question}
	for _, err := range m.Stream(t.Context(), provider.Request{Messages: next}) {
		if err == nil {
			t.Fatal("a teapot answered")
		}
	}
	_, body, _ := strings.Cut(asked[1], " ")
	if !strings.Contains(body, `{"type":"compaction","encrypted_content":"SECRET"}`) {
		t.Errorf("the next request is %s", body)
	}
	if err := valid.Request("/v1/responses", []byte(body)); err != nil {
		t.Error(err)
	}
	if other := provider.Normalize(next, provider.Info{Provider: "anthropic"}); strings.Contains(mustJSON(t, other), "SECRET") {
		t.Error("another provider is given it")
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCompactFails(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		kind   provider.Kind
	}{
		"not there":       {404, `{"error":{"message":"no such path"}}`, provider.KindInvalid},
		"nothing in it":   {200, `{"object":"response.compaction","output":[]}`, provider.KindResponse},
		"an error within": {200, `{"error":{"code":"rate_limit_exceeded","message":"slow down"}}`, provider.KindRate},
		"no json":         {200, `{"output":`, provider.KindResponse},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.body)
		}))
		m := openai.NewResponses(provider.Spec{Name: "openai", BaseURL: "https://api.openai.com/v1", Model: "gpt-5"}, provider.Options{HTTP: &http.Client{Transport: toServer{server}}})
		_, _, err := m.Compact(context.Background(), provider.Request{Messages: []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "q"}}}}})
		var e *provider.Error
		if !errors.As(err, &e) || e.Kind != tt.kind {
			t.Errorf("%s: got %v, want %s", name, err, tt.kind)
		}
		server.Close()
	}
}
