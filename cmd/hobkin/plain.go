package main

import (
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// A screen is a terminal as everything of ours is written to it. Names, texts and
// errors of servers, models and files pass through here at last: none of them may
// move the cursor, set the clipboard or turn the order of the letters around.
// What remains of control characters is line ends, tabs and our own colours.
type screen struct{ to *os.File }

// onScreen gives a terminal a screen. What is no terminal gets every byte, for
// the program that reads it.
func onScreen(f *os.File) io.Writer {
	if !term.IsTerminal(int(f.Fd())) {
		return f
	}
	return screen{f}
}

// Write implements [io.Writer]. It tells of all of p, also where less is shown.
func (s screen) Write(p []byte) (int, error) {
	if _, err := io.WriteString(s.to, unsteered(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// terminal is the terminal behind a writer of ours; nil when there is none.
func terminal(w io.Writer) *os.File {
	if s, ok := w.(screen); ok {
		return s.to
	}
	return nil
}

// unsteered takes out what steers a terminal, but for our own colours.
func unsteered(text string) string {
	if strings.IndexFunc(text, steers) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		if n := colourAt(text); n > 0 {
			b.WriteString(text[:n])
			text = text[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		if !steers(r) && (r != utf8.RuneError || n > 1) { // a byte that is no text may steer in another encoding
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// colourAt is the length of a colour of ours that a text begins with.
func colourAt(text string) int {
	for _, code := range []string{"0", dim, bold, red, green, yellow} {
		if mark := "\x1b[" + code + "m"; strings.HasPrefix(text, mark) {
			return len(mark)
		}
	}
	return 0
}

// steers reports whether a character does something to a terminal, or to the
// order of others, instead of being read.
func steers(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case unicode.IsControl(r):
		return true
	}
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
