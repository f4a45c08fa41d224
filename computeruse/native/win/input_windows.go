package win

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf16"
	"unsafe"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// An input is INPUT of Windows with the larger of its kinds, on 64 bits.
type input struct {
	Kind uint32
	_    uint32
	Data [32]byte
}

type mouseInput struct {
	X, Y  int32
	Data  uint32
	Flags uint32
	Time  uint32
	Extra uintptr
}

type keyInput struct {
	Key   uint16
	Scan  uint16
	Flags uint32
	Time  uint32
	Extra uintptr
}

const (
	mouseKind = 0
	keyKind   = 1

	moved       = 0x0001
	absolute    = 0x8000
	wholeScreen = 0x4000 // all displays, not only the primary one
	wheel       = 0x0800
	sideways    = 0x1000

	extended  = 0x0001
	keyUp     = 0x0002
	character = 0x0004 // Scan is one, no key
)

func (m mouseInput) input() (in input) {
	in.Kind = mouseKind
	*(*mouseInput)(unsafe.Pointer(&in.Data)) = m
	return in
}

func (k keyInput) input() (in input) {
	in.Kind = keyKind
	*(*keyInput)(unsafe.Pointer(&in.Data)) = k
	return in
}

// send sends inputs all at once, so that nothing of the person comes between.
func (d *Desk) send(list ...input) error {
	if len(list) == 0 {
		return nil
	}
	begun := ticks()
	n := call(sendInput, uintptr(len(list)), ptr(&list[0]), unsafe.Sizeof(input{}))
	d.sent.mark(begun, ticks())
	if int(n) == len(list) {
		return nil
	}
	return &wire.Error{
		Code: wire.Denied, Sent: n > 0, Message: "Windows did not take the input.",
		Fix: "A program that runs as administrator takes no input of one that does not; a question of the system (UAC) must be answered by you.",
	}
}

// Where is where the pointer is.
func (*Desk) Where(context.Context) (wire.Point, error) {
	var p point
	if call(getCursorPos, ptr(&p)) == 0 {
		return wire.Point{}, failed("asking for the pointer")
	}
	return wire.Point{X: int(p.X), Y: int(p.Y)}, nil
}

// The numbers of GetSystemMetrics for the rectangle around all displays.
const (
	metricX = 76
	metricY = 77
	metricW = 78
	metricH = 79
)

func metric(n uintptr) int { return int(int32(call(getSystemMetrics, n))) } //nolint:gosec // an int of Windows

