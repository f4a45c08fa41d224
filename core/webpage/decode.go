package webpage

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/hobkin/hobkin/core/textfile"
)

// Decode makes body into UTF-8 and names the encoding that it was in. The rules
// are those of browsers (mark, then the header, then the page's own word), with
// two exceptions that bodies force: what is UTF-8 although it is said to be
// Latin-1, and what is not UTF-8 although it is said to be, are taken for what
// they are. whole is false when body was cut. Bytes that mean nothing become
// U+FFFD.
func Decode(body []byte, contentType string, whole bool) (text, encoding string) {
	enc, name, certain := charset.DetermineEncoding(body, contentType)
	told := certain || name != "windows-1252" // what no one says is taken for it
	sure := told && name != "utf-8" && name != "replacement"
	if sure && (name != "windows-1252" || !wide(body, whole)) {
		if out, err := enc.NewDecoder().Bytes(body); err == nil {
			return strings.TrimPrefix(strings.ToValidUTF8(string(out), "\ufffd"), "\ufeff"), name
		}
	}
	detect := textfile.Detect
	if !whole {
		detect = textfile.DetectPrefix
	}
	found := detect(body)
	if found == nil { // a stray NUL or a few control characters do not make a page binary
		return strings.TrimPrefix(strings.ToValidUTF8(string(body), "\ufffd"), "\ufeff"), "utf-8"
	}
	name, _, _ = strings.Cut(strings.ToLower(found.Name), " with ")
	return found.DecodeString(body[len(found.BOM):]), name
}

// wide reports whether body is UTF-8 with characters beyond ASCII, which no
// Latin-1 text is by chance.
func wide(body []byte, whole bool) bool {
	if !whole {
		body = body[:max(len(body)-utf8.UTFMax, 0)]
		for len(body) > 0 && !utf8.RuneStart(body[len(body)-1]) {
			body = body[:len(body)-1]
		}
		body = body[:max(len(body)-1, 0)]
	}
	return utf8.Valid(body) && slices.ContainsFunc(body, func(b byte) bool { return b >= utf8.RuneSelf })
}

// Visible drops characters that show nothing and are used to hide text in text:
// controls, zero-width characters, direction overrides and tags. Joiners stay,
// which scripts such as Persian and emoji need.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r < 0x20, r >= 0x7f && r < 0xa0,
			r == 0xad, r == 0x200b, r == 0x2060, r == 0xfeff,
			r >= 0x2061 && r <= 0x2064, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069,
			r >= 0xe0000 && r <= 0xe0fff:
			return -1
		}
		return r
	}, s)
}
