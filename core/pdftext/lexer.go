package pdftext

import "strconv"

// A lexer takes the tokens of a content stream or a character map. It moves on
// with every token and ends with the data, whatever is in it.
type lexer struct {
	data []byte
	at   int
}

type tokenKind uint8

const (
	end tokenKind = iota
	number
	text // a string
	name
	operator
	opening // [
	closing // ]
	other   // << >> { }
)

type token struct {
	kind tokenKind
	num  float64
	str  string // of text, name and operator
}

func (l *lexer) next() token {
	l.skip()
	if l.at >= len(l.data) {
		return token{}
	}
	b := l.data[l.at]
	l.at++
	switch b {
	case '[':
		return token{kind: opening}
	case ']':
		return token{kind: closing}
	case '(':
		return token{kind: text, str: l.literal()}
	case '/':
		return token{kind: name, str: l.word()}
	case '<':
		if l.at < len(l.data) && l.data[l.at] == '<' {
			l.at++
			return token{kind: other}
		}
		return token{kind: text, str: l.hex()}
	case '>', '{', '}', ')':
		return token{kind: other}
	}
	l.at--
	word := l.word()
	if n, err := strconv.ParseFloat(word, 64); err == nil {
		return token{kind: number, num: n}
	}
	return token{kind: operator, str: word}
}

// skip passes over white space and comments.
func (l *lexer) skip() {
	comment := false
	for ; l.at < len(l.data); l.at++ {
		switch b := l.data[l.at]; {
		case b == '\r', b == '\n':
			comment = false
		case comment, isSpace(b):
		case b == '%':
			comment = true
		default:
			return
		}
	}
}

func isSpace(b byte) bool {
	return b == ' ' || b >= '\t' && b <= '\r' || b == 0
}

func isDelimiter(b byte) bool {
	switch b {
	case '<', '>', '(', ')', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func (l *lexer) word() string {
	from := l.at
	for l.at < len(l.data) && !isSpace(l.data[l.at]) && !isDelimiter(l.data[l.at]) {
		l.at++
	}
	return string(l.data[from:l.at])
}

// hex reads a string in hex, behind its <.
func (l *lexer) hex() string {
	var out []byte
	half, odd := 0, false
	for l.at < len(l.data) {
		b := l.data[l.at]
		l.at++
		if b == '>' {
			break
		}
		d, err := strconv.ParseUint(string(b), 16, 8)
		if err != nil {
			continue
		}
		if odd {
			out = append(out, byte(half<<4|int(d)))
		}
		half, odd = int(d), !odd
	}
	if odd {
		out = append(out, byte(half<<4))
	}
	return string(out)
}

// literal reads a string in parentheses, behind the first.
func (l *lexer) literal() string {
	var out []byte
	for depth := 1; l.at < len(l.data); {
		b := l.data[l.at]
		l.at++
		switch b {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return string(out)
			}
		case '\\':
			out = l.escape(out)
			continue
		}
		out = append(out, b)
	}
	return string(out)
}

// escape reads what stands behind a backslash.
func (l *lexer) escape(out []byte) []byte {
	if l.at >= len(l.data) {
		return out
	}
	b := l.data[l.at]
	l.at++
	switch {
	case b == 'n':
		return append(out, '\n')
	case b == 'r':
		return append(out, '\r')
	case b == 't':
		return append(out, '\t')
	case b == 'b', b == 'f', b == '\n':
		return out
	case b == '\r':
		if l.at < len(l.data) && l.data[l.at] == '\n' {
			l.at++
		}
		return out
	case b < '0' || b > '7':
		return append(out, b)
	}
	code := int(b - '0')
	for i := 0; i < 2 && l.at < len(l.data) && l.data[l.at] >= '0' && l.data[l.at] <= '7'; i++ {
		code = code*8 + int(l.data[l.at]-'0')
		l.at++
	}
	return append(out, byte(code))
}
