package capability

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// CutText returns at most n bytes of s, ending on a rune boundary.
func CutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	for back := 0; n > 0 && back < utf8.UTFMax && !utf8.RuneStart(s[n]); back++ {
		n--
	}
	return s[:n]
}

// cutNote bounds what CutMiddle adds to what it keeps, in bytes.
const cutNote = 64

// CutMiddle keeps the head and the tail of s, together at most n bytes, and
// says between them how much was left out. Cuts fall between lines where there
// is an end of one near, so that no half of a number looks like a whole one, and
// else on rune boundaries.
func CutMiddle(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	head := CutText(s, n*2/3)
	from := len(s) - (n - n*2/3)
	for ahead := 0; from < len(s) && ahead < utf8.UTFMax && !utf8.RuneStart(s[from]); ahead++ {
		from++
	}
	tail := s[from:]
	if end := strings.LastIndexByte(head, '\n'); end >= 0 && (len(head)-end)*nearLine <= len(head) {
		head = head[:end]
	}
	if end := strings.IndexByte(tail, '\n'); end >= 0 && end*nearLine <= len(tail) && s[from-1] != '\n' {
		tail = tail[end+1:]
	}
	return fmt.Sprintf("%s\n… (%d bytes left out) …\n%s", head, len(s)-len(head)-len(tail), tail)
}

// nearLine: an end of a line within this part of what is kept is near.
const nearLine = 4
