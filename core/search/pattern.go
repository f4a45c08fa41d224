package search

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// A Query says what to look for.
type Query struct {
	Text      string // RE2, or plain text when Literal
	Literal   bool
	Fold      bool // upper and lower case are the same
	Multiline bool // matches may span lines, and . matches a line end
}

// A Pattern is a query made ready. It is safe for concurrent use, but for the
// automaton, of which each goroutine needs its own (see [Pattern.finder]).
type Pattern struct {
	re        *regexp.Regexp
	needles   []needle     // texts of which every match holds one; none when there are no such
	whole     bool         // holding one is all there is to match
	prog      *syntax.Prog // for the automaton; nil for Multiline
	foreign   bool         // may match characters beyond ASCII by their letters
	multiline bool
}

// Compile makes a query ready. The error is a [*syntax.Error].
func Compile(q Query) (*Pattern, error) {
	text := q.Text
	if q.Literal {
		text = regexp.QuoteMeta(text)
	}
	flags := "m"
	if q.Fold {
		flags += "i"
	}
	if q.Multiline {
		flags += "s"
	}
	if _, err := syntax.Parse(text, syntax.Perl); err != nil { // alone, so that the error names no more than was written
		return nil, err
	}
	tree, err := syntax.Parse("(?"+flags+":"+text+")", syntax.Perl)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile("(?" + flags + ":" + text + ")")
	if err != nil {
		return nil, err
	}
	p := &Pattern{re: re, multiline: q.Multiline, foreign: foreign(tree)}
	tree = tree.Simplify()
	p.needles, p.whole = needlesOf(tree)
	if !q.Multiline {
		if p.prog, err = syntax.Compile(tree); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Find is where the first match in line begins and ends; nil when there is none.
func (p *Pattern) Find(line []byte) []int { return p.re.FindIndex(line) }

// foreign reports whether the pattern names letters beyond ASCII.
func foreign(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral {
		for _, r := range re.Rune {
			if r >= utf8.RuneSelf {
				return true
			}
		}
	}
	if re.Op == syntax.OpCharClass && len(re.Rune) > 0 && re.Rune[len(re.Rune)-1] >= utf8.RuneSelf && re.Rune[len(re.Rune)-1] < utf8.MaxRune {
		return true
	}
	return slices.ContainsFunc(re.Sub, foreign)
}

// A finder looks for matching lines. Each goroutine has its own.
type finder struct {
	*Pattern
	hunt hunt
	dfa  *automaton
}

func (p *Pattern) finder() *finder {
	f := &finder{Pattern: p, hunt: hunt{needles: p.needles}}
	if p.prog != nil {
		f.dfa = newAutomaton(p.prog)
	}
	return f
}

// next finds the first line of buf, from a line start on, that matches. The
// bounds leave out the line end. For one buf, from never goes back.
func (f *finder) next(buf []byte, from int) (start, end int, ok bool) {
	if from == 0 {
		f.hunt.begin(buf)
	}
	for from < len(buf) {
		at := from
		switch {
		case len(f.needles) > 0:
			at = f.hunt.next(from)
		case f.dfa != nil:
			if at = f.dfa.scan(buf[from:]); at >= 0 {
				at += from
			}
		}
		if at < 0 {
			return 0, 0, false
		}
		start, end = lineAround(buf, at, from)
		if f.matches(buf[start:end]) {
			return start, end, true
		}
		from = nextLine(buf, end)
	}
	return 0, 0, false
}

// matches decides about one line.
func (f *finder) matches(line []byte) bool {
	switch {
	case f.whole:
		return true
	case len(f.needles) > 0 && f.dfa != nil && f.dfa.scan(line) < 0:
		return false
	}
	return f.re.Match(line)
}

// lineAround is the line that holds buf[at], without its end. It does not
// start before from.
func lineAround(buf []byte, at, from int) (start, end int) {
	at = min(at, len(buf))
	start = from + bytes.LastIndexByte(buf[from:at], '\n') + 1
	end = len(buf)
	if i := bytes.IndexByte(buf[at:], '\n'); i >= 0 {
		end = at + i
	}
	if end > start && buf[end-1] == '\r' {
		end--
	}
	return start, end
}

// nextLine is the start of the line after the one that ends at end.
func nextLine(buf []byte, end int) int {
	if end < len(buf) && buf[end] == '\r' {
		end++
	}
	return min(end+1, len(buf))
}
