package capability

import (
	"cmp"
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
)

// A field is a part of a capability that is searched.
type field int

// The fields.
const (
	inName field = iota
	inDescription
	inParameters // their names
	inMeanings   // their descriptions
	fields
)

// A document is a capability as the search sees it. It is made once and stays
// with its capability, so that swapping one family of tools costs the others
// nothing.
type document struct {
	once   sync.Once
	known  bloom
	terms  []term // by hash
	length [fields]float64
	name   string // in small letters, without separators
	grams  bloom  // of all that is four bytes long in the name
}

// A term is a word of a document, and how often each field has it. Words are
// held by their hash: of 64 bits, two words share one in no list of tools.
type term struct {
	hash  uint64
	count [fields]uint8
}

var seed = maphash.MakeSeed()

func hashOf(word string) uint64 { return maphash.String(seed, word) }

// A bloom tells quickly that a document does not have a word, which is so for
// nearly all of them.
type bloom [4]uint64

func (b *bloom) add(hash uint64)      { b[hash>>6&3] |= 1 << (hash & 63) }
func (b *bloom) has(hash uint64) bool { return b[hash>>6&3]&(1<<(hash&63)) != 0 }

// searched returns the document of c. It is safe for several callers at once.
func (c *Capability) searched() *document {
	d := c.document
	if d == nil { // of no registry
		d = &document{}
	}
	d.once.Do(func() { d.read(c) })
	return d
}

// maxParameters is how many parameters of a tool are searched, nested ones
// included: a huge schema must not make its tool slow to find.
const maxParameters = 200

func (d *document) read(c *Capability) {
	counts := map[uint64]*[fields]uint8{}
	put := func(at field, text string) {
		for stem := range keywords(text) {
			hash := hashOf(stem)
			n := counts[hash]
			if n == nil {
				n = &[fields]uint8{}
				counts[hash] = n
			}
			if n[at] < 255 {
				n[at]++
			}
			d.length[at]++
		}
	}
	put(inName, c.Name)
	put(inDescription, c.Description)
	left := maxParameters
	eachParameter(c.Parameters, &left, 0, func(name, meaning string) {
		put(inParameters, name)
		put(inMeanings, meaning)
	})
	d.terms = make([]term, 0, len(counts))
	for hash, n := range counts {
		d.terms = append(d.terms, term{hash, *n})
		d.known.add(hash)
	}
	slices.SortFunc(d.terms, func(a, b term) int { return cmp.Compare(a.hash, b.hash) })
	d.name = joined(c.Name)
	for i := range max(0, len(d.name)-leastOfName+1) {
		d.grams.add(gram(d.name[i:]))
	}
}

// gram is a number for the first four bytes of a longer text.
func gram(s string) uint64 {
	n := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
	n *= 0x9e3779b97f4a7c15 // spreads it over all bits
	return n >> 32
}

// find returns how often each field has a word.
func (d *document) find(hash uint64) (count [fields]uint8, ok bool) {
	if !d.known.has(hash) {
		return count, false
	}
	i, ok := slices.BinarySearchFunc(d.terms, hash, func(t term, hash uint64) int { return cmp.Compare(t.hash, hash) })
	if ok {
		count = d.terms[i].count
	}
	return count, ok
}

// joined is a name in small letters and without what stands between its words.
func joined(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// eachParameter calls do for the parameters of a schema and those within them.
func eachParameter(schema json.RawMessage, left *int, depth int, do func(name, meaning string)) {
	s, ok := readShown(schema)
	if !ok || depth > maxNesting {
		return
	}
	for _, p := range s.Properties {
		if *left--; *left < 0 {
			return
		}
		one, ok := readShown(p.schema)
		if !ok {
			do(p.name, "")
			continue
		}
		do(p.name, one.Description)
		below := p.schema
		if len(one.Items) > 0 {
			below = one.Items
		}
		eachParameter(below, left, depth+1, do)
	}
}
