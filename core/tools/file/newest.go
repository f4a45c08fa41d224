package file

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
	"time"
)

// A globbed is one file that fits.
type globbed struct {
	path string
	time time.Time
}

// before orders the newest first, and those of one time by path.
func (g globbed) before(o globbed) int {
	return cmp.Or(o.time.Compare(g.time), strings.Compare(g.path, o.path))
}

// newest keeps the newest files of many and counts all: a whole tree need not
// be sorted, nor its paths be kept, to show the first of it.
type newest struct {
	most  int
	files oldestFirst
	total int

	_ [64]byte // parts lie side by side, each written by a thread of its own
}

func (n *newest) add(g globbed) {
	n.total++
	n.keep(g)
}

func (n *newest) keep(g globbed) {
	switch {
	case len(n.files) < n.most:
		heap.Push(&n.files, g)
	case n.most > 0 && g.before(n.files[0]) < 0:
		n.files[0] = g
		heap.Fix(&n.files, 0)
	}
}

// joined is the newest of all parts, the newest first.
func joined(parts []newest) (all newest) {
	for i := range parts {
		all.most = parts[i].most
		all.total += parts[i].total
		for _, g := range parts[i].files {
			all.keep(g)
		}
	}
	slices.SortFunc(all.files, globbed.before)
	return all
}

// oldestFirst is a heap with the file on top that is the first to go.
type oldestFirst []globbed

// Len is how many there are.
func (h oldestFirst) Len() int { return len(h) }

// Less reports whether file i is to go before file j.
func (h oldestFirst) Less(i, j int) bool { return h[i].before(h[j]) > 0 }

// Swap changes two places.
func (h oldestFirst) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push adds a file at the end.
func (h *oldestFirst) Push(x any) { *h = append(*h, x.(globbed)) }

// Pop takes the last one off.
func (h *oldestFirst) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
