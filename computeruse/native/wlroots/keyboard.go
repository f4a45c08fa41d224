//go:build linux

package wlroots

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A board is the virtual keyboard. It has a key for each meaning that is needed
// and a keymap that says so, so that the layout of the person does not matter.
type board struct {
	id uint32

	mu   sync.Mutex
	syms []uint32          // of the keymap; the key of the first has the code 1
	held map[uint32]string // by keysym
	mods uint32
}

// The modifiers, by keysym, with their bits in the real modifiers of X11.
var modifiers = map[uint32]uint32{
	0xffe1: 1 << 0, 0xffe2: 1 << 0, // Shift
	0xffe3: 1 << 2, 0xffe4: 1 << 2, // Control
	0xffe9: 1 << 3, 0xffea: 1 << 3, // Alt
	0xffeb: 1 << 6, 0xffec: 1 << 6, // Super
}

// maxKeys bounds a keymap: keycodes go to 255, and 8 of them are not used.
const maxKeys = 240

// keymap is the text that xkbcommon reads.
func keymap(syms []uint32) string {
	var b strings.Builder
	fmt.Fprintf(&b, "xkb_keymap {\nxkb_keycodes \"hobkin\" {\nminimum = 8;\nmaximum = %d;\n", len(syms)+9) // codes begin at 8
	for i := range syms {
		fmt.Fprintf(&b, "<K%d> = %d;\n", i+1, i+9)
	}
	b.WriteString("};\nxkb_types \"hobkin\" { include \"complete\" };\nxkb_compatibility \"hobkin\" { include \"complete\" };\nxkb_symbols \"hobkin\" {\n")
	for i, s := range syms {
		fmt.Fprintf(&b, "key <K%d> { [ 0x%x ] };\n", i+1, s)
	}
	b.WriteString("};\n};\n")
	return b.String()
}

// need makes keys for all of syms.
func (d *Desk) need(ctx context.Context, syms []uint32) error {
	k := &d.board
	if !slices.ContainsFunc(syms, func(s uint32) bool { return !slices.Contains(k.syms, s) }) {
		return nil
	}
	next := slices.Clone(k.syms)
	for _, s := range syms {
		if !slices.Contains(next, s) {
			next = append(next, s)
		}
	}
	if len(next) > maxKeys {
		next = slices.Clone(syms)
	}
	fd, size, err := memory(keymap(next))
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	d.c.send(k.id, 0, uint32(1), file(fd), size) // format 1: text of xkbcommon
	k.syms = next
	if err := d.c.sync(ctx); err != nil {
		return err
	}
	select {
	case <-time.After(settle):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// memory is a file that holds a text and a zero byte.
func memory(text string) (fd int, size uint32, err error) {
	fd, err = unix.MemfdCreate("hobkin-keymap", unix.MFD_CLOEXEC)
	if err != nil {
		return 0, 0, err
	}
	raw := append([]byte(text), 0)
	if n, err := unix.Write(fd, raw); err != nil || n != len(raw) {
		_ = unix.Close(fd)
		return 0, 0, fmt.Errorf("writing the keymap: %w", err)
	}
	return fd, uint32(len(raw)), nil //nolint:gosec // some kilobytes
}

// key presses or lets go of a key that need has made.
func (k *board) key(c *conn, sym uint32, name string, state uint32) {
	if state == down {
		if k.held == nil {
			k.held = map[uint32]string{}
		}
		k.held[sym] = name
	} else {
		delete(k.held, sym)
	}
	if bit, ok := modifiers[sym]; ok {
		if state == down {
			k.mods |= bit
		} else {
			k.mods &^= bit
		}
	}
	c.send(k.id, 1, stamp(), uint32(slices.Index(k.syms, sym)+1), state) //nolint:gosec // at most maxKeys
	c.send(k.id, 2, k.mods, uint32(0), uint32(0), uint32(0))
}

func (k *board) release(c *conn) (names []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for sym, name := range k.held {
		k.key(c, sym, name, up)
		names = append(names, name)
	}
	return names
}

// Hold presses the keys of a chord.
func (d *Desk) Hold(ctx context.Context, chord string) (release func() error, err error) {
	syms, err := d.keys.Chord(chord)
	if err != nil {
		return nil, err
	}
	k := &d.board
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := d.need(ctx, syms); err != nil {
		return nil, err
	}
	for _, s := range syms {
		k.key(d.c, s, chord, down)
	}
	release = func() error {
		k.mu.Lock()
		for _, s := range slices.Backward(syms) {
			if _, down := k.held[s]; down { // else all was let go of meanwhile
				k.key(d.c, s, chord, up)
			}
		}
		k.mu.Unlock()
		return d.c.sync(context.WithoutCancel(ctx))
	}
	return release, d.c.sync(ctx)
}

// Type types a text, of any characters.
func (d *Desk) Type(ctx context.Context, text string, still func() error) (wire.TypeResult, error) {
	res := wire.TypeResult{Method: "keys"}
	for part := range slices.Chunk([]rune(text), maxKeys/2) {
		if err := d.typePart(ctx, part, still, &res); err != nil {
			return res, err
		}
	}
	return res, nil
}

func (d *Desk) typePart(ctx context.Context, part []rune, still func() error, res *wire.TypeResult) error {
	k := &d.board
	k.mu.Lock()
	defer k.mu.Unlock()
	syms := make([]uint32, len(part))
	for i, r := range part {
		syms[i] = d.keys.Sym(r)
	}
	if err := d.need(ctx, syms); err != nil {
		return err
	}
	for _, s := range syms {
		if err := still(); err != nil {
			return err
		}
		k.key(d.c, s, "text", down)
		k.key(d.c, s, "text", up)
		if err := d.c.sync(ctx); err != nil {
			return err
		}
		res.Typed++
	}
	return nil
}

// Paste types too: any character has a key here, and the clipboard of the
// person stays as it is.
func (d *Desk) Paste(ctx context.Context, text string, still func() error) (wire.TypeResult, error) {
	return d.Type(ctx, text, still)
}
