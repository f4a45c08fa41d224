package textfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// An Edit replaces one text by another.
type Edit struct {
	Old, New string
	All      bool // every occurrence; else there must be exactly one
}

// The ways an edit fails. An error of [Text.Apply] is an [*EditError] that
// wraps one of them.
var (
	ErrNotFound    = errors.New("the text to replace is not in the file")
	ErrNotUnique   = errors.New("the text to replace is there more than once")
	ErrSame        = errors.New("the edit changes nothing")
	ErrEmpty       = errors.New("the text to replace is empty")
	ErrUnencodable = errors.New("the encoding of the file lacks a character")
	ErrUnsound     = errors.New("in or beside the place are bytes that mean nothing in the encoding of the file")
)

// An EditError says which edit of a list failed, and why.
type EditError struct {
	Err   error
	Index int   // of the edit, from 0
	Count int   // ErrNotUnique: how often the text is there
	Lines []int // ErrNotUnique: the lines, at most 50 of them; ErrUnsound: the line
	Rune  rune  // ErrUnencodable: the character
	Near  *Near // ErrNotFound: what comes nearest; nil when nothing does
}

// Error is the reason as a sentence.
func (e *EditError) Error() string { return fmt.Sprintf("edit %d: %v", e.Index+1, e.Err) }

// Unwrap gives the reason.
func (e *EditError) Unwrap() error { return e.Err }

// Apply makes all edits or none. Each sees the result of the one before it.
// Only bytes of the replaced spans change. Line endings do not distinguish
// texts: "\n" in Old matches every ending, and "\n" in New becomes the file's.
// An Old that has "\r" and is there to the letter is taken to the letter. n is
// how many places were replaced.
func (t *Text) Apply(edits []Edit) (out *Text, n int, err error) {
	out = t
	for i, e := range edits {
		next, places, err := out.apply(e)
		if err != nil {
			fault, ok := errors.AsType[*EditError](err)
			if !ok {
				fault = &EditError{Err: err}
			}
			fault.Index = i
			return nil, 0, fault
		}
		out, n = next, n+places
	}
	if n > 0 && string(out.raw) == string(t.raw) {
		return nil, 0, &EditError{Err: ErrSame}
	}
	return out, n, nil
}

// A plan is one edit made ready for the text it applies to.
type plan struct {
	hay      flat
	old, new string
	ending   string // what "\n" of new becomes; empty: new is taken to the letter
	all      bool
}

func (t *Text) apply(e Edit) (*Text, int, error) {
	p := t.plan(e)
	switch {
	case e.Old == e.New, p.old == p.new:
		return nil, 0, ErrSame
	case e.Old == "" && t.str == "":
		return t.replace(p, []int{0})
	case p.old == "":
		return nil, 0, ErrEmpty
	}
	starts := p.occurrences()
	switch {
	case len(starts) == 0:
		fault := &EditError{Err: ErrNotFound}
		if near, ok := Nearest(p.hay.text, p.old); ok {
			fault.Near = &near
		}
		return nil, 0, fault
	case len(starts) > 1 && !e.All:
		return nil, 0, p.notUnique(starts)
	}
	return t.replace(p, starts)
}

func (t *Text) plan(e Edit) plan {
	if strings.Contains(e.Old, "\r") && strings.Contains(t.str, e.Old) {
		return plan{hay: flat{text: t.str, from: t.str}, old: e.Old, new: e.New, all: e.All}
	}
	p := plan{hay: flatten(t.str), all: e.All}
	p.ending, _ = Ending(t.str)
	p.old, p.new = p.hay.flatten(e.Old), e.New
	if p.ending != "" {
		p.new = p.hay.flatten(e.New)
	}
	return p
}

// occurrences lists where old starts. Without all, overlapping places count:
// "aa" is twice in "aaa", and nobody can say which one was meant.
func (p plan) occurrences() []int {
	if p.old == "" {
		return nil // it would be everywhere
	}
	var starts []int
	for at := 0; ; {
		i := strings.Index(p.hay.text[at:], p.old)
		if i < 0 {
			return starts
		}
		starts = append(starts, at+i)
		if at += i + len(p.old); !p.all {
			_, n := utf8.DecodeRuneInString(p.old)
			at += n - len(p.old)
		}
	}
}

