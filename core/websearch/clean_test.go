package websearch

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestClean(t *testing.T) {
	cases := map[string]struct {
		urls []string
		want []string
	}{
		"direct":            {[]string{"https://a.example/x", "http://b.example:8080/"}, []string{"https://a.example/x", "http://b.example:8080/"}},
		"DuckDuckGo's link": {[]string{"//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fx%3Fy%3D1&rut=9"}, []string{"https://a.example/x?y=1"}},
		"link in a link":    {[]string{"https://duckduckgo.com/l/?uddg=https%3A%2F%2Fwww.google.com%2Furl%3Fq%3Dhttps%253A%252F%252Fa.example%252F"}, []string{"https://a.example/"}},
		"Bing's link":       {[]string{"https://www.bing.com/ck/a?!&&p=9&u=a1aHR0cHM6Ly9hLmV4YW1wbGUveA&ntb=1"}, []string{"https://a.example/x"}},
		"advertisements":    {[]string{"https://duckduckgo.com/y.js?ad_domain=a.example", "https://www.google.com/aclk?x=1"}, nil},
		"no web addresses":  {[]string{"javascript:alert(1)", "ftp://a.example", "data:text/html,x", "/relative", "", "mailto:a@b.example", "https://", "file:///etc/passwd", "://"}, nil},
		"with a user":       {[]string{"https://bank.example@evil.example/"}, nil},
		"a link without":    {[]string{"//duckduckgo.com/l/?uddg="}, nil},
		"duplicates": {[]string{
			"https://www.a.example/x", "http://a.example/x/", "https://A.example/x#part", "https://a.example/x?utm_source=y", "https://a.example:443/x", "https://a.example./x",
		}, []string{"https://www.a.example/x"}},
		"query order":      {[]string{"https://a.example/?b=1&a=2", "https://a.example/?a=2&b=1"}, []string{"https://a.example/?b=1&a=2"}},
		"not the same":     {[]string{"https://a.example/x", "https://a.example/X", "https://a.example/x?y=1"}, []string{"https://a.example/x", "https://a.example/X", "https://a.example/x?y=1"}},
		"without trackers": {[]string{"https://a.example/x?utm_source=openai&q=1&utm_medium=z"}, []string{"https://a.example/x?q=1"}},
	}
	for name, c := range cases {
		var in []Hit
		for _, u := range c.urls {
			in = append(in, Hit{Title: "T", URL: u})
		}
		var got []string
		for _, h := range clean(in, 10) {
			got = append(got, h.URL)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	got := clean([]Hit{{Title: "A <b>bold</b>\n &amp; name\u200b", URL: "https://a.example", Snippet: strings.Repeat("long ", 500)}, {URL: "https://b.example/x"}, {URL: "https://c.example"}}, 2)
	if len(got) != 2 || got[0].Title != "A bold & name" || len([]rune(got[0].Snippet)) != mostSnippet || got[1].Title != "b.example" {
		t.Errorf("got %+v", got)
	}
}

// fuzzParser holds for every parser: no panic, and what comes out is clean.
func fuzzParser(f *testing.F, engine string) {
	f.Helper()
	var s *spec
	for _, one := range append(all(), hosted()...) {
		if one.name == engine {
			s = one
		}
	}
	for _, im := range imitations() {
		if im.engine == engine {
			f.Add([]byte(im.full))
			f.Add([]byte(im.empty))
			f.Add([]byte(im.refusal))
			f.Add([]byte(im.limited))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		hits, err := s.parse(body)
		if own, ok := errors.AsType[*Error](err); ok && own.Message == "" {
			t.Error("a failure without words")
		}
		for _, h := range clean(hits, 10) {
			if !strings.HasPrefix(h.URL, "http") || h.Title == "" || !utf8.ValidString(h.Title+h.Snippet+h.Date) {
				t.Errorf("got %+v", h)
			}
		}
	})
}

func FuzzBrave(f *testing.F)      { fuzzParser(f, "brave") }
func FuzzExa(f *testing.F)        { fuzzParser(f, "exa") }
func FuzzTavily(f *testing.F)     { fuzzParser(f, "tavily") }
func FuzzParallel(f *testing.F)   { fuzzParser(f, "parallel") }
func FuzzPerplexity(f *testing.F) { fuzzParser(f, "perplexity") }
func FuzzFirecrawl(f *testing.F)  { fuzzParser(f, "firecrawl") }
func FuzzSearXNG(f *testing.F)    { fuzzParser(f, "searxng") }
func FuzzJina(f *testing.F)       { fuzzParser(f, "jina") }
func FuzzDuckDuckGo(f *testing.F) { fuzzParser(f, "duckduckgo") }
func FuzzResponses(f *testing.F)  { fuzzParser(f, "openai") }
func FuzzAnthropic(f *testing.F)  { fuzzParser(f, "anthropic") }
