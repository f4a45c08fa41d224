// Package web holds the tools that read the web: web_fetch and web_search.
//
// Every request goes through the guard of the network, redirects too. What
// comes back is somebody else's text: every result is marked as such. The
// engines are their own packages: webpage makes pages into text, websearch asks
// search engines.
package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/leash"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/websearch"
)

// Tools is the group's set. Each tool file adds itself.
var Tools capability.Set[*Host]

// ErrNoModel is returned by a [Summariser] that has no model to ask.
var ErrNoModel = errors.New("no model is set up that could do it")

// A Summariser answers a prompt about a long text with a model.
type Summariser interface {
	// Summarise may shorten the text to what the model takes. It may fail with
	// [ErrNoModel].
	Summarise(ctx context.Context, turn capability.Turn, prompt, text string) (answer string, err error)
}

// A Host is what the web tools work with. Guard and Engines must be set; its
// fields are not changed after the first call.
type Host struct {
	Guard      *netguard.Guard
	Summariser Summariser // nil: there is none
	// Engines lists the search engines to ask, the first first. name is the one
	// that the call wants; empty is what the settings say.
	Engines func(name string) ([]*websearch.Engine, error)
	Limits  Limits

	cache cache
	leash leash.Leash

	once sync.Once
	way  http.RoundTripper
}

// Limits bound the tools. A zero field means its default.
type Limits struct {
	Body       int           // bytes of a page that are read; 5 MB
	Text       int           // bytes of text of one result; 36 KB
	Header     time.Duration // until the header of an answer; 15 s
	Whole      time.Duration // for a page with its redirects; 30 s
	Parse      time.Duration // for making it text; 15 s
	Summary    time.Duration // for a summary; 2 minutes
	Keep       time.Duration // that a page stays in the cache; 15 minutes
	CacheBytes int           // of all pages in the cache; 32 MB
}

// redirects is how often an address may lead on to another.
const redirects = 5

func (h *Host) limits() Limits {
	l := h.Limits
	return Limits{
		Body:       cmp.Or(l.Body, 5_000_000),
		Text:       cmp.Or(l.Text, 36_000),
		Header:     cmp.Or(l.Header, 15*time.Second),
		Whole:      cmp.Or(l.Whole, 30*time.Second),
		Parse:      cmp.Or(l.Parse, 15*time.Second),
		Summary:    cmp.Or(l.Summary, 2*time.Minute),
		Keep:       cmp.Or(l.Keep, 15*time.Minute),
		CacheBytes: cmp.Or(l.CacheBytes, 32_000_000),
	}
}

// transport is the one way to the network; connections are kept for a while.
func (h *Host) transport() http.RoundTripper {
	h.once.Do(func() { h.way = h.Guard.Transport(h.limits().Header) })
	return h.way
}

// Close empties the cache and lets connections go.
func (h *Host) Close() error {
	h.cache.close()
	if c, ok := h.transport().(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
	return nil
}
