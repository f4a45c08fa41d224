package atspi

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/godbus/dbus/v5"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// SetValue gives an element a value: text to a field, a number to a slider, the
// name of an entry to a combo box, on or off to a switch. It reads back what
// became of it.
func (t *Tree) SetValue(ctx context.Context, p wire.SetValueParams) error {
	if len(p.Value) > wire.MaxText || !utf8.ValidString(p.Value) {
		return bad("the value must be UTF-8 of at most %d bytes", wire.MaxText)
	}
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	r, n, err := t.again(ctx, p.Snapshot, p.Ref)
	if err != nil {
		return err
	}
	_, notNumber := strconv.ParseFloat(strings.TrimSpace(p.Value), 64)
	switch {
	case n.face(value) && (notNumber == nil || !n.face(editableText)):
		return r.setNumber(ctx, n, strings.TrimSpace(p.Value))
	case n.face(editableText):
		return r.setText(ctx, n, p.Value)
	case n.role == "combo box" || n.role == "list box":
		return r.setChoice(ctx, n, p.Value)
	case slices.Contains(switches, n.role):
		return r.setSwitch(ctx, n, p.Value)
	}
	if n.states.has(editable) { // Chromium tells of texts, but takes none
		return refused("Give it the focus with press, then the key ctrl+a, then type.", "%s takes no text this way.", n.called())
	}
	return refused("Press it, or use the pointer and the keys.", "%s has no value that can be set.", n.called())
}

// differs says that the value went out and something else stands there now.
func differs(n *node, now string) error {
	return &wire.Error{
		Code: wire.Failed, Sent: true,
		Message: fmt.Sprintf("%s was set, but shows “%s” now.", n.called(), clean(now, maxName, true)),
		Fix:     "The program changes or refuses such values; look at it.",
	}
}

func (r *reader) setText(ctx context.Context, n *node, s string) error {
	if !n.states.has(editable) {
		return refused("", "%s is read-only.", n.called())
	}
	var done bool
	err := r.one(ctx, question{of: n.object, method: editableText + ".SetTextContents", args: []any{s}, into: []any{&done}})
	if err := sent(err, done, n, "set the text"); err != nil {
		return err
	}
	var chars dbus.Variant
	if err := r.one(ctx, *property(n.object, text, "CharacterCount", &chars)); err != nil {
		return sent(err, true, n, "set the text")
	}
	count, _ := chars.Value().(int32)
	secret := n.role == "password text"
	if secret && int(count) == utf8.RuneCountInString(s) {
		return nil
	}
	var now string
	if err := r.one(ctx, question{of: n.object, method: text + ".GetText", args: []any{int32(0), count}, into: []any{&now}}); err != nil {
		return sent(err, true, n, "set the text")
	}
	switch {
	case secret:
		return differs(n, fmt.Sprintf("%d characters", count))
	case now != s:
		return differs(n, now)
	}
	return nil
}

func (r *reader) setNumber(ctx context.Context, n *node, s string) error {
	want, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(want) || math.IsInf(want, 0) {
		return bad("%s takes a number, not %q", n.called(), short(s, maxName))
	}
	var numbers [3]dbus.Variant
	err = r.ask(ctx, property(n.object, value, "MinimumValue", &numbers[0]),
		property(n.object, value, "MaximumValue", &numbers[1]), property(n.object, value, "MinimumIncrement", &numbers[2]))
	if err != nil {
		return asWire(err)
	}
	low, _ := numbers[0].Value().(float64)
	high, _ := numbers[1].Value().(float64)
	step, _ := numbers[2].Value().(float64)
	if low < high && (want < low || want > high) {
		return bad("%s takes %g to %g, not %g", n.called(), low, high, want)
	}
	err = r.one(ctx, question{of: n.object, method: properties + ".Set", args: []any{value, "CurrentValue", dbus.MakeVariant(want)}})
	if err := sent(err, true, n, "set the value"); err != nil {
		return err
	}
	var now string
	ok, err := r.until(ctx, n, func(m *node) bool {
		now = m.value
		v, err := strconv.ParseFloat(now, 64)
		return err == nil && math.Abs(v-want) <= max(step/2, 1e-6) // rounding to its steps
	})
	if err != nil || ok {
		return sent(err, true, n, "set the value")
	}
	return differs(n, now)
}

