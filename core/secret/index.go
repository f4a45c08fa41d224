package secret

import (
	"slices"
	"strings"
	"sync"
)

// leastSeen is how many bytes tell the patterns apart; no secret is shorter.
const leastSeen = 4

// An index finds patterns and shapes by their first bytes. It never changes.
type index struct {
	pairs    [1 << 13]byte       // a bit for every pair of bytes that something begins with
	patterns map[string][]string // by their first 4 bytes, the longest first
	shapes   [256][]shape        // by their first byte
	heads    map[string]bool     // the first 1 to 3 bytes of every pattern
}

var shapesOnly = sync.OnceValue(func() *index { return newIndex(nil) })

func newIndex(patterns []string) *index {
	ix := &index{patterns: map[string][]string{}, heads: map[string]bool{}}
	for _, p := range patterns {
		ix.mark(p[0], p[1])
		ix.patterns[p[:leastSeen]] = append(ix.patterns[p[:leastSeen]], p)
		for n := 1; n < leastSeen; n++ {
			ix.heads[p[:n]] = true
		}
	}
	for _, list := range ix.patterns {
		slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	}
	for _, sh := range shapes {
		ix.mark(sh.prefix[0], sh.prefix[1])
		ix.shapes[sh.prefix[0]] = append(ix.shapes[sh.prefix[0]], sh)
	}
	return ix
}

func (ix *index) mark(a, b byte) {
	n := int(a)<<8 | int(b)
	ix.pairs[n>>3] |= 1 << (n & 7)
}

func (ix *index) starts(a, b byte) bool {
	n := int(a)<<8 | int(b)
	return ix.pairs[n>>3]&(1<<(n&7)) != 0
}

// A match is a secret in a text.
type match struct {
	from, to int  // to is 0 when there is none
	open     bool // text behind could change that
}

// match returns the secret that begins at i, the longest of several. A shape
// may leave its first bytes standing, as Bearer. At least [leastSeen] bytes of
// s are at i.
func (ix *index) match(s string, i int) (m match) {
	for _, p := range ix.patterns[s[i:i+leastSeen]] {
		if strings.HasPrefix(s[i:], p) {
			m.from, m.to = i, i+len(p)
			break
		}
		m.open = m.open || strings.HasPrefix(p, s[i:])
	}
	for _, sh := range ix.shapes[s[i]] {
		if !strings.HasPrefix(s[i:], sh.prefix) {
			m.open = m.open || strings.HasPrefix(sh.prefix, s[i:])
			continue
		}
		f := sh.match(s, i)
		m.open = m.open || f.open
		if f.n > 0 && i+f.n > m.to {
			if m.to == 0 {
				m.from = i + f.skip
			}
			m.to = i + f.n
		}
	}
	if m.to > 0 {
		ix.stretch(s, i, &m)
	}
	return m
}

// stretch moves the end of a secret that begins at i on, when a known one
// begins inside it and ends behind it.
func (ix *index) stretch(s string, i int, m *match) {
	for j := i + 1; j < m.to; j++ {
		if j+leastSeen > len(s) {
			m.open = m.open || ix.heads[s[j:]]
			continue
		}
		if !ix.starts(s[j], s[j+1]) {
			continue
		}
		for _, p := range ix.patterns[s[j:j+leastSeen]] {
			if j+len(p) <= m.to {
				break // the longest come first
			}
			if strings.HasPrefix(s[j:], p) {
				m.to = j + len(p)
				break
			}
			m.open = m.open || strings.HasPrefix(p, s[j:])
		}
	}
}

// begins reports whether a secret can begin with what s ends with from i on,
// which is less than [leastSeen] bytes.
func (ix *index) begins(s string, i int) bool {
	rest := s[i:]
	if ix.heads[rest] {
		return true
	}
	for _, sh := range ix.shapes[rest[0]] {
		may := strings.HasPrefix(sh.prefix, rest) || strings.HasPrefix(rest, sh.prefix)
		if may && (sh.inside || !isAlnum(rest[0]) || free(s, i)) {
			return true
		}
	}
	return false
}
