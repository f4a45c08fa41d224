package process

import (
	"fmt"
	"strings"
	"sync"
)

// Kept is what is kept of a stream: its head and its tail, and the count of
// what fell out between. It is safe for concurrent use.
type Kept struct {
	mu    sync.Mutex
	half  int
	head  []byte
	tail  []byte // a ring once it is full
	next  int    // where the ring goes on
	total int64
}

func newKept(limit int) *Kept { return &Kept{half: limit / 2} }

func (k *Kept) write(p []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.total += int64(len(p))
	if room := k.half - len(k.head); room > 0 {
		n := min(room, len(p))
		k.head, p = append(k.head, p[:n]...), p[n:]
	}
	if room := k.half - len(k.tail); room > 0 {
		n := min(room, len(p))
		k.tail, p = append(k.tail, p[:n]...), p[n:]
	}
	if len(p) > k.half {
		p = p[len(p)-k.half:]
	}
	for len(p) > 0 {
		n := copy(k.tail[k.next:], p)
		p, k.next = p[n:], (k.next+n)%k.half
	}
}

// Total is how many bytes were printed.
func (k *Kept) Total() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.total
}

// Lost is how many bytes were printed and not kept.
func (k *Kept) Lost() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.total - int64(len(k.head)+len(k.tail))
}

// String is what was kept, as valid UTF-8, with a line where something was left out.
func (k *Kept) String() string {
	lost := k.Lost()
	k.mu.Lock()
	defer k.mu.Unlock()
	tail := string(k.tail[k.next:]) + string(k.tail[:k.next])
	if lost == 0 {
		return strings.ToValidUTF8(string(k.head)+tail, "\ufffd")
	}
	return strings.ToValidUTF8(string(k.head), "\ufffd") +
		fmt.Sprintf("\n… (%d bytes left out) …\n", lost) + strings.ToValidUTF8(tail, "\ufffd")
}

// Since returns what was printed after the first offset bytes, as far as it is
// kept, and the offset to go on from.
func (k *Kept) Since(offset int64) (text string, next int64) {
	total := k.Total()
	if offset >= total {
		return "", total
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	all := string(k.head)
	tail := string(k.tail[k.next:]) + string(k.tail[:k.next])
	lost := k.total - int64(len(k.head)+len(k.tail))
	switch {
	case offset < int64(len(all)):
		text = all[offset:]
		if lost > 0 {
			text += fmt.Sprintf("\n… (%d bytes left out) …\n", lost)
		}
		text += tail
	default:
		from := max(offset-int64(len(all))-lost, 0)
		text = tail[min(from, int64(len(tail))):]
	}
	return strings.ToValidUTF8(text, "\ufffd"), k.total
}
