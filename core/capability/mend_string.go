package capability

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// lookAhead bounds how far the mender looks, in bytes.
const lookAhead = 512

// quoteAt returns the length of the quote that stands at i, or 0.
func (m *mender) quoteAt(i int) int { return quoteAt(m.src[i:]) }

func quoteAt(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if strings.ContainsRune("\"'`´“”‘’", r) {
		return n
	}
	return 0
}

// closers are the quotes that may end a text that began with a quote.
func closers(quote string) string {
	switch quote {
	case `"`, `'`:
		return quote
	case "“", "”":
		return `"“”`
	}
	return "'`´‘’"
}

// text reads a quoted text, and those that a plus sign joins to it.
func (m *mender) text() {
	var b strings.Builder
	for {
		m.quoted(&b)
		at := m.pos
		if m.skip(); m.done() || m.src[m.pos] != '+' {
			m.pos = at
			break
		}
		m.pos++
		if m.skip(); m.done() || m.quoteAt(m.pos) == 0 {
			break
		}
	}
	m.write(quoteJSON(b.String()))
}

func quoteJSON(s string) string {
	b, _ := encodeAny(s) // a string always encodes
	return string(b)
}

// quoted reads from a quote to the quote that ends the text.
func (m *mender) quoted(b *strings.Builder) {
	n := m.quoteAt(m.pos)
	ends := closers(m.src[m.pos : m.pos+n])
	start := m.pos + n
	end, next := m.textEnd(start, ends)
	m.pos = next
	unquote(b, m.src[start:end])
}

// textEnd finds where a text that begins at start ends, and where to go on.
func (m *mender) textEnd(start int, ends string) (end, next int) {
	last := m.lastOf(ends)
	for i := start; i < len(m.src); {
		r, n := utf8.DecodeRuneInString(m.src[i:])
		switch {
		case r == '\\':
			_, n2 := utf8.DecodeRuneInString(m.src[min(i+1, len(m.src)):])
			n += n2
		case !strings.ContainsRune(ends, r):
		case i >= last, m.endsText(start, i, i+n):
			return i, i + n
		default:
			if at, ok := m.missed(start, i, ends); ok {
				return at, at
			}
		}
		i += n
	}
	m.cutOff = true
	return m.unfinished(start)
}

// lastOf is the place of the last of some quotes in the whole text.
func (m *mender) lastOf(quotes string) int {
	at, ok := m.last[quotes]
	if !ok {
		at = strings.LastIndexAny(m.src, quotes)
		m.last[quotes] = at
	}
	return at
}

// endsText judges a quote at i by what follows it at j.
func (m *mender) endsText(start, i, j int) bool {
	k := m.after(j)
	if k >= len(m.src) {
		return true
	}
	key := m.inKey()
	switch c := m.src[k]; {
	case c == ':':
		return key
	case key:
		return !strings.Contains(m.src[start:i], ":")
	case c == ',':
		return m.commaFits(k + 1)
	case c == '}', c == ']':
		return m.closeFits(k + 1)
	case c == ')':
		return m.top() == '('
	case c == '+':
		p := m.after(k + 1)
		return p < len(m.src) && m.quoteAt(p) > 0
	case m.quoteAt(k) > 0:
		return m.quoteFits(k)
	case c == '{', c == '[':
		return m.top() == '['
	}
	return m.top() == '{' && strings.ContainsAny(m.src[j:k], " \n") && m.keyAt(k)
}

// inKey reports whether the text that is read is a key: nothing but the
// bracket or a comma was written before it.
func (m *mender) inKey() bool {
	return m.top() == '{' && len(m.out) > 0 && (m.out[len(m.out)-1] == '{' || m.out[len(m.out)-1] == ',')
}

func (m *mender) top() byte {
	if len(m.open) == 0 {
		return 0
	}
	return m.open[len(m.open)-1]
}

// commaFits reports whether what stands at i goes on after a comma as it
// should: a key in an object, a value in a list.
func (m *mender) commaFits(i int) bool {
	k := m.after(i)
	if k >= len(m.src) || strings.IndexByte(",}]", m.src[k]) >= 0 {
		return true
	}
	switch m.top() {
	case '{':
		return m.memberAt(k) || strings.IndexByte("{[.", m.src[k]) >= 0
	case '[', '(':
		if m.quoteAt(k) > 0 || strings.IndexByte("{[(-.", m.src[k]) >= 0 {
			return true
		}
		word := m.ahead(k)
		end := strings.IndexAny(word, ",])}\n")
		return end < 0 || !strings.ContainsAny(word[:end], "\"'")
	}
	return true
}

