package textfile

import "strings"

// Ending is the line ending that most lines of text have: "\n", "\r\n" or
// "\r". It is "" when there is only one line. mixed reports whether there are
// others too.
func Ending(text string) (ending string, mixed bool) {
	crlf := strings.Count(text, "\r\n")
	lf := strings.Count(text, "\n") - crlf
	cr := strings.Count(text, "\r") - crlf
	if lf+crlf > 0 {
		cr = 0 // a return among real line endings is only a character
	}
	switch {
	case crlf+lf+cr == 0:
		return "", false
	case crlf >= lf && crlf >= cr:
		return "\r\n", lf+cr > 0
	case lf >= cr:
		return "\n", crlf+cr > 0
	}
	return "\r", false
}

// A flat is a text whose lines all end in "\n", for matching.
type flat struct {
	text string
	from string // what it was made from
	old  bool   // a lone return ends a line: a file of the old Mac kind
}

func flatten(text string) flat {
	ending, _ := Ending(text)
	f := flat{from: text, old: ending == "\r"}
	f.text = f.flatten(text)
	return f
}

// flatten gives another text the same treatment.
func (f flat) flatten(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if f.old {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	return text
}

// back carries offsets of the flat text, in ascending order, to what it was
// made from.
func (f flat) back(offsets []int) []int {
	if len(f.text) == len(f.from) {
		return offsets
	}
	out := make([]int, 0, len(offsets))
	i, j := 0, 0
	for _, off := range offsets {
		for j < off {
			if strings.HasPrefix(f.from[i:], "\r\n") {
				i++
			}
			i++
			j++
		}
		out = append(out, i)
	}
	return out
}

// LineAt is the number of the line, from 1, that holds the byte at offset.
func LineAt(text string, offset int) int {
	before := text[:min(offset, len(text))]
	ending, _ := Ending(text)
	if ending == "\r" {
		return strings.Count(before, "\r") + 1
	}
	return strings.Count(before, "\n") + 1
}
