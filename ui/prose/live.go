package prose

import "strings"

// A Cut is a growing text in two: what is finished and the rest.
type Cut struct {
	Done  string // whole blocks
	Tail  string // what still grows, without its fence where it is code
	Fence bool   // the tail is code
	Lang  string // of that code
}

// Split finds where the finished part of a growing text ends: behind the last
// empty line that is not within code, or at the fence that is still open.
func Split(s string) Cut {
	var fence, lang string
	done, open, at := 0, 0, 0
	for line := range strings.Lines(s) {
		mark, info := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			fence, lang, open = mark, info, at
		case fence != "" && strings.HasPrefix(mark, fence) && info == "":
			fence, done = "", at+len(line)
		case fence == "" && strings.TrimSpace(line) == "":
			done = at + len(line)
		}
		at += len(line)
	}
	if fence == "" {
		return Cut{Done: s[:done], Tail: strings.TrimSpace(s[done:])}
	}
	_, code, _ := strings.Cut(s[open:], "\n")
	return Cut{Done: s[:open], Tail: strings.TrimSuffix(code, "\n"), Fence: true, Lang: firstWord(lang)}
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// fenceOf returns the fence that a line is, and what stands after it.
func fenceOf(line string) (mark, info string) {
	t := strings.TrimLeft(line, " ")
	const deepest = 3 // more is an indented block, see CommonMark 4.5
	if len(line)-len(t) > deepest {
		return "", ""
	}
	t = strings.TrimSpace(t)
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(t, c)
		if n := len(t) - len(rest); n >= 3 && !strings.Contains(rest, "`") {
			return t[:n], strings.TrimSpace(rest)
		}
	}
	return "", ""
}
