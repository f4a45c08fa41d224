package websearch

import (
	"encoding/json"
	"net/url"

	"github.com/hobkin/hobkin/core/webapi"
)

// Jina Search: https://jina.ai/reader/
var jina = spec{
	name: "jina", title: "Jina", base: "https://s.jina.ai", site: "https://jina.ai/api-dashboard/", ageless: true,
	request: func(a ask) webapi.Request {
		h := webapi.Bearer(a.key)
		h["X-Respond-With"] = "no-content"
		return webapi.Request{Path: "/", Query: url.Values{"q": {a.Text}}, Header: h}
	},
	parse: parseJina,
}

func parseJina(body []byte) ([]Hit, error) {
	var r struct {
		Code int `json:"code"`
		Data []struct {
			Title       string `json:"title"`
			URL         string `json:"url"`
			Description string `json:"description"`
			Content     string `json:"content"`
			Date        string `json:"date"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	if r.Code != 200 {
		return nil, errNoAnswer
	}
	var hits []Hit
	for _, x := range r.Data {
		text := x.Description
		if text == "" {
			text = x.Content
		}
		hits = append(hits, Hit{x.Title, x.URL, text, day(x.Date)})
	}
	return hits, nil
}
