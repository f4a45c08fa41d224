package say

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/control"
)

// Sentence is an error for people: what happened, and what to do about it.
func Sentence(err error) (what Phrase, try string) {
	if e, ok := errors.AsType[Error](err); ok {
		return e.Phrase, ""
	}
	text := err.Error()
	if e, ok := errors.AsType[*control.Error](err); ok {
		text, try = e.Message, e.Try
	}
	text = strings.TrimPrefix(text, "control: ")
	if r, n := utf8.DecodeRuneInString(text); n > 0 {
		text = string(unicode.ToUpper(r)) + text[n:]
	}
	return Raw(text), try
}
