package x11

import (
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// partSize is how much of a content goes into one property; what is larger
// goes in parts, each once the one before it was taken.
const partSize = 128 << 10

// serve answers a program that asks for what we own. It runs on the goroutine
// that drains the connection.
func (b *clipboard) serve(e xproto.SelectionRequestEvent) {
	prop := e.Property
	if prop == 0 {
		prop = e.Target // as old programs mean it
	}
	b.mu.Lock()
	o := b.offers[e.Selection]
	b.mu.Unlock()
	if o == nil || !b.give(o, e, prop) {
		prop = 0
	}
	n := xproto.SelectionNotifyEvent{Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: prop}
	xproto.SendEvent(b.c.Conn, false, e.Requestor, 0, string(n.Bytes()))
}

// give writes what was asked for into the property.
func (b *clipboard) give(o *offer, e xproto.SelectionRequestEvent, prop xproto.Atom) bool {
	switch name := b.c.atoms.name(e.Target); name {
	case "TARGETS":
		list := []uint32{uint32(e.Target), uint32(b.c.atoms.of("TIMESTAMP")), uint32(b.c.atoms.of("MULTIPLE"))}
		for n := range o.data {
			list = append(list, uint32(b.c.atoms.of(n)))
		}
		b.put(e.Requestor, prop, content{"ATOM", 32, words(list)})
		return true
	case "TIMESTAMP":
		b.put(e.Requestor, prop, content{"INTEGER", 32, words([]uint32{uint32(o.when)})})
		return true
	case "MULTIPLE":
		return b.several(o, e, prop)
	default:
		c, ok := o.data[name]
		if !ok {
			return false
		}
		b.put(e.Requestor, prop, c)
		select {
		case o.taken <- e.Requestor:
		default:
		}
		return true
	}
}

// several answers a request that names pairs of target and property.
func (b *clipboard) several(o *offer, e xproto.SelectionRequestEvent, prop xproto.Atom) bool {
	raw, err := b.c.property(e.Requestor, prop)
	if err != nil {
		return false
	}
	const most = 256
	for i := 0; i+8 <= len(raw) && i < 8*most; i += 8 {
		one := e
		one.Target, one.Property = xproto.Atom(xgb.Get32(raw[i:])), xproto.Atom(xgb.Get32(raw[i+4:]))
		if b.c.atoms.name(one.Target) == "MULTIPLE" || !b.give(o, one, one.Property) {
			xgb.Put32(raw[i+4:], 0)
		}
	}
	b.put(e.Requestor, prop, content{"ATOM_PAIR", 32, raw})
	return true
}

// put writes a content into a property of another program, or begins to.
func (b *clipboard) put(to xproto.Window, prop xproto.Atom, c content) {
	if len(c.raw) <= partSize {
		b.change(to, prop, c)
		return
	}
	b.mu.Lock()
	b.sending[sendKey{to, prop}] = c
	b.mu.Unlock()
	// So we are told when the program deletes the property: it wants the next part.
	xproto.ChangeWindowAttributes(b.c.Conn, to, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange})
	b.change(to, prop, content{"INCR", 32, words([]uint32{uint32(len(c.raw))})})
}

// next writes the next part of a large content; one of no size is its end.
func (b *clipboard) next(key sendKey) {
	b.mu.Lock()
	c, ok := b.sending[key]
	part := content{c.kind, c.format, c.raw[:min(len(c.raw), partSize)]}
	c.raw = c.raw[len(part.raw):]
	if b.sending[key] = c; len(part.raw) == 0 {
		delete(b.sending, key)
	}
	b.mu.Unlock()
	if !ok {
		return
	}
	b.change(key.to, key.prop, part)
	if len(part.raw) == 0 {
		xproto.ChangeWindowAttributes(b.c.Conn, key.to, xproto.CwEventMask, []uint32{0})
	}
}

func (b *clipboard) change(to xproto.Window, prop xproto.Atom, c content) {
	units := uint32(len(c.raw)) / uint32(max(c.format/8, 1))
	xproto.ChangeProperty(b.c.Conn, xproto.PropModeReplace, to, prop, b.c.atoms.of(c.kind), c.format, units, c.raw)
}
