package command

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Line is a command as it was typed.
type Line struct {
	Text string // the whole of it, without space around
	Name string // the first word, in small letters and without the slash; empty for a slash alone
	Rest string // what follows, without space around
}

// mostName bounds the name of a command, in bytes: names of servers and prompts
// are among them.
const mostName = 200

// Parse tells what a message is. A command begins with a slash and a name. Two
// slashes stand for one in a plain message, and what cannot be a name, such as
// a path, is plain too; plain is the message then, and ok is false.
func Parse(text string) (l Line, plain string, ok bool) {
	trimmed := strings.TrimSpace(text)
	rest, slash := strings.CutPrefix(trimmed, "/")
	if !slash {
		return Line{}, text, false
	}
	if strings.HasPrefix(rest, "/") {
		return Line{}, rest, false
	}
	end := strings.IndexFunc(rest, unicode.IsSpace)
	if end < 0 {
		end = len(rest)
	}
	name := rest[:end]
	if name != "" && !ValidName(name) {
		return Line{}, text, false
	}
	return Line{Text: trimmed, Name: strings.ToLower(name), Rest: strings.TrimSpace(rest[end:])}, "", true
}

// ValidName reports whether a word can name a command: a letter or a digit,
// then letters, digits and any of - _ . and : in it.
func ValidName(name string) bool {
	if name == "" || len(name) > mostName || !utf8.ValidString(name) {
		return false
	}
	for i, r := range name {
		inner := r == '-' || r == '_' || r == '.' || r == ':'
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && (i == 0 || !inner) {
			return false
		}
	}
	return true
}

// Words splits arguments as a shell would: at spaces, but not within quotes
// that begin a word. A backslash takes what a character means from a quote, a
// space or another backslash. A quote that is not closed is a character like
// any other, so that an apostrophe needs no care.
func Words(text string) []string {
	var words []string
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return words
		}
		word, rest := nextWord(text)
		words = append(words, word)
		text = rest
	}
}

// nextWord takes the first word off a text that begins with one.
func nextWord(text string) (word, rest string) {
	if q := text[0]; q == '"' || q == '\'' {
		if word, rest, ok := quoted(text[1:], q); ok {
			return word, rest
		}
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsSpace(r):
			return b.String(), text[i:]
		case r == '\\' && i+1 < len(text) && strings.IndexByte("\\\"' \t", text[i+1]) >= 0:
			b.WriteByte(text[i+1])
			i += 2
			continue
		}
		b.WriteString(text[i : i+n])
		i += n
	}
	return b.String(), ""
}

// quoted reads up to the closing quote, behind which the word must end.
func quoted(text string, q byte) (word, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && q == '"' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			b.WriteByte(text[i])
		case c == q:
			rest = text[i+1:]
			r, _ := utf8.DecodeRuneInString(rest)
			return b.String(), rest, rest == "" || unicode.IsSpace(r)
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}
