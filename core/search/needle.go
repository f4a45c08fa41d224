package search

import (
	"bytes"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A needle is a text to be found fast: its rarest byte is looked for with the
// processor's own search, and the rest compared.
type needle struct {
	text string
	fold bool // upper and lower case are the same; then text is lower case
	rare int  // index of the rarest byte
}

// maxNeedles bounds the texts that are hunted at once; more are left to the
// automaton, whose speed does not depend on their number.
const maxNeedles = 8

// needlesOf finds texts of which every match of re holds one. There are none
// when the best that can be found are so common that hunting them does not
// pay. whole reports whether matching is the same as holding one.
func needlesOf(re *syntax.Regexp) (needles []needle, whole bool) {
	r := required(re)
	if !r.useful() {
		return nil, false
	}
	whole = r.whole
	for _, text := range r.texts {
		n := needle{text: text, fold: r.fold}
		for i := range len(text) {
			if n.cost(i) < n.cost(n.rare) {
				n.rare = i
			}
		}
		if n.cost(n.rare) > tooCommon {
			return nil, false
		}
		whole = whole && !strings.Contains(text, "\n") // a line holds no line end
		needles = append(needles, n)
	}
	return needles, whole
}

// commonBytes of text and code, the commonest first.
const commonBytes = " etaoinsrlcdupm\tfhg\n_.,bvy=()x\"w/k0-E:1STACIRNO{}*2;LDPM'UFVBqj><z[]G8345679&HX"

// tooCommon is the cost from which on every other word would be a candidate.
const tooCommon = len(commonBytes) - 8

// cost is how common the byte at i is.
func (n *needle) cost(i int) int {
	c := commonness(n.text[i])
	if u := upper(n.text[i]); n.fold && u != n.text[i] {
		c = max(c, commonness(u)) + 1
	}
	return c
}

func commonness(b byte) int {
	if i := strings.IndexByte(commonBytes, b); i >= 0 {
		return len(commonBytes) - i
	}
	return 0
}

// A requirement is a choice of texts, of which every match holds one.
type requirement struct {
	texts []string
	fold  bool
	whole bool // matching is the same as holding one
}

func (r requirement) useful() bool {
	return len(r.texts) > 0 && len(r.texts) <= maxNeedles && r.shortest() > 0
}

func (r requirement) shortest() int {
	n := len(r.texts[0])
	for _, t := range r.texts {
		n = min(n, len(t))
	}
	return n
}

func required(re *syntax.Regexp) requirement {
	switch re.Op {
	case syntax.OpLiteral:
		return requiredText(re)
	case syntax.OpCapture:
		return required(re.Sub[0])
	case syntax.OpPlus:
		return part(required(re.Sub[0]))
	case syntax.OpRepeat:
		if re.Min > 0 {
			return part(required(re.Sub[0]))
		}
	case syntax.OpConcat:
		return requiredInRow(re.Sub)
	case syntax.OpAlternate:
		return requiredChoice(re.Sub)
	}
	return requirement{}
}

func part(r requirement) requirement {
	r.whole = false
	return r
}

// requiredText is a literal itself. Without regard to case it is the longest
// part whose letters have no relatives beyond ASCII, as k has the Kelvin sign.
func requiredText(re *syntax.Regexp) requirement {
	text := string(re.Rune)
	if re.Flags&syntax.FoldCase == 0 {
		return requirement{texts: []string{text}, whole: true}
	}
	text = strings.ToLower(text)
	best := ""
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r >= utf8.RuneSelf || r == 'k' || r == 's' }) {
		if len(run) > len(best) {
			best = run
		}
	}
	if best == "" {
		return requirement{}
	}
	return requirement{texts: []string{best}, fold: true, whole: best == text}
}

// requiredInRow joins neighbours that are plain texts, and takes the best.
func requiredInRow(subs []*syntax.Regexp) (best requirement) {
	run := requirement{texts: []string{""}, whole: true}
	all := true
	for _, sub := range subs {
		r := required(sub)
		if len(r.texts) == 1 && r.whole && !r.fold {
			run.texts = []string{run.texts[0] + r.texts[0]}
			continue
		}
		all = false
		best = better(best, better(run, r))
		run.texts = []string{""}
	}
	if all {
		return run
	}
	return part(better(best, run))
}

func better(a, b requirement) requirement {
	if a.worth() >= b.worth() {
		return a
	}
	return b
}

// worth prefers few long texts.
func (r requirement) worth() int {
	if !r.useful() {
		return 0
	}
	w := 8 * min(r.shortest(), 8) / len(r.texts)
	if r.fold {
		w /= 2
	}
	return w + 1
}

// requiredChoice needs a text for every branch.
func requiredChoice(subs []*syntax.Regexp) requirement {
	out := requirement{whole: true}
	for i, sub := range subs {
		r := required(sub)
		if !r.useful() || i > 0 && r.fold != out.fold {
			return requirement{}
		}
		out.fold = r.fold
		out.whole = out.whole && r.whole
		out.texts = append(out.texts, r.texts...)
	}
	return out
}

// A hunt looks for several needles in one text, from left to right. Each track
// remembers where its byte comes next.
type hunt struct {
	needles []needle
	buf     []byte
	tracks  []track
}

// A track is one needle by one form of its rarest byte.
type track struct {
	*needle
	b  byte
	at int // where the needle starts next, at or after the last question; -1: nowhere
}

func (h *hunt) begin(buf []byte) {
	h.buf = buf
	if h.tracks == nil {
		for i := range h.needles {
			n := &h.needles[i]
			b := n.text[n.rare]
			h.tracks = append(h.tracks, track{needle: n, b: b})
			if u := upper(b); n.fold && u != b {
				h.tracks = append(h.tracks, track{needle: n, b: u})
			}
		}
	}
	for i := range h.tracks {
		h.tracks[i].at = -2 // not yet looked for
	}
}

// next is where the first needle starts, at from or later; -1 when none does.
func (h *hunt) next(from int) int {
	first := -1
	for i := range h.tracks {
		t := &h.tracks[i]
		if t.at != -1 && t.at < from {
			t.at = t.index(h.buf, from)
		}
		if t.at >= 0 && (first < 0 || t.at < first) {
			first = t.at
		}
	}
	return first
}

// index is where the needle starts at from or later, or -1.
func (t *track) index(buf []byte, from int) int {
	tail := len(t.text) - t.rare
	last := len(buf) - tail // the last place that its rarest byte may have
	for at := from + t.rare; at <= last; at++ {
		i := bytes.IndexByte(buf[at:last+1], t.b)
		if i < 0 {
			return -1
		}
		at += i
		if t.here(buf[at-t.rare : at+tail]) {
			return at - t.rare
		}
	}
	return -1
}

func (t *track) here(word []byte) bool {
	if !t.fold {
		return string(word) == t.text
	}
	for i, b := range word {
		if lower(b) != t.text[i] {
			return false
		}
	}
	return true
}
