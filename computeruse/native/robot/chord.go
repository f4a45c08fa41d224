// Package robot is computer use through robotgo and screenshot, the portable
// way: for macOS and Windows. On X11 package x11 does better.
//
// It needs cgo, or the build tag purego, with which robotgo calls the systems
// without C; screenshot on macOS needs cgo in any case. What a system knows
// beyond that is in the files that are named after it.
package robot

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// A chord is keys as robotgo calls them, modifiers first.
type chord struct {
	keys []string
	text string // in place of keys: a character that is put in as text, so that no layout changes it
}

var modifiers = map[string]string{
	"ctrl": "ctrl", "control": "ctrl", "shift": "shift", "alt": "alt", "option": "alt",
	"super": "cmd", "cmd": "cmd", "command": "cmd", "win": "cmd", "windows": "cmd", "meta": "cmd",
}

// names are keys by the words that people and models use, in lower case and
// without what joins words, beside those that robotgo calls the same.
var names = map[string]string{
	"return": "enter", "escape": "esc", "del": "delete", "ins": "insert", "prior": "pageup", "pgup": "pageup", "next": "pagedown",
	"pgdn": "pagedown", "arrowup": "up", "arrowdown": "down", "arrowleft": "left", "arrowright": "right", "spacebar": "space",
	"plus": "+", "minus": "-", "equal": "=", "comma": ",", "period": ".", "slash": "/", "backslash": "\\", "semicolon": ";",
	"apostrophe": "'", "grave": "`", "bracketleft": "[", "bracketright": "]", "print": "printscreen",
}

// same are the keys that robotgo calls as people do.
var same = []string{
	"enter", "esc", "tab", "space", "backspace", "delete", "insert", "home", "end", "pageup", "pagedown", "up", "down", "left", "right",
	"capslock", "printscreen", "menu",
}

// parseChord reads "ctrl+shift+t".
func parseChord(text string) (c chord, err error) {
	parts := native.SplitChord(text)
	for i, p := range parts {
		word := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(p))
		if m, ok := modifiers[word]; ok {
			if !slices.Contains(c.keys, m) {
				c.keys = append(c.keys, m)
			}
			continue
		}
		key, ok := keyOf(p, word)
		if !ok || i != len(parts)-1 {
			return c, &wire.Error{
				Code: wire.UnknownKey, Message: fmt.Sprintf("in the chord %q no key is called %q", text, p),
				Fix: "keys are named as in ctrl+shift+t, Return, Page_Up, F5, a",
			}
		}
		if len(c.keys) == 0 && utf8.RuneCountInString(p) == 1 {
			c.text = p
			return c, nil
		}
		c.keys = append(c.keys, key)
	}
	return c, nil
}

func keyOf(name, word string) (string, bool) {
	if r, n := utf8.DecodeRuneInString(name); n > 0 && n == len(name) && r > ' ' && r != utf8.RuneError {
		return strings.ToLower(name), true
	}
	if k, ok := names[word]; ok {
		return k, true
	}
	var f int
	if n, _ := fmt.Sscanf(word+"!", "f%d!", &f); n == 1 && f >= 1 && f <= 24 {
		return word, true
	}
	return word, slices.Contains(same, word)
}
