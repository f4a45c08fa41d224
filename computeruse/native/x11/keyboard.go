package x11

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// A Keyboard types on an X display.
type Keyboard struct {
	*input

	clip   *clipboard
	active func(context.Context) (terminal bool) // whether the focus is in a terminal
}

// Hold implements native.Keyboard.
func (k *Keyboard) Hold(ctx context.Context, text string) (release func() error, err error) {
	c, err := parseChord(text)
	if err != nil {
		return nil, err
	}
	m, st, err := k.ready(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := k.keysOf(ctx, c, m, st.group)
	if err != nil {
		return nil, err
	}
	if c.key != symCaps {
		k.unlock(st)
	}
	for _, h := range keys {
		k.press(h)
	}
	if err := k.c.sync(); err != nil {
		return nil, err
	}
	return func() error {
		for _, h := range slices.Backward(keys) {
			k.release(h)
		}
		if c.key != symCaps {
			k.relock(st)
		}
		return k.c.sync()
	}, nil
}

// keysOf finds the keys of a chord, in the order in which they go down.
func (k *Keyboard) keysOf(ctx context.Context, c chord, m *keymap, group byte) (keys []held, err error) {
	for _, s := range c.modifiers {
		code, ok := m.modifier(s)
		if !ok {
			return nil, unknownKey(fmt.Sprintf("this keyboard has no %s key", modifierName(s)))
		}
		keys = append(keys, held{code, false, modifierName(s)})
	}
	if c.key == 0 {
		return keys, nil
	}
	at, ok := m.find(c.key, group)
	if !ok {
		lent, err := k.lend(ctx, m, []xproto.Keysym{c.key})
		if err != nil {
			return nil, err
		}
		at = stroke{code: lent[c.key]}
	}
	if shift, ok := m.modifier(symShift); at.shift && ok && !slices.Contains(c.modifiers, symShift) {
		keys = append(keys, held{shift, false, wire.Shift})
	}
	return append(keys, held{at.code, false, keyName(c.key)}), nil
}

func modifierName(s xproto.Keysym) string {
	for _, name := range []string{wire.Ctrl, wire.Shift, wire.Alt, wire.Super, "altgr"} {
		if modifierSyms[name] == s {
			return name
		}
	}
	return fmt.Sprintf("modifier %#x", s)
}

func keyName(s xproto.Keysym) string {
	if r := runeOf(s); r > ' ' {
		return string(r)
	}
	for _, name := range slices.Sorted(maps.Keys(keySyms)) {
		if keySyms[name] == s {
			return name
		}
	}
	return fmt.Sprintf("key %#x", s)
}

// fingers is how long a person's modifiers are waited for.
const fingers = time.Second

// ready reads the keyboard, and waits until nobody holds a modifier down that
// would join in.
func (k *Keyboard) ready(ctx context.Context) (*keymap, keyState, error) {
	for end := time.Now().Add(fingers); ; {
		st, err := k.c.keyState()
		if err != nil {
			return nil, st, err
		}
		theirs := st.held & (maskShift | maskControl | maskAlt | maskSuper)
		if theirs == 0 {
			m, err := k.c.keymap()
			return m, st, err
		}
		if time.Now().After(end) {
			return nil, st, &wire.Error{Code: wire.Busy, Message: "somebody holds down " + maskNames(theirs), Fix: "let go of it"}
		}
		if err := native.Pause(ctx, lendSettle); err != nil {
			return nil, st, err
		}
	}
}

func maskNames(mask byte) string {
	var names []string
	for _, m := range []struct {
		mask byte
		name string
	}{{maskControl, wire.Ctrl}, {maskShift, wire.Shift}, {maskAlt, wire.Alt}, {maskSuper, wire.Super}} {
		if mask&m.mask != 0 {
			names = append(names, m.name)
		}
	}
	return strings.Join(names, " and ")
}

// unlock takes Caps Lock off for a while.
func (k *Keyboard) unlock(st keyState) {
	if st.locked&maskLock != 0 {
		k.c.lock(maskLock, 0)
	}
}

func (k *Keyboard) relock(st keyState) {
	if st.locked&maskLock != 0 {
		k.c.lock(maskLock, maskLock)
	}
}

// The methods of putting in a text.
const (
	byKeys      = "keys"
	byClipboard = "clipboard"
)

// Type implements native.Keyboard. A text with more foreign characters than
// there are keys to lend goes by the clipboard, and where no program takes it
// from there, by keys in several rounds.
func (k *Keyboard) Type(ctx context.Context, text string, still func() error) (wire.TypeResult, error) {
	m, st, err := k.ready(ctx)
	if err != nil {
		return wire.TypeResult{}, err
	}
	have := k.own(m, st.group)
	foreign := map[rune]bool{}
	for _, r := range text {
		if _, ok := have[r]; !ok {
			foreign[r] = true
		}
	}
	if len(foreign) > k.room(m) {
		r, err := k.Paste(ctx, text, still)
		if r.Typed > 0 || !isUntaken(err) {
			return r, err
		}
	}
	typed, err := k.strike(ctx, text, still)
	return wire.TypeResult{Method: byKeys, Typed: typed}, err
}
