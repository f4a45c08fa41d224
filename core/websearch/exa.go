package websearch

import (
	"strings"

	"github.com/hobkin/hobkin/core/webapi"
)

// Exa: https://docs.exa.ai/reference/search
var exa = spec{
	name: "exa", title: "Exa", base: "https://api.exa.ai", site: "https://dashboard.exa.ai/api-keys",
	request: func(a ask) webapi.Request {
		body := map[string]any{
			"query": a.Text, "numResults": a.Count, "type": "auto",
			"contents": map[string]any{"highlights": map[string]any{"maxCharacters": mostSnippet}},
		}
		if from := a.since(); from != "" {
			body["startPublishedDate"] = from + "T00:00:00.000Z"
		}
		return webapi.Request{Path: "/search", Header: map[string]string{"x-api-key": a.key}, Body: body}
	},
	parse: parseExa,
}

func parseExa(body []byte) ([]Hit, error) {
	type found struct {
		Title      string   `json:"title"`
		URL        string   `json:"url"`
		Published  string   `json:"publishedDate"`
		Text       string   `json:"text"`
		Summary    string   `json:"summary"`
		Highlights []string `json:"highlights"`
	}
	return results(body, func(x found) Hit {
		text := strings.Join(x.Highlights, " … ")
		if text == "" {
			text = x.Summary
		}
		if text == "" {
			text = x.Text
		}
		return Hit{x.Title, x.URL, text, day(x.Published)}
	})
}
