package store

import (
	"iter"
	"strings"
	"unicode"
)

// searchBytes is how much of a message searches look at.
const searchBytes = 256 << 10

// clip cuts text to what is searched, and takes out what is no text.
func clip(text string) string {
	if len(text) > searchBytes {
		text = text[:searchBytes]
	}
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", " "), "")
}

// spaceless are the scripts whose words have no spaces between them. Their text
// is indexed as overlapping pairs of characters: 今天天气 as 今天 天天 天气 气.
var spaceless = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul}

func isSpaceless(r rune) bool { return r > 0x10ff && unicode.In(r, spaceless...) }

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// grams returns the pieces of a text in which there is a spaceless script, else "".
func grams(text string) string {
	if strings.IndexFunc(text, isSpaceless) < 0 {
		return ""
	}
	var out []string
	for _, p := range pieces(text) {
		out = append(out, p.pairs()...)
	}
	return strings.Join(out, " ")
}

// A piece is a run of word characters, all of a spaceless script or none.
type piece string

func pieces(text string) []piece {
	var out []piece
	for from, to := range spans(text) {
		out = append(out, piece(text[from:to]))
	}
	return out
}

// spans yields where the pieces of a text begin and end.
func spans(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		start, kind := -1, false
		for i, r := range text {
			word := isWord(r)
			if start >= 0 && (!word || isSpaceless(r) != kind) {
				if !yield(start, i) {
					return
				}
				start = -1
			}
			if word && start < 0 {
				start, kind = i, isSpaceless(r)
			}
		}
		if start >= 0 {
			yield(start, len(text))
		}
	}
}

// pairs returns the tokens of a piece as the index has them.
func (p piece) pairs() []string {
	runes := []rune(p)
	if !isSpaceless(runes[0]) {
		return []string{string(p)}
	}
	var out []string
	for i := range len(runes) - 1 {
		out = append(out, string(runes[i:i+2]))
	}
	return append(out, string(runes[len(runes)-1:]))
}

// maxPairs bounds what is looked for of one long run of a spaceless script.
const maxPairs = 32

// maxWords bounds a query; more words do not make it narrower in practice.
const maxWords = 16

// matchQuery makes any text into a query that finds all of its words, the last
// one by its beginning. Text without a word makes "".
func matchQuery(text string) string {
	words := pieces(clip(text))
	if len(words) == 0 {
		return ""
	}
	words = words[:min(len(words), maxWords)]
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w.quoted()
	}
	return strings.TrimSuffix(strings.Join(quoted, " "), "*") + "*"
}

// quoted is the piece as a query, which finds it as a whole word.
func (p piece) quoted() string {
	tokens := p.pairs()
	if len(tokens) > 1 {
		tokens = tokens[:len(tokens)-1] // the last character has a token of its own only at the end of a run
	}
	q := `"` + strings.Join(tokens[:min(len(tokens), maxPairs)], " ") + `"`
	if r := []rune(p); len(r) == 1 && isSpaceless(r[0]) {
		q += "*" // it is also the first half of pairs
	}
	return q
}
