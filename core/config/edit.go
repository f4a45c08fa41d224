package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A change is one way to make an edit: a text put in place of a span, and what
// the file must say afterwards. An edit has several; the first that comes out
// right is taken.
type change struct {
	at   span
	text string
	want func(root map[string]any) error // makes the same edit in the decoded file
}

var errNoPlace = errors.New("config: this cannot be changed where it stands; edit the file by hand")

// apply tries the changes in order and returns the text of the first that says
// what it should, loads, and keeps every comment outside the replaced span.
func (d *document) apply(path string, changes []change) ([]byte, error) {
	var first error
	for _, c := range changes {
		after := slices.Concat(d.text[:c.at.from], []byte(d.eol(c.text)), d.text[c.at.to:])
		err := d.verify(path, after, c)
		if err == nil {
			return after, nil
		}
		if e, ok := errors.AsType[*Error](err); ok && first == nil {
			first = e // what is wrong with the value itself
		}
	}
	if first != nil {
		return nil, first
	}
	return nil, errNoPlace
}

func (d *document) verify(path string, after []byte, c change) error {
	var want, got map[string]any
	if err := toml.Unmarshal(d.text, &want); err != nil {
		return errNoPlace
	}
	if want == nil {
		want = map[string]any{}
	}
	if err := c.want(want); err != nil {
		return err
	}
	if err := toml.Unmarshal(after, &got); err != nil || !same(want, got) {
		return errNoPlace
	}
	doc, err := parse(after)
	if err != nil {
		return errNoPlace
	}
	if !keeps(d.commentsOutside(c.at), doc.commentsOutside(span{})) {
		return errNoPlace
	}
	_, err = Parse(path, after)
	return err
}

// eol writes a text with the line ends of the document.
func (d *document) eol(text string) string {
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	return text
}

// commentsOutside are the comments that an edit of a span must not lose.
func (d *document) commentsOutside(at span) []string {
	var out []string
	for _, c := range d.comments {
		if c.from < at.from || c.to > at.to {
			out = append(out, strings.TrimRight(string(d.text[c.from:c.to]), "\r"))
		}
	}
	return out
}

// keeps reports whether list has all of some, in order.
func keeps(some, list []string) bool {
	for _, one := range list {
		if len(some) > 0 && some[0] == one {
			some = some[1:]
		}
	}
	return len(some) == 0
}

// set lists the ways to give a key a value.
func (d *document) set(path []string, value string) ([]change, error) {
	want := func(root map[string]any) error {
		v, err := decodeValue(value)
		if err != nil {
			return err
		}
		return put(root, path, v)
	}
	if e, ok := d.find(path); ok {
		if e.value.to == e.value.from { // a table under a header of its own
			return nil, errNoPlace
		}
		return []change{{e.value, value, want}}, nil
	}
	var out []change
	add := func(at int, text string) { out = append(out, change{span{at, at}, text, want}) }
	for n := range slices.Backward(path) {
		rest := joinKey(path[n:]) + " = " + value
		d.addInside(path[:n], rest, add)
		for _, s := range slices.Backward(d.sections) {
			if n == len(path)-1 && samePath(s.path, path[:n]) {
				d.addToSection(s, path[n], rest, add)
			}
		}
	}
	table := "[" + joinKey(path[:len(path)-1]) + "]\n" + quoteKey(path[len(path)-1]) + " = " + value + "\n"
	add(len(d.text), d.gap()+table)
	return out, nil
}

// addInside proposes places in an inline table, and beside dotted keys.
func (d *document) addInside(table []string, rest string, add func(int, string)) {
	for _, e := range slices.Backward(d.entries) {
		switch {
		case len(table) == 0:
			return
		case samePath(e.path, table) && e.kind == unstable.InlineTable && e.value.to > 0:
			inner := string(d.text[e.value.from+1 : e.value.to-1])
			if strings.TrimSpace(inner) == "" {
				add(e.value.to-1, rest+" ")
				return
			}
			end := e.value.from + 1 + len(strings.TrimRight(inner, " \t"))
			add(end, ", "+rest)
			add(end, " "+rest)
			return
		case !e.inline && e.value.to > 0 && len(e.path) > len(table) && hasPrefix(e.path, table) && len(d.sections[e.section].path) < len(table):
			prefix := joinKey(table[len(d.sections[e.section].path):])
			at := d.lineEnd(e.value.to)
			add(at, d.newline(at)+prefix+"."+rest+"\n")
			return
		}
	}
}

