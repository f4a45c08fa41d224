package atspi

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// The longest name and value that are told, in bytes.
const (
	maxName  = 200
	maxValue = 1000
)

// element tells of n in the words of the protocol.
func (n *node) element(ref, parent string) wire.Element {
	e := wire.Element{
		Ref: ref, Parent: parent, Role: short(n.role, maxName), Name: short(n.title(), maxName),
		States: n.stateNames(), Box: n.box,
	}
	if n.role == "combo box" {
		e.Value = short(n.chosen(), maxName)
	} else if short(n.value, maxName) != e.Name && n.role != "password text" {
		e.Value = clean(n.value, maxValue, true)
	}
	for _, d := range n.deeds() {
		e.Actions = append(e.Actions, short(d.name, maxName))
	}
	return e
}

// stateNames are the states that tell a model something, in plain words.
func (n *node) stateNames() (out []string) {
	add := func(is bool, name string) {
		if is {
			out = append(out, name)
		}
	}
	has := n.states.has
	add(n.disabled(), "disabled")
	add(!has(showing), "hidden")
	add(has(showing) && n.box == nil && !n.lost, "offscreen")
	for _, s := range told {
		add(has(s.bit), s.name)
	}
	add(has(editable) && has(multiLine), "multi-line")
	add(has(expandable) && !has(expanded), "collapsed")
	return out
}

var told = [...]struct {
	bit  int
	name string
}{
	{active, "active"},
	{focused, "focused"},
	{checked, "checked"},
	{indeterminate, "indeterminate"},
	{pressed, "pressed"},
	{selected, "selected"},
	{expanded, "expanded"},
	{editable, "editable"},
	{readOnly, "read-only"},

	{required, "required"},
	{invalidEntry, "invalid"},
	{isDefault, "default"},
	{modal, "modal"},
	{busy, "busy"},
}

// disabled reports whether a person could not use it now.
func (n *node) disabled() bool {
	return !n.states.has(enabled) && !n.states.has(sensitive) && (len(n.deeds()) > 0 || n.field() || slices.Contains(controls, n.role))
}

// controls are roles that are there to be used, also where a program tells of
// no action because they are disabled.
var controls = []string{
	"push button", "check box", "radio button", "toggle button", "menu item", "check menu item", "radio menu item", "link", "page tab", "combo box",
	"button", "checkbox", "radio", "switch", "tab", // as GTK 4 calls them
}

// short makes a text of a program one line of at most most bytes.
func short(s string, most int) string {
	return strings.Join(strings.Fields(clean(s, most, false)), " ")
}

// clean makes a text of a program valid UTF-8 without control characters and
// stand-ins for pictures, and cuts it between characters.
func clean(s string, most int, lines bool) string {
	if len(s) > 4*most {
		s = s[:4*most] // so that a huge one costs nothing
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' && lines:
			return r
		case r == '\n', r == '\t', r == '\r':
			return ' '
		case r == utf8.RuneError, r == '\uFFFC', unicode.IsControl(r), r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069':
			return -1
		}
		return r
	}, s)
	if len(s) <= most {
		return s
	}
	cut := most - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
