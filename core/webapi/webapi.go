// Package webapi calls the interfaces of services on the web that take a key and
// answer in JSON or in pages: search engines and makers of pictures. It has what
// is the same for all of them: fetching the key, limits, and failures in words
// that say what to do. Models have their own in core/provider.
package webapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// A Service is one service and the way to it.
type Service struct {
	Name    string // of its key, as in: hobkin secrets set NAME
	Title   string // for people
	Base    string // address of its interface; empty when everyone has their own
	Site    string // where a key is to be had
	Setting string // the key of the settings that holds its address
	Closed  string // what helps when a service without keys refuses; may be empty
	Keyless bool

	Client    *http.Client                                      // its redirects and time limits hold
	Key       func(ctx context.Context) (key string, err error) // nil where there is none
	Accepted  int                                               // a good status beside 200, if there is one
	MostBytes int                                               // of an answer; 0 is 4 MB
}

// A Request is how a service is asked: a GET with a query, or a POST with a
// body.
type Request struct {
	Path   string
	Query  url.Values
	Header map[string]string
	Body   any // marshalled as JSON unless it is [Raw]; nil makes it a GET
}

// Raw is a body in another format than JSON.
type Raw struct {
	ContentType string
	Data        []byte
}

// Bearer is the header that carries a key in the usual way.
func Bearer(key string) map[string]string { return map[string]string{"Authorization": "Bearer " + key} }

// Call sends what ask makes with the key, and returns the body of a good
// answer. A failure is an [*Error], or the error of ctx.
func (s *Service) Call(ctx context.Context, ask func(key string) Request) ([]byte, error) {
	key, err := s.key(ctx)
	if err != nil {
		return nil, err
	}
	if s.Base == "" {
		f := s.Fail(KindSetup, nil, "its address is not set")
		f.Try = "set it with: hobkin config set " + s.Setting + " https://…"
		return nil, f
	}
	req, err := ask(key).make(ctx, strings.TrimRight(s.Base, "/"))
	if err != nil {
		return nil, s.Fail(KindSetup, err, "its address %s cannot be used", s.Base)
	}
	resp, err := s.Client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, s.unreached(err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	return s.body(ctx, resp, key)
}

func (s *Service) body(ctx context.Context, resp *http.Response, key string) ([]byte, error) {
	most := s.MostBytes
	if most == 0 {
		most = 4 << 20
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case resp.StatusCode != http.StatusOK && resp.StatusCode != s.Accepted:
		return nil, s.refused(resp, body, key)
	case err != nil:
		return nil, s.Fail(KindDown, err, "the connection broke before its answer was whole")
	case len(body) > most:
		return nil, s.Fail(KindAnswer, nil, "its answer is larger than %d MB", most>>20)
	}
	return body, nil
}

// key fetches the key of a service that needs one.
func (s *Service) key(ctx context.Context) (string, error) {
	if s.Key == nil {
		if s.Keyless {
			return "", nil
		}
		return "", s.noKey(nil)
	}
	key, err := s.Key(ctx)
	switch key = strings.TrimSpace(key); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case s.Keyless && err == nil && key == "":
		return "", nil
	case err != nil, key == "":
		return "", s.noKey(err)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", s.Fail(KindKey, nil, "its key contains characters that no key has")
	}
	return key, nil
}

func (s *Service) noKey(err error) *Error {
	f := s.Fail(KindKey, err, "no key for it is stored")
	f.Try = fmt.Sprintf("get one at %s, then store it with: hobkin secrets set %s", s.Site, s.Name)
	return f
}

func (r Request) make(ctx context.Context, base string) (*http.Request, error) {
	u, err := url.Parse(base + r.Path)
	switch {
	case err != nil:
		return nil, err
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, errors.New("webapi: the address is not of the web")
	}
	if len(r.Query) > 0 {
		u.RawQuery = r.Query.Encode()
	}
	method, body, kind := http.MethodGet, io.Reader(nil), ""
	switch b := r.Body.(type) {
	case nil:
	case Raw:
		method, body, kind = http.MethodPost, bytes.NewReader(b.Data), b.ContentType
	default:
		data, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		method, body, kind = http.MethodPost, bytes.NewReader(data), "application/json"
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "hobkin")
	for k, v := range r.Header {
		req.Header.Set(k, v)
	}
	return req, nil
}
