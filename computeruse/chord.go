package computeruse

import (
	"runtime"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// The chords that go past the window with the focus, to the desktop. They are
// judged as acts on the desktop, and some are never sent: they open what runs
// commands, end the session or leave the screen for a login.

// modifierNames are the spellings of modifiers in chords.
var modifierNames = map[string]string{
	"ctrl": "ctrl", "control": "ctrl", "control_l": "ctrl", "control_r": "ctrl", "strg": "ctrl",
	"alt": "alt", "alt_l": "alt", "option": "alt", "opt": "alt", "meta": "alt", "meta_l": "alt", "alt_r": "alt",
	"shift": "shift", "shift_l": "shift", "shift_r": "shift",
	"super": "super", "super_l": "super", "super_r": "super", "win": "super", "windows": "super", "cmd": "super", "command": "super", "hyper": "super", "hyper_l": "super",
}

// Modifiers are the names of modifiers as the helper knows them, whatever the
// spelling. The error is [UnknownKey].
func Modifiers(names []string) ([]string, error) {
	out := make([]string, 0, len(names))
	for _, n := range names {
		m := modifierNames[strings.ToLower(strings.TrimSpace(n))]
		if m == "" {
			return nil, UnknownKey.Becausef("%q is no key that is held during a click: those are ctrl, shift, alt and super", capability.CutText(n, 20))
		}
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out, nil
}

// keysOf takes a chord apart, in small letters, with one name for each modifier.
func keysOf(chord string) (modifiers, keys []string) {
	chord = strings.ToLower(strings.TrimSpace(chord))
	parts := strings.Split(chord, "+")
	if rest, plus := strings.CutSuffix(chord, "+"); plus { // "ctrl++"
		parts = append(strings.Split(strings.TrimSuffix(rest, "+"), "+"), "+")
	}
	for _, p := range parts {
		p = strings.TrimSpace(p)
		if m := modifierNames[p]; m != "" {
			modifiers = append(modifiers, m)
		} else if p != "" {
			keys = append(keys, p)
		}
	}
	slices.Sort(modifiers)
	return slices.Compact(modifiers), keys
}

// judgeChord says why a chord is never sent, and whether it goes to the desktop.
func judgeChord(chord string) (never string, desktop bool) {
	modifiers, keys := keysOf(chord)
	if len(keys) == 0 {
		keys = []string{""}
	}
	for _, k := range keys {
		if never == "" {
			never = neverChord(modifiers, k)
		}
		desktop = desktop || desktopChord(modifiers, k)
	}
	return never, desktop
}

// A never is a chord that is not sent at all, and why.
type never struct {
	modifiers []string // sorted: all of them, and no others unless more
	more      bool     // other modifiers may be held too
	keys      string   // separated by spaces, fn for F1 to F12; empty for any
	not       string   // GOOS where it is another chord
	why       string
}

var nevers = []never{
	{modifiers: []string{"alt"}, keys: "f2", why: "they open what runs commands"},
	{modifiers: []string{"super"}, keys: "r x return enter t", not: "darwin", why: "they open what runs commands"},
	{modifiers: []string{"alt", "ctrl"}, keys: "t return enter", why: "they open a terminal"},
	{modifiers: []string{"alt", "ctrl"}, keys: "fn", why: "they leave the screen for a login"},
	{modifiers: []string{"alt", "ctrl"}, more: true, keys: "delete del backspace kp_delete", why: "they end the session or open what does"},
	{modifiers: []string{"alt"}, more: true, keys: "print sysrq sys_req", why: "the kernel acts on them"},
	{modifiers: []string{"super"}, keys: "l", not: "darwin", why: "they lock the screen"},
	{modifiers: []string{"ctrl", "super"}, keys: "q", why: "they lock the screen"},
	{modifiers: []string{}, more: true, keys: "execute kp_execute", why: "the desktop starts programs with them"},
}

// neverChord says why a chord is not sent at all; empty when it may be.
func neverChord(modifiers []string, key string) string {
	if strings.HasPrefix(key, "xf86") && !strings.HasPrefix(key, "xf86audio") {
		return "the desktop starts programs with it, or ends the session"
	}
	for _, n := range nevers {
		if n.not != runtime.GOOS && n.holds(modifiers) && n.has(key) {
			return n.why
		}
	}
	return ""
}

func (n *never) holds(modifiers []string) bool {
	if !n.more {
		return slices.Equal(modifiers, n.modifiers)
	}
	return !slices.ContainsFunc(n.modifiers, func(m string) bool { return !slices.Contains(modifiers, m) })
}

func (n *never) has(key string) bool {
	if n.keys == "fn" {
		return len(key) > 1 && key[0] == 'f' && strings.Trim(key[1:], "0123456789") == ""
	}
	return slices.Contains(strings.Fields(n.keys), key)
}

// desktopChord reports whether a chord goes to the desktop and not to the
// window with the focus. On macOS super is Command, which programs use.
func desktopChord(modifiers []string, key string) bool {
	switch {
	case slices.Contains(modifiers, "super") && runtime.GOOS != "darwin":
		return true
	case slices.Contains(modifiers, "alt") && (key == "tab" || key == "escape" || key == "esc" || key == "space" || key == "f1"):
		return true
	case slices.Contains(modifiers, "alt") && slices.Contains(modifiers, "ctrl"):
		return true
	case slices.Contains(modifiers, "super") && (key == "tab" || key == "space" || key == ""):
		return true
	}
	return false
}
