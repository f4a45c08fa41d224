package x11

import (
	"github.com/jezek/xgb/xproto"
)

// A keymap is what the keys mean at the moment: four or more meanings a key,
// two for each layout, without and with Shift; others lie beyond.
type keymap struct {
	first byte // code of the first key
	per   int
	syms  []xproto.Keysym
	mods  map[byte]bool // keys that are modifiers
}

// A stroke is how a meaning is reached.
type stroke struct {
	code  byte
	shift bool
}

func (c *conn) keymap() (*keymap, error) {
	first := c.setup.MinKeycode
	n := byte(int(c.setup.MaxKeycode) - int(first) + 1)
	ask := xproto.GetKeyboardMapping(c.Conn, first, n)
	mods, err := xproto.GetModifierMapping(c.Conn).Reply()
	if err != nil {
		return nil, c.check(err)
	}
	r, err := ask.Reply()
	if err != nil {
		return nil, c.check(err)
	}
	m := &keymap{first: byte(first), per: int(r.KeysymsPerKeycode), syms: r.Keysyms, mods: map[byte]bool{}}
	for _, k := range mods.Keycodes {
		m.mods[byte(k)] = true
	}
	return m, nil
}

// of are the meanings of a key.
func (m *keymap) of(code byte) []xproto.Keysym {
	i := (int(code) - int(m.first)) * m.per
	if i < 0 || i+m.per > len(m.syms) {
		return nil
	}
	return m.syms[i : i+m.per]
}

// codes are all keys.
func (m *keymap) codes() (list []byte) {
	for i := 0; (i+1)*m.per <= len(m.syms); i++ {
		list = append(list, m.first+byte(i))
	}
	return list
}

// levels is where the two meanings of a layout stand; -1 where they are not
// told.
func (m *keymap) level(group byte) int {
	if group > 1 || int(group)*2+2 > m.per {
		return -1
	}
	return int(group) * 2
}

// strokes are all characters that a layout reaches with Shift at most.
func (m *keymap) strokes(group byte) map[rune]stroke {
	out := map[rune]stroke{}
	at := m.level(group)
	if at < 0 {
		return out
	}
	for shift := range 2 {
		for _, code := range m.codes() {
			r := runeOf(m.of(code)[at+shift])
			if _, has := out[r]; r != 0 && !has {
				out[r] = stroke{code, shift == 1}
			}
		}
	}
	return out
}

// find looks for a meaning in a layout. Keys without a character are the same
// in all of them.
func (m *keymap) find(s xproto.Keysym, group byte) (stroke, bool) {
	if at := m.level(group); at >= 0 {
		for shift := range 2 {
			for _, code := range m.codes() {
				if have := m.of(code)[at+shift]; have == s || runeOf(s) != 0 && runeOf(have) == runeOf(s) {
					return stroke{code, shift == 1}, true
				}
			}
		}
	}
	if runeOf(s) != 0 && s != symReturn && s != symTab {
		return stroke{}, false
	}
	for _, code := range m.codes() {
		if m.of(code)[0] == s {
			return stroke{code, false}, true
		}
	}
	return stroke{}, false
}

// modifier finds a modifier's key, whatever level it stands at.
func (m *keymap) modifier(s xproto.Keysym) (byte, bool) {
	for _, code := range m.codes() {
		for _, have := range m.of(code) {
			if have == s && m.mods[code] {
				return code, true
			}
		}
	}
	return 0, false
}

// free are the keys that mean nothing.
func (m *keymap) free() (list []byte) {
	for _, code := range m.codes() {
		empty := !m.mods[code]
		for _, s := range m.of(code) {
			empty = empty && s == 0
		}
		if empty {
			list = append(list, code)
		}
	}
	return list
}
