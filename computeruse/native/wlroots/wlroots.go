//go:build linux

// Package wlroots is computer use on Wayland compositors that are made with
// wlroots, such as sway, by the protocols that these offer to programs they
// trust: screencopy, virtual pointer and virtual keyboard. It needs no cgo and
// asks nobody; a compositor that does not trust us does not offer them.
//
// Points are pixels of all outputs side by side. The compositor counts in units
// of its own, which are the pixels divided by the scale of each output.
package wlroots

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Keys are the meanings of keys, as X11 numbers them; Wayland uses them too.
type Keys interface {
	// Chord returns the keysyms of a chord such as ctrl+shift+t, modifiers first.
	Chord(text string) ([]uint32, error)
	// Sym returns the keysym of a character.
	Sym(r rune) uint32
}

// A Desk is the desktop of a compositor. Its methods may be called at the same
// time.
type Desk struct {
	c    *conn
	keys Keys

	globals map[string]global
	seat    uint32
	shm     uint32
	copier  global
	pointer uint32
	places  uint32

	taking sync.Mutex // one picture at a time

	mu      sync.Mutex
	outputs map[uint32]*output // by the name of the global
	last    *wire.Point        // where the pointer was put
	held    map[int32]string   // buttons that are down
	board   board
}

// A global is something that the compositor offers.
type global struct{ name, version uint32 }

// The protocols, by what the compositor calls them.
const (
	ifCopy     = "zwlr_screencopy_manager_v1"
	ifPointer  = "zwlr_virtual_pointer_manager_v1"
	ifKeyboard = "zwp_virtual_keyboard_manager_v1"
	ifPlaces   = "zxdg_output_manager_v1"
)

// Open connects to a compositor by the path of its socket. It returns
// [wire.Unsupported] where that does not offer the protocols.
func Open(ctx context.Context, socket string, keys Keys) (*Desk, error) {
	c, err := dial(ctx, socket)
	if err != nil {
		return nil, &wire.Error{Code: wire.NoDisplay, Message: "The Wayland compositor cannot be reached: " + err.Error() + ".", Fix: "Start Hobkin within the desktop session."}
	}
	d := &Desk{c: c, keys: keys, globals: map[string]global{}, outputs: map[uint32]*output{}, held: map[int32]string{}}
	if err := d.bind(ctx); err != nil {
		c.close()
		return nil, err
	}
	return d, nil
}

// bind learns what the compositor offers and takes what is needed.
func (d *Desk) bind(ctx context.Context) error {
	var list []struct {
		iface string
		global
	}
	registry := d.c.add(func(op uint16, m *message) {
		if op == 0 { // global
			name, iface, version := m.uint(), m.text(), m.uint()
			list = append(list, struct {
				iface string
				global
			}{iface, global{name, version}})
		}
	})
	d.c.send(displayID, 1, registry) // get_registry
	if err := d.c.sync(ctx); err != nil {
		return err
	}
	d.c.handle(registry, d.changed(registry))
	for _, g := range list {
		if g.iface == "wl_output" {
			d.addOutput(registry, g.global)
			continue
		}
		if _, ok := d.globals[g.iface]; !ok { // the first seat is the usual one
			d.globals[g.iface] = g.global
		}
	}
	for _, need := range []string{"wl_shm", "wl_seat", ifCopy, ifPointer, ifKeyboard, ifPlaces} {
		if _, ok := d.globals[need]; !ok {
			return &wire.Error{
				Code: wire.Unsupported, Message: fmt.Sprintf("This Wayland compositor does not let programs see and control the desktop: it has no %s.", need),
				Fix: "Use the portals of the desktop, or a session with X11.",
			}
		}
	}
	d.shm = d.take(registry, "wl_shm", 1)
	d.seat = d.take(registry, "wl_seat", 1)
	d.copier = global{d.take(registry, ifCopy, 3), min(d.globals[ifCopy].version, 3)}
	manager := d.take(registry, ifPointer, 1)
	d.pointer = d.c.add(nil)
	d.c.send(manager, 0, d.seat, d.pointer) // create_virtual_pointer
	manager = d.take(registry, ifKeyboard, 1)
	d.board.id = d.c.add(nil)
	d.c.send(manager, 0, d.seat, d.board.id) // create_virtual_keyboard
	d.places = d.take(registry, ifPlaces, 2)
	for _, o := range d.outputs {
		d.place(o, d.places)
	}
	return d.c.sync(ctx)
}

// take binds a global at a version that we know.
func (d *Desk) take(registry uint32, iface string, most uint32) uint32 {
	g := d.globals[iface]
	id := d.c.add(nil)
	d.c.send(registry, 0, g.name, iface, min(g.version, most), id) // bind, which names the interface too
	return id
}

// changed notices outputs that come and go.
func (d *Desk) changed(registry uint32) func(op uint16, m *message) {
	return func(op uint16, m *message) {
		switch op {
		case 0:
			name, iface, version := m.uint(), m.text(), m.uint()
			if iface != "wl_output" {
				return
			}
			d.addOutput(registry, global{name, version})
			d.mu.Lock()
			o := d.outputs[name]
			d.mu.Unlock()
			d.place(o, d.places)
		case 1:
			d.mu.Lock()
			defer d.mu.Unlock()
			delete(d.outputs, m.uint())
		}
	}
}

// Close lets go of all that is held and leaves the compositor.
func (d *Desk) Close() {
	d.ReleaseAll()
	d.c.close()
}

// Probe takes one small picture.
func (d *Desk) Probe(ctx context.Context) error {
	all, err := d.Displays(ctx)
	if err != nil {
		return err
	}
	b := all.Displays[0].Box
	_, err = d.Grab(ctx, wire.Box{X: b.X, Y: b.Y, W: 1, H: 1})
	return err
}

// settle is how long programs may take to read a keymap before keys of it come.
const settle = 30 * time.Millisecond

// sorted returns the outputs from left to right.
func (d *Desk) sorted() []output {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []output
	for _, o := range d.outputs {
		if o.known() {
			list = append(list, *o)
		}
	}
	slices.SortFunc(list, func(a, b output) int {
		if a.x != b.x {
			return int(a.x) - int(b.x)
		}
		return int(a.y) - int(b.y)
	})
	return list
}
