// Package session makes documents and titles of sessions.
package session

import (
	"strings"
	"unicode"
)

// titleRunes is how long a title may be.
const titleRunes = 60

// Title makes a title of a session's first message: its first line, cut at a
// word. A message without words is untitled.
func Title(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	line = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if line == "" {
		return "Untitled"
	}
	r := []rune(line)
	if len(r) <= titleRunes {
		return line
	}
	cut := string(r[:titleRunes-1])
	if i := strings.LastIndexByte(cut, ' '); i > titleRunes/2 {
		cut = cut[:i]
	}
	return cut + "…"
}