func (p plan) notUnique(starts []int) *EditError {
	const most = 50
	fault := &EditError{Err: ErrNotUnique, Count: len(starts)}
	line, at := 1, 0
	for _, s := range starts[:min(len(starts), most)] {
		line += strings.Count(p.hay.text[at:s], "\n")
		at = s
		fault.Lines = append(fault.Lines, line)
	}
	return fault
}

// replace cuts new in at every start. What old and new have in common at their
// ends is left alone, so that an ending of another kind in there stays.
func (t *Text) replace(p plan, starts []int) (*Text, int, error) {
	head, tail := common(p.old, p.new)
	bounds := make([]int, 0, 4*len(starts)) // whole span and cut span of each place, in ascending order
	for _, s := range starts {
		bounds = append(bounds, s, s+head, s+len(p.old)-tail, s+len(p.old))
	}
	bounds = p.hay.back(bounds)
	insert := p.new[head : len(p.new)-tail]
	var raw []byte
	var want strings.Builder
	done, told := 0, 0
	c := cursor{text: t}
	for b := range slices.Chunk(bounds, 4) {
		from, to, sound := c.rawSpan(b[1], b[2])
		if !sound {
			return nil, 0, &EditError{Err: ErrUnsound, Lines: []int{LineAt(t.str, b[1])}}
		}
		in := p.withEnding(insert, p.hay.from[b[0]:b[3]])
		now, bad, ok := t.Encoding.Encode(in)
		if !ok {
			return nil, 0, &EditError{Err: ErrUnencodable, Rune: bad}
		}
		raw = append(append(raw, t.raw[done:from]...), now...)
		want.WriteString(t.str[told:b[1]] + in)
		done, told = to, b[2]
	}
	raw = append(raw, t.raw[done:]...)
	want.WriteString(t.str[told:])
	out := t.Encoding.decode(raw)
	if out.str != want.String() { // a broken character before the place has swallowed the new text
		return nil, 0, &EditError{Err: ErrUnsound, Lines: []int{LineAt(t.str, bounds[1])}}
	}
	return out, len(starts), nil
}

// withEnding gives the new lines the ending of the lines they replace, or else
// the one that most lines of the file have.
func (p plan) withEnding(text, replaced string) string {
	if p.ending == "" || !strings.Contains(text, "\n") {
		return text
	}
	ending := p.ending
	if own, _ := Ending(replaced); own == "\n" || own == "\r\n" {
		ending = own
	}
	if ending == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", ending)
}

// common is how many bytes a and b share at their starts and, beyond those, at
// their ends, in whole characters.
func common(a, b string) (head, tail int) {
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for head > 0 && (head < len(a) && !utf8.RuneStart(a[head]) || head < len(b) && !utf8.RuneStart(b[head])) {
		head--
	}
	a, b = a[head:], b[head:]
	for tail < len(a) && tail < len(b) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && !utf8.RuneStart(a[len(a)-tail]) {
		tail--
	}
	return head, tail
}

// A cursor carries spans of the text back to the file's bytes. The spans come
// in ascending order; sound is false when one holds bytes that mean nothing.
type cursor struct {
	text    *Text
	at, pos int
}

func (c *cursor) rawSpan(from, to int) (rawFrom, rawTo int, sound bool) {
	t := c.text
	if t.same {
		mark := len(t.Encoding.BOM)
		return mark + from, mark + to, true
	}
	c.pos = max(c.pos, len(t.Encoding.BOM))
	sound = true
	for c.at < from {
		c.step()
	}
	for rawFrom = c.pos; c.at < to; {
		sound = c.step() && sound
	}
	return rawFrom, c.pos, sound
}

func (c *cursor) step() bool {
	r, n, ok := c.text.Encoding.step(c.text.raw[c.pos:])
	c.at += utf8.RuneLen(r)
	c.pos += n
	return ok
}
