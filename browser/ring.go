package browser

import "unicode/utf8"

// A ring keeps the last of what came. The zero value keeps nothing; make one
// with newRing.
type ring[T any] struct {
	list  []T
	next  int
	total int
	most  int
}

func newRing[T any](most int) ring[T] { return ring[T]{most: most} }

func (r *ring[T]) add(one T) {
	r.total++
	if len(r.list) < r.most {
		r.list = append(r.list, one)
		return
	}
	if r.most > 0 {
		r.list[r.next] = one
		r.next = (r.next + 1) % r.most
	}
}

// all is what is kept, the oldest first.
func (r *ring[T]) all() []T {
	return append(append(make([]T, 0, len(r.list)), r.list[r.next:]...), r.list[:r.next]...)
}

// clip shortens text of others to at most n characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count := 0
	for i := range s {
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	if !utf8.ValidString(s) {
		return clip(string([]rune(s)), n)
	}
	return s
}
