package process

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
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

// NewKept keeps at most limit bytes.
func NewKept(limit int) *Kept { return &Kept{half: max(limit/2, 1)} }

// Write adds to the stream. It never fails.
func (k *Kept) Write(p []byte) (int, error) {
	n := len(p)
	k.add(p)
	return n, nil
}

func (k *Kept) add(p []byte) {
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
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.from(0)
}

// Since returns what was printed after the first offset bytes, as far as it is
// kept, and the offset to go on from. Half a character at the end is left for
// the next time.
func (k *Kept) Since(offset int64) (text string, next int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if offset >= k.total {
		return "", k.total
	}
	half := int64(halfRune(k.tailBytes()))
	if len(k.tail) == 0 {
		half = int64(halfRune(k.head))
	}
	if k.total-half <= offset {
		return "", offset
	}
	text = k.from(max(offset, 0))
	if half > 0 { // its bytes, made one U+FFFD, come last
		text = strings.TrimSuffix(text, "\ufffd")
	}
	return text, k.total - half
}

// from returns what is kept from an offset on. The caller holds mu.
func (k *Kept) from(offset int64) string {
	head, tail := k.head, k.tailBytes()
	lost := k.total - int64(len(head)+len(tail))
	if offset >= int64(len(head))+lost {
		return valid(tail[min(offset-int64(len(head))-lost, int64(len(tail))):])
	}
	head = head[min(offset, int64(len(head))):]
	if lost == 0 {
		return valid(slices.Concat(head, tail))
	}
	return fmt.Sprintf("%s\n… (%d bytes left out) …\n%s", valid(head[:len(head)-halfRune(head)]), lost, valid(afterRune(tail)))
}

// tailBytes is the tail in order.
func (k *Kept) tailBytes() []byte { return slices.Concat(k.tail[k.next:], k.tail[:k.next]) }

func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\ufffd") }

// halfRune is how many bytes at the end of b begin a character that is not
// whole.
func halfRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// afterRune drops the bytes at the start of b that end a character.
func afterRune(b []byte) []byte {
	for n := 0; n < utf8.UTFMax && n < len(b); n++ {
		if utf8.RuneStart(b[n]) {
			return b[n:]
		}
	}
	return b
}
