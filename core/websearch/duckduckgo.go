package websearch

import (
	"bytes"
	"net/http"
	"net/url"

	"github.com/PuerkitoBio/goquery"

	"github.com/hobkin/hobkin/core/webapi"
)

// DuckDuckGo has no interface for programs; this is its page for browsers
// without scripts. Who asks too often is shown a puzzle instead, with status
// 202.
var duckduckgo = spec{
	name: Default, title: "DuckDuckGo", base: "https://html.duckduckgo.com", keyless: true, accepted: http.StatusAccepted,
	request: func(a ask) webapi.Request {
		q := url.Values{"q": {a.Text}, "kl": {"wt-wt"}}
		if a.Freshness != "" {
			q.Set("df", a.Freshness[:1])
		}
		return webapi.Request{Path: "/html/", Query: q, Header: map[string]string{
			"Accept": "text/html", "Accept-Language": "en-US,en;q=0.8", "User-Agent": "Mozilla/5.0 (compatible; Hobkin)",
		}}
	},
	parse: parseDuckDuckGo,
}

func parseDuckDuckGo(body []byte) ([]Hit, error) {
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if doc.Find(".anomaly-modal__title, #challenge-form, .anomaly-modal__modal").Length() > 0 {
		return nil, &Error{
			Kind: webapi.KindRate, Message: "it wants a person to solve a puzzle: it was asked too often from this network",
			Try: "wait a few minutes, or set up another engine under [web.search]",
		}
	}
	var hits []Hit
	doc.Find(".result").Not(".result--ad").Not(".result--no-result").Each(func(_ int, r *goquery.Selection) {
		link := r.Find("a.result__a").First()
		if href, ok := link.Attr("href"); ok {
			hits = append(hits, Hit{Title: link.Text(), URL: href, Snippet: r.Find(".result__snippet").First().Text()})
		}
	})
	if len(hits) == 0 && doc.Find(".no-results, .result--no-result, #links").Length() == 0 {
		return nil, errNoAnswer
	}
	return hits, nil
}
