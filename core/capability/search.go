package capability

import (
	"math"
	"slices"
	"strings"
)

// The numbers of BM25: how soon more of the same word counts no more, and how
// much a long field takes from its words.
const (
	saturation = 1.5  // k1
	lengthRate = 0.75 // b
)

// weights is what a word in each field counts for. That of the name was chosen
// on one half of a set of requests and the tools that answer them: from 3.5 to
// 8 nearly the same comes out, below 2 less; see docs/conformance.md. The set
// has no parameters, so theirs are a half by judgement: they tell what a tool
// takes, not what it is for.
var weights = [fields]float64{inName: 5, inDescription: 1, inParameters: 0.5, inMeanings: 0.5}

// partOfName is what a word of four letters or more counts for that is only a
// part of a name: many names are written together (getairquality).
const (
	partOfName  = 0.5
	leastOfName = 4
)

// maxQuery bounds a query, in bytes.
const maxQuery = 2000

// Search returns at most n of the capabilities that f lets through, those that
// fit the query best first. It ranks by BM25 over name, description and
// parameters. What nothing fits is looked for in the names as it is written.
// Tools that f keeps back have no part in it, not even in the statistics.
func (r *Registry) Search(f Filter, query string, n int) []*Capability {
	list := r.List(f)
	if len(list) == 0 || n <= 0 {
		return nil
	}
	query = CutText(query, maxQuery)
	found := ranked(list, query, n)
	if len(found) == 0 {
		found = named(list, query, n)
	}
	exact, ok := r.Find(strings.TrimSpace(query))
	if !ok || !slices.Contains(list, exact) {
		return found
	}
	found = slices.DeleteFunc(found, func(c *Capability) bool { return c == exact })
	return slices.Insert(found, 0, exact)[:min(n, len(found)+1)]
}

// A hit is a word of the query in a document.
type hit struct {
	document int32
	word     int16
	part     bool // it is only a part of the name
	count    [fields]uint8
}

// ranked orders by BM25, with the lengths and weights of several fields in one
// count of words (BM25F).
func ranked(list []*Capability, query string, n int) []*Capability {
	q := readQuery(query)
	var mean [fields]float64
	docs := make([]*document, len(list))
	for i, c := range list {
		docs[i] = c.searched()
		for at, length := range docs[i].length {
			mean[at] += length / float64(len(list))
		}
	}
	hits, rare := q.hits(docs)
	best := leaders{most: n}
	for i := 0; i < len(hits); {
		at, score := int(hits[i].document), 0.0
		for ; i < len(hits) && int(hits[i].document) == at; i++ {
			score += rare[hits[i].word] * hits[i].worth(docs[at].length, mean)
		}
		best.add(at, score)
	}
	out := make([]*Capability, len(best.list))
	for i, l := range best.list {
		out[i] = list[l.at]
	}
	return out
}

// worth is what a hit counts for, before the rarity of its word.
func (h *hit) worth(length, mean [fields]float64) float64 {
	sum := 0.0
	for at, n := range h.count {
		count := float64(n)
		if h.part && field(at) == inName {
			count = partOfName
		}
		if count > 0 {
			sum += weights[at] * count / (1 - lengthRate + lengthRate*length[at]/mean[at])
		}
	}
	return sum * (saturation + 1) / (sum + saturation)
}

// rarity is what a word is worth that so many of all documents have (IDF).
func rarity(having, all int) float64 {
	return math.Log(1 + (float64(all-having)+0.5)/(float64(having)+0.5))
}

// A query is the words that are looked for.
type query struct {
	stems  []string
	plain  []string // the words as they stand in the query, where the stem is no part of them
	hashes []uint64
}

func readQuery(text string) (q query) {
	for stem, plain := range keywords(text) {
		if !slices.Contains(q.stems, stem) {
			if strings.Contains(plain, stem) {
				plain = stem
			}
			q.stems, q.plain, q.hashes = append(q.stems, stem), append(q.plain, plain), append(q.hashes, hashOf(stem))
		}
	}
	return q
}

// hits finds the words, document by document, and how rare each is.
func (q *query) hits(docs []*document) (hits []hit, rare []float64) {
	having := make([]int, len(q.stems))
	for i, d := range docs {
		for w, hash := range q.hashes {
			count, ok := d.find(hash)
			part := count[inName] == 0 && d.named(q.stems[w], q.plain[w])
			if ok || part {
				hits = append(hits, hit{int32(i), int16(w), part, count})
				having[w]++
			}
		}
	}
	rare = make([]float64, len(having))
	for w, n := range having {
		rare[w] = rarity(n, len(docs))
	}
	return hits, rare
}

// named reports whether a word stands within the name.
func (d *document) named(stem, plain string) bool {
	return len(stem) >= leastOfName && (d.within(stem) || plain != stem && len(plain) >= leastOfName && d.within(plain))
}

func (d *document) within(word string) bool {
	return d.grams.has(gram(word)) && strings.Contains(d.name, word)
}

// leaders holds the best few, the first of equals before the others.
type leaders struct {
	most int
	list []leader
}

type leader struct {
	at    int
	score float64
}

func (l *leaders) add(at int, score float64) {
	if len(l.list) == l.most && score <= l.list[l.most-1].score {
		return
	}
	i, _ := slices.BinarySearchFunc(l.list, score, func(have leader, score float64) int {
		if have.score >= score {
			return -1
		}
		return 1
	})
	l.list = slices.Insert(l.list, i, leader{at, score})
	l.list = l.list[:min(len(l.list), l.most)]
}

// named finds the tools whose names have the whole query in them, or else one
// of its words.
func named(list []*Capability, text string, n int) (found []*Capability) {
	holding := func(part string) {
		for _, c := range list {
			if len(found) < n && strings.Contains(joined(c.Name), part) && !slices.Contains(found, c) {
				found = append(found, c)
			}
		}
	}
	if whole := joined(strings.TrimSpace(text)); len(whole) > 1 {
		holding(whole)
	}
	for part := range strings.FieldsSeq(strings.ToLower(text)) {
		if len(part) > 1 && len(found) == 0 {
			holding(joined(part))
		}
	}
	return found
}
