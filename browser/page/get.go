package page

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// content is what the script read of an element or page.
type content struct {
	word
	Text   string   `json:"text"`
	Length int      `json:"length"`
	Secret bool     `json:"secret"`
	Names  []string `json:"names"`
}

// things are what one may get of an element or page.
var things = []string{"text", "html", "value", "attribute", "url", "title"}

// getLimit is how many characters are given when nothing else is asked for.
const getLimit = 20000

// get is the act of reading an element, or the page.
func (p *Page) get(ctx context.Context, a *Act) (*Done, error) {
	what := a.What
	if what == "" {
		what = "text"
	}
	if !slices.Contains(things, what) {
		return nil, BadAct.Becausef("there is no %q to get", clean(what, 40)).Trying("use one of " + strings.Join(things, ", "))
	}
	var e element
	var err error
	if a.Ref == "" {
		e.world, _, err = p.top(ctx)
	} else {
		e, err = p.find(ctx, a.Ref)
	}
	if err != nil {
		return nil, err
	}
	var got content
	if err := e.call(ctx, &got, "get", e.number, what, a.Name); err != nil {
		return nil, err
	}
	switch {
	case got.Why == "attribute":
		return nil, BadValue.Becausef("%s has no attribute %q; it has %s", refOrPage(a.Ref), clean(a.Name, 40), quoteAll(cleanAll(got.Names, 40))).Trying("ask for one of those")
	case got.Why == "empty":
		return nil, NoPage.Becausef("the page has no content")
	case got.Why != "":
		return nil, e.fail(got.word, a.Timeout)
	case got.Secret:
		return &Done{Text: "What is in a password field is not shown."}, nil
	}
	return got.done(what, a), nil
}

func (c content) done(what string, a *Act) *Done {
	limit := a.Limit
	if limit <= 0 {
		limit = getLimit
	}
	text := strings.ToValidUTF8(c.Text, "\uFFFD")
	d := &Done{Text: strings.ToUpper(what[:1]) + what[1:] + " of " + refOrPage(a.Ref) + ":", Content: firstRunes(text, limit)}
	d.More = max(c.Length-utf8.RuneCountInString(d.Content), 0)
	if d.Content == text && d.More < 3 { // JavaScript counts some characters twice
		d.More = 0
	}
	return d
}

func refOrPage(ref string) string {
	if n := parseRef(ref); n > 0 {
		return refName(n)
	}
	return "the page"
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
