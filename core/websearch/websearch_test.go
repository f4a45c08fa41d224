package websearch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/webapi"
)

func key(context.Context) (string, error) { return searchKey, nil }

// now is when the tests ask: 2 March 2026.
func now() time.Time { return time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC) }

func (im imitation) open(t *testing.T, client *http.Client, base string) *Engine {
	t.Helper()
	e, err := Open(im.engine, Options{Client: client, BaseURL: base, Key: key, Model: "gpt-5-mini", Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// send answers with a body as the engine's server would.
func send(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestEngines(t *testing.T) {
	for _, im := range imitations() {
		t.Run(im.engine, func(t *testing.T) {
			asked := ""
			srv := im.serve(t, func(w http.ResponseWriter, r *http.Request) {
				asked = w.Header().Get("Asked")
				send(200, im.full)(w, r)
			})
			e := im.open(t, srv.Client(), srv.URL+"/")
			hits, err := e.Search(t.Context(), Query{Text: "go generics", Count: 3, Freshness: "week"})
			if err != nil {
				t.Fatal(err)
			}
			if len(hits) != 2 {
				t.Fatalf("got %d hits: %+v", len(hits), hits)
			}
			h := hits[0]
			if h.Title != "Tutorial: Generics" || h.URL != "https://go.dev/doc/tutorial/generics" || !strings.HasPrefix(h.Snippet, "This tutorial introduces the basics of generics in Go & more.") {
				t.Errorf("got %+v", h)
			}
			if im.engine != "duckduckgo" && im.engine != "openai" && h.Date != "2024-02-01" {
				t.Errorf("the date is %q", h.Date)
			}
			if hits[1].URL != "https://example.org/second" {
				t.Errorf("got %+v", hits[1])
			}
			if e.Ageless() != (im.fresh == "") || !strings.Contains(asked, im.fresh) {
				t.Errorf("asked for the last week with %s", asked)
			}
		})
	}
}

func TestEngineFailures(t *testing.T) {
	for _, im := range imitations() {
		cases := map[string]struct {
			status       int
			body, header string
			kind         webapi.Kind
		}{
			"rate limit":  {429, im.limited, "Retry-After: 30", webapi.KindRate},
			"quota":       {402, `{"error":"Payment required"}`, "X: y", webapi.KindQuota},
			"down":        {503, "<html>Service Unavailable</html>", "X: y", webapi.KindDown},
			"wrong place": {404, `{"message":"Not Found"}`, "X: y", webapi.KindSetup},
			"bad query":   {422, `{"detail":[{"loc":["body"],"msg":"query too long"}]}`, "X: y", webapi.KindRequest},
			"no JSON":     {200, "<html><body>Welcome</body></html>", "X: y", webapi.KindAnswer},
			"other JSON":  {200, `{"hello":"world"}`, "X: y", webapi.KindAnswer},
			"wrong types": {200, `{"results":"none","web":7,"data":true,"output":{},"content":"x","success":true,"code":200}`, "X: y", webapi.KindAnswer},
			"cut off":     {200, im.full[:len(im.full)/2], "X: y", webapi.KindAnswer},
			"nothing":     {200, "", "X: y", webapi.KindAnswer},
		}
		for name, c := range cases {
			if im.engine == "duckduckgo" && name == "cut off" {
				continue // half a page is a page with fewer hits
			}
			srv := im.serve(t, send(c.status, c.body, c.header))
			_, err := im.open(t, srv.Client(), srv.URL).Search(t.Context(), Query{Text: "go generics", Count: 3})
			f, ok := errors.AsType[*Error](err)
			if !ok || f.Kind != c.kind || f.Service == "" || strings.Contains(f.Error(), searchKey) {
				t.Errorf("%s, %s: got %v, want a failure of kind %s", im.engine, name, err, c.kind)
				continue
			}
			if name == "rate limit" && (f.RetryAfter != 30*time.Second || !strings.Contains(f.Try, "30s")) {
				t.Errorf("%s: the wait is %s, the advice %q", im.engine, f.RetryAfter, f.Try)
			}
		}
	}
}

func TestEngineEmpty(t *testing.T) {
	for _, im := range imitations() {
		srv := im.serve(t, send(200, im.empty))
		hits, err := im.open(t, srv.Client(), srv.URL).Search(t.Context(), Query{Text: "go generics", Count: 3})
		if err != nil || len(hits) != 0 {
			t.Errorf("%s: got %v, %v", im.engine, hits, err)
		}
	}
}

func TestEngineKeys(t *testing.T) {
	for _, im := range imitations() {
		srv := im.serve(t, send(200, im.full))
		for name, key := range map[string]func(context.Context) (string, error){
			"none":     nil,
			"missing":  func(context.Context) (string, error) { return "", errors.New("no such secret") },
			"wrong":    func(context.Context) (string, error) { return "sk-other", nil },
			"unusable": func(context.Context) (string, error) { return "sk\nx", nil },
		} {
			e, err := Open(im.engine, Options{Client: srv.Client(), BaseURL: srv.URL, Key: key, Model: "gpt-5-mini"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.Search(t.Context(), Query{Text: "go generics", Count: 3})
			if keyless := im.header == ""; keyless && (name == "none" || name == "wrong") {
				if err != nil {
					t.Errorf("%s without a key: %v", im.engine, err)
				}
				continue
			}
			if f, ok := errors.AsType[*Error](err); !ok || f.Kind != webapi.KindKey {
				t.Errorf("%s, key %s: got %v", im.engine, name, err)
			}
		}
	}
}

// The page that DuckDuckGo shows to who asks too often comes with a good status.
func TestDuckDuckGoPuzzle(t *testing.T) {
	im := imitations()[8]
	srv := im.serve(t, send(202, `<html><body><form id="challenge-form" action="//duckduckgo.com/anomaly.js"><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form></body></html>`))
	_, err := im.open(t, srv.Client(), srv.URL).Search(t.Context(), Query{Text: "go generics", Count: 3})
	if f, ok := errors.AsType[*Error](err); !ok || f.Kind != webapi.KindRate || f.Service != "DuckDuckGo" || f.Try == "" {
		t.Errorf("got %v", err)
	}
}

// A SearXNG whose engines all failed has not found nothing.
func TestSearXNGWithoutEngines(t *testing.T) {
	im := imitations()[6]
	srv := im.serve(t, send(200, `{"query":"go generics","results":[],"unresponsive_engines":[["google","timeout"],["brave","too many requests"]]}`))
	_, err := im.open(t, srv.Client(), srv.URL).Search(t.Context(), Query{Text: "go generics", Count: 3})
	if f, ok := errors.AsType[*Error](err); !ok || f.Kind != webapi.KindDown || !strings.Contains(f.Message, "google, brave") {
		t.Errorf("got %v", err)
	}
	_, err = im.open(t, srv.Client(), "").Search(t.Context(), Query{Text: "go generics", Count: 3})
	if f, ok := errors.AsType[*Error](err); !ok || f.Kind != webapi.KindSetup || !strings.Contains(f.Try, "web.search.searxng.base_url") {
		t.Errorf("without an address: got %v", err)
	}
}

func TestAnthropicFault(t *testing.T) {
	im := imitations()[10]
	srv := im.serve(t, send(200, `{"content":[{"type":"web_search_tool_result","tool_use_id":"x","content":{"type":"web_search_tool_result_error","error_code":"too_many_requests"}}]}`))
	_, err := im.open(t, srv.Client(), srv.URL).Search(t.Context(), Query{Text: "go generics", Count: 3})
	if f, ok := errors.AsType[*Error](err); !ok || f.Kind != webapi.KindRate {
		t.Errorf("got %v", err)
	}
}

func TestSearchIsCancelled(t *testing.T) {
	im := imitations()[2]
	began := make(chan struct{})
	srv := im.serve(t, func(_ http.ResponseWriter, r *http.Request) { close(began); <-r.Context().Done() })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := im.open(t, srv.Client(), srv.URL).Search(ctx, Query{Text: "go generics", Count: 3}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestSearchBounds(t *testing.T) {
	im := imitations()[2]
	srv := im.serve(t, send(200, `{"results":[`+strings.Repeat(`{"title":"x","url":"https://example.org"},`, 120_000)))
	_, err := im.open(t, srv.Client(), srv.URL).Search(t.Context(), Query{Text: "go generics", Count: 3})
	if f, ok := errors.AsType[*Error](err); !ok || f.Kind != webapi.KindAnswer || !strings.Contains(f.Message, "larger than 4 MB") {
		t.Errorf("got %v", err)
	}
	if _, err := Open("altavista", Options{}); err == nil || !strings.Contains(err.Error(), "altavista") {
		t.Errorf("an unknown engine: got %v", err)
	}
}