// setChoice selects the entry of that name.
func (r *reader) setChoice(ctx context.Context, n *node, want string) error {
	entries, err := r.entries(ctx, n)
	if err != nil {
		return asWire(err)
	}
	i := slices.IndexFunc(entries, func(e *node) bool { return e.name == want })
	if i < 0 {
		i = slices.IndexFunc(entries, func(e *node) bool { return strings.EqualFold(strings.TrimSpace(e.name), strings.TrimSpace(want)) })
	}
	if i < 0 {
		var names []string
		for _, e := range entries[:min(len(entries), 20)] {
			names = append(names, "“"+short(e.name, maxName)+"”")
		}
		return refused("Use one of them.", "%s has no entry %q; it has: %s.", n.called(), short(want, maxName), orName(strings.Join(names, ", "), "none that it tells of"))
	}
	chosen := entries[i]
	if n.face(selection) {
		var done bool
		err = r.one(ctx, question{of: n.object, method: selection + ".SelectChild", args: []any{int32(i)}, into: []any{&done}}) //nolint:gosec // an index of a list
		err = sent(err, done, n, "select “"+chosen.name+"”")
	} else if d, ok := chosen.find(""); ok {
		err = r.perform(ctx, chosen, d)
	} else {
		err = refused("Press it and use the pointer.", "%s does not let its entries be chosen.", n.called())
	}
	if err != nil {
		return err
	}
	var now string
	called := func(m *node) bool { now = orName(m.name, m.value); return now == chosen.name }
	var ok bool
	if slices.ContainsFunc(entries, func(e *node) bool { return e.name == orName(n.name, n.value) }) { // it shows what is chosen
		ok, err = r.until(ctx, n, called)
	} else {
		ok, err = r.until(ctx, chosen, func(m *node) bool { return m.states.has(selected) })
	}
	if err != nil || ok || n.role != "combo box" {
		return sent(err, true, n, "select an entry")
	}
	return &wire.Error{ // as with Qt, whose entries are rows of a list that is not open
		Code: wire.Failed, Sent: true,
		Message: fmt.Sprintf("%s still shows “%s”: it does not let its entries be chosen while it is closed.", n.called(), short(now, maxName)),
		Fix:     "Press it, then choose the entry with the pointer or the keys.",
	}
}

// entries are the choices of a combo box or list, which may lie in a menu.
func (r *reader) entries(ctx context.Context, n *node) ([]*node, error) {
	for range 3 { // levels: combo box, perhaps a window, menu
		var objects []object
		if err := r.one(ctx, question{of: n.object, method: accessible + ".GetChildren", into: []any{&objects}}); err != nil {
			return nil, err
		}
		parent := &node{object: n.object, role: n.role, faces: n.faces}
		list := parent.adopt(objects)
		for chunk := range slices.Chunk(list, batch) {
			if err := r.read(ctx, chunk); err != nil {
				return nil, err
			}
		}
		if len(list) != 1 || list[0].name != "" || list[0].count == 0 {
			return list, nil
		}
		n = list[0]
	}
	return nil, nil
}

// switches are the roles that are on or off.
var switches = []string{"check box", "toggle button", "switch", "radio button", "check menu item", "radio menu item", "checkbox", "radio"}

var words = map[string]bool{
	"on": true, "true": true, "yes": true, "1": true, "checked": true,
	"off": false, "false": false, "no": false, "0": false, "unchecked": false,
}

func (r *reader) setSwitch(ctx context.Context, n *node, s string) error {
	want, ok := words[strings.ToLower(strings.TrimSpace(s))]
	if !ok {
		return bad("%s is set on or off, not %q", n.called(), short(s, maxName))
	}
	if n.on() == want {
		return nil
	}
	d, ok := n.find("")
	if !ok || d.index < 0 {
		return refused("Use the pointer on its box.", "%s cannot be switched.", n.called())
	}
	if err := r.perform(ctx, n, d); err != nil {
		return err
	}
	ok, err := r.until(ctx, n, func(m *node) bool { return m.on() == want })
	if err != nil || ok {
		return sent(err, true, n, "switch "+s)
	}
	now := "off"
	if !want {
		now = "on"
	}
	return differs(n, now)
}
