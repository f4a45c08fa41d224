package websearch

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
)

// A request is how an engine is asked: a GET with a query, or a POST with a
// JSON body.
type request struct {
	path   string
	query  url.Values
	header map[string]string
	body   any // nil makes it a GET
}

func (r request) make(ctx context.Context, base string) (*http.Request, error) {
	u, err := url.Parse(base + r.path)
	if err != nil {
		return nil, err
	}
	if len(r.query) > 0 {
		u.RawQuery = r.query.Encode()
	}
	method, body := http.MethodGet, io.Reader(nil)
	if r.body != nil {
		data, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		method, body = http.MethodPost, bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "hobkin")
	for k, v := range r.header {
		req.Header.Set(k, v)
	}
	return req, nil
}

func bearer(key string) map[string]string { return map[string]string{"Authorization": "Bearer " + key} }

// since is the day from which on pages are fresh; empty for any.
func (a ask) since() string {
	days := map[string]int{"day": 1, "week": 7, "month": 31, "year": 366}[a.Freshness]
	if days == 0 {
		return ""
	}
	return a.now.UTC().AddDate(0, 0, -days).Format("2006-01-02")
}
