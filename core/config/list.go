package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// appendRule lists the ways to add a rule behind the others.
func (d *document) appendRule(rule Rule) ([]change, error) {
	if strings.TrimSpace(rule.Tool) == "" || rule.Action == "" {
		return nil, errors.New("config: a rule needs a tool and an action")
	}
	path := []string{"permission", "rules"}
	v, err := decodeValue(encode(reflect.ValueOf(rule)))
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	if d.hasRule(v) {
		return nil, nil
	}
	want := func(root map[string]any) error { return add(root, path, v) }
	if e, ok := d.find(path); ok && e.kind == unstable.Array {
		return d.appendElement(e, encode(reflect.ValueOf(rule)), want), nil
	}
	var b strings.Builder
	b.WriteString("\n[[permission.rules]]\n")
	for i := range reflect.TypeOf(rule).NumField() {
		if f := reflect.ValueOf(rule).Field(i); !f.IsZero() {
			b.WriteString(reflect.TypeOf(rule).Field(i).Tag.Get("toml") + " = " + encode(f) + "\n")
		}
	}
	var out []change
	text := b.String()
	for _, s := range slices.Backward(d.sections) {
		if hasPrefix(s.path, path) || samePath(s.path, path[:1]) {
			out = append(out, change{span{s.last, s.last}, d.newline(s.last) + text, want})
			break
		}
	}
	return append(out, change{span{len(d.text), len(d.text)}, d.newline(len(d.text)) + text, want}), nil
}

// hasRule reports whether a rule stands in the document already.
func (d *document) hasRule(rule any) bool {
	path := []string{"permission", "rules"}
	for i := 0; ; i++ {
		at := append(slices.Clone(path), strconv.Itoa(i))
		if _, ok := d.find(at); !ok {
			return false
		}
		got := map[string]any{}
		for _, e := range d.entries {
			if len(e.path) == len(at)+1 && hasPrefix(e.path, at) && e.data != "" {
				got[e.path[len(at)]] = e.data
			}
		}
		if same(got, rule) {
			return true
		}
	}
}

// appendElement lists the ways to add an element at the end of an array.
func (d *document) appendElement(e entry, text string, want func(map[string]any) error) []change {
	inner := string(d.text[e.value.from+1 : e.value.to-1])
	end := e.value.from + 1 + len(strings.TrimRight(inner, " \t\r\n"))
	lineUp := ""
	if strings.Contains(inner, "\n") {
		lineUp = "\n" + d.indent(e)
	}
	at := func(offset int, text string) change { return change{span{offset, offset}, text, want} }
	space := " "
	if lineUp != "" || strings.TrimSpace(inner) == "" {
		space = lineUp
	}
	after := "" // the comma that the last line of a list has
	if strings.HasSuffix(strings.TrimSpace(inner), ",") {
		after = ","
	}
	last := d.lastElement(e)
	out := []change{}
	if strings.TrimSpace(inner) == "" {
		return append(out, at(e.value.from+1, text))
	}
	out = append(out, at(end, space+text+after), at(end, ","+space+text))
	if last > 0 { // a comment stands behind the last element
		out = append(out, change{span{last, end}, "," + string(d.text[last:end]) + "\n" + d.indent(e) + text, want})
		out = append(out, change{span{last, end}, string(d.text[last:end]) + "\n" + d.indent(e) + text, want})
	}
	return out
}

// lastElement is where the last element of a list ends; 0 when that cannot be
// told.
func (d *document) lastElement(array entry) int {
	end := 0
	for _, e := range d.entries {
		if e.inline && len(e.path) == len(array.path)+1 && hasPrefix(e.path, array.path) {
			end = e.value.to
		}
	}
	return end
}

// indent is the white space before the first element of a list that stands on
// a line of its own.
func (d *document) indent(array entry) string {
	for _, e := range d.entries {
		if e.inline && len(e.path) == len(array.path)+1 && hasPrefix(e.path, array.path) && e.value.to > 0 {
			line := string(d.text[d.lineStart(e.value.from):e.value.from])
			if strings.TrimSpace(line) == "" {
				return line
			}
		}
	}
	return "  "
}

var rootsPath = []string{"sandbox", "allowed_roots"}

// appendRoot lists the ways to add a folder to the granted ones.
func (d *document) appendRoot(dir string) ([]change, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("config: %q is not an absolute path", dir)
	}
	dir = filepath.Clean(dir)
	e, ok := d.find(rootsPath)
	switch {
	case !ok:
		return d.set(rootsPath, "["+quote(dir)+"]")
	case e.kind != unstable.Array:
		return nil, errNoPlace
	}
	for _, item := range d.entries {
		if item.inline && len(item.path) == len(rootsPath)+1 && hasPrefix(item.path, rootsPath) && sameFolder(item.data, dir) {
			return nil, nil
		}
	}
	return d.appendElement(e, quote(dir), func(root map[string]any) error { return add(root, rootsPath, dir) }), nil
}

// removeRoot lists the ways to take a folder out, with the comma that goes
// with it: the first place where it stands.
func (d *document) removeRoot(dir string) []change {
	array, ok := d.find(rootsPath)
	if !ok || array.kind != unstable.Array {
		return nil
	}
	var out []change
	n := 0
	for _, e := range d.entries {
		if !e.inline || len(e.path) != len(rootsPath)+1 || !hasPrefix(e.path, rootsPath) {
			continue
		}
		i := n
		n++
		if !sameFolder(e.data, dir) {
			continue
		}
		want := func(root map[string]any) error { return cutOut(root, rootsPath, i) }
		for _, at := range d.elementSpans(e, array) {
			out = append(out, change{at, "", want})
		}
		break
	}
	return out
}

// elementSpans are the ways to cut an element out of a list: its whole line,
// with the comma behind it, or with the one before it.
func (d *document) elementSpans(e, array entry) []span {
	text := string(d.text)
	to := e.value.to
	for to < array.value.to && strings.ContainsRune(" \t", rune(text[to])) {
		to++
	}
	comma := to < len(text) && text[to] == ','
	if comma {
		to++
	}
	var out []span
	line := span{d.lineStart(e.value.from), d.lineEnd(e.value.to)}
	if line.from > array.value.from && line.to < array.value.to {
		out = append(out, line)
	}
	if comma {
		end := to
		for end < array.value.to-1 && strings.ContainsRune(" \t", rune(text[end])) {
			end++
		}
		out = append(out, span{e.value.from, end})
	}
	from := e.value.from
	before := strings.TrimRight(text[array.value.from:from], " \t\r\n")
	if strings.HasSuffix(before, ",") {
		out = append(out, span{array.value.from + len(before) - 1, e.value.to})
	}
	return append(out, span{e.value.from, to}, e.value)
}

// add appends to a list in a decoded file.
func add(root map[string]any, path []string, v any) error {
	list, err := listAt(root, path)
	if err != nil {
		return err
	}
	return put(root, path, append(list, v))
}

// cutOut takes an element out of a list in a decoded file.
func cutOut(root map[string]any, path []string, i int) error {
	list, err := listAt(root, path)
	if err != nil {
		return err
	}
	return put(root, path, slices.Delete(list, i, i+1))
}

// listAt is the list at a path of a decoded file; empty when there is none.
func listAt(root map[string]any, path []string) ([]any, error) {
	var at any = root
	for _, name := range path {
		next, err := child(at, name)
		if err != nil {
			return nil, err
		}
		if next == nil {
			return []any{}, nil
		}
		at = next
	}
	list, ok := at.([]any)
	if !ok {
		return nil, errNoPlace
	}
	return list, nil
}
