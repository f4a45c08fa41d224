package websearch

import (
	"strings"

	"github.com/hobkin/hobkin/core/webapi"
)

// Parallel: https://docs.parallel.ai/search/search-quickstart
var parallel = spec{
	name: "parallel", title: "Parallel", base: "https://api.parallel.ai", site: "https://platform.parallel.ai/",
	request: func(a ask) webapi.Request {
		settings := map[string]any{"max_results": a.Count, "excerpt_settings": map[string]any{"max_chars_per_result": 1000}}
		if from := a.since(); from != "" {
			settings["source_policy"] = map[string]any{"after_date": from}
		}
		body := map[string]any{"search_queries": []string{a.Text}, "objective": a.Text, "mode": "basic", "advanced_settings": settings}
		return webapi.Request{Path: "/v1/search", Header: map[string]string{"x-api-key": a.key}, Body: body}
	},
	parse: parseParallel,
}

func parseParallel(body []byte) ([]Hit, error) {
	type found struct {
		Title     string   `json:"title"`
		URL       string   `json:"url"`
		Published string   `json:"publish_date"`
		Excerpts  []string `json:"excerpts"`
	}
	return results(body, func(x found) Hit {
		return Hit{x.Title, x.URL, strings.Join(x.Excerpts, " … "), day(x.Published)}
	})
}
