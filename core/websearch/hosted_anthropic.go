package websearch

import (
	"encoding/json"

	"github.com/hobkin/hobkin/core/webapi"
)

// The search that Anthropic hosts, in its Messages interface:
// https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/web-search-tool
var anthropic = spec{
	name: "anthropic", title: "Anthropic's own search", base: "https://api.anthropic.com", site: "https://console.anthropic.com/settings/keys",
	slow: true, ageless: true,
	request: func(a ask) webapi.Request {
		return webapi.Request{
			Path: "/v1/messages", Header: map[string]string{"x-api-key": a.key, "anthropic-version": "2023-06-01"},
			Body: map[string]any{
				"model": a.model, "max_tokens": 2048,
				"messages": []any{map[string]any{"role": "user", "content": order(a)}},
				"tools":    []any{map[string]any{"type": "web_search_20250305", "name": "web_search", "max_uses": 1}},
			},
		}
	},
	parse: parseAnthropic,
}

type anthropicBlock struct {
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"` // of a web_search_tool_result
	Citations []struct {
		URL   string `json:"url"`
		Cited string `json:"cited_text"`
	} `json:"citations"`
}

func parseAnthropic(body []byte) ([]Hit, error) {
	var r struct {
		Content *[]anthropicBlock `json:"content"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	if r.Content == nil {
		return nil, errNoAnswer
	}
	var hits []Hit
	said := map[string]string{}
	for _, b := range *r.Content {
		for _, c := range b.Citations {
			if said[c.URL] == "" {
				said[c.URL] = c.Cited
			}
		}
		if b.Type != "web_search_tool_result" {
			continue
		}
		found, err := anthropicPages(b.Content)
		if err != nil {
			return nil, err
		}
		hits = append(hits, found...)
	}
	for i := range hits {
		hits[i].Snippet = said[hits[i].URL]
	}
	return hits, nil
}

// anthropicPages reads the list of a search, or the error that stands for it.
func anthropicPages(raw json.RawMessage) ([]Hit, error) {
	var fault struct {
		Code string `json:"error_code"`
	}
	if json.Unmarshal(raw, &fault) == nil && fault.Code != "" {
		kind := map[string]webapi.Kind{"too_many_requests": webapi.KindRate, "query_too_long": webapi.KindRequest, "invalid_input": webapi.KindRequest}[fault.Code]
		if kind == "" {
			kind = webapi.KindDown
		}
		return nil, &Error{Kind: kind, Message: "the search failed: " + webapi.Brief(fault.Code)}
	}
	var pages []struct {
		Title string `json:"title"`
		URL   string `json:"url"`
		Age   string `json:"page_age"`
	}
	if err := json.Unmarshal(raw, &pages); err != nil {
		return nil, err
	}
	var hits []Hit
	for _, p := range pages {
		hits = append(hits, Hit{Title: p.Title, URL: p.URL, Date: p.Age})
	}
	return hits, nil
}
