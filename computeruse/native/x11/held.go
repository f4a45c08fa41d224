package x11

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/hobkin/hobkin/computeruse/native"
)

// The X server keeps a key down that a program pressed through XTEST and then
// died, and repeats it for ever. So what is down is noted on the server before
// it is pressed, as a property of the root window that is named after a window
// of the helper. Whoever finds a note whose window is gone releases what it
// says: the guard, a second process that waits for just that, and every helper
// as it starts.
const (
	notePrefix = "_HOBKIN_HELD_"
	markName   = "_HOBKIN_HELPER"

	noteButton = 1 << 8 // a number in a note is a key,
	noteLoan   = 1 << 9 // a button or a key that was given a meaning
)

// markWindow makes the window that lives as long as the connection.
func markWindow(c *conn) (xproto.Window, error) {
	w, err := xproto.NewWindowId(c.Conn)
	if err != nil {
		return 0, err
	}
	err = xproto.CreateWindowChecked(c.Conn, 0, w, c.root, -1, -1, 1, 1, 0, xproto.WindowClassInputOnly, 0,
		xproto.CwOverrideRedirect, []uint32{1}).Check()
	if err != nil {
		return 0, err
	}
	return w, setNumbers(c, w, markName, []uint32{1})
}

func setNumbers(c *conn, w xproto.Window, name string, list []uint32) error {
	return xproto.ChangePropertyChecked(c.Conn, xproto.PropModeReplace, w, c.atoms.of(name), xproto.AtomCardinal, 32,
		uint32(len(list)), words(list)).Check()
}

func noteName(w xproto.Window) string { return fmt.Sprintf("%s%x", notePrefix, uint32(w)) }

// note writes what is down, and which keys are lent. The caller holds in.mu.
func (in *input) note(more ...byte) {
	var list []uint32
	for _, h := range in.down {
		n := uint32(h.code)
		if h.button {
			n |= noteButton
		}
		list = append(list, n)
	}
	for _, code := range more {
		list = append(list, uint32(code))
	}
	for code := range in.pool.lent {
		list = append(list, noteLoan|uint32(code))
	}
	name := in.c.atoms.of(noteName(in.own))
	if len(list) == 0 {
		xproto.DeleteProperty(in.c.Conn, in.c.root, name)
		return
	}
	xproto.ChangeProperty(in.c.Conn, xproto.PropModeReplace, in.c.root, name, xproto.AtomCardinal, 32, uint32(len(list)), words(list))
}

// sweep releases what the notes of helpers that are gone say.
func sweep(c *conn) error {
	r, err := xproto.ListProperties(c.Conn, c.root).Reply()
	if err != nil {
		return err
	}
	for _, a := range r.Atoms {
		name := c.atoms.name(a)
		var w uint32
		if n, err := fmt.Sscanf(strings.TrimPrefix(name, notePrefix), "%x", &w); n != 1 || err != nil || !strings.HasPrefix(name, notePrefix) {
			continue
		}
		if mark := c.numbers(xproto.Window(w), markName); len(mark) > 0 {
			continue // that helper lives
		}
		for _, n := range c.numbers(c.root, name) {
			undo(c, n)
		}
		xproto.DeleteProperty(c.Conn, c.root, a)
	}
	return c.sync()
}

// undo releases one thing of a note. Of what is not down the server makes
// nothing.
func undo(c *conn, n uint32) {
	code := byte(n)
	switch {
	case n&noteLoan != 0:
		xproto.ChangeKeyboardMapping(c.Conn, 1, xproto.Keycode(code), 1, []xproto.Keysym{0})
	case n&noteButton != 0:
		xtest.FakeInput(c.Conn, xproto.ButtonRelease, code, 0, c.root, 0, 0, 0)
	default:
		xtest.FakeInput(c.Conn, xproto.KeyRelease, code, 0, c.root, 0, 0, 0)
	}
}

// Pressed lists the keys and buttons that are down on a display, whoever
// presses them.
func Pressed(ctx context.Context, display string) (names []string, err error) {
	c, err := dial(ctx, display, nil)
	if err != nil {
		return nil, err
	}
	defer c.close()
	keys, err := xproto.QueryKeymap(c.Conn).Reply()
	if err != nil {
		return nil, c.check(err)
	}
	for i, bits := range keys.Keys {
		for bit := range 8 {
			if bits&(1<<bit) != 0 {
				names = append(names, fmt.Sprintf("key %d", 8*i+bit))
			}
		}
	}
	p, err := xproto.QueryPointer(c.Conn, c.root).Reply()
	if err != nil {
		return nil, c.check(err)
	}
	for b := range 5 {
		if p.Mask&(xproto.KeyButMaskButton1<<b) != 0 {
			names = append(names, fmt.Sprintf("button %d", b+1))
		}
	}
	return names, nil
}

// Guard waits until the helper with that window has gone, and then releases
// what it left pressed. Before that it tells ready.
func Guard(ctx context.Context, display string, window uint32, ready func()) error {
	gone := make(chan struct{}, 1)
	c, err := dial(ctx, display, func(e xgb.Event) {
		if d, ok := e.(xproto.DestroyNotifyEvent); ok && uint32(d.Window) == window {
			gone <- struct{}{}
		}
	})
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.extension(extTest); err != nil {
		return err
	}
	err = xproto.ChangeWindowAttributesChecked(c.Conn, xproto.Window(window), xproto.CwEventMask,
		[]uint32{xproto.EventMaskStructureNotify}).Check()
	ready()
	if err == nil { // else it has gone already
		select {
		case <-gone:
		case <-c.closed:
			return errors.New("the display has gone")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	// The server destroys the windows of a client before it forgets the last
	// of its requests; one round trip later all is done.
	if err := c.sync(); err != nil {
		return err
	}
	if err := sweep(c); err != nil {
		return err
	}
	return native.Pause(ctx, time.Millisecond)
}
