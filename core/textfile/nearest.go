package textfile

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Near is the place in a file that comes nearest to a text that is not there.
type Near struct {
	Line int      // its first line, from 1
	Text string   // what stands there
	Why  []string // how it differs: "quote style", "indentation (tabs in the file, spaces in your text)"
}

// maxNear bounds the text that is searched for a near match: beyond it the
// help is not worth the time.
const maxNear = 2 << 20

// Nearest finds what comes nearest to want in text. Line endings are "\n" in
// both. It returns false when nothing is near.
func Nearest(text, want string) (Near, bool) {
	if len(text) > maxNear || len(want) > maxNear/8 || strings.TrimSpace(want) == "" {
		return Near{}, false
	}
	for _, f := range singles {
		if n, ok := loose(text, want, f); ok {
			return n, true
		}
	}
	if n, ok := miswritten(text, want); ok {
		return n, true
	}
	if n, ok := loose(text, want, everything); ok {
		return n, true
	}
	return similar(text, want)
}

// A slack is a set of differences that a comparison lets pass.
type slack uint

const (
	trailing  slack = 1 << iota // spaces at line ends
	indents                     // spaces at line starts
	spaces                      // any run of spaces and line breaks is one space
	noSpaces                    // no spaces at all
	quotes                      // curly or straight
	dashes                      // long or short
	letters                     // upper or lower case
	form                        // composed or decomposed
	invisible                   // zero-width characters

	everything = noSpaces | quotes | dashes | letters | form | invisible
)

// singles are tried one at a time, the likeliest first.
var singles = []slack{trailing, indents, spaces, quotes, dashes, form, invisible, letters, noSpaces}

var slackNames = map[slack]string{
	trailing:  "white space at the end of a line",
	spaces:    "white space or line breaks",
	noSpaces:  "white space or line breaks",
	quotes:    "quote style (curly against straight)",
	dashes:    "dash style (long against short)",
	letters:   "upper and lower case",
	form:      "Unicode normal form (the same letters, composed in one and decomposed in the other)",
	invisible: "invisible characters",
}

// loose looks for want where the differences of s do not count.
func loose(text, want string, s slack) (Near, bool) {
	needle := wanted(want, s)
	if needle == "" {
		return Near{}, false
	}
	hay := simplify(text, s)
	i := strings.Index(string(hay.b), needle)
	if i < 0 {
		return Near{}, false
	}
	from, to := hay.at[i], len(text)
	if end := i + len(needle); end < len(hay.at) {
		to = hay.at[end]
	}
	if s&(trailing|indents) != 0 { // show whole lines, since the margin is what differs
		from = strings.LastIndexByte(text[:from], '\n') + 1
		if nl := strings.IndexByte(text[to:], '\n'); nl >= 0 {
			to += nl
		}
	}
	found := strings.TrimRight(text[from:to], "\n")
	return Near{Line: LineAt(text, from), Text: found, Why: reasons(found, want, s)}, true
}

// wanted is the text to look for. Where spaces do not count, those round it
// do not either.
func wanted(want string, s slack) string {
	text := string(simplify(want, s).b)
	if s&(spaces|noSpaces) != 0 {
		return strings.Trim(text, " ")
	}
	return text
}

// reasons names the differences of s that really are between found and want.
func reasons(found, want string, s slack) (why []string) {
	switch s {
	case everything:
		for _, f := range []slack{noSpaces, quotes, dashes, form, invisible, letters} {
			rest := everything &^ f
			if !strings.Contains(string(simplify(found, rest).b), wanted(want, rest)) {
				why = append(why, slackNames[f])
			}
		}
		return why
	case indents:
		return []string{indentReason(found, want)}
	}
	return []string{slackNames[s]}
}

func indentReason(found, want string) string {
	in := func(text string) (tab, space bool) {
		for line := range strings.Lines(text) {
			margin := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
			tab = tab || strings.Contains(margin, "\t")
			space = space || strings.Contains(margin, " ")
		}
		return tab, space
	}
	fileTab, fileSpace := in(found)
	yourTab, yourSpace := in(want)
	switch {
	case fileTab && !yourTab && yourSpace:
		return "indentation (tabs in the file, spaces in your text)"
	case fileSpace && !fileTab && yourTab:
		return "indentation (spaces in the file, tabs in your text)"
	}
	return "indentation"
}

// A simple is a text without some differences; at tells where each byte of b
// was in the text.
type simple struct {
	b  []byte
	at []int
}

func simplify(text string, s slack) simple {
	out := simple{b: make([]byte, 0, len(text)), at: make([]int, 0, len(text))}
	if s&form == 0 {
		for i, r := range text {
			out.add(r, i, s)
		}
		return out.trimmed(s)
	}
	var it norm.Iter
	it.InitString(norm.NFC, text)
	for !it.Done() {
		at := it.Pos()
		for _, r := range string(it.Next()) {
			out.add(r, at, s)
		}
	}
	return out.trimmed(s)
}

func (o *simple) add(r rune, at int, s slack) {
	if unicode.IsSpace(r) {
		o.addSpace(r, at, s)
		return
	}
	switch {
	case s&invisible != 0 && (unicode.Is(unicode.Cf, r) || r == 0xFEFF):
		return
	case s&quotes != 0:
		r = straight(r)
	}
	if s&dashes != 0 && (unicode.Is(unicode.Pd, r) || r == '−') {
		r = '-'
	}
	if s&letters != 0 {
		r = unicode.ToLower(r)
	}
	o.put(r, at)
}

func (o *simple) addSpace(r rune, at int, s slack) {
	start := len(o.b) == 0 || o.b[len(o.b)-1] == '\n'
	switch {
	case s&noSpaces != 0:
	case s&spaces != 0:
		if len(o.b) == 0 || o.b[len(o.b)-1] != ' ' {
			o.put(' ', at)
		}
	case s&indents != 0 && start && r != '\n':
	case r == '\n':
		o.trimmed(s)
		o.put(r, at)
	default:
		o.put(r, at)
	}
}

func (o *simple) put(r rune, at int) {
	n := len(o.b)
	o.b = append(o.b, string(r)...)
	for range len(o.b) - n {
		o.at = append(o.at, at)
	}
}

// trimmed drops spaces before a line end, where s asks for it.
func (o *simple) trimmed(s slack) simple {
	for s&trailing != 0 && len(o.b) > 0 && (o.b[len(o.b)-1] == ' ' || o.b[len(o.b)-1] == '\t') {
		o.b, o.at = o.b[:len(o.b)-1], o.at[:len(o.at)-1]
	}
	return *o
}

func straight(r rune) rune {
	switch r {
	case '‘', '’', '‚', '‛', '′', '`', '´', '＇':
		return '\''
	case '“', '”', '„', '‟', '″', '«', '»', '＂':
		return '"'
	}
	return r
}
