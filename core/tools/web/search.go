package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/websearch"
)

var searchFailed = &capability.Failure{
	Code: "search_failed", When: "no search engine answered",
	Try: "try again later, fetch a likely address with web_fetch, or ask the owner to set up an engine under [web.search]",
}

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:    "web_search",
		Aliases: []string{"WebSearch"},
		Title:   "Search the web",
		Description: "Searches the web and returns titles, addresses and short extracts. Without anything set up DuckDuckGo is asked; " +
			"when an engine fails another one is asked once, and the result says so.",
		Class:    capability.Network,
		Category: capability.CategoryWeb,
		Hints:    capability.Hints{Idempotent: capability.Yes, OpenWorld: capability.Yes},
		Docs: capability.Docs{
			When:  "to find pages on something; web_fetch reads the pages that it finds",
			Setup: "nothing is needed; better engines are set up under [web.search], see the guide",
			Examples: []capability.Example{
				{When: "the user asks for something that is not known", In: searchIn{Query: "Go 1.26 release date"}},
				{When: "only news count", In: searchIn{Query: "SQLite security advisory", Count: 10, Freshness: "month"}},
			},
			Fails: []*capability.Failure{searchFailed},
		},
	}, (*Host).search)
}

type searchIn struct {
	Query     string `json:"query" min:"1" max:"1000" jsonschema:"what to look for, as one would type it"`
	Count     int    `json:"count,omitempty" min:"1" max:"10" default:"5" jsonschema:"pages to return"`
	Provider  string `json:"provider,omitempty" enum:"hosted,brave,exa,tavily,parallel,perplexity,firecrawl,searxng,jina,duckduckgo" jsonschema:"the engine to ask, when it matters; hosted is the model provider's own"`
	Freshness string `json:"freshness,omitempty" enum:"day,week,month,year" jsonschema:"only pages that are no older"`
}

// searchOut is the structured result.
type searchOut struct {
	Query    string          `json:"query"`
	Engine   string          `json:"engine"`
	Hits     []websearch.Hit `json:"hits"`
	Attempts []attempt       `json:"attempts"`
}

// An attempt is one engine that was asked.
type attempt struct {
	Engine string `json:"engine"`
	Error  string `json:"error,omitempty"`

	title, try string
}

const (
	defaultCount = 5
	mostAttempts = 2 // the engine that was chosen, and one to fall back on
)

func (h *Host) search(ctx context.Context, call capability.Call, in searchIn) (capability.Result, error) {
	q := websearch.Query{Text: strings.Join(strings.Fields(in.Query), " "), Count: in.Count, Freshness: in.Freshness}
	if q.Count == 0 {
		q.Count = defaultCount
	}
	if q.Text == "" {
		return capability.Result{}, capability.BadInput.Becausef("/query: it is empty")
	}
	engines, err := h.Engines(in.Provider)
	if err != nil {
		return capability.Result{}, engineFailure(err)
	}
	out := searchOut{Query: q.Text}
	for _, e := range engines[:min(len(engines), mostAttempts)] {
		call.Progress("Asking " + e.Title())
		hits, err := e.Search(ctx, q)
		if ctx.Err() != nil {
			return capability.Result{}, ctx.Err()
		}
		out.Attempts = append(out.Attempts, attempt{Engine: e.Name(), title: e.Title(), Error: why(err), try: try(err)})
		if err == nil {
			out.Engine, out.Hits = e.Name(), hits
			return out.result(e, q)
		}
	}
	return capability.Result{}, out.failure()
}

// why is an engine's failure without its name.
func why(err error) string {
	if f, ok := errors.AsType[*websearch.Error](err); ok {
		return f.Message
	}
	if err != nil {
		return capability.CutText(err.Error(), 200)
	}
	return ""
}

// try is what helps against an engine's failure; often nothing.
func try(err error) string {
	if f, ok := errors.AsType[*websearch.Error](err); ok {
		return f.Try
	}
	return ""
}

func engineFailure(err error) error {
	if f, ok := errors.AsType[*websearch.Error](err); ok {
		u := searchFailed.Becausef("%s: %s", f.Service, f.Message)
		if f.Try != "" {
			u = u.Trying(f.Try)
		}
		return u
	}
	return searchFailed.Becausef("%v", err)
}

// failure says of every engine why it did not answer.
func (o *searchOut) failure() error {
	if len(o.Attempts) == 0 {
		return searchFailed.Becausef("no search engine is set up")
	}
	u := searchFailed.Becausef("%s", o.story()).With("attempts", o.Attempts)
	var advice []string
	for _, a := range o.Attempts {
		if a.try != "" {
			advice = append(advice, a.title+": "+a.try)
		}
	}
	if len(advice) == 0 {
		return u
	}
	return u.Trying(strings.Join(append(advice, "or fetch a likely address with web_fetch"), "; "))
}

// story tells the attempts in a line.
func (o *searchOut) story() string {
	parts := make([]string, len(o.Attempts))
	for i, a := range o.Attempts {
		parts[i] = a.title + " answered"
		if a.Error != "" {
			parts[i] = a.title + " failed: " + a.Error
		}
	}
	return strings.Join(parts, "; ")
}

func (o *searchOut) result(e *websearch.Engine, q websearch.Query) (capability.Result, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return capability.Result{}, fmt.Errorf("web: marshalling: %w", err)
	}
	var b strings.Builder
	for i, h := range o.Hits {
		fmt.Fprintf(&b, "%d. %s\n   %s\n", i+1, h.Title, h.URL)
		if h.Date != "" {
			fmt.Fprintf(&b, "   %s\n", h.Date)
		}
		if h.Snippet != "" {
			fmt.Fprintf(&b, "   %s\n", h.Snippet)
		}
	}
	if len(o.Hits) == 0 {
		fmt.Fprintf(&b, "Nothing was found for %q. Other or fewer words may find more.\n", q.Text)
	}
	if q.Freshness != "" && e.Ageless() {
		fmt.Fprintf(&b, "(%s cannot be asked for pages of a certain age; they may be older than a %s)\n", e.Title(), q.Freshness)
	}
	fmt.Fprintf(&b, "(%s)", o.story())
	summary := fmt.Sprintf("%d found", len(o.Hits))
	if len(o.Attempts) > 1 {
		summary += " by " + e.Title() + " instead of " + o.Attempts[0].title
	}
	return capability.Result{Text: b.String(), Data: data, Summary: summary, Untrusted: true}, nil
}
