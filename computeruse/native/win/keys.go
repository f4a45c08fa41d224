package win

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// The virtual codes that are used by name.
const (
	vkTab     = 0x09
	vkReturn  = 0x0d
	vkShift   = 0x10
	vkControl = 0x11
	vkMenu    = 0x12 // Alt
	vkLWin    = 0x5b
	vkRMenu   = 0xa5 // AltGr
	vkF1      = 0x70
	mostF     = 24
)

// modifiers and named are the keys, by their names in small letters without
// signs between.
var modifiers = map[string]uint16{
	"ctrl": vkControl, "control": vkControl, "shift": vkShift, "alt": vkMenu, "option": vkMenu, "altgr": vkRMenu,
	"super": vkLWin, "win": vkLWin, "windows": vkLWin, "cmd": vkLWin, "command": vkLWin, "meta": vkLWin,
}

var named = map[string]uint16{
	"return": vkReturn, "enter": vkReturn, "tab": vkTab, "space": 0x20, "backspace": 0x08, "escape": 0x1b, "esc": 0x1b,
	"delete": 0x2e, "del": 0x2e, "insert": 0x2d, "ins": 0x2d, "home": 0x24, "end": 0x23,
	"pageup": 0x21, "prior": 0x21, "pgup": 0x21, "pagedown": 0x22, "next": 0x22, "pgdn": 0x22,
	"left": 0x25, "up": 0x26, "right": 0x27, "down": 0x28, "pause": 0x13, "capslock": 0x14, "numlock": 0x90, "scrolllock": 0x91,
	"print": 0x2c, "printscreen": 0x2c, "menu": 0x5d, "apps": 0x5d,
	"volumeup": 0xaf, "volumedown": 0xae, "volumemute": 0xad, "kpenter": vkReturn,
}

// parse reads a chord such as ctrl+shift+t into virtual keys, modifiers first.
// layout finds the key of a character.
func parse(chord string, layout func(r rune) (key uint16, mods []uint16, ok bool)) (keys []uint16, err error) {
	parts := native.SplitChord(chord)
	for i, part := range parts {
		word := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(part))
		if m, ok := modifiers[word]; ok {
			keys = append(keys, m)
			continue
		}
		if i != len(parts)-1 {
			return nil, unknownKey("in %q a key stands before others; only modifiers may", chord)
		}
		more, ok := key(part, word, len(keys) > 0, layout)
		if !ok {
			return nil, unknownKey("no key is called %q", part)
		}
		keys = append(keys, more...)
	}
	return keys, nil
}

// key finds the one that is no modifier. With modifiers a large letter is the
// small one: Ctrl+T is what people press for it.
func key(part, word string, chorded bool, layout func(r rune) (uint16, []uint16, bool)) ([]uint16, bool) {
	if k, ok := named[word]; ok {
		return []uint16{k}, true
	}
	var n uint16
	if c, _ := fmt.Sscanf(word+"!", "f%d!", &n); c == 1 && n >= 1 && n <= mostF {
		return []uint16{vkF1 + n - 1}, true
	}
	if word == "plus" {
		part = "+"
	}
	r, size := utf8.DecodeRuneInString(part)
	if size != len(part) || r == utf8.RuneError || r < ' ' {
		return nil, false
	}
	if chorded {
		r, _ = utf8.DecodeRuneInString(strings.ToLower(string(r)))
	}
	k, mods, ok := layout(r)
	if !ok {
		return nil, false
	}
	return append(mods, k), true
}

func unknownKey(format string, args ...any) error {
	return &wire.Error{Code: wire.UnknownKey, Message: fmt.Sprintf(format, args...), Fix: "keys are named as in ctrl+shift+t, Return, Page_Up, F5, a"}
}