// addToSection proposes places under a header: below the line that shows the
// default, else below the last key.
func (d *document) addToSection(s section, key, rest string, add func(int, string)) {
	for _, note := range s.notes {
		text := strings.TrimLeft(string(d.text[note.from:note.to]), "# \t")
		if strings.HasPrefix(text, "[") {
			break // an example of another table
		}
		name, _, ok := strings.Cut(text, "=")
		if ok && strings.TrimSpace(name) == quoteKey(key) {
			at := d.lineEnd(note.to)
			add(at, d.newline(at)+rest+"\n")
		}
	}
	add(s.last, d.newline(s.last)+rest+"\n")
}

// newline is a line end when the text before at lacks one.
func (d *document) newline(at int) string {
	if at > 0 && d.text[at-1] != '\n' {
		return "\n"
	}
	return ""
}

// gap sets a new table off from what stands before it.
func (d *document) gap() string {
	if len(d.text) == 0 {
		return ""
	}
	return d.newline(len(d.text)) + "\n"
}

// unset lists the ways to take a key out.
func (d *document) unset(path []string) ([]change, error) {
	e, ok := d.find(path)
	switch {
	case !ok:
		return nil, nil
	case e.inline || e.value.to == 0:
		return nil, errNoPlace
	}
	at := span{d.lineStart(e.key.from), d.lineEnd(e.value.to)}
	return []change{
		{at, "", func(root map[string]any) error { return drop(root, path) }},
		{span{e.key.from, e.value.to}, "", func(root map[string]any) error { return drop(root, path) }},
	}, nil
}

// decodeValue reads a TOML value that stands alone.
func decodeValue(value string) (any, error) {
	p := &unstable.Parser{}
	text := []byte("x = " + value)
	p.Reset(text)
	if !p.NextExpression() || int(p.Expression().Raw.Length) != len(text) {
		return nil, errors.New("not a TOML value")
	}
	var m map[string]any
	if err := toml.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	return m["x"], nil
}

// put gives a place in a decoded file a value; the tables above it are made.
func put(root map[string]any, path []string, v any) error {
	var at any = root
	for i, name := range path[:len(path)-1] {
		next, err := child(at, name)
		if err != nil {
			return err
		}
		if next == nil {
			next = map[string]any{}
			at.(map[string]any)[path[i]] = next
		}
		at = next
	}
	name := path[len(path)-1]
	switch at := at.(type) {
	case map[string]any:
		at[name] = v
		return nil
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(at) {
			return errNoPlace
		}
		at[i] = v
		return nil
	}
	return errNoPlace
}

// child is what stands at a name; nil when a table has no such name.
func child(at any, name string) (any, error) {
	switch at := at.(type) {
	case map[string]any:
		return at[name], nil
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(at) {
			return nil, fmt.Errorf("config: there is no element %s", name)
		}
		return at[i], nil
	}
	return nil, errNoPlace
}

// drop takes a key out of a decoded file. Tables that become empty stay: a
// header or an inline table keeps them.
func drop(root map[string]any, path []string) error {
	var at any = root
	for _, name := range path[:len(path)-1] {
		next, err := child(at, name)
		if err != nil {
			return err
		}
		at = next
	}
	m, ok := at.(map[string]any)
	if !ok {
		return errNoPlace
	}
	delete(m, path[len(path)-1])
	return nil
}

// same compares decoded files. Not-a-number equals itself here.
func same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range maps.Keys(a) {
			if v, ok := b[k]; !ok || !same(a[k], v) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case float64:
		b, ok := b.(float64)
		return ok && (a == b || a != a && b != b)
	case time.Time:
		b, ok := b.(time.Time)
		return ok && a.Equal(b)
	}
	return reflect.DeepEqual(a, b)
}

// sameFolder compares two spellings of a path.
func sameFolder(a, b string) bool {
	return filepath.Clean(tilde(a)) == filepath.Clean(tilde(b))
}
