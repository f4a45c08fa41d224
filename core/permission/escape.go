package permission

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape shows what a person would not see: control, invisible and
// bidirectional characters are written as \u{…}, and bytes that are no text as
// \x…. Line ends and tabs stay. Everything that is shown for approval goes
// through it.
func Escape(text string) string {
	if strings.IndexFunc(text, suspicious) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n <= 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case suspicious(r):
			fmt.Fprintf(&b, `\u{%04x}`, r)
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// suspicious reports whether a character is invisible or moves others about.
func suspicious(r rune) bool {
	switch {
	case r == '\n', r == '\t', r == ' ':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Cs, r):
		return true
	case unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r), unicode.Is(unicode.Zs, r):
		return true // blanks that are no plain space: no-break, thin, ideographic, …
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	}
	return r == 0x2800 || r == 0x3164 || r == 0xffa0 // letters that look like nothing
}

// escapeAll escapes every string of a list.
func escapeAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = Escape(s)
	}
	return out
}
