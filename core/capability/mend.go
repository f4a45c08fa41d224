package capability

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// mendJSON reads text that is nearly JSON and writes the JSON that it means:
// with the quotes, commas and brackets that are missing, without comments,
// fences and what else stands around it.
//
// It goes through the text once. Where a quote may end a text or stand within
// it, what follows decides (mend_string.go); how far it looks ahead is bounded.
func mendJSON(text string) (string, error) {
	m := &mender{src: unescaped(unfence(text)), last: map[string]int{}}
	m.document()
	switch {
	case m.deep:
		return "", errors.New("it is nested too deeply")
	case len(m.out) == 0:
		return "", errors.New("there is no value in it")
	case !json.Valid(m.out):
		return "", errors.New("it reads as no document")
	}
	return string(m.out), nil
}

// maxDepth bounds the nesting of what is mended.
const maxDepth = 256

// A mender is at pos of src. Its methods write what they read to out and always
// go forward.
type mender struct {
	src  string
	pos  int
	out  []byte
	open []byte         // the brackets that are open: {, [ and (
	last map[string]int // places of the last quotes, by kind

	deep   bool
	cutOff bool // the last text that was read had no end
}

// document reads the whole text: one value, or several as a list.
func (m *mender) document() {
	m.lead()
	start, values := 0, 0
	for {
		m.between()
		if m.done() {
			break
		}
		if strings.IndexByte("]})`;:", m.src[m.pos]) >= 0 { // closes or separates nothing
			m.pos++
			continue
		}
		before, plain := len(m.out), m.plain()
		if values > 0 && plain && (m.out[start] == '{' || m.out[start] == '[') {
			m.bare() // words after the value
			m.out = m.out[:before]
			continue
		}
		if values > 0 {
			m.out = append(m.out, ',')
		}
		m.value()
		values++
	}
	if values > 1 {
		m.out = append(append([]byte{'['}, m.out[start:]...), ']')
	}
}

// plain reports whether words without quotes come.
func (m *mender) plain() bool {
	return m.quoteAt(m.pos) == 0 && strings.IndexByte("{[(/-+.0123456789", m.src[m.pos]) < 0
}

// lead skips words before the first bracket: "Here it is: {…}".
func (m *mender) lead() {
	i := strings.IndexAny(m.src, "{[")
	if i > 0 && !strings.ContainsAny(m.src[:i], "\"'`“‘(,/") && !json.Valid([]byte(strings.TrimSpace(m.src[:i]))) {
		m.pos = i
	}
}

// value reads one value of any kind.
func (m *mender) value() {
	if len(m.open) >= maxDepth {
		m.deep, m.pos = true, len(m.src)
	}
	if m.skip(); m.done() {
		m.write("null")
		return
	}
	switch c := m.src[m.pos]; {
	case c == '{':
		m.object()
	case c == '[', c == '(':
		m.list()
	case m.quoteAt(m.pos) > 0:
		m.text()
	case c == '/':
		m.regexp()
	default:
		m.bare()
	}
}

func (m *mender) enter(bracket byte) {
	m.open = append(m.open, bracket)
	m.pos++
}

func (m *mender) leave() { m.open = m.open[:len(m.open)-1] }

// list reads an array, or a tuple as Python writes it. One value in round
// brackets is that value.
func (m *mender) list() {
	bracket, start, n := m.src[m.pos], len(m.out), 0
	m.enter(bracket)
	m.write("[")
	for m.between(); !m.done() && !m.listEnds(bracket); m.between() {
		if n > 0 {
			m.write(",")
		}
		m.value()
		n++
	}
	m.leave()
	if bracket == '(' && n == 1 {
		m.out = append(m.out[:start], m.out[start+1:]...)
		return
	}
	m.write("]")
}

// listEnds looks at a closing bracket. One of another kind ends the list too:
// it is left for whom it belongs to, or, where the text goes on as if it were
// the right one, taken for that.
func (m *mender) listEnds(bracket byte) bool {
	switch c := m.src[m.pos]; {
	case c == ']' && bracket == '[', c == ')' && bracket == '(':
		m.pos++
		return true
	case c == '}' && m.isOpen('{'):
		if m.keyFollows(m.pos + 1) {
			m.pos++
		}
		return true
	case c == '}', c == ']', c == ')':
		m.pos++
		return !m.isOpen('{') && m.ends(m.pos)
	case c == ':':
		m.pos++
	}
	return false
}

func (m *mender) object() {
	m.enter('{')
	m.write("{")
	for n := 0; ; {
		if m.between(); m.done() || m.objectEnds() {
			break
		}
		start := len(m.out)
		if n > 0 {
			m.write(",")
		}
		if !m.member() {
			m.out = m.out[:start]
			continue
		}
		n++
	}
	m.leave()
	m.write("}")
}

func (m *mender) objectEnds() bool {
	switch m.src[m.pos] {
	case '}':
		m.pos++
		return len(m.open) > 1 || !m.keyFollows(m.pos) // else the text goes on as if it had not been closed
	case ']':
		if m.isOpen('[') {
			return true
		}
		m.pos++
		return m.done()
	case '{', '[':
		if m.isOpen('[') {
			return true
		}
		m.pos++ // a bracket too many
		return m.done()
	}
	return false
}

// member reads a key and its value. It reports whether there was one: words
// that are no key are left out.
func (m *mender) member() bool {
	if m.done() {
		return false
	}
	quoted := m.quoteAt(m.pos) > 0
	if quoted {
		m.cutOff = false
		if m.text(); m.cutOff && m.done() {
			return false // half a key
		}
	} else if !m.bareKey() {
		return false
	}
	m.write(":")
	m.skip()
	colon := !m.done() && (m.src[m.pos] == ':' || m.src[m.pos] == '=')
	if colon {
		m.pos++
	}
	if m.skip(); m.done() || strings.IndexByte(",}]", m.src[m.pos]) >= 0 {
		m.write("null")
		return true
	}
	m.value()
	return true
}

func (m *mender) isOpen(bracket byte) bool { return slices.Contains(m.open, bracket) }

func (m *mender) write(s string) { m.out = append(m.out, s...) }

func (m *mender) done() bool { return m.pos >= len(m.src) }

// unfence takes text out of a Markdown code fence, also one that stands within
// other text or a bracket.
func unfence(s string) string {
	s = strings.TrimSpace(s)
	i := strings.Index(s, "```")
	if i < 0 || strings.ContainsAny(s[:i], `"'`) {
		return s
	}
	inner := strings.TrimLeft(s[i:], "`")
	if lang := strings.TrimLeft(inner, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"); len(lang) > 0 && strings.ContainsAny(lang[:1], "\r\n {[") {
		inner = lang
	}
	if end := strings.LastIndex(inner, "```"); end >= 0 {
		inner = inner[:end]
	}
	return strings.TrimSpace(inner)
}

// unescaped takes off one level of escaping from text that was sent as the
// inside of a string: {\"a\":1}.
func unescaped(s string) string {
	i := strings.IndexByte(s, '"')
	if i < 1 || s[i-1] != '\\' || strings.Contains(s[:i-1], "'") {
		return s
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(s)
}
