// Package distill shortens long results of tools by rules: what repeats is
// counted, lists are shown by their shape and their ends, pages lose their
// markup. There is no model in it and no chance: the same text always becomes
// the same. It is meant for results whose original is kept elsewhere; nothing
// here decides which those are.
package distill

import (
	"strings"
	"unicode/utf8"
)

// Text returns a shorter text that says what the given one says, and in a few
// words how it was made. An empty how means that no way shortens it by a tenth
// at least; then short is the text itself. The result is never longer.
func Text(text string) (short, how string) {
	whole := strings.ToValidUTF8(text, "\ufffd")
	for _, way := range ways {
		if s, ok := way.do(whole); ok && worth(len(s), len(text)) {
			return s, way.how
		}
	}
	return text, ""
}

// worth: what saves less than a tenth is not worth that it is not the original.
func worth(short, whole int) bool { return short < whole && short*10 <= whole*9 }

// A way shortens one sort of text, and reports whether the text is of that sort.
type way struct {
	how string
	do  func(text string) (short string, ok bool)
}

// ways from the strictest sort to the loosest: what is JSON is no log.
var ways = []way{
	{"long lists and texts in the JSON are shown by their ends", document},
	{"records are shown by their fields and their ends", records},
	{"the page's text without its markup", page},
	{"the table is shown by its head and its end", table},
	{"lines of the same form are counted; errors are kept", log},
	{"repeated lines are counted", repeated},
}

// cut returns at most n bytes of s, ending on a rune boundary.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
