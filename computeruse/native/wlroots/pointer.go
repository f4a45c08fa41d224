//go:build linux

package wlroots

import (
	"context"
	"fmt"
	"image"
	"maps"
	"slices"
	"time"

	"github.com/hobkin/hobkin/computeruse/native/desktop"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// The buttons, by the numbers of Linux's input-event-codes.h.
var buttons = map[string]int32{wire.Left: 0x110, wire.Right: 0x111, wire.Middle: 0x112}

var started = time.Now()

// stamp is the time of an input in milliseconds, as these are told.
func stamp() uint32 { return uint32(time.Since(started).Milliseconds()) } //nolint:gosec // it goes round

// Where returns where the pointer was put last: no program is told where the
// person has moved it.
func (d *Desk) Where(context.Context) (wire.Point, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		return wire.Point{}, desktop.PointerUnknown()
	}
	return *d.last, nil
}

// fine is how many steps of the pointer make one unit of the compositor.
const fine = 100

// Move puts the pointer on a pixel.
func (d *Desk) Move(ctx context.Context, to wire.Point) error {
	list := d.sorted()
	o, x, y, ok := find(list, to)
	if !ok {
		return &wire.Error{Code: wire.OutOfBounds, Message: fmt.Sprintf("The point %d,%d is on no display.", to.X, to.Y), Fix: "Ask for the displays again."}
	}
	// The pointer moves within the rectangle around all outputs.
	var area image.Rectangle
	for _, p := range list {
		area = area.Union(image.Rect(int(p.x), int(p.y), int(p.x+p.lw), int(p.y+p.lh)))
	}
	x, y = x+float64(o.x)-float64(area.Min.X), y+float64(o.y)-float64(area.Min.Y)
	d.c.send(d.pointer, 1, stamp(), uint32(x*fine), uint32(y*fine), uint32(fine*area.Dx()), uint32(fine*area.Dy())) //nolint:gosec // within the outputs
	if err := d.flush(ctx); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = &to
	return nil
}

// flush ends a group of inputs and waits until the compositor has taken them.
func (d *Desk) flush(ctx context.Context) error {
	d.c.send(d.pointer, 4) // frame
	return d.c.sync(ctx)
}

const (
	up   uint32 = 0
	down uint32 = 1
)

// Press presses a button.
func (d *Desk) Press(ctx context.Context, button string) error { return d.button(ctx, button, down) }

// Release lets go of it.
func (d *Desk) Release(ctx context.Context, button string) error { return d.button(ctx, button, up) }

func (d *Desk) button(ctx context.Context, name string, state uint32) error {
	code, ok := buttons[name]
	if !ok {
		return &wire.Error{Code: wire.BadRequest, Message: fmt.Sprintf("there is no button %q", name)}
	}
	d.mu.Lock()
	if state == down {
		d.held[code] = name
	} else {
		delete(d.held, code)
	}
	d.mu.Unlock()
	d.c.send(d.pointer, 2, stamp(), uint32(code), state) //nolint:gosec // a small number
	return d.flush(ctx)
}

// notch is how far one notch of a wheel scrolls, as compositors count it.
const notch = 15

// Wheel turns by notches.
func (d *Desk) Wheel(ctx context.Context, dx, dy int) error {
	for axis, steps := range []int{dy, dx} { // vertical is 0
		if steps != 0 {
			d.c.send(d.pointer, 5, uint32(0))                                                   // the source is a wheel
			d.c.send(d.pointer, 7, stamp(), uint32(axis), fixed(steps*notch*256), int32(steps)) //nolint:gosec // at most 100 notches; 8 bits after the point
		}
	}
	return d.flush(ctx)
}

// ReleaseAll lets go of all buttons and keys that are down.
func (d *Desk) ReleaseAll() []string {
	d.mu.Lock()
	held := maps.Clone(d.held)
	clear(d.held)
	d.mu.Unlock()
	names := slices.Collect(maps.Values(held))
	for code := range held {
		d.c.send(d.pointer, 2, stamp(), uint32(code), up) //nolint:gosec // a small number
	}
	if len(held) > 0 {
		d.c.send(d.pointer, 4)
	}
	names = append(names, d.board.release(d.c)...)
	slices.Sort(names)
	return slices.Compact(names)
}
