package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/capability"
)

func init() {
	capability.AddPreviewed(&Tools, capability.Capability{
		Name:    "web_fetch",
		Aliases: []string{"WebFetch"},
		Title:   "Read a web page",
		Description: "Fetches a public web address and returns what it says: the main article of a page as Markdown with its links, JSON and text as they are, " +
			"the text of a PDF, a picture as a picture. With prompt a long page is summarised. Scripts are not run and no login is used.",
		Class:    capability.Network,
		Category: capability.CategoryWeb,
		Hints:    capability.Hints{Idempotent: capability.Yes, OpenWorld: capability.Yes, PersistOutput: true},
		Docs: capability.Docs{
			When: "to read a page whose address is known; web_search finds addresses, the browser tool runs scripts and fills in forms",
			Examples: []capability.Example{
				{When: "the user names a page", In: fetchIn{URL: "https://go.dev/doc/effective_go"}},
				{When: "one thing is wanted of a long page", In: fetchIn{URL: "https://example.org/report", Prompt: "Which numbers does it give for 2025?"}},
			},
			Fails: fetchFailures(),
		},
	}, (*Host).fetch, (*Host).previewFetch)
}

type fetchIn struct {
	URL      string `json:"url" min:"1" max:"4000" jsonschema:"the whole address, such as https://example.org/page"`
	Prompt   string `json:"prompt,omitempty" max:"2000" jsonschema:"what is wanted of the page; a page over 4 KB is then summarised for it"`
	Raw      bool   `json:"raw,omitempty" jsonschema:"the source as it is, not the article"`
	MaxChars int    `json:"max_chars,omitempty" min:"100" max:"200000" jsonschema:"characters of text at most; the result says how to go on"`
	Offset   int    `json:"offset,omitempty" min:"0" jsonschema:"characters of the text to skip, to go on after a result that was cut"`
}

// fetchOut is the structured result, for programs and the window.
type fetchOut struct {
	URL        string `json:"url"` // where it came from in the end
	Title      string `json:"title,omitempty"`
	Kind       kind   `json:"kind"`
	Type       string `json:"content_type,omitempty"`
	Bytes      int    `json:"bytes"`
	Characters int    `json:"characters"` // of the whole text
	NextOffset int    `json:"next_offset,omitempty"`
	Cut        bool   `json:"cut,omitempty"` // the server had more than is read
	Cached     bool   `json:"cached,omitempty"`
	Summarised bool   `json:"summarised,omitempty"`
}

// long is when a page is summarised, if the call has a prompt: over 4 KB.
const long = 4 << 10

func (h *Host) previewFetch(_ context.Context, _ capability.Call, in fetchIn) (capability.Preview, error) {
	return capability.Preview{Question: "Read a web page?", Summary: in.URL, URL: whole(in.URL)}, nil
}

func (h *Host) fetch(ctx context.Context, call capability.Call, in fetchIn) (capability.Result, error) {
	p, cached, err := h.get(ctx, call, in.URL)
	if err != nil {
		return capability.Result{}, err
	}
	r, err := h.read(ctx, p, in.Raw)
	if err != nil {
		return capability.Result{}, err
	}
	out := fetchOut{
		URL: p.final.String(), Title: r.title, Kind: r.kind, Type: p.mediaType(), Bytes: len(p.body),
		Characters: utf8.RuneCountInString(r.text), Cut: p.cut, Cached: cached,
	}
	h.noteOn(p, r, cached)
	if in.Prompt != "" && !in.Raw && len(r.text) > long {
		if out.Summarised, err = h.summarise(ctx, call, in.Prompt, r); err != nil {
			return capability.Result{}, err
		}
	}
	if !out.Summarised {
		if out.NextOffset, err = h.portion(r, in, out.Characters); err != nil {
			return capability.Result{}, err
		}
	}
	data, err := json.Marshal(out)
	if err != nil {
		return capability.Result{}, fmt.Errorf("web: marshalling: %w", err)
	}
	return capability.Result{Text: r.result(), Data: data, Summary: summaryOf(r, p), Images: r.images, Untrusted: true}, nil
}

// noteOn says what a reader should know of how the page came.
func (h *Host) noteOn(p *page, r *reading, cached bool) {
	r.notes = append(r.notes, p.hops...)
	if p.cut && r.kind != isBinary {
		r.notes = append(r.notes, "only the first "+bytesOf(int64(len(p.body)))+" of it were read")
	}
	switch age := time.Since(p.at); {
	case cached && age < time.Minute:
		r.notes = append(r.notes, "it was fetched a moment ago")
	case cached:
		r.notes = append(r.notes, fmt.Sprintf("it was fetched %d min ago", age/time.Minute))
	}
}

// summarise puts what the model makes of the text in its place. Without a
// model, or when it fails, the text stays and a note says why.
func (h *Host) summarise(ctx context.Context, call capability.Call, prompt string, r *reading) (bool, error) {
	err := ErrNoModel
	answer := ""
	if h.Summariser != nil {
		call.Progress("Summarising the page")
		limited, cancel := context.WithTimeout(ctx, h.limits().Summary)
		defer cancel()
		answer, err = h.Summariser.Summarise(limited, call.Turn, prompt, r.text)
	}
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		err = errors.New("the model took too long")
	case err == nil && strings.TrimSpace(answer) == "":
		err = errors.New("the model said nothing")
	}
	if err != nil {
		r.notes = append(r.notes, "it was not summarised: "+capability.CutText(err.Error(), 200))
		return false, nil
	}
	r.text = strings.TrimSpace(answer)
	r.notes = append(r.notes, "this is what the background model made of the page for the prompt; without prompt the page itself comes")
	return true, nil
}

// portion leaves of the text what was asked for and fits, and returns the
// offset to go on with; 0 at the end.
func (h *Host) portion(r *reading, in fetchIn, characters int) (next int, err error) {
	if in.Offset > 0 && in.Offset >= characters {
		return 0, pastEnd.Becausef("the text has %d characters, so there is nothing after %d", characters, in.Offset).With("characters", characters)
	}
	rest := r.text[len(firstRunes(r.text, in.Offset)):]
	most := in.MaxChars
	if most == 0 {
		most = len(rest)
	}
	part := capability.CutText(firstRunes(rest, most), h.limits().Text)
	if i := strings.LastIndexByte(part, '\n'); len(part) < len(rest) && i > len(part)*9/10 {
		part = part[:i+1] // a whole line is better than half of one
	}
	if in.Offset > 0 {
		r.head = ""
	}
	shown := utf8.RuneCountInString(part)
	if len(part) < len(rest) {
		next = in.Offset + shown
		r.notes = append(r.notes, fmt.Sprintf("characters %d to %d of %d; go on with offset %d", in.Offset+1, next, characters, next))
	}
	r.text = part
	return next, nil
}

// firstRunes is the beginning of s, n characters long.
func firstRunes(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// result is all of it as text: what came first, then the notes.
func (r *reading) result() string {
	out := r.head + r.text
	for _, n := range r.notes {
		out = strings.TrimSuffix(out, "\n") + "\n(" + n + ")"
	}
	return out
}

// summaryOf is the page in a line for its card.
func summaryOf(r *reading, p *page) string {
	if r.title != "" {
		return r.title
	}
	return p.final.Host
}
