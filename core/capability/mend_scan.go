package capability

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// skip goes over blanks and comments.
func (m *mender) skip() { m.pos = blank(m.src, m.pos) }

// between goes over what may stand between the values of a list or object.
func (m *mender) between() {
	for {
		m.skip()
		switch rest := m.src[m.pos:]; {
		case strings.HasPrefix(rest, "..."):
			m.pos += 3
		case strings.HasPrefix(rest, ","):
			m.pos++
		default:
			return
		}
	}
}

// after returns the place of the first character at i or later that is neither
// blank nor in a comment, as far as the mender looks.
func (m *mender) after(i int) int {
	i = min(i, len(m.src))
	return i + blank(m.ahead(i), 0)
}

// blank returns the end of the blanks and comments that begin at i.
func blank(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch rest := s[i:]; {
		case unicode.IsSpace(r), r == '\u180e', r == '\u200b', r == '\ufeff':
			i += n
		case strings.HasPrefix(rest, "/*"):
			i = endAfter(s, i+2, "*/")
		case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "# "):
			i = endAfter(s, i, "\n")
		default:
			return i
		}
	}
	return len(s)
}

func endAfter(s string, from int, mark string) int {
	if from >= len(s) {
		return len(s)
	}
	if i := strings.Index(s[from:], mark); i >= 0 {
		return from + i + len(mark)
	}
	return len(s)
}

// ahead is the text from i on, as far as the mender looks.
func (m *mender) ahead(i int) string {
	i = min(i, len(m.src))
	return m.src[i:min(len(m.src), i+lookAhead)]
}

// ends reports whether nothing more comes at i.
func (m *mender) ends(i int) bool { return m.after(i) >= len(m.src) }

// maxKey bounds what is taken for a key, in bytes.
const maxKey = 200

// keyAt reports whether a key with its colon stands at i.
func (m *mender) keyAt(i int) bool {
	text := m.ahead(i)
	end := keyEnd(text)
	if end == 0 {
		return false
	}
	end = blank(text, end)
	return end < len(text) && text[end] == ':'
}

// keyEnd returns the length of the quoted text or the word that s begins with.
func keyEnd(s string) int {
	s = s[:min(len(s), maxKey)]
	n := quoteAt(s)
	if n == 0 {
		return wordEnd(s)
	}
	ends := closers(s[:n])
	for i := n; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case strings.ContainsRune(ends, r):
			return i + size
		case r == '\\':
			size++
		}
		i += size
	}
	if end := n + wordEnd(s[n:]); end > n && s[0] != '"' && s[0] != '\'' {
		return end // `key: with one quote only
	}
	return 0
}

// wordEnd returns the length of the word that s begins with.
func wordEnd(s string) int {
	i := strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_$.-", r)
	})
	if i < 0 {
		return len(s)
	}
	return i
}

// memberAt reports whether a key stands at i: also one behind a stray word, and
// one that the end of the text cuts off.
func (m *mender) memberAt(i int) bool {
	if m.keyAt(i) {
		return true
	}
	text := m.ahead(i)
	if n := wordEnd(text); n > 0 {
		k := blank(text, n)
		return k > n && k < len(text) && text[k] == '"' && m.keyAt(i+k)
	}
	n := quoteAt(text)
	return n > 0 && len(text) < lookAhead && !strings.ContainsAny(text[n:], "\"'`”’]}")
}

// keyFollows reports whether the text goes on at i with a comma and a key.
func (m *mender) keyFollows(i int) bool {
	k := m.after(i)
	if k >= len(m.src) || m.src[k] != ',' {
		return false
	}
	k = m.after(k + 1)
	if m.keyAt(k) {
		return true
	}
	text := m.ahead(k)
	end := keyEnd(text) // a key and its value may lack the colon
	return len(m.open) == 1 && end > 0 && quoteAt(text) > 0 && quoteAt(text[blank(text, end):]) > 0
}

// bareKey reads a key without quotes. Words before a quote are no key: they
// are left out.
func (m *mender) bareKey() bool {
	rest := m.src[m.pos:]
	end := strings.IndexAny(rest, ":=,{}[]\"\n")
	if end < 0 {
		end = len(rest)
	}
	key := strings.TrimRight(strings.Trim(rest[:end], " \t\r"), "'`´’‘")
	m.pos += end
	if end == 0 {
		_, n := utf8.DecodeRuneInString(rest)
		m.pos += n
		return false
	}
	if key == "" || m.done() || m.src[m.pos] != ':' && m.src[m.pos] != '=' {
		return false
	}
	m.write(quoteJSON(key))
	return true
}

