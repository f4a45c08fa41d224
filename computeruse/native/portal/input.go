//go:build linux

package portal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/godbus/dbus/v5"

	"github.com/hobkin/hobkin/computeruse/native/desktop"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// heldKey is a button or key that is down.
type heldKey struct {
	key  bool
	code int32
}

// The buttons, by the numbers of Linux's input-event-codes.h.
var buttons = map[string]int32{wire.Left: 0x110, wire.Right: 0x111, wire.Middle: 0x112}

const (
	up   uint32 = 0
	down uint32 = 1
)

// notify tells the desktop of one input. Its error is one of the protocol.
func (d *Desk) notify(ctx context.Context, c *control, method string, args ...any) error {
	err := d.call(ctx, remote+".Notify"+method, append([]any{c.path, vardict{}}, args...)...).Err
	var e dbus.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e) && (e.Name == "org.freedesktop.DBus.Error.AccessDenied" || e.Name == prefix+"Error.NotAllowed"):
		return &wire.Error{Code: wire.Denied, Message: "The desktop did not allow this input: " + e.Error() + ".", Fix: "Allow pointer and keyboard in the dialog of the desktop."}
	}
	return failed("the desktop did not take the input", err)
}

// Where returns where the pointer was put last: portals do not tell where the
// person has moved it.
func (d *Desk) Where(context.Context) (wire.Point, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		return wire.Point{}, desktop.PointerUnknown()
	}
	return *d.last, nil
}

// Move puts the pointer on a point of the picture of all displays.
func (d *Desk) Move(ctx context.Context, to wire.Point) error {
	c, err := d.session(ctx)
	if err != nil {
		return err
	}
	l, err := d.layout(ctx, c)
	if err != nil {
		return err
	}
	s, x, y, ok := l.find(to)
	if !ok {
		return &wire.Error{
			Code: wire.OutOfBounds, Message: fmt.Sprintf("The point %d,%d is on no display that you share with Hobkin.", to.X, to.Y),
			Fix: "Share all displays in the dialog of the desktop.",
		}
	}
	if err := d.notify(ctx, c, "PointerMotionAbsolute", s, x, y); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = &to
	return nil
}

// Press presses a button.
func (d *Desk) Press(ctx context.Context, button string) error { return d.button(ctx, button, down) }

// Release lets go of it.
func (d *Desk) Release(ctx context.Context, button string) error { return d.button(ctx, button, up) }

func (d *Desk) button(ctx context.Context, name string, state uint32) error {
	code, ok := buttons[name]
	if !ok {
		return &wire.Error{Code: wire.BadRequest, Message: fmt.Sprintf("there is no button %q", name)}
	}
	c, err := d.session(ctx)
	if err != nil {
		return err
	}
	d.note(heldKey{false, code}, name, state) // before: a press of which no answer came may have been made
	return d.notify(ctx, c, "PointerButton", code, state)
}

// Wheel turns by notches.
func (d *Desk) Wheel(ctx context.Context, dx, dy int) error {
	c, err := d.session(ctx)
	if err != nil {
		return err
	}
	for axis, steps := range []int{dy, dx} { // vertical is 0
		if steps == 0 {
			continue
		}
		if err := d.notify(ctx, c, "PointerAxisDiscrete", uint32(axis), int32(steps)); err != nil { //nolint:gosec // 0 or 1; at most 100
			return err
		}
	}
	return nil
}

// note remembers what is down.
func (d *Desk) note(k heldKey, name string, state uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if state == down {
		d.held[k] = name
	} else {
		delete(d.held, k)
	}
}

func (d *Desk) key(ctx context.Context, c *control, sym uint32, name string, state uint32) error {
	k := heldKey{true, int32(sym)} //nolint:gosec // keysyms have 29 bits
	if state == down {
		d.note(k, name, state)
	}
	err := d.notify(ctx, c, "KeyboardKeysym", k.code, state)
	if state == up {
		d.note(k, name, state)
	}
	return err
}

// Hold presses the keys of a chord.
func (d *Desk) Hold(ctx context.Context, chord string) (release func() error, err error) {
	syms, err := d.o.Keys.Chord(chord)
	if err != nil {
		return nil, err
	}
	c, err := d.session(ctx)
	if err != nil {
		return nil, err
	}
	var pressed []uint32
	release = func() error {
		var errs []error
		for _, s := range slices.Backward(pressed) {
			errs = append(errs, d.key(context.WithoutCancel(ctx), c, s, chord, up))
		}
		pressed = nil
		return errors.Join(errs...)
	}
	for _, s := range syms {
		pressed = append(pressed, s)
		if err := d.key(ctx, c, s, chord, down); err != nil {
			return nil, errors.Join(err, release())
		}
	}
	return release, nil
}

// ReleaseAll lets go of all buttons and keys that are down.
func (d *Desk) ReleaseAll() (names []string) {
	d.mu.Lock()
	held := maps.Clone(d.held)
	clear(d.held)
	o := d.opening
	d.mu.Unlock()
	if len(held) == 0 || o == nil {
		return nil
	}
	select {
	case <-o.done:
	default:
		return nil
	}
	for k, name := range held {
		method := "PointerButton"
		if k.key {
			method = "KeyboardKeysym"
		}
		_ = d.notify(context.Background(), o.control, method, k.code, up) // the session may have ended, and with it what it held
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
