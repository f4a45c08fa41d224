package websearch

import (
	"github.com/hobkin/hobkin/core/webapi"
)

// Perplexity Search API: https://docs.perplexity.ai/api-reference/search-post
var perplexity = spec{
	name: "perplexity", title: "Perplexity", base: "https://api.perplexity.ai", site: "https://www.perplexity.ai/settings/api",
	request: func(a ask) webapi.Request {
		body := map[string]any{"query": a.Text, "max_results": a.Count, "max_tokens_per_page": 256}
		if a.Freshness != "" {
			body["search_recency_filter"] = a.Freshness
		}
		return webapi.Request{Path: "/search", Header: webapi.Bearer(a.key), Body: body}
	},
	parse: parsePerplexity,
}

func parsePerplexity(body []byte) ([]Hit, error) {
	type found struct {
		Title   string `json:"title"`
		URL     string `json:"url"`
		Snippet string `json:"snippet"`
		Date    string `json:"date"`
		Updated string `json:"last_updated"`
	}
	return results(body, func(x found) Hit {
		date := x.Date
		if date == "" {
			date = x.Updated
		}
		return Hit{x.Title, x.URL, x.Snippet, day(date)}
	})
}