// Move puts the pointer on a pixel, and makes sure that it is there.
func (d *Desk) Move(ctx context.Context, to wire.Point) error {
	x, y, w, h := metric(metricX), metric(metricY), metric(metricW), metric(metricH)
	if w < 2 || h < 2 || to.X < x || to.Y < y || to.X >= x+w || to.Y >= y+h {
		return &wire.Error{Code: wire.OutOfBounds, Message: fmt.Sprintf("The point %d,%d is on no display.", to.X, to.Y), Fix: "Ask for the displays again."}
	}
	err := d.send(mouseInput{X: spread(to.X-x, w), Y: spread(to.Y-y, h), Flags: moved | absolute | wholeScreen}.input())
	if err != nil {
		return err
	}
	for range 10 {
		at, err := d.Where(ctx)
		if err != nil || at == to {
			return err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return &wire.Error{Code: wire.Failed, Message: fmt.Sprintf("The pointer does not get to %d,%d: a person moves it, or a program holds it.", to.X, to.Y)}
}

// spread tells a pixel in the units of SendInput, 65,536 over the whole width:
// its middle, so that rounding brings it back.
func spread(v, size int) int32 { return int32((v*65536 + 32768) / size) } //nolint:gosec // below 65,536

// The buttons, each by its virtual key and its flags of pressing and releasing.
var buttons = map[string]struct {
	key      uint16
	down, up uint32
}{
	wire.Left: {1, 0x0002, 0x0004}, wire.Right: {2, 0x0008, 0x0010}, wire.Middle: {4, 0x0020, 0x0040},
}

// Press presses a button.
func (d *Desk) Press(_ context.Context, button string) error {
	b, ok := buttons[button]
	if !ok {
		return &wire.Error{Code: wire.BadRequest, Message: fmt.Sprintf("there is no button %q", button)}
	}
	d.note(b.key, button)
	return d.send(mouseInput{Flags: b.down}.input())
}

// Release lets go of it.
func (d *Desk) Release(_ context.Context, button string) error {
	b, ok := buttons[button]
	if !ok {
		return &wire.Error{Code: wire.BadRequest, Message: fmt.Sprintf("there is no button %q", button)}
	}
	d.note(b.key, "")
	return d.send(mouseInput{Flags: b.up}.input())
}

// note remembers what is down; an empty name is up again.
func (d *Desk) note(key uint16, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if name == "" {
		delete(d.held, key)
	} else {
		d.held[key] = name
	}
}

// Wheel turns by notches, to the right and down.
func (d *Desk) Wheel(_ context.Context, dx, dy int) error {
	const notch = 120
	var list []input
	if dy != 0 {
		list = append(list, mouseInput{Data: uint32(-dy * notch), Flags: wheel}.input()) //nolint:gosec // its bits; up is positive
	}
	if dx != 0 {
		list = append(list, mouseInput{Data: uint32(dx * notch), Flags: sideways}.input()) //nolint:gosec // its bits
	}
	return d.send(list...)
}

// Hold presses the keys of a chord.
func (d *Desk) Hold(_ context.Context, chord string) (release func() error, err error) {
	keys, err := parse(chord, layoutKey)
	if err != nil {
		return nil, err
	}
	var downs, ups []input
	for _, k := range keys {
		downs = append(downs, press(k, 0))
		ups = append([]input{press(k, keyUp)}, ups...)
		d.note(k, chord)
	}
	release = func() error {
		for _, k := range keys {
			d.note(k, "")
		}
		return d.send(ups...)
	}
	if err := d.send(downs...); err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}

// press is a key by its virtual code, with the scan code that some programs read.
func press(key uint16, flags uint32) input {
	scan := uint16(call(mapVirtualKey, uintptr(key), 0)) //nolint:gosec // a scan code
	if isExtended(key) {
		flags |= extended
	}
	return keyInput{Key: key, Scan: scan, Flags: flags}.input()
}

// isExtended reports whether a key is one of those that the first keyboards
// had not got, which Windows wants to be told.
func isExtended(key uint16) bool {
	switch {
	case key >= 0x21 && key <= 0x28, key == 0x2d, key == 0x2e, key == vkLWin, key == 0x5d, key == vkRMenu, key == 0x90, key == 0x2c:
		return true
	}
	return false
}

// layoutKey finds the key of a character in the layout of this thread, and the
// modifiers that it needs there.
func layoutKey(r rune) (key uint16, mods []uint16, ok bool) {
	if r > 0xffff {
		return 0, nil, false
	}
	v := int16(call(vkKeyScan, uintptr(r))) //nolint:gosec // a short
	if v == -1 {
		return 0, nil, false
	}
	for bit, mod := range []uint16{vkShift, vkControl, vkMenu} {
		if v>>(8+bit)&1 == 1 {
			mods = append(mods, mod)
		}
	}
	return uint16(v) & 0xff, mods, true //nolint:gosec // its bits
}

// Type types a text as the characters that it has: no layout is asked.
func (d *Desk) Type(_ context.Context, text string, still func() error) (wire.TypeResult, error) {
	res := wire.TypeResult{Method: "keys"}
	for _, r := range text {
		if err := still(); err != nil {
			return res, err
		}
		if err := d.send(letter(r)...); err != nil {
			return res, err
		}
		res.Typed++
	}
	return res, nil
}

// letter are the inputs of one character; newline and tab are keys.
func letter(r rune) (list []input) {
	switch r {
	case '\n':
		return []input{press(vkReturn, 0), press(vkReturn, keyUp)}
	case '\t':
		return []input{press(vkTab, 0), press(vkTab, keyUp)}
	}
	for _, unit := range utf16.Encode([]rune{r}) {
		list = append(list, keyInput{Scan: unit, Flags: character}.input(), keyInput{Scan: unit, Flags: character | keyUp}.input())
	}
	return list
}

// Paste types too: the clipboard of the person stays as it is.
func (d *Desk) Paste(ctx context.Context, text string, still func() error) (wire.TypeResult, error) {
	return d.Type(ctx, text, still)
}

// ReleaseAll lets go of all buttons and keys that are down.
func (d *Desk) ReleaseAll() (names []string) {
	d.mu.Lock()
	held := maps.Clone(d.held)
	clear(d.held)
	d.mu.Unlock()
	for key, name := range held {
		in := press(key, keyUp)
		if b, ok := buttons[name]; ok && b.key == key {
			in = mouseInput{Flags: b.up}.input()
		}
		_ = d.send(in) // a session that is locked holds nothing
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
