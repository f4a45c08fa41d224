package provider_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/provider"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func serves(t *testing.T, path, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path || r.Method != http.MethodGet {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestDiscover(t *testing.T) {
	ollama := serves(t, "/api/tags", `{"models":[{"name":"llama3.2:latest"},{"name":"nomic-embed-text:latest"},{"name":"qwen3:8b"}]}`)
	lmstudio := serves(t, "/v1/models", `{"object":"list","data":[{"id":"gemma-3-12b"},{"id":"text-embedding-nomic"}]}`)
	llamacpp := serves(t, "/v1/models", `{"models":[{"name":"m.gguf"}],"data":[{"id":"m"}]}`)
	other := serves(t, "/v1/models", `<html>a web server</html>`)
	empty := serves(t, "/api/tags", `{"models":[]}`)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)

	began := time.Now()
	got := provider.Discover(
		t.Context(),
		provider.Place{Kind: "ollama", Title: "Ollama", BaseURL: ollama + "/v1", List: ollama + "/api/tags"},
		provider.Place{Kind: "lmstudio", Title: "LM Studio", BaseURL: lmstudio + "/v1", List: lmstudio + "/v1/models"},
		provider.Place{Kind: "llamacpp", Title: "llama.cpp", BaseURL: llamacpp + "/v1", List: llamacpp + "/v1/models"},
		provider.Place{Kind: "llamacpp", Title: "no model server", List: other + "/v1/models"},
		provider.Place{Kind: "ollama", Title: "no models", List: empty + "/api/tags"},
		provider.Place{Kind: "ollama", Title: "silent", List: silent.URL},
		provider.Place{Kind: "ollama", Title: "gone", List: "http://127.0.0.1:1/api/tags"},
		provider.Place{Kind: "ollama", Title: "no address", List: ":"},
	)
	want := []provider.Local{
		{Kind: "ollama", Title: "Ollama", BaseURL: ollama + "/v1", Models: []string{"llama3.2:latest", "qwen3:8b"}},
		{Kind: "lmstudio", Title: "LM Studio", BaseURL: lmstudio + "/v1", Models: []string{"gemma-3-12b"}},
		{Kind: "llamacpp", Title: "llama.cpp", BaseURL: llamacpp + "/v1", Models: []string{"m"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if took := time.Since(began); took > 10*provider.DiscoverTime {
		t.Errorf("it took %s although the silent server must not be waited for", took)
	}
}

// The usual places are on this machine and belong to kinds that can be opened.
func TestPlaces(t *testing.T) {
	for _, p := range provider.Places() {
		s, wire, err := provider.Spec{Kind: p.Kind, Model: "m"}.Resolve()
		if err != nil || wire != provider.WireChat || s.BaseURL != p.BaseURL {
			t.Errorf("%s: %+v, %s, %v", p.Title, s, wire, err)
		}
	}
}
