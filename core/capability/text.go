package capability

import (
	"fmt"
	"unicode/utf8"
)

// CutText returns at most n bytes of s, ending on a rune boundary.
func CutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// CutMiddle keeps the head and the tail of s, together at most n bytes, and
// says between them how much was left out. Cuts fall on rune boundaries.
func CutMiddle(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head := CutText(s, n*2/3)
	from := len(s) - (n - n*2/3)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return fmt.Sprintf("%s\n… (%d bytes left out) …\n%s", head, from-len(head), s[from:])
}