// closeFits reports whether the text goes on at i as after a closing bracket.
func (m *mender) closeFits(i int) bool {
	k := m.after(i)
	return k >= len(m.src) || strings.IndexByte(",}]){[;`", m.src[k]) >= 0 || m.quoteAt(k) > 0
}

// quoteFits judges a quote by the quote at k that follows it: that one begins
// the next text, unless it looks like the end of this one.
func (m *mender) quoteFits(k int) bool {
	p := m.after(k + m.quoteAt(k))
	if p >= len(m.src) || strings.IndexByte(",]}", m.src[p]) >= 0 {
		return false
	}
	return m.top() != '{' || m.keyAt(k)
}

// missed finds out whether the quote at i begins the next text, because the
// end of this one was forgotten: it comes after a comma, and a whole text
// follows. It returns where this text ends.
func (m *mender) missed(start, i int, ends string) (at int, ok bool) {
	before := strings.TrimRight(m.src[start:i], " \t\r\n")
	if strings.HasSuffix(before, "*/") {
		near := before[max(0, len(before)-lookAhead):]
		if c := strings.LastIndex(near, "/*"); c >= 0 {
			before = strings.TrimRight(before[:len(before)-len(near)+c], " \t\r\n")
		}
	}
	if !strings.HasSuffix(before, ",") || m.inKey() {
		return 0, false
	}
	next := m.ahead(i + 1)
	closing := strings.IndexAny(next, ends)
	if closing < 0 {
		return 0, false
	}
	k := m.after(i + 1 + closing + 1)
	switch m.top() {
	case '{':
		ok = k < len(m.src) && m.src[k] == ':'
	case '[':
		if inner, closed := strings.CutSuffix(before, "],"); closed && m.isOpen('{') && m.keyAt(i) {
			return start + len(inner), true
		}
		ok = k >= len(m.src) || strings.IndexByte(",]", m.src[k]) >= 0
	}
	return start + len(before) - 1, ok
}

// unfinished ends a text that no quote ends: in a key at the colon, in a list
// at the next separator, else before the brackets that end the whole.
func (m *mender) unfinished(start int) (end, next int) {
	rest := m.src[start:]
	if m.inKey() {
		if i := strings.IndexByte(rest, ':'); i >= 0 {
			return start + i, start + i
		}
		return len(m.src), len(m.src)
	}
	body := strings.TrimRight(rest, "]}); ,\t\r\n")
	if len(m.open) == 0 || !strings.ContainsAny(rest[len(body):], "]}),") {
		return len(m.src), len(m.src)
	}
	switch m.top() {
	case '[':
		if i := strings.IndexAny(rest, ",]"); i >= 0 {
			return start + i, start + i
		}
	case '{':
		for i := range len(body) {
			if body[i] == ',' && m.keyAt(m.after(start+i+1)) {
				return start + i, start + i
			}
		}
	}
	return start + len(body), start + len(body)
}

// unquote writes what the inside of a text means. An escape that JSON does not
// have means its character; one that is cut off means nothing.
func unquote(b *strings.Builder, s string) {
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			_, n := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		i += escape(b, s[i:])
	}
}

// escape reads one escape and returns its length.
func escape(b *strings.Builder, s string) int {
	if len(s) < 2 {
		return len(s)
	}
	if s[1] != 'u' {
		if at := strings.IndexByte("bfnrt", s[1]); at >= 0 {
			b.WriteByte("\b\f\n\r\t"[at])
			return 2
		}
		_, n := utf8.DecodeRuneInString(s[1:])
		b.WriteString(s[1 : 1+n])
		return 1 + n
	}
	const unit = len(`\u0000`)
	for _, n := range []int{2 * unit, unit} { // a pair of surrogates first
		var text string
		if len(s) >= n && (n == unit || s[unit] == '\\' && s[unit+1] == 'u') && json.Unmarshal([]byte(`"`+s[:n]+`"`), &text) == nil {
			if n == unit || utf8.RuneCountInString(text) == 1 {
				b.WriteString(text)
				return n
			}
		}
	}
	if len(s) < unit {
		return len(s)
	}
	b.WriteByte('u')
	return 2
}
