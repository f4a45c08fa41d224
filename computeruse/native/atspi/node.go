package atspi

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/godbus/dbus/v5"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A node is an element as it was read.
type node struct {
	object   object
	parent   *node
	children []*node
	depth    int
	dead     bool // it went while we read it
	out      bool // of a long list, and outside of it

	role, name, describe string
	label                string // of a field: the text beside it
	states               states
	faces                []string // the interfaces it has
	actions              []string // as the program names them, in its order
	value                string
	count                int // of its children, as it says
	told                 wire.Box
	box                  *wire.Box // the part that can be seen, in pixels
	lost                 bool      // nobody knows where its window is
	mute                 bool      // its program tells of no element that it shows
}

// extents decodes (iiii).
type extents wire.Box

// states are the bits of AT-SPI's state set, which come as two words.
type states []uint32

// The states, by their number in AT-SPI's StateType.
const (
	active        = 1
	busy          = 3
	checked       = 4
	defunct       = 6
	editable      = 7
	enabled       = 8
	expandable    = 9
	expanded      = 10
	focusable     = 11
	focused       = 12
	modal         = 16
	multiLine     = 17
	pressed       = 20
	selectable    = 22
	selected      = 23
	sensitive     = 24
	showing       = 25
	indeterminate = 32
	required      = 33
	invalidEntry  = 36
	isDefault     = 39
	checkable     = 41
	readOnly      = 43
)

func (s states) has(bit int) bool { return bit/32 < len(s) && s[bit/32]>>(bit%32)&1 == 1 }

// deem gives the state of being shown to what has a size, in a program that
// tells it of windows alone.
func (n *node) deem() {
	if n.mute && n.told.W > 0 && n.told.H > 0 && len(n.states) > showing/32 {
		n.states = slices.Clone(n.states)
		n.states[showing/32] |= 1 << (showing % 32)
	}
}

func (n *node) face(iface string) bool { return slices.Contains(n.faces, iface) }

// basics are the first questions about a node, whose answers decide on the rest.
func (n *node) basics(name *dbus.Variant) []*question {
	return []*question{
		{of: n.object, method: accessible + ".GetRoleName", into: []any{&n.role}},
		property(n.object, accessible, "Name", name),
		{of: n.object, method: accessible + ".GetState", into: []any{&n.states}},
		{of: n.object, method: accessible + ".GetInterfaces", into: []any{&n.faces}},
		{of: n.object, method: component + ".GetExtents", args: []any{uint32(0)}, into: []any{(*extents)(&n.told)}}, // an error, if it has no place
	}
}

// read fills in nodes, a few questions each, all at once. Of a long list it asks
// no more about what lies outside it.
func (r *reader) read(ctx context.Context, nodes []*node) error {
	var first []*question
	names := make([]dbus.Variant, len(nodes))
	for i, n := range nodes {
		first = append(first, n.basics(&names[i])...)
	}
	if err := r.ask(ctx, first...); err != nil {
		return err
	}
	per := len(first) / max(len(nodes), 1)
	for i, n := range nodes {
		n.name, _ = names[i].Value().(string)
		n.dead = gone(first[i*per].err) || n.states.has(defunct)
		n.out = n.row() && !n.dead && meet(n.told, n.parent.told) == nil
	}
	return r.more(ctx, nodes)
}

// row reports whether n is of a long list.
func (n *node) row() bool { return n.parent != nil && n.parent.count > mostChild }

// A second round of questions, by what the nodes can.
type details struct {
	count, describe dbus.Variant
	number, inWords dbus.Variant // of Value
	chars           dbus.Variant
	known           []struct{ Name, Describe, Keys string }
	labels          []relation
}

// A relation decodes an entry of GetRelationSet.
type relation struct {
	Kind uint32
	To   []object
}

const labelledBy = 2 // of AT-SPI's RelationType

func (r *reader) more(ctx context.Context, nodes []*node) error {
	found := make([]details, len(nodes))
	var questions []*question
	for i, n := range nodes {
		if !n.dead && !n.out {
			questions = append(questions, n.second(&found[i])...)
		}
	}
	if err := r.ask(ctx, questions...); err != nil {
		return err
	}
	for i, n := range nodes {
		n.take(&found[i])
	}
	return r.last(ctx, nodes, found)
}

func (n *node) second(d *details) []*question {
	q := []*question{property(n.object, accessible, "ChildCount", &d.count)}
	add := func(iface, method string, into any, args ...any) {
		q = append(q, &question{of: n.object, method: iface + method, args: args, into: []any{into}})
	}
	if n.face(action) {
		add(action, ".GetActions", &d.known)
	}
	if n.face(value) {
		q = append(q, property(n.object, value, "CurrentValue", &d.number), property(n.object, value, "Text", &d.inWords))
	}
	if n.face(text) {
		q = append(q, property(n.object, text, "CharacterCount", &d.chars))
	}
	if n.name == "" {
		q = append(q, property(n.object, accessible, "Description", &d.describe))
	}
	if n.field() && (n.name == "" || n.role == "combo box") {
		add(accessible, ".GetRelationSet", &d.labels)
	}
	return q
}

// field reports whether a person fills it in, so that its name is often a label
// beside it.
func (n *node) field() bool {
	return n.states.has(editable) || n.face(value) || n.face(editableText) || n.role == "combo box"
}

func (n *node) take(d *details) {
	count, _ := d.count.Value().(int32)
	n.count = int(max(count, 0))
	n.describe, _ = d.describe.Value().(string)
	if v, ok := d.number.Value().(float64); ok {
		n.value = strconv.FormatFloat(v, 'g', -1, 64)
	}
	if n.value != "" && n.describe == n.value {
		n.describe = "" // the number that GTK draws above a slider
	}
	if s, ok := d.inWords.Value().(string); ok && s != "" {
		n.value = s
	}
}

// last asks for what needed a number first: texts, names of actions, labels.
func (r *reader) last(ctx context.Context, nodes []*node, found []details) error {
	var questions []*question
	texts := make([]string, len(nodes))
	labels := make([]dbus.Variant, len(nodes))
	for i, n := range nodes {
		if chars, _ := found[i].chars.Value().(int32); chars > 0 && n.role != "password text" {
			questions = append(questions, &question{
				of: n.object, method: text + ".GetText", args: []any{int32(0), min(chars, maxValue)}, into: []any{&texts[i]},
			})
		}
		n.actions = make([]string, min(len(found[i].known), mostActions))
		for j := range n.actions { // GetActions tells names as translated for people
			questions = append(questions, &question{of: n.object, method: action + ".GetName", args: []any{int32(j)}, into: []any{&n.actions[j]}})
		}
		for _, rel := range found[i].labels {
			if rel.Kind == labelledBy && len(rel.To) > 0 && !rel.To[0].nothing() {
				questions = append(questions, property(rel.To[0], accessible, "Name", &labels[i]))
			}
		}
	}
	if err := r.ask(ctx, questions...); err != nil {
		return err
	}
	for i, n := range nodes {
		if texts[i] != "" {
			n.value = texts[i]
		}
		label, _ := labels[i].Value().(string)
		if n.label = strings.TrimSuffix(strings.TrimSpace(label), ":"); n.label == n.value {
			n.label = "" // the number above a slider
		}
	}
	return nil
}

const mostActions = 12 // of one element