// regexp reads an expression between slashes as text.
func (m *mender) regexp() {
	rest := m.src[m.pos:]
	end := 1
	for end < len(rest) && rest[end] != '/' && rest[end] != '\n' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end+1, len(rest))
	m.pos += end
	m.write(quoteJSON(rest[:end]))
}

var numberRE = regexp.MustCompile(`^[-+]?(?:\d[\d_]*)?(?:\.[\d_]*)?(?:[eE][-+]?\d*)?`)

// words are the literals of JSON, Python and JavaScript.
var words = map[string]string{
	"true": "true", "false": "false", "null": "null",
	"True": "true", "False": "false", "None": "null",
	"TRUE": "true", "FALSE": "false", "NULL": "null", "undefined": "null",
}

// bare reads what stands without quotes: a number, a literal, a call around a
// value, or words.
func (m *mender) bare() {
	rest := m.src[m.pos:]
	if n := wordEnd(m.ahead(m.pos)); n > 0 && !unicode.IsDigit(rune(rest[0])) {
		if k := n + blank(m.ahead(m.pos+n), 0); k < len(rest) && rest[k] == '(' {
			m.pos += k
			m.list()
			return
		}
	}
	if n := numberRE.FindString(m.ahead(m.pos)); n != "" && m.delimited(m.pos+len(n)) {
		if num, ok := number(n); ok {
			m.pos += len(n)
			m.write(num)
			m.strayQuote()
			return
		}
	}
	end := m.wordsEnd(rest)
	text := strings.TrimSpace(rest[:end])
	m.pos += max(end, 1)
	if end == 0 {
		m.write("null") // a character that begins nothing
		return
	}
	m.strayQuote()
	if lit, ok := words[text]; ok {
		m.write(lit)
		return
	}
	m.write(quoteJSON(text))
}

// strayQuote goes over a quote that ends words which none began.
func (m *mender) strayQuote() {
	if m.done() || m.src[m.pos] != '"' {
		return
	}
	if k := m.after(m.pos + 1); k >= len(m.src) || strings.IndexByte(",}]", m.src[k]) >= 0 {
		m.pos++
	}
}

// delimited reports whether a number may end at i.
func (m *mender) delimited(i int) bool {
	if i >= len(m.src) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(m.src[i:])
	return unicode.IsSpace(r) || strings.ContainsRune(",]})\"/;", r)
}

// number writes a number as JSON has it. Leading zeros are not a number's: an
// id or a date is meant.
func number(s string) (string, bool) {
	digits := strings.TrimPrefix(strings.ReplaceAll(s, "_", ""), "+")
	switch digits {
	case "":
		return "", false
	case "-":
		return "-0", true
	}
	switch last := digits[len(digits)-1:]; last {
	case ".", "e", "E", "-", "+":
		digits += "0"
	}
	digits = strings.NewReplacer(".e", ".0e", ".E", ".0E").Replace(digits)
	if strings.HasPrefix(strings.TrimPrefix(digits, "-"), ".") {
		digits = strings.Replace(digits, ".", "0.", 1)
	}
	return digits, json.Valid([]byte(digits))
}

// wordsEnd finds the end of words without quotes: the next separator, or the
// beginning of the next key. Brackets within words belong to them.
func (m *mender) wordsEnd(rest string) int {
	depth := 0
	for i := 0; i < len(rest); {
		r, n := utf8.DecodeRuneInString(rest[i:])
		switch {
		case r == '{' && i > 0 && m.top() != 0:
			depth++
		case r == '}' && depth > 0:
			depth--
		case strings.ContainsRune(",}]\n", r), r == ')' && m.top() == '(':
			return i
		case r == '"' && (m.keyAt(m.pos+i) || m.strayAt(m.pos+i)):
			return i
		}
		i += n
	}
	return len(rest)
}

// strayAt reports whether the quote at i ends words that none began.
func (m *mender) strayAt(i int) bool {
	k := m.after(i + 1)
	return k >= len(m.src) || strings.IndexByte(",}]", m.src[k]) >= 0
}
