package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/websearch"
)

// engines sets up one engine after the other, each on a server of its own.
func (b *bench) engines(names []string, answers ...http.HandlerFunc) {
	b.Helper()
	var list []*websearch.Engine
	for i, name := range names {
		srv := httptest.NewServer(answers[i])
		b.Cleanup(srv.Close)
		e, err := websearch.Open(name, websearch.Options{Client: srv.Client(), BaseURL: srv.URL, Key: func(context.Context) (string, error) { return "key", nil }})
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, e)
	}
	b.host.Engines = func(string) ([]*websearch.Engine, error) { return list, nil }
}

const (
	tavilyPages = `{"results":[{"title":"One","url":"https://a.example/1","content":"First"},{"title":"Two","url":"https://a.example/2","content":"Second"},{"title":"One again","url":"https://A.example/1#x","content":""},{"title":"Script","url":"javascript:x","content":""}]}`
	duckPages   = `<div id="links"><div class="result"><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fb.example%2F">Duck</a></div></div>`
)

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

func TestSearch(t *testing.T) {
	both := []string{"tavily", "duckduckgo"}
	cases := map[string]struct {
		first, second http.HandlerFunc
		want          []string
		summary       string
	}{
		"the first answers":  {send("application/json", tavilyPages), status(500, ""), []string{"1. One\n   https://a.example/1\n   First\n2. Two\n   https://a.example/2", "(Tavily answered)"}, "2 found"},
		"it is over limit":   {status(429, `{"detail":{"error":"slow down"}}`), send("text/html", duckPages), []string{"https://b.example/", "(Tavily failed: too many requests (status 429): slow down; DuckDuckGo answered)"}, "1 found by DuckDuckGo instead of Tavily"},
		"its key is refused": {status(401, `{}`), send("text/html", duckPages), []string{"Tavily failed: its key was not accepted (status 401)"}, "1 found by DuckDuckGo instead of Tavily"},
		"it makes no sense":  {send("text/html", "<html>"), send("text/html", duckPages), []string{"Tavily failed: its answer could not be understood"}, "1 found by DuckDuckGo instead of Tavily"},
		"it found nothing":   {send("application/json", `{"results":[]}`), status(500, ""), []string{`Nothing was found for "two words"`, "(Tavily answered)"}, "0 found"},
	}
	for name, c := range cases {
		b := newBench(t, nil)
		b.engines(both, c.first, c.second)
		r := b.ok("web_search", `{"query": " two\n words "}`)
		for _, want := range c.want {
			if !strings.Contains(r.Text, want) {
				t.Errorf("%s: the result lacks %q:\n%s", name, want, r.Text)
			}
		}
		if r.Summary != c.summary || strings.Contains(r.Text, "javascript:") || strings.Contains(r.Text, "One again") {
			t.Errorf("%s: %s\n%s", name, r.Summary, r.Text)
		}
	}
}

func TestSearchFails(t *testing.T) {
	b := newBench(t, nil)
	third := 0
	b.engines([]string{"tavily", "duckduckgo", "exa"}, status(503, ""), status(429, ""), func(http.ResponseWriter, *http.Request) { third++ })
	u := b.fails("web_search", `{"query": "x"}`, "search_failed")
	if !strings.Contains(u.Message, "Tavily failed: it is out of order") || !strings.Contains(u.Message, "DuckDuckGo failed: too many requests") || !strings.Contains(u.Try, "7s") || third != 0 {
		t.Errorf("got %v, %s; the third was asked %d times", u, u.Try, third)
	}
	b.host.Engines = func(string) ([]*websearch.Engine, error) { return nil, errors.New("broken settings") }
	b.fails("web_search", `{"query": "x"}`, "search_failed")
	b.host.Engines = func(string) ([]*websearch.Engine, error) { return nil, nil }
	b.fails("web_search", `{"query": "x"}`, "search_failed")
	b.fails("web_search", `{"query": "x", "count": 0}`, "bad_input")
	b.fails("web_search", `{"query": "x", "provider": "altavista"}`, "bad_input")
}

func TestSearchArguments(t *testing.T) {
	b := newBench(t, nil)
	asked := ""
	b.engines([]string{"jina"}, func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.RawQuery
		_, _ = w.Write([]byte(`{"code":200,"data":[` + strings.Repeat(`{"title":"x","url":"https://a.example/1"},`, 3) + `{"title":"y","url":"https://a.example/2"},{"title":"z","url":"https://a.example/3"}]}`))
	})
	r := b.ok("web_search", `{"query": "a&b=c", "count": 2, "freshness": "week"}`)
	if asked != "q=a%26b%3Dc" || !strings.Contains(r.Text, "Jina cannot be asked for pages of a certain age; they may be older than a week") || strings.Contains(r.Text, "https://a.example/3") {
		t.Errorf("asked %s, got %s", asked, r.Text)
	}
	wanted := ""
	engines := b.host.Engines
	b.host.Engines = func(name string) ([]*websearch.Engine, error) { wanted = name; return engines(name) }
	b.ok("web_search", `{"query": "x", "provider": "hosted"}`)
	if wanted != "hosted" {
		t.Errorf("the provider is %q", wanted)
	}
}

func TestSearchIsCancelled(t *testing.T) {
	b := newBench(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	b.engines([]string{"tavily", "duckduckgo"}, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice that the client is gone
		cancel()
		<-r.Context().Done()
	}, send("text/html", duckPages))
	if o := b.run(ctx, "web_search", `{"query": "x"}`); !errors.Is(o.Err, capability.Cancelled) {
		t.Errorf("got %v", o.Err)
	}
}

// The names that the schema offers are the engines that there are.
func TestProviders(t *testing.T) {
	for _, c := range Tools.Bind(&Host{}) {
		if c.Name != "web_search" {
			continue
		}
		for _, name := range append(websearch.Names(), "hosted") {
			if !strings.Contains(string(c.Parameters), `"`+name+`"`) {
				t.Errorf("%s is not offered: %s", name, c.Parameters)
			}
		}
	}
}
