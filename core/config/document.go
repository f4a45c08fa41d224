package config

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A document is a TOML text with the places of everything in it.
type document struct {
	text     []byte // without a byte order mark
	entries  []entry
	sections []section // the first is what stands before any header
	comments []span    // of the text
}

// An entry is a key with its value, a table header, an element of an array or
// a pair of an inline table.
type entry struct {
	path    []string // from the root; elements of arrays by number
	kind    unstable.Kind
	data    string // a scalar's value, strings unquoted
	key     span   // of the key; for an element, of the element
	value   span   // empty for headers and for nested values without a place
	section int
	inline  bool // inside an array or an inline table
}

// A section is a table header with what follows it, up to the next header.
type section struct {
	path  []string
	array bool // [[…]]
	start int  // of the header line
	last  int  // end of the line of the last key, or of the header
	end   int  // start of the next header, or the end of the text
	notes []span
}

// A span is a piece of a text, from and up to an offset in bytes.
type span struct{ from, to int }

// parse reads a TOML text. It does not look for keys that are given twice.
func parse(text []byte) (*document, error) {
	d := &document{text: text, sections: []section{{}}}
	p := &unstable.Parser{KeepComments: true}
	p.Reset(text)
	r := reader{doc: d, parser: p, arrays: map[string]int{}}
	for p.NextExpression() {
		r.expression(p.Expression())
	}
	d.sections[len(d.sections)-1].end = len(text)
	if err := p.Error(); err != nil {
		return nil, err
	}
	return d, nil
}

// A reader fills a document expression by expression.
type reader struct {
	doc    *document
	parser *unstable.Parser
	arrays map[string]int // how many elements each array of tables has so far
}

func (r *reader) expression(n *unstable.Node) {
	r.collectComments(n, 0)
	switch n.Kind {
	case unstable.Comment:
		s := &r.doc.sections[len(r.doc.sections)-1]
		s.notes = append(s.notes, spanOf(n.Raw))
	case unstable.Table, unstable.ArrayTable:
		r.header(n)
	case unstable.KeyValue:
		s := &r.doc.sections[len(r.doc.sections)-1]
		r.pair(n, s.path, false)
		s.last = r.doc.lineEnd(spanOf(n.Raw).to)
	}
}

// collectComments gathers the comments of an expression, at any depth.
func (r *reader) collectComments(n *unstable.Node, depth int) {
	if n.Kind == unstable.Comment {
		r.doc.comments = append(r.doc.comments, spanOf(n.Raw))
	}
	for c := n.Child(); c.Valid(); c = c.Next() {
		r.collectComments(c, depth+1)
	}
	if next := n.Next(); depth == 0 && next.Valid() && next.Kind == unstable.Comment {
		r.collectComments(next, 0) // behind a header or a pair
	}
}

func (r *reader) header(n *unstable.Node) {
	names, key := keyOf(n)
	path := r.resolve(names[:len(names)-1])
	if n.Kind == unstable.ArrayTable {
		path = append(path, names[len(names)-1])
		id := strings.Join(path, "\x00")
		path = append(path, strconv.Itoa(r.arrays[id]))
		r.arrays[id]++
	} else {
		path = r.resolve(names)
	}
	start := r.doc.lineStart(key.from)
	d := r.doc
	d.sections[len(d.sections)-1].end = start
	d.sections = append(d.sections, section{path: path, array: n.Kind == unstable.ArrayTable, start: start, last: d.lineEnd(key.to)})
	d.entries = append(d.entries, entry{path: path, kind: n.Kind, key: key, section: len(d.sections) - 1})
}

// resolve puts the number of the last element behind each array of tables.
func (r *reader) resolve(names []string) []string {
	var path []string
	for _, name := range names {
		path = append(path, name)
		if n := r.arrays[strings.Join(path, "\x00")]; n > 0 {
			path = append(path, strconv.Itoa(n-1))
		}
	}
	return path
}

