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
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
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
	site     string // where a key is to be had
	slow     bool   // a model works on the answer
	ageless  bool   // it cannot be asked for fresh pages only
	accepted int    // a good status beside 200, if there is one
	request  func(a ask) request
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
		if s.base == "" && o.BaseURL == "" {
			return nil, &Error{Engine: s.title, Kind: KindSetup, Message: "its address is not set", Try: fmt.Sprintf("set it with: hobkin config set web.search.%s.base_url https://…", name)}
		}
		return &Engine{s, o}, nil
	}
	return nil, &Error{Engine: name, Kind: KindSetup, Message: "no engine has that name", Try: "use one of " + strings.Join(Names(), ", ")}
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
	mostBytes    = 4 << 20          // of an answer
)

// Search asks the engine. A failure is an [*Error], or the error of ctx. No
// hits are no failure.
func (e *Engine) Search(ctx context.Context, q Query) ([]Hit, error) {
	limit := patience
	if e.spec.slow {
		limit = longPatience
	}
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	body, err := e.exchange(inner, q)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, e.fail(KindDown, err, "it did not answer within %s", limit)
	case err != nil:
		return nil, err
	}
	hits, err := e.spec.parse(body)
	if own, ok := errors.AsType[*Error](err); ok {
		own.Engine = e.spec.title
		return nil, own
	}
	if err != nil {
		return nil, e.fail(KindAnswer, err, "its answer could not be understood")
	}
	return clean(hits, q.Count), nil
}

// exchange sends the request and returns the body of a good answer.
func (e *Engine) exchange(ctx context.Context, q Query) ([]byte, error) {
	a := ask{Query: q, model: e.o.Model, now: time.Now()}
	if e.o.Now != nil {
		a.now = e.o.Now()
	}
	var err error
	if a.key, err = e.key(ctx); err != nil {
		return nil, err
	}
	base := e.spec.base
	if e.o.BaseURL != "" {
		base = e.o.BaseURL
	}
	req, err := e.spec.request(a).make(ctx, strings.TrimRight(base, "/"))
	if err != nil {
		return nil, e.fail(KindSetup, err, "its address %s cannot be used", base)
	}
	resp, err := e.o.Client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, e.unreached(err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostBytes+1))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case resp.StatusCode != http.StatusOK && resp.StatusCode != e.spec.accepted:
		return nil, e.refused(resp, body, a.key)
	case err != nil:
		return nil, e.fail(KindDown, err, "the connection broke before its answer was whole")
	case len(body) > mostBytes:
		return nil, e.fail(KindAnswer, nil, "its answer is larger than %d MB", mostBytes>>20)
	}
	return body, nil
}

// key fetches the key of an engine that needs one.
func (e *Engine) key(ctx context.Context) (string, error) {
	if e.o.Key == nil {
		if e.spec.keyless {
			return "", nil
		}
		return "", e.noKey(nil)
	}
	key, err := e.o.Key(ctx)
	switch key = strings.TrimSpace(key); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil, key == "":
		if e.spec.keyless && err == nil {
			return "", nil
		}
		return "", e.noKey(err)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", e.fail(KindKey, nil, "its key contains characters that no key has")
	}
	return key, nil
}

func (e *Engine) noKey(err error) *Error {
	f := e.fail(KindKey, err, "no key for it is stored")
	f.Try = fmt.Sprintf("get one at %s, then store it with: hobkin secrets set %s", e.spec.site, e.spec.name)
	return f
}
