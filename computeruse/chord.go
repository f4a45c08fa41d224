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
	if strings.HasSuffix(chord, "+") { // "ctrl++"
		parts = append(strings.Split(strings.TrimSuffix(strings.TrimSuffix(chord, "+"), "+"), "+"), "+")
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

// neverChord says why a chord is not sent at all; empty when it may be.
func neverChord(modifiers []string, key string) string {
	has := func(names ...string) bool { return slices.Equal(modifiers, names) }
	function := len(key) > 1 && key[0] == 'f' && strings.Trim(key[1:], "0123456789") == ""
	switch {
	case has("alt") && key == "f2", has("super") && slices.Contains([]string{"r", "x", "return", "enter", "t"}, key), has("super") && key == "space" && runtime.GOOS == "darwin":
		return "it opens what runs commands"
	case has("alt", "ctrl") && (key == "t" || key == "return" || key == "enter"):
		return "it opens a terminal"
	case has("alt", "ctrl") && function:
		return "it leaves the screen for a login"
	case slices.Contains(modifiers, "alt") && slices.Contains(modifiers, "ctrl") && slices.Contains([]string{"delete", "del", "backspace", "kp_delete"}, key):
		return "it ends the session or opens what does"
	case slices.Contains(modifiers, "alt") && (key == "print" || key == "sysrq" || key == "sys_req"):
		return "the kernel acts on it"
	case strings.HasPrefix(key, "xf86") && !strings.HasPrefix(key, "xf86audio"), key == "execute", key == "kp_execute":
		return "the desktop starts programs with it, or ends the session"
	case has("super") && key == "l" && runtime.GOOS != "darwin", has("ctrl", "super") && key == "q":
		return "it locks the screen"
	}
	return ""
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
