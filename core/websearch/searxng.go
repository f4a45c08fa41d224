package websearch

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/hobkin/hobkin/core/webapi"
)

// SearXNG, on a server of one's own: https://docs.searxng.org/dev/search_api.html
var searxng = spec{
	name: "searxng", title: "SearXNG", keyless: true, site: "https://docs.searxng.org/",
	request: func(a ask) webapi.Request {
		q := url.Values{"q": {a.Text}, "format": {"json"}, "categories": {"general"}}
		if a.Freshness != "" {
			q.Set("time_range", a.Freshness)
		}
		r := webapi.Request{Path: "/search", Query: q}
		if a.key != "" { // of a proxy before it
			r.Header = webapi.Bearer(a.key)
		}
		return r
	},
	parse: parseSearXNG,
}

func parseSearXNG(body []byte) ([]Hit, error) {
	var r struct {
		Results *[]struct {
			Title     string `json:"title"`
			URL       string `json:"url"`
			Content   string `json:"content"`
			Published string `json:"publishedDate"`
		} `json:"results"`
		Unresponsive [][]any `json:"unresponsive_engines"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	if r.Results == nil {
		return nil, errNoAnswer
	}
	if len(*r.Results) == 0 && len(r.Unresponsive) > 0 { // nothing was found because nobody looked
		var names []string
		for _, e := range r.Unresponsive {
			if len(e) > 0 {
				if name, ok := e[0].(string); ok {
					names = append(names, name)
				}
			}
		}
		return nil, &Error{Kind: webapi.KindDown, Message: "none of its own engines answered: " + webapi.Brief(strings.Join(names, ", "))}
	}
	var hits []Hit
	for _, x := range *r.Results {
		hits = append(hits, Hit{x.Title, x.URL, x.Content, day(x.Published)})
	}
	return hits, nil
}
