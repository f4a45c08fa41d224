package page

import (
	"fmt"
	"strconv"
	"strings"
)

// keys name the nodes of a tree so that the same thing has the same key in the
// next one: elements by reference, runs of text by that of their block and which
// one they are.
func keys(t *tree) (order []string, byKey map[string]*node, keyOf map[*node]string) {
	byKey, keyOf = map[string]*node{}, map[*node]string{}
	for _, top := range t.top {
		for n := range top.all() {
			key := refName(n.Ref)
			if n.run > 0 {
				key += "." + strconv.Itoa(n.run)
			}
			if byKey[key] == nil {
				order = append(order, key)
				byKey[key], keyOf[n] = n, key
			}
		}
	}
	return order, byKey, keyOf
}

// another reports whether two trees are of two documents, or as good as: hardly
// anything in the new one was in the old one.
func another(old, now *tree) bool {
	if old.id != now.id {
		return true
	}
	same := 0
	for ref := range now.byRef {
		if old.byRef[ref] != nil {
			same++
		}
	}
	return same*10 < len(now.byRef)
}

// differ writes what changed, in the order of the page: "~" for what is changed,
// "+" for what is new, "-" for what is gone.
func (s *Snapshot) differ(old, now *tree, scope int, o SnapshotOptions) {
	if scope > 0 {
		old = old.part(scope)
	}
	was, is := old.shown(o.Interactive), now.shown(o.Interactive)
	order, after, newKeys := keys(is)
	oldOrder, before, oldKeys := keys(was)
	d := &changes{before: before, now: after, oldKeys: oldKeys, newKeys: newKeys, left: o.budget()}
	for _, key := range order {
		d.compare(key)
	}
	for _, key := range oldOrder {
		d.gone(key)
	}
	s.Text, s.Lines, s.LeftOut = d.b.String(), d.lines, d.skipped
	if d.skipped > 0 {
		s.Text += fmt.Sprintf("… %d more changes; take a whole snapshot\n", d.skipped)
	}
	if d.lines == 0 {
		s.Text = "Nothing changed.\n"
	}
}

// part is the tree of one element in a larger one.
func (t *tree) part(ref int) *tree {
	p := newTree()
	if n := t.byRef[ref]; n != nil {
		p.top = []*node{n}
	}
	return p
}

// shown is the tree as it is written: all of it, or what can be used.
func (t *tree) shown(interactive bool) *tree {
	if !interactive {
		return t
	}
	s := newTree()
	for _, n := range t.top {
		s.top = append(s.top, usable(n, nil)...)
	}
	return s
}

type changes struct {
	before, now      map[string]*node
	oldKeys, newKeys map[*node]string
	b                strings.Builder
	left             int // characters
	lines, skipped   int
	under            string // where the last new line was put
}

func (d *changes) compare(key string) {
	n := d.now[key]
	old := d.before[key]
	switch {
	case old == nil && (n.up == nil || d.before[d.newKeys[n.up]] != nil): // the top of what is new
		d.added(n)
	case old != nil && old.line() != n.line():
		d.write("~ " + n.line() + changed(old, n))
	}
}

// added writes a new node with all that is below it.
func (d *changes) added(n *node) {
	where := ""
	if n.up != nil {
		where = n.up.brief()
	}
	if where != d.under && where != "" {
		d.write("in " + where)
		d.lines-- // it is no change itself
	}
	d.under = where
	d.addedEntry(layout(n), 0)
}

func (d *changes) addedEntry(e *entry, level int) {
	d.write("+ " + strings.Repeat(" ", level) + e.text)
	for _, b := range e.below {
		d.addedEntry(b, level+1)
	}
}

func (d *changes) gone(key string) {
	n := d.before[key]
	if d.now[key] != nil || n.up != nil && d.now[d.oldKeys[n.up]] == nil {
		return // it is there, or went with what held it
	}
	line := "- " + n.line()
	if more := n.count() - 1; more > 0 {
		line += fmt.Sprintf(" and %d below it", more)
	}
	d.write(line)
}

func (d *changes) write(line string) {
	if len(line) >= d.left {
		d.skipped++
		return
	}
	d.left -= len(line) + 1
	d.lines++
	d.b.WriteString(line)
	d.b.WriteByte('\n')
}

// changed says what a node was before.
func changed(old, now *node) string {
	was, quoted := strings.Join(old.States, " "), false
	switch {
	case old.label() != now.label():
		was, quoted = old.label(), true
	case old.Value != now.Value:
		was, quoted = old.Value, true
	}
	var b strings.Builder
	switch {
	case was == "":
		return ""
	case quoted:
		writeText(&b, clean(was, 80))
	default:
		b.WriteString(was)
	}
	return " (was " + b.String() + ")"
}

// brief is a node by role, name and reference.
func (n *node) brief() string {
	short := &node{row: row{Role: n.Role, Level: n.Level, Ref: n.Ref, Name: clean(n.label(), 60)}}
	if n.Role == "heading" {
		return short.line()
	}
	short.Level = 0
	return short.line()
}
