package atspi

import (
	"slices"
	"strings"
)

// A deed is something that can be done with an element.
type deed struct {
	name  string
	index int // of the program's action; below 0 one of ours
}

// The deeds that are made of other interfaces than Action.
const (
	choosing = -1 // "select": by the container's Selection
	focusing = -2 // "focus": by GrabFocus
)

// deeds are what press can do with n, the usual one first.
func (n *node) deeds() (out []deed) {
	for i, name := range n.actions {
		if name = strings.ToLower(strings.TrimSpace(name)); usable(name) {
			out = append(out, deed{name, i})
		}
	}
	if n.states.has(selectable) && n.parent != nil && n.parent.face(selection) && !n.inMenu() {
		out = append(out, deed{"select", choosing})
	}
	if n.states.has(focusable) && n.face(component) {
		out = append(out, deed{"focus", focusing})
	}
	slices.SortStableFunc(out, func(a, b deed) int { return n.rank(a) - n.rank(b) })
	return out
}

// longestDeed is the longest name of an action; what is longer is a sentence
// that describes one, as some versions of GTK put there.
const longestDeed = 40

// usable leaves out what every element of Qt, Chromium and GTK 4 has, which says
// nothing of what it is for.
func usable(name string) bool {
	switch name {
	case "", "setfocus", "dodefault", "clickancestor", "showcontextmenu":
		return false
	}
	return len(name) <= longestDeed && !strings.HasPrefix(name, "scroll") && !strings.Contains(name, ".") // as clipboard.copy of each label of GTK 4
}

// rank orders deeds as a person would try them: a click on a field puts the
// cursor there, on a row it selects it; it does not send the form off.
func (n *node) rank(d deed) int {
	switch {
	case d.index == focusing && (n.face(editableText) || n.states.has(editable)):
		return 0
	case d.name == "toggle":
		return 1
	case d.name == "click", d.name == "press", d.name == "jump", d.name == "check", d.name == "uncheck", d.name == "open":
		return 2
	case d.index == choosing:
		return 3
	case d.name == "activate":
		return 4
	case d.index == focusing:
		return 7
	case strings.HasPrefix(d.name, "expand"), strings.Contains(d.name, "menu"):
		return 6
	}
	return 5
}

// find returns the deed of that name, or the usual one; false where there is none.
func (n *node) find(name string) (deed, bool) {
	all := n.deeds()
	i := slices.IndexFunc(all, func(d deed) bool { return name == "" || strings.EqualFold(short(d.name, maxName), name) })
	if i < 0 {
		return deed{}, false
	}
	return all[i], true
}
