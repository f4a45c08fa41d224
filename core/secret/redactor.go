package secret

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A Redactor takes secrets out of texts. It knows the values it was told, as
// they are and in the usual encodings, and the shapes of common keys and
// tokens. The zero Redactor knows the shapes. It is safe for concurrent use.
type Redactor struct {
	mu    sync.Mutex // held while adding
	known map[string]bool
	index atomic.Pointer[index]
}

// leastBytes is the shortest value that is looked for: a shorter one would
// tear holes into ordinary text.
const leastBytes = 8

// Add makes values known. Those under 8 bytes are left alone.
func (r *Redactor) Add(values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.known)
	for _, v := range values {
		if r.known == nil {
			r.known = map[string]bool{}
		}
		for _, form := range forms(v) {
			r.known[form] = true
		}
	}
	if len(r.known) == before {
		return
	}
	patterns := make([]string, 0, len(r.known))
	for p := range r.known {
		patterns = append(patterns, p)
	}
	r.index.Store(newIndex(patterns))
}

// Redact returns s with [Hidden] in the place of every secret. A text without
// one is returned as it is, without a copy.
func (r *Redactor) Redact(s string) string {
	ix := r.index.Load()
	if ix == nil {
		ix = shapesOnly()
	}
	var b strings.Builder
	done := 0 // up to here s is in b
	for i := 0; i+4 <= len(s); {
		if !ix.starts(s[i], s[i+1]) {
			i++
			continue
		}
		from, to := ix.match(s, i)
		if to == 0 {
			i++
			continue
		}
		b.WriteString(s[done:from])
		b.WriteString(Hidden)
		done, i = to, to
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// An index finds patterns and shapes by their first bytes. It never changes.
type index struct {
	pairs    [1 << 13]byte       // a bit for every pair of bytes that something begins with
	patterns map[string][]string // by their first 4 bytes, the longest first
	shapes   [256][]shape        // by their first byte
}

var shapesOnly = sync.OnceValue(func() *index { return newIndex(nil) })

func newIndex(patterns []string) *index {
	ix := &index{patterns: map[string][]string{}}
	for _, p := range patterns {
		ix.mark(p[0], p[1])
		ix.patterns[p[:4]] = append(ix.patterns[p[:4]], p)
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

// match returns the secret that begins at i, the longest of several; to is 0
// when there is none. A shape may leave its first bytes standing, as Bearer.
func (ix *index) match(s string, i int) (from, to int) {
	for _, p := range ix.patterns[s[i:i+4]] {
		if strings.HasPrefix(s[i:], p) {
			from, to = i, i+len(p)
			break
		}
	}
	for _, sh := range ix.shapes[s[i]] {
		if !strings.HasPrefix(s[i:], sh.prefix) {
			continue
		}
		if skip, n := sh.match(s, i); n > 0 && i+n > to {
			if to == 0 {
				from = i + skip
			}
			to = i + n
		}
	}
	return from, ix.stretch(s, i, to)
}

// stretch moves the end of a secret that begins at i on, when a known one
// begins inside it and ends behind it.
func (ix *index) stretch(s string, i, to int) int {
	for j := i + 1; j < to && j+4 <= len(s); j++ {
		if !ix.starts(s[j], s[j+1]) {
			continue
		}
		for _, p := range ix.patterns[s[j:j+4]] {
			if j+len(p) > to && strings.HasPrefix(s[j:], p) {
				to = j + len(p)
				break
			}
		}
	}
	return to
}
