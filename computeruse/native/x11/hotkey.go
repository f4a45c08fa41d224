package x11

import (
	"context"
	"fmt"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A grab is a key that comes to us wherever the focus is.
type grab struct {
	code byte
	mask uint16
}

// The locks that must not keep a hotkey from working, in all combinations.
var lockMasks = []uint16{0, xproto.ModMaskLock, xproto.ModMask2, xproto.ModMaskLock | xproto.ModMask2}

var chordMasks = map[xproto.Keysym]uint16{
	symCtrl: xproto.ModMaskControl, symShift: xproto.ModMaskShift, symAlt: xproto.ModMask1, symSuper: xproto.ModMask4,
}

// Hotkey implements native.Watcher.
func (w *Watcher) Hotkey(_ context.Context, text string) error {
	var next []grab
	if text != "" {
		var err error
		if next, err = w.grabsOf(text); err != nil {
			return err
		}
	}
	w.mu.Lock()
	old := w.grabs
	w.grabs = nil
	w.mu.Unlock()
	for _, g := range old {
		xproto.UngrabKey(w.c.Conn, xproto.Keycode(g.code), w.c.root, g.mask)
	}
	for i, g := range next {
		err := xproto.GrabKeyChecked(w.c.Conn, false, w.c.root, g.mask, xproto.Keycode(g.code), xproto.GrabModeAsync, xproto.GrabModeAsync).Check()
		if err != nil {
			for _, done := range next[:i] {
				xproto.UngrabKey(w.c.Conn, xproto.Keycode(done.code), w.c.root, done.mask)
			}
			return &wire.Error{Code: wire.Failed, Message: fmt.Sprintf("another program has the keys %s already", text), Fix: "choose others for the hotkey"}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.grabs = next
	return nil
}

func (w *Watcher) grabsOf(text string) ([]grab, error) {
	c, err := parseChord(text)
	if err != nil {
		return nil, err
	}
	if c.key == 0 || len(c.modifiers) == 0 && runeOf(c.key) != 0 {
		return nil, unknownKey(fmt.Sprintf("%q is no hotkey: it needs a modifier and another key, or a key such as F12", text))
	}
	m, err := w.c.keymap()
	if err != nil {
		return nil, err
	}
	at, ok := m.find(c.key, 0)
	if !ok {
		return nil, unknownKey(fmt.Sprintf("this keyboard has no key for %q", text))
	}
	var mask uint16
	for _, s := range c.modifiers {
		bit, ok := chordMasks[s]
		if !ok {
			return nil, unknownKey(fmt.Sprintf("%q is no hotkey: its modifiers may be ctrl, shift, alt and super", text))
		}
		mask |= bit
	}
	if at.shift {
		mask |= xproto.ModMaskShift
	}
	var list []grab
	for _, lock := range lockMasks {
		list = append(list, grab{at.code, mask | lock})
	}
	return list, nil
}

// grabbed reports whether a person pressed the hotkey, whose key that is.
func (w *Watcher) grabbed(code byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.grabs) > 0 && w.grabs[0].code == code && time.Since(w.typed) < fresh
}
