package session

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// untitled is the title of what has none.
const untitled = "Untitled"

// titleLen is the most characters of a title.
const titleLen = 60

// Title makes a title from the first message of a conversation: its first line
// with a word in it, at most 60 characters, cut between words. A message without
// a word is Untitled.
func Title(firstMessage string) string {
	for text := range strings.Lines(strings.ToValidUTF8(firstMessage, "")) {
		text = strings.Join(strings.FieldsFunc(text, notShown), " ")
		text = strings.TrimLeft(text, "#>*-+ ") // of Markdown
		if fence := strings.HasPrefix(text, "```"); fence || strings.IndexFunc(text, isWord) < 0 {
			continue
		}
		return cut(text)
	}
	return untitled
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.So, r)
}

// notShown are spaces, and characters that are no letters and change how a line
// looks: controls, and marks that turn the direction of writing.
func notShown(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\ufeff' || r == '\u200b'
}

// cut shortens text to the length of a title, at the end of a word where that
// leaves enough of it.
func cut(text string) string {
	if utf8.RuneCountInString(text) <= titleLen {
		return text
	}
	end, n := 0, 0
	for i := range text {
		if n++; n == titleLen {
			end = i // one is for the dots
			break
		}
	}
	if space := strings.LastIndexByte(text[:end+1], ' '); space >= end/2 {
		return strings.TrimRight(text[:space], " ,;:.-") + "…"
	}
	for end > 0 { // not inside what shows as one character
		next, _ := utf8.DecodeRuneInString(text[end:])
		last, size := utf8.DecodeLastRuneInString(text[:end])
		if !joins(next) && last != zeroWidthJoiner {
			break
		}
		end -= size
	}
	return text[:end] + "…"
}

const zeroWidthJoiner = '\u200d'

// joins reports whether r belongs to the character before it.
func joins(r rune) bool {
	return unicode.IsMark(r) || r == zeroWidthJoiner || r >= 0x1f3fb && r <= 0x1f3ff
}
