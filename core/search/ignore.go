package search

import (
	"bytes"
	"strings"
)

// Rules are the patterns of one ignore file, such as .gitignore.
type Rules struct{ list []rule }

// A rule is one pattern. Most are simple enough to need no wildcard matching.
type rule struct {
	negated bool // brings back what an earlier rule took away
	dirOnly bool
	base    bool   // compares the last name only, at any depth
	prefix  string // literal start
	suffix  string // with endsWith: literal end behind one star
	kind    ruleKind
	rest    *wild // what follows prefix
}

type ruleKind uint8

const (
	literal ruleKind = iota
	endsWith
	wildcard
)

// ParseRules reads an ignore file. It never fails: what git cannot make sense
// of matches nothing.
func ParseRules(data []byte) *Rules {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	r := &Rules{}
	for line := range strings.SplitSeq(string(data), "\n") {
		if one, ok := parseRule(trimSpaces(strings.TrimSuffix(line, "\r"))); ok {
			r.list = append(r.list, one)
		}
	}
	return r
}

// trimSpaces drops spaces from the end, but for one behind a backslash.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

func parseRule(p string) (rule, bool) {
	if p == "" || p[0] == '#' {
		return rule{}, false
	}
	var r rule
	if p[0] == '!' {
		r.negated = true
		p = p[1:]
	}
	if strings.HasSuffix(p, "/") {
		r.dirOnly = true
		p = p[:len(p)-1]
	}
	r.base = !strings.Contains(p, "/")
	p = strings.TrimPrefix(p, "/")
	special := strings.IndexAny(p, `*?[\`)
	switch {
	case special < 0:
		r.prefix = p
	case r.base && p[0] == '*' && !strings.ContainsAny(p[1:], `*?[\`):
		r.kind, r.suffix = endsWith, p[1:]
	default:
		// git compares the literal start by itself and gives only the rest to
		// its matcher, so that ** right behind it counts as at the start
		r.kind = wildcard
		if !r.base {
			r.prefix = p[:special]
			p = p[special:]
		}
		r.rest = compileWild(p, !r.base, false)
	}
	return r, true
}

// A Verdict is what rules say about a path.
type Verdict int8

// The verdicts.
const (
	Silent  Verdict = iota // no rule fits
	Ignore                 // the last rule that fits takes it away
	Include                // the last rule that fits brings it back
)

// Match judges a path, relative to the folder of the ignore file, with slashes.
// Whether a folder above is ignored is for the caller to ask first.
func (r *Rules) Match(path string, dir bool) Verdict {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(r.list) - 1; i >= 0; i-- {
		one := &r.list[i]
		if one.dirOnly && !dir {
			continue
		}
		text := path
		if one.base {
			text = name
		}
		if !one.match(text) {
			continue
		}
		if one.negated {
			return Include
		}
		return Ignore
	}
	return Silent
}

func (r *rule) match(text string) bool {
	switch r.kind {
	case literal:
		return text == r.prefix
	case endsWith:
		return strings.HasSuffix(text, r.suffix)
	case wildcard:
	}
	rest, ok := strings.CutPrefix(text, r.prefix)
	return ok && r.rest.match(rest)
}

// A chain is the rules in force in a folder: its own first, then those of the
// folders above.
type chain struct {
	rules *Rules
	base  string // folder of the rules below the walk's root, "" for the root
	above string // or else: the way from the folder of the rules down to the root
	up    *chain
}

// ignored judges a path below the walk's root.
func (c *chain) ignored(path string, dir bool) bool {
	for ; c != nil; c = c.up {
		rel := path
		switch {
		case c.above != "":
			rel = c.above + "/" + path
		case c.base != "":
			rel = path[len(c.base)+1:]
		}
		if v := c.rules.Match(rel, dir); v != Silent {
			return v == Ignore
		}
	}
	return false
}
