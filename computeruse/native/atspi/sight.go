package atspi

import (
	"slices"
	"strings"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// see works out which part of n can be seen.
func (n *node) see(p *place) {
	if n.dead || n.out || !n.states.has(showing) {
		return
	}
	n.lost = p.lens.lost
	if up := n.parent; up != nil && up.box == nil && up.face(component) && up.told.W <= 0 {
		return // within a list of no size, as a closed one of Qt is
	}
	b := n.clip(p.lens.box(n.told))
	if b == nil || len(p.displays) == 0 || slices.ContainsFunc(p.displays, func(d wire.Box) bool { return meet(*b, d) != nil }) {
		n.box = b
	}
}

// clip cuts a box to what is seen through the panes that n scrolls in.
func (n *node) clip(b *wire.Box) *wire.Box {
	for a := n.parent; a != nil && b != nil; a = a.parent {
		if a.role != "scroll pane" && a.role != "viewport" {
			continue
		}
		if a.box == nil {
			return nil
		}
		b = meet(*b, *a.box)
	}
	return b
}

// shown reports whether n belongs into a list: it can be seen, or is an item of
// a menu or combo box, which can be chosen without opening it.
func (n *node) shown() bool {
	return !n.dead && !n.out && (n.states.has(showing) || n.parent == nil || n.inMenu())
}

func (n *node) inMenu() bool {
	return n.parent != nil && slices.Contains(menus, n.parent.role)
}

var menus = []string{"menu", "menu bar", "combo box", "popup menu"}

// structure are roles that only hold others.
var structure = []string{
	"filler", "panel", "viewport", "scroll pane", "split pane", "redundant object", "layered pane", "section", "grouping", "unknown", "menu",
}

// keep reports whether n is worth telling of.
func (n *node) keep(interactive bool) bool {
	switch {
	case !n.shown():
		return false
	case len(n.deeds()) > 0 || n.field():
		return true
	case interactive:
		return false
	}
	return short(n.name, maxName) != "" || short(n.value, maxName) != "" || !slices.Contains(structure, n.role)
}

// title is what a person would call n: its name, the label beside it, its
// description, or the words within it.
func (n *node) title() string {
	names := []string{n.name, n.label, n.describe}
	if n.role == "combo box" && n.name == n.chosen() {
		names = names[1:] // GTK calls one after what is chosen in it
	}
	for _, s := range names {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	if n.field() || !slices.ContainsFunc(n.deeds(), func(d deed) bool { return d.index != focusing }) {
		return ""
	}
	return strings.Join(n.words(nil), " ")
}

const mostWords = 3 // labels that make up the name of what has none

func (n *node) words(found []string) []string {
	for _, c := range n.children {
		if len(found) < mostWords && c.name != "" && !c.dead {
			found = append(found, c.name)
			continue
		}
		found = c.words(found)
	}
	return found[:min(len(found), mostWords)]
}

// chosen is what a combo box shows: the entry that it is called after, or the
// one that is selected.
func (n *node) chosen() string {
	marked := ""
	for _, e := range n.leaves(nil) {
		if e.name == n.name && e.name != "" {
			return n.name
		}
		if e.states.has(selected) {
			marked = e.name
		}
	}
	return orName(marked, n.value)
}

// leaves are the innermost nodes beneath n that were read.
func (n *node) leaves(found []*node) []*node {
	for _, c := range n.children {
		if len(c.children) == 0 {
			found = append(found, c)
			continue
		}
		found = c.leaves(found)
	}
	return found
}
