package guardrail

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A check is a rule that is ready.
type check struct {
	Rule
	re *regexp.Regexp // of a pattern or of the words; nil where the rule has none
}

func newCheck(r Rule) (*check, error) {
	c := &check{Rule: r}
	var err error
	switch {
	case r.Type == Blocklist:
		c.re, err = wordsRE(r.Words)
	case r.Pattern != "":
		c.re, err = compile(r.Pattern)
	}
	return c, err
}

// wordsRE finds any of the words, whole and in any case, with any blanks
// between the words of a phrase.
func wordsRE(words []string) (*regexp.Regexp, error) {
	var parts []string
	for _, w := range words {
		var fields []string
		for f := range strings.FieldsSeq(plain(w)) {
			fields = append(fields, regexp.QuoteMeta(f))
		}
		parts = append(parts, strings.Join(fields, `\s+`))
	}
	// Longer ones first: of two that begin alike the whole one is found.
	slices.SortFunc(parts, func(a, b string) int { return len(b) - len(a) })
	return regexp.Compile(`(?i)(?:` + strings.Join(parts, "|") + `)`)
}

// plain is text as it reads: wide and other forms of letters as the usual ones,
// and nothing that has no width.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || r == '\u034f' {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
}

// forTool reports whether the check is for a tool of one of these names.
func (c *check) forTool(names ...string) bool {
	return len(c.Tools) == 0 || slices.ContainsFunc(c.Tools, func(pattern string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			ok, err := path.Match(pattern, name)
			return ok && err == nil
		})
	})
}

// model reports whether something else than the text decides.
func (c *check) model() bool { return c.Type == LLMJudge || c.Type == MCP || c.Type == Moderation }

// matches looks a text over. With something to put in its place, masked is the
// text without what was found.
func (c *check) matches(text string) (hit bool, masked string) {
	spans := c.find(text)
	if len(spans) == 0 {
		if p := plain(text); p != text && len(c.find(p)) > 0 {
			return true, "" // hidden among signs without width: no part of it is let through
		}
		return false, text
	}
	if c.Replace == "" {
		return true, ""
	}
	put := func(what string) string {
		var b strings.Builder
		at := 0
		for _, s := range spans {
			b.WriteString(text[at:s[0]] + what)
			at = s[1]
		}
		return b.String() + text[at:]
	}
	if len(c.find(plain(put("\n")))) > 0 { // more of it is hidden
		return true, ""
	}
	return true, put(c.Replace)
}

// find returns the places of what must not be there.
func (c *check) find(text string) (spans [][]int) {
	if c.re == nil {
		return nil
	}
	for _, s := range c.re.FindAllStringIndex(text, -1) {
		if c.Type == Blocklist && !wholeWord(text, s[0], s[1]) {
			continue
		}
		spans = append(spans, s)
	}
	return spans
}

// wholeWord reports whether no letter or digit goes on before or behind.
func wholeWord(text string, from, to int) bool {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	var before, first, last, after rune
	for _, r := range text[max(0, from-4):from] {
		before = r
	}
	for i, r := range text[from:to] {
		if i == 0 {
			first = r
		}
		last = r
	}
	for _, r := range text[to:] {
		after = r
		break
	}
	return (!inWord(before) || !inWord(first)) && (!inWord(last) || !inWord(after))
}

// strings of arguments, keys included, as they read: an escape of JSON hides
// nothing.
func values(args json.RawMessage) []string {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	out := []string{string(args)}
	for {
		t, err := d.Token()
		if err != nil {
			return out
		}
		switch t := t.(type) {
		case string:
			out = append(out, t)
		case json.Number:
			out = append(out, t.String())
		}
	}
}