func (r *reader) pair(n *unstable.Node, base []string, inline bool) {
	names, key := keyOf(n)
	path := append(append([]string{}, base...), names...)
	value := span{r.doc.valueStart(key.to), spanOf(n.Raw).to}
	r.value(n.Value(), entry{path: path, key: key, value: value, section: len(r.doc.sections) - 1, inline: inline})
}

// value records e, whose value is n, and everything inside it.
func (r *reader) value(n *unstable.Node, e entry) {
	e.kind, e.data = n.Kind, ""
	if n.Kind != unstable.Array && n.Kind != unstable.InlineTable {
		e.data = string(n.Data)
	}
	r.doc.entries = append(r.doc.entries, e)
	i := 0
	for c := n.Child(); c.Valid(); c = c.Next() {
		switch {
		case c.Kind == unstable.Comment:
			continue
		case n.Kind == unstable.InlineTable:
			r.pair(c, e.path, true)
		case n.Kind == unstable.Array:
			r.element(c, e, i)
			i++
		}
	}
}

func (r *reader) element(n *unstable.Node, array entry, i int) {
	e := entry{path: append(append([]string{}, array.path...), strconv.Itoa(i)), key: array.key, section: array.section, inline: true}
	if raw := spanOf(n.Raw); n.Kind != unstable.Array && n.Kind != unstable.InlineTable && raw.to > raw.from {
		e.key, e.value = raw, raw
	}
	r.value(n, e)
}

func spanOf(r unstable.Range) span { return span{int(r.Offset), int(r.Offset + r.Length)} }

func keyOf(n *unstable.Node) (names []string, at span) {
	for it := n.Key(); it.Next(); {
		k := spanOf(it.Node().Raw)
		if len(names) == 0 {
			at = k
		}
		at.to = k.to
		names = append(names, string(it.Node().Data))
	}
	return names, at
}

// valueStart finds the value behind the key that ends at i.
func (d *document) valueStart(i int) int {
	for i < len(d.text) && (d.text[i] == ' ' || d.text[i] == '\t' || d.text[i] == '=') {
		i++
	}
	return i
}

func (d *document) lineStart(i int) int { return bytes.LastIndexByte(d.text[:i], '\n') + 1 }

// lineEnd is the offset behind the line end that follows i.
func (d *document) lineEnd(i int) int {
	if n := bytes.IndexByte(d.text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(d.text)
}

// find returns the entry that has a path; of several (a header and its dotted
// keys) the first.
func (d *document) find(path []string) (entry, bool) {
	for _, e := range d.entries {
		if samePath(e.path, path) {
			return e, true
		}
	}
	return entry{}, false
}

// position is the line and the column of an offset, both from 1; columns count
// characters.
func position(text []byte, offset int) (line, column int) {
	offset = min(offset, len(text))
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	return bytes.Count(text[:start], []byte("\n")) + 1, utf8.RuneCount(text[start:offset]) + 1
}

// splitKey reads a dotted key, quoted parts too.
func splitKey(key string) ([]string, error) {
	bad := errors.New("config: " + strconv.Quote(key) + " is not a key, such as models.main.model")
	if strings.ContainsAny(key, "\r\n") {
		return nil, bad
	}
	p := &unstable.Parser{}
	p.Reset([]byte(key + " = 0"))
	if !p.NextExpression() || p.Expression().Kind != unstable.KeyValue || int(p.Expression().Raw.Length) != len(key)+4 {
		return nil, bad
	}
	names, _ := keyOf(p.Expression())
	return names, nil
}

// joinKey is the reverse of splitKey.
func joinKey(path []string) string {
	out := make([]string, len(path))
	for i, name := range path {
		out[i] = quoteKey(name)
	}
	return strings.Join(out, ".")
}

// quoteKey writes a part of a key, with quotes only where it needs them.
func quoteKey(name string) string {
	plain := name != ""
	for _, c := range name {
		if !(c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			plain = false
		}
	}
	if plain {
		return name
	}
	return quote(name)
}

func samePath(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	return hasPrefix(a, b)
}

func hasPrefix(path, prefix []string) bool {
	if len(path) < len(prefix) {
		return false
	}
	for i, name := range prefix {
		if path[i] != name {
			return false
		}
	}
	return true
}
