package websearch

import (
	"encoding/json"
	"fmt"

	"github.com/hobkin/hobkin/core/webapi"
)

// Firecrawl: https://docs.firecrawl.dev/api-reference/endpoint/search
var firecrawl = spec{
	name: "firecrawl", title: "Firecrawl", base: "https://api.firecrawl.dev", site: "https://www.firecrawl.dev/app/api-keys",
	request: func(a ask) webapi.Request {
		body := map[string]any{"query": a.Text, "limit": a.Count, "sources": []string{"web"}}
		if a.Freshness != "" {
			body["tbs"] = "qdr:" + a.Freshness[:1]
		}
		return webapi.Request{Path: "/v2/search", Header: webapi.Bearer(a.key), Body: body}
	},
	parse: parseFirecrawl,
}

type firecrawlPage struct {
	Title       string `json:"title"`
	URL         string `json:"url"`
	Description string `json:"description"`
	Date        string `json:"date"`
}

func parseFirecrawl(body []byte) ([]Hit, error) {
	var r struct {
		Success bool            `json:"success"`
		Error   string          `json:"error"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	if !r.Success {
		return nil, fmt.Errorf("firecrawl: %s", webapi.Brief(r.Error))
	}
	var v2 struct {
		Web []firecrawlPage `json:"web"`
	}
	pages := []firecrawlPage{}
	if json.Unmarshal(r.Data, &v2) == nil {
		pages = v2.Web
	} else if err := json.Unmarshal(r.Data, &pages); err != nil { // as a server of one's own of version 1 answers
		return nil, err
	}
	var hits []Hit
	for _, x := range pages {
		hits = append(hits, Hit{x.Title, x.URL, x.Description, day(x.Date)})
	}
	return hits, nil
}
