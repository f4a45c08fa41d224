package secret

import (
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
	ix := r.load()
	var b strings.Builder
	done := 0 // up to here s is in b
	for i := 0; i+leastSeen <= len(s); {
		if !ix.starts(s[i], s[i+1]) {
			i++
			continue
		}
		m := ix.match(s, i)
		if m.to == 0 {
			i++
			continue
		}
		b.WriteString(s[done:m.from])
		b.WriteString(Hidden)
		done, i = m.to, m.to
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

func (r *Redactor) load() *index {
	if ix := r.index.Load(); ix != nil {
		return ix
	}
	return shapesOnly()
}
