package capability

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	stemmer "github.com/kljensen/snowball/english"
)

// keywords yields what a text is searched by: the stems of its words, and the
// words in small letters, without those that say nothing. Words written together
// (getWeather, HTMLParser, send_mail2) come apart. Scripts without spaces
// between words come as pairs of letters.
func keywords(text string) iter.Seq2[string, string] {
	return func(yield func(stem, word string) bool) {
		for w := range pieces(text) {
			first, _ := utf8.DecodeRuneInString(w)
			if unspaced(first) {
				if !pairs(w, yield) {
					return
				}
				continue
			}
			w = strings.ToLower(w)
			if !stemmer.IsStopWord(w) && !filler[w] && !yield(stemmer.Stem(w, true), w) {
				return
			}
		}
	}
}

// filler are words that requests have and that are about no matter: they would
// find whatever has a description in the style of "helps you to …".
var filler = map[string]bool{
	"able": true, "also": true, "could": true, "give": true, "hello": true, "help": true, "hey": true, "hi": true,
	"im": true, "know": true, "let": true, "like": true, "ll": true, "look": true, "looking": true, "may": true,
	"need": true, "please": true, "re": true, "tell": true, "thanks": true, "us": true, "use": true, "using": true,
	"ve": true, "want": true, "wondering": true, "would": true,
}

// maxWord is how many bytes of a word count: what is longer is data.
const maxWord = 64

// pieces cuts a text into words, see [starts].
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, prev := -1, rune(0)
		for i, r := range text {
			letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
			if start >= 0 && (!letter || starts(prev, r, text[i:])) {
				if !yield(CutText(text[start:i], maxWord)) {
					return
				}
				start = -1
			}
			if letter && start < 0 {
				start = i
			}
			prev = r
		}
		if start >= 0 {
			yield(CutText(text[start:], maxWord))
		}
	}
}

// starts reports whether a word starts at r, which stands after the letter
// prev and at the start of rest: a capital after a small letter, the last
// capital of several before a small letter (the P of HTMLParser), a digit
// among letters, another kind of script.
func starts(prev, r rune, rest string) bool {
	switch {
	case unicode.IsMark(r):
		return false
	case unicode.IsDigit(r) != unicode.IsDigit(prev), unspaced(r) != unspaced(prev):
		return true
	case !unicode.IsUpper(r):
		return false
	case unicode.IsLower(prev):
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest[utf8.RuneLen(r):])
	return unicode.IsUpper(prev) && unicode.IsLower(next)
}

// unspaced reports whether r is of a script without spaces between words.
func unspaced(r rune) bool {
	return r == 'ー' || r > unicode.MaxLatin1 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// pairs yields each letter with the next, or the only one.
func pairs(word string, yield func(stem, word string) bool) bool {
	letters := []rune(word)
	if len(letters) == 1 {
		return yield(word, word)
	}
	for i := range len(letters) - 1 {
		if two := string(letters[i : i+2]); !yield(two, two) {
			return false
		}
	}
	return true
}
