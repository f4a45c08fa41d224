package websearch

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/hobkin/hobkin/core/webapi"
)

// Brave Search API: https://api-dashboard.search.brave.com/app/documentation
var brave = spec{
	name: "brave", title: "Brave Search", base: "https://api.search.brave.com/res/v1", site: "https://brave.com/search/api/",
	request: func(a ask) webapi.Request {
		q := url.Values{"q": {a.Text}, "count": {strconv.Itoa(a.Count)}, "result_filter": {"web"}}
		if age := map[string]string{"day": "pd", "week": "pw", "month": "pm", "year": "py"}[a.Freshness]; age != "" {
			q.Set("freshness", age)
		}
		return webapi.Request{Path: "/web/search", Query: q, Header: map[string]string{"X-Subscription-Token": a.key}}
	},
	parse: parseBrave,
}

func parseBrave(body []byte) ([]Hit, error) {
	var r struct {
		Type string `json:"type"`
		Web  struct {
			Results []struct {
				Title       string   `json:"title"`
				URL         string   `json:"url"`
				Description string   `json:"description"`
				Age         string   `json:"age"`
				PageAge     string   `json:"page_age"`
				Extra       []string `json:"extra_snippets"`
			} `json:"results"`
		} `json:"web"` // left out when nothing was found
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	if r.Type != "search" {
		return nil, errNoAnswer
	}
	var hits []Hit
	for _, x := range r.Web.Results {
		date := x.PageAge
		if date == "" {
			date = x.Age
		}
		hits = append(hits, Hit{x.Title, x.URL, strings.Join(append([]string{x.Description}, x.Extra...), " "), day(date)})
	}
	return hits, nil
}
