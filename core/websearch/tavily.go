package websearch

import (
	"github.com/hobkin/hobkin/core/webapi"
)

// Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search
var tavily = spec{
	name: "tavily", title: "Tavily", base: "https://api.tavily.com", site: "https://app.tavily.com/",
	request: func(a ask) webapi.Request {
		body := map[string]any{"query": a.Text, "max_results": a.Count, "search_depth": "basic"}
		if a.Freshness != "" {
			body["time_range"] = a.Freshness
		}
		return webapi.Request{Path: "/search", Header: webapi.Bearer(a.key), Body: body}
	},
	parse: parseTavily,
}

func parseTavily(body []byte) ([]Hit, error) {
	type found struct {
		Title     string `json:"title"`
		URL       string `json:"url"`
		Content   string `json:"content"`
		Published string `json:"published_date"`
	}
	return results(body, func(x found) Hit {
		return Hit{x.Title, x.URL, x.Content, day(x.Published)}
	})
}
