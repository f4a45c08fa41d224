// Package websearch asks search engines over their public interfaces and gives
// back plain lists of pages: direct addresses, each once.
//
// An engine is one file: where it is, how it is asked, how its answer is read.
// Everything else (keys, limits, failures in words, cleaning) is the same for
// all of them and stands here. Which engine is asked, and what happens when it
// fails, is the caller's business.
package websearch

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/webapi"
)

// A Query is what is looked for.
type Query struct {
	Text      string
	Count     int    // hits wanted, at least 1
	Freshness string // "", day, week, month or year: how old pages may be
}

// A Hit is one page that was found.
type Hit struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet,omitempty"`
	Date    string `json:"date,omitempty"` // as the engine writes it
}

// An Error is a failure of an engine, in words.
type Error = webapi.Error

// errNoAnswer is of JSON, or a page, that is not the answer to a search.
var errNoAnswer = errors.New("it holds no list of pages")

// results reads an answer that is an object with a list of pages in results, as
// most engines give.
func results[T any](body []byte, hit func(T) Hit) ([]Hit, error) {
	var r struct {
		Results *[]T `json:"results"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	if r.Results == nil {
		return nil, errNoAnswer
	}
	var hits []Hit
	for _, x := range *r.Results {
		hits = append(hits, hit(x))
	}
	return hits, nil
}

// since is the day from which on pages are fresh; empty for any.
func (a ask) since() string {
	days := map[string]int{"day": 1, "week": 7, "month": 31, "year": 366}[a.Freshness]
	if days == 0 {
		return ""
	}
	return a.now.UTC().AddDate(0, 0, -days).Format("2006-01-02")
}

// Options say how an engine is reached.
type Options struct {
	Client  *http.Client                                      // must be set; its redirects and time limits hold
	BaseURL string                                            // empty is the engine's own
	Key     func(ctx context.Context) (key string, err error) // nil where there is none
	Model   string                                            // that searches, for engines that are a model provider's
	Now     func() time.Time                                  // nil is the clock
}

// An Engine is one search engine, ready to be asked.
type Engine struct {
	spec *spec
	o    Options
}

// spec is what is special about an engine.
type spec struct {
	name     string
	title    string
	base     string // address of the interface; empty when everyone has their own
	keyless  bool
	closed   string // what helps when one without keys refuses
	site     string // where a key is to be had
	slow     bool   // a model works on the answer
	ageless  bool   // it cannot be asked for fresh pages only
	accepted int    // a good status beside 200, if there is one
	request  func(a ask) webapi.Request
	parse    func(body []byte) ([]Hit, error)
}

// ask is what a request is made from.
type ask struct {
	Query
	key, model string
	now        time.Time
}

// all lists the engines that the owner can choose, the one without a key first.
func all() []*spec {
	return []*spec{&duckduckgo, &brave, &exa, &tavily, &parallel, &perplexity, &firecrawl, &searxng, &jina}
}

// hosted lists the engines that belong to a provider of models.
func hosted() []*spec { return []*spec{&openai, &anthropic, &xai} }

// Default is the engine that needs nothing to be set up.
const Default = "duckduckgo"

// Names lists the engines that can be chosen.
func Names() []string {
	var out []string
	for _, s := range all() {
		out = append(out, s.name)
	}
	return out
}

// Open returns an engine by its name: one of [Names], or openai, anthropic or
// xai for the search that the provider of that name hosts.
func Open(name string, o Options) (*Engine, error) {
	for _, s := range append(all(), hosted()...) {
		if s.name != name {
			continue
		}
		return &Engine{s, o}, nil
	}
	return nil, &Error{Service: name, Kind: webapi.KindSetup, Message: "no engine has that name", Try: "use one of " + strings.Join(Names(), ", ")}
}

// Name is the name that the settings have for it.
func (e *Engine) Name() string { return e.spec.name }

// Title is its name for people.
func (e *Engine) Title() string { return e.spec.title }

// Ageless reports whether it cannot be asked for fresh pages only.
func (e *Engine) Ageless() bool { return e.spec.ageless }

const (
	patience     = 20 * time.Second // for an engine
	longPatience = 90 * time.Second // for a model that searches
)

// service is the way to the engine.
func (e *Engine) service() *webapi.Service {
	s := &webapi.Service{
		Name: e.spec.name, Title: e.spec.title, Base: e.spec.base, Site: e.spec.site, Keyless: e.spec.keyless, Accepted: e.spec.accepted,
		Setting: "web.search." + e.spec.name + ".base_url", Closed: e.spec.closed, Client: e.o.Client, Key: e.o.Key,
	}
	if e.o.BaseURL != "" {
		s.Base = e.o.BaseURL
	}
	return s
}

// Search asks the engine. A failure is an [*Error], or the error of ctx. No
// hits are no failure.
func (e *Engine) Search(ctx context.Context, q Query) ([]Hit, error) {
	limit := patience
	if e.spec.slow {
		limit = longPatience
	}
	a := ask{Query: q, model: e.o.Model, now: time.Now()}
	if e.o.Now != nil {
		a.now = e.o.Now()
	}
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s := e.service()
	body, err := s.Call(inner, func(key string) webapi.Request { a.key = key; return e.spec.request(a) })
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, s.Fail(webapi.KindDown, err, "it did not answer within %s", limit)
	case err != nil:
		return nil, err
	}
	hits, err := e.spec.parse(body)
	if own, ok := errors.AsType[*Error](err); ok {
		own.Service = e.spec.title
		return nil, own
	}
	if err != nil {
		return nil, s.Fail(webapi.KindAnswer, err, "its answer could not be understood")
	}
	return clean(hits, q.Count), nil
}
