package store

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A snippet shows so many characters before the first hit, and in all.
const (
	snippetLead = 30
	snippetLen  = 90
)

// snippet cuts the place of the first hit out of a text and marks the hits in
// it with [ ]. It is done here, not by SQLite, because there it takes a walk
// through the index for every row.
func snippet(text, search string) string {
	words := pieces(clip(search))
	words = words[:min(len(words), maxWords)]
	for i, w := range words {
		words[i] = piece(fold(string(w)))
	}
	var hits [][2]int
	stop := len(text)
	for from, to := range spans(text) {
		if from >= stop {
			break
		}
		at, end, ok := matches(text[from:to], words)
		if !ok {
			continue
		}
		if len(hits) == 0 {
			stop = from + at + snippetLen*utf8.UTFMax
		}
		hits = append(hits, [2]int{from + at, from + end})
	}
	begin := 0
	if len(hits) > 0 {
		begin = back(text, hits[0][0], snippetLead)
	}
	return excerpt(text, begin, hits)
}

// matches says which bytes of a piece one of the words is.
func matches(text string, words []piece) (from, to int, ok bool) {
	folded := fold(text)
	for i, w := range words {
		switch {
		case folded == string(w), i == len(words)-1 && strings.HasPrefix(folded, string(w)):
			return 0, len(text), true
		case isSpaceless([]rune(w)[0]):
			if at := strings.Index(text, string(w)); at >= 0 {
				return at, at + len(w), true
			}
		}
	}
	return 0, 0, false
}

// fold takes case and marks from a word, as the index does.
func fold(word string) string {
	ascii := true
	for i := range len(word) {
		ascii = ascii && word[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToLower(word)
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(word))
}

// back goes back so many characters, and on to the beginning of a word.
func back(text string, from, characters int) int {
	at := from
	for ; at > 0 && characters > 0; characters-- {
		_, n := utf8.DecodeLastRuneInString(text[:at])
		at -= n
	}
	if at == 0 {
		return 0
	}
	if space := strings.IndexFunc(text[at:from], unicode.IsSpace); space >= 0 {
		return at + space + 1
	}
	return at
}

// excerpt writes a part of a text in one line, with its hits marked.
func excerpt(text string, begin int, hits [][2]int) string {
	end, n := len(text), 0
	for i := range text[begin:] {
		if n++; n > snippetLen {
			end = begin + i
			break
		}
	}
	var out strings.Builder
	if begin > 0 {
		out.WriteString("…")
	}
	at := begin
	for _, h := range hits {
		if h[1] > end {
			break
		}
		out.WriteString(text[at:h[0]] + "[" + text[h[0]:h[1]] + "]")
		at = h[1]
	}
	out.WriteString(text[at:end])
	if end < len(text) {
		out.WriteString("…")
	}
	return strings.Join(strings.Fields(out.String()), " ")
}
