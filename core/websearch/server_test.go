package websearch

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// An imitation is how one engine's server behaves: what it wants of a request,
// and its answers, in the shapes of its documentation.
type imitation struct {
	engine  string
	method  string
	path    string
	header  string // "Name: value" that carries the key
	params  map[string]string
	fresh   string // what a question for pages of the last week contains, in query or body
	full    string // an answer with two pages, the first with a snippet and a date
	empty   string
	refusal string // the body of a 401
	limited string // the body of a 429
}

const searchKey = "sk-test-0123456789abcdef"

func imitations() []imitation {
	return []imitation{
		{
			engine: "brave", method: "GET", path: "/web/search", header: "X-Subscription-Token: " + searchKey,
			params: map[string]string{"q": "go generics", "count": "3"}, fresh: "freshness=pw",
			full: `{"type":"search","query":{"original":"go generics","more_results_available":true},"mixed":{"type":"mixed","main":[{"type":"web","index":0,"all":false}]},
"web":{"type":"search","results":[{"title":"Tutorial: <strong>Generics</strong>","url":"https://go.dev/doc/tutorial/generics","is_source_local":false,"description":"This tutorial introduces the basics of <strong>generics</strong> in Go &amp; more.","page_age":"2024-02-01T10:00:00","profile":{"name":"Go","url":"https://go.dev"},"language":"en","family_friendly":true,"type":"search_result","subtype":"generic","age":"February 1, 2024","extra_snippets":["With generics, you can declare."]},
{"title":"Second","url":"https://example.org/second","description":"Two","type":"search_result"}],"family_friendly":true}}`,
			empty:   `{"type":"search","query":{"original":"go generics","more_results_available":false}}`,
			refusal: `{"type":"ErrorResponse","error":{"id":"1","status":422,"detail":"The provided subscription token is invalid.","meta":{"component":"authentication"},"code":"SUBSCRIPTION_TOKEN_INVALID"},"time":1}`,
			limited: `{"type":"ErrorResponse","error":{"id":"2","status":429,"detail":"Request rate limit exceeded for plan.","meta":{"plan":"Free","rate_limit":1},"code":"RATE_LIMITED"},"time":1}`,
		},
		{
			engine: "exa", method: "POST", path: "/search", header: "x-api-key: " + searchKey,
			params: map[string]string{"query": "go generics", "numResults": "3", "type": "auto"}, fresh: `"startPublishedDate":"2026-02-23T00:00:00.000Z"`,
			full:    `{"requestId":"b5947044","resolvedSearchType":"neural","results":[{"id":"https://go.dev/doc/tutorial/generics","title":"Tutorial: Generics","url":"https://go.dev/doc/tutorial/generics","publishedDate":"2024-02-01T00:00:00.000Z","author":"Go","score":0.4,"highlights":["This tutorial introduces the basics of generics in Go & more."],"highlightScores":[0.46]},{"id":"x","title":"Second","url":"https://example.org/second","publishedDate":null,"author":null}],"costDollars":{"total":0.005}}`,
			empty:   `{"requestId":"b5947044","results":[],"costDollars":{"total":0.005}}`,
			refusal: `{"requestId":"67207943","error":"Invalid API key","tag":"INVALID_API_KEY"}`,
			limited: `{"error":"You've exceeded your Exa rate limit of 5 requests per second."}`,
		},
		{
			engine: "tavily", method: "POST", path: "/search", header: "Authorization: Bearer " + searchKey,
			params: map[string]string{"query": "go generics", "max_results": "3"}, fresh: `"time_range":"week"`,
			full:    `{"query":"go generics","follow_up_questions":null,"answer":null,"images":[],"results":[{"title":"Tutorial: Generics","url":"https://go.dev/doc/tutorial/generics","content":"This tutorial introduces the basics of generics in Go & more.","score":0.81,"raw_content":null,"published_date":"2024-02-01"},{"title":"Second","url":"https://example.org/second","content":"Two","score":0.5}],"response_time":1.67,"request_id":"123e4567"}`,
			empty:   `{"query":"go generics","answer":null,"images":[],"results":[],"response_time":0.9}`,
			refusal: `{"detail":{"error":"Unauthorized: missing or invalid API key."}}`,
			limited: `{"detail":{"error":"Your request has been blocked due to excessive requests. Please reduce rate of requests."}}`,
		},
		{
			engine: "parallel", method: "POST", path: "/v1/search", header: "x-api-key: " + searchKey,
			params: map[string]string{"objective": "go generics", "mode": "basic"}, fresh: `"after_date":"2026-02-23"`,
			full:    `{"search_id":"search_e749586f","results":[{"url":"https://go.dev/doc/tutorial/generics","title":"Tutorial: Generics","publish_date":"2024-02-01","excerpts":["This tutorial introduces the basics of generics in Go & more."]},{"url":"https://example.org/second","title":"Second","publish_date":null,"excerpts":[]}],"warnings":null,"usage":[{"name":"sku_search","count":1}]}`,
			empty:   `{"search_id":"search_e749586f","results":[],"warnings":null}`,
			refusal: `{"type":"error","error":{"ref_id":"fcb2b4f3","message":"Unauthorized: invalid API key","detail":null}}`,
			limited: `{"type":"error","error":{"ref_id":"fcb2b4f4","message":"Too many requests: quota temporarily exceeded","detail":null}}`,
		},
		{
			engine: "perplexity", method: "POST", path: "/search", header: "Authorization: Bearer " + searchKey,
			params: map[string]string{"query": "go generics", "max_results": "3"}, fresh: `"search_recency_filter":"week"`,
			full:    `{"id":"e38104d5","results":[{"title":"Tutorial: Generics","url":"https://go.dev/doc/tutorial/generics","snippet":"This tutorial introduces the basics of generics in Go & more.","date":"2024-02-01","last_updated":"2025-09-25"},{"title":"Second","url":"https://example.org/second","snippet":"Two","date":null,"last_updated":null}]}`,
			empty:   `{"id":"e38104d5","results":[]}`,
			refusal: `{"error":{"message":"Invalid API key provided.","type":"invalid_api_key","code":401}}`,
			limited: `{"error":{"message":"Request rate limit exceeded, please try again later.","type":"request_rate_limit_exceeded","code":429}}`,
		},
		{
			engine: "firecrawl", method: "POST", path: "/v2/search", header: "Authorization: Bearer " + searchKey,
			params: map[string]string{"query": "go generics", "limit": "3"}, fresh: `"tbs":"qdr:w"`,
			full:    `{"success":true,"data":{"web":[{"url":"https://go.dev/doc/tutorial/generics","title":"Tutorial: Generics","description":"This tutorial introduces the basics of generics in Go & more.","position":1,"date":"2024-02-01"},{"url":"https://example.org/second","title":"Second","description":"Two","position":2}]},"creditsUsed":2}`,
			empty:   `{"success":true,"data":{"web":[]}}`,
			refusal: `{"success":false,"error":"Unauthorized: Invalid token"}`,
			limited: `{"success":false,"error":"Rate limit exceeded. Consumed (req/min): 11, Remaining (req/min): 0."}`,
		},
		{
			engine: "searxng", method: "GET", path: "/search",
			params: map[string]string{"q": "go generics", "format": "json"}, fresh: "time_range=week",
			full:  `{"query":"go generics","number_of_results":0,"results":[{"url":"https://go.dev/doc/tutorial/generics","title":"Tutorial: Generics","content":"This tutorial introduces the basics of generics in Go & more.","publishedDate":"2024-02-01T00:00:00","engine":"google","parsed_url":["https","go.dev","/doc/tutorial/generics","","",""],"engines":["google","brave"],"positions":[1,2],"score":4.0,"category":"general"},{"url":"https://example.org/second","title":"Second","content":"Two","publishedDate":null,"engine":"brave"}],"answers":[],"corrections":[],"infoboxes":[],"suggestions":["golang"],"unresponsive_engines":[["duckduckgo","CAPTCHA"]]}`,
			empty: `{"query":"go generics","number_of_results":0,"results":[],"answers":[],"corrections":[],"infoboxes":[],"suggestions":[],"unresponsive_engines":[]}`, refusal: `<html>403 Forbidden</html>`, limited: `Too Many Requests`,
		},
		{
			engine: "jina", method: "GET", path: "/", header: "Authorization: Bearer " + searchKey,
			params:  map[string]string{"q": "go generics"},
			full:    `{"code":200,"status":20000,"data":[{"title":"Tutorial: Generics","url":"https://go.dev/doc/tutorial/generics","description":"This tutorial introduces the basics of generics in Go & more.","date":"2024-02-01","content":"","usage":{"tokens":1000}},{"title":"Second","url":"https://example.org/second","description":"Two","usage":{"tokens":1000}}],"meta":{"usage":{"tokens":10000}}}`,
			empty:   `{"code":200,"status":20000,"data":[],"meta":{}}`,
			refusal: `{"data":null,"path":"","code":401,"name":"AuthenticationRequiredError","status":40103,"message":"Authentication is required to use this endpoint.","readableMessage":"AuthenticationRequiredError: Authentication is required to use this endpoint."}`,
			limited: `{"data":null,"code":429,"name":"RateLimitTriggeredError","status":42903,"message":"Per IP rate limit exceeded (20 RPM)"}`,
		},
		{
			engine: "duckduckgo", method: "GET", path: "/html/",
			params: map[string]string{"q": "go generics"}, fresh: "df=w",
			full: `<!DOCTYPE html><html><body class="body--html"><div id="links" class="results">
<div class="result results_links results_links_deep result--ad"><h2 class="result__title"><a rel="nofollow" class="result__a" href="https://duckduckgo.com/y.js?ad_domain=shop.example&amp;u3=x">Buy generics</a></h2></div>
<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body"><h2 class="result__title">
<a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fgo.dev%2Fdoc%2Ftutorial%2Fgenerics&amp;rut=8d69">Tutorial: Generics</a></h2>
<a class="result__snippet" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fgo.dev%2Fdoc%2Ftutorial%2Fgenerics&amp;rut=8d69">This tutorial introduces the basics of <b>generics</b> in Go &amp; more.</a></div></div>
<div class="result results_links web-result"><h2><a class="result__a" href="https://example.org/second">Second</a></h2><a class="result__snippet">Two</a></div></div></body></html>`,
			empty:   `<html><body><div id="links" class="results"><div class="result results_links result--no-result"><div class="no-results">No results found for <b>go generics</b></div></div></div></body></html>`,
			refusal: `<html>403</html>`, limited: `<html>429</html>`,
		},
		{
			engine: "openai", method: "POST", path: "/responses", header: "Authorization: Bearer " + searchKey,
			params: map[string]string{"model": "gpt-5-mini"},
			full: `{"id":"resp_1","object":"response","status":"completed","output":[{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"go generics","sources":[{"type":"url","url":"https://go.dev/doc/tutorial/generics"},{"type":"url","url":"https://example.org/second"}]}},
{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"- This tutorial introduces the basics of generics in Go & more. ([go.dev](https://go.dev))","annotations":[{"type":"url_citation","start_index":65,"end_index":90,"url":"https://go.dev/doc/tutorial/generics?utm_source=openai","title":"Tutorial: Generics"}]}]}],"usage":{}}`,
			empty:   `{"id":"resp_1","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Nothing found.","annotations":[]}]}]}`,
			refusal: `{"error":{"message":"Incorrect API key provided: sk-test-*****cdef.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			limited: `{"error":{"message":"Rate limit reached for gpt-5-mini","type":"requests","code":"rate_limit_exceeded"}}`,
		},
		{
			engine: "anthropic", method: "POST", path: "/v1/messages", header: "x-api-key: " + searchKey,
			params: map[string]string{"model": "gpt-5-mini"},
			full: `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"I'll search."},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"go generics"}},
{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://go.dev/doc/tutorial/generics","title":"Tutorial: Generics","encrypted_content":"Eqg=","page_age":"2024-02-01"},{"type":"web_search_result","url":"https://example.org/second","title":"Second","encrypted_content":"Eqh=","page_age":null}]},
{"type":"text","text":"Generics came.","citations":[{"type":"web_search_result_location","url":"https://go.dev/doc/tutorial/generics","title":"Tutorial: Generics","encrypted_index":"Eo8=","cited_text":"This tutorial introduces the basics of generics in Go & more."}]}],"stop_reason":"end_turn","usage":{"server_tool_use":{"web_search_requests":1}}}`,
			empty:   `{"id":"msg_1","type":"message","content":[{"type":"web_search_tool_result","tool_use_id":"x","content":[]}],"stop_reason":"end_turn"}`,
			refusal: `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`,
			limited: `{"type":"error","error":{"type":"rate_limit_error","message":"Number of request tokens has exceeded your rate limit"}}`,
		},
	}
}

// serve plays the engine's server: it checks what it is asked and answers.
func (im imitation) serve(t *testing.T, answer http.HandlerFunc) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != im.method || r.URL.Path != im.path {
			t.Errorf("%s: asked with %s %s, want %s %s", im.engine, r.Method, r.URL.Path, im.method, im.path)
		}
		if name, value, ok := strings.Cut(im.header, ": "); ok && r.Header.Get(name) != value {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(im.refusal))
			return
		}
		got := map[string]any{}
		if r.Method == http.MethodPost {
			if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
				t.Errorf("%s: the body is no JSON: %v", im.engine, err)
			}
		}
		for k, want := range im.params {
			v := r.URL.Query().Get(k)
			if r.Method == http.MethodPost {
				v = text(got[k])
			}
			if v != want {
				t.Errorf("%s: %s is %q, want %q", im.engine, k, v, want)
			}
		}
		raw, _ := json.Marshal(got)
		w.Header().Set("Asked", r.URL.RawQuery+string(raw))
		answer(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	raw, _ := json.Marshal(v)
	return string(raw)
}
