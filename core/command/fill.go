package command

import (
	"strconv"
	"strings"
)

// arguments is the blank for all that follows a command.
const arguments = "ARGUMENTS"

// Fill puts the arguments of a command into its text: $ARGUMENTS is all of
// them as they were written, $1, $2 and so on are their words, see [Words]. What
// is not given is empty. \$ is a plain $. Where the text has no blank at all the
// arguments follow it. Arguments are never searched for blanks themselves.
func Fill(body, args string) string {
	words, blanks := Words(args), 0
	var b strings.Builder
	for i := 0; i < len(body); {
		c := body[i]
		if c == '\\' && strings.HasPrefix(body[i+1:], "$") {
			b.WriteByte('$')
			i += 2
			continue
		}
		if c != '$' {
			b.WriteByte(c)
			i++
			continue
		}
		value, n := blank(body[i+1:], args, words)
		if n == 0 {
			b.WriteByte(c)
		} else {
			blanks++
			b.WriteString(value)
		}
		i += 1 + n
	}
	if blanks == 0 && args != "" {
		return b.String() + "\n\n" + args
	}
	return b.String()
}

// blank reads what follows a $: its value, and how long its name is. A longer
// word or number is no blank: $100 is an amount.
func blank(text, args string, words []string) (value string, n int) {
	if strings.HasPrefix(text, arguments) && !wordAt(text, len(arguments)) {
		return args, len(arguments)
	}
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	if n == 0 || n > 2 || text[0] == '0' || wordAt(text, n) {
		return "", 0
	}
	at, _ := strconv.Atoi(text[:n]) // two digits at most
	if at > len(words) {
		return "", n
	}
	return words[at-1], n
}

// wordAt reports whether a word goes on at a place.
func wordAt(text string, at int) bool {
	if at >= len(text) {
		return false
	}
	c := text[at]
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
