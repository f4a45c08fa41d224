package page

import (
	"sort"
	"strconv"

	"github.com/hobkin/hobkin/core/lazy"
)

// refs knows in which frame a reference was given. Frames give theirs out one
// after the other, so a few spans say it for all.
type refs struct {
	next  int // the first number that is free in all frames; 0 stands for 1
	spans []span
}

// A span is a run of references given in one frame.
type span struct {
	from, to int // to is the first that is not in it
	frame    string
}

// maxSpans bounds what is remembered; references older than that are stale.
const maxSpans = 4096

// first is where the next frame begins to count.
func (r *refs) first() int { return max(r.next, 1) }

// given notes that a frame gave out the references from first up to next.
func (r *refs) given(frame string, next int) {
	from := r.first()
	if next <= from {
		return
	}
	r.next = next
	if n := len(r.spans); n > 0 && r.spans[n-1].frame == frame && r.spans[n-1].to == from {
		r.spans[n-1].to = next
		return
	}
	if len(r.spans) >= maxSpans {
		r.spans = append(r.spans[:0], r.spans[maxSpans/2:]...)
	}
	r.spans = append(r.spans, span{from, next, frame})
}

// reserve takes a number that no frame gives out.
func (r *refs) reserve() int {
	r.next = r.first() + 1
	return r.next - 1
}

// frame is where a reference was given; empty when it was not.
func (r *refs) frame(number int) string {
	i := sort.Search(len(r.spans), func(i int) bool { return r.spans[i].to > number })
	if i == len(r.spans) || r.spans[i].from > number {
		return ""
	}
	return r.spans[i].frame
}

var refForm = lazy.Regexp(`^[\[(@#]?(?:ref=)?[eE]?([1-9]\d{0,8})[\])]?$`)

// parseRef reads a reference in the ways in which models write them: e12, [e12],
// @e12, ref=e12, 12. It is 0 for anything else.
func parseRef(text string) int {
	m := refForm().FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // at most nine digits
	return n
}

// refName is how a reference is written.
func refName(number int) string { return "e" + strconv.Itoa(number) }
