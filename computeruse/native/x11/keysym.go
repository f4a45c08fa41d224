package x11

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jezek/xgb/xproto"
	"golang.org/x/text/encoding/charmap"
)

// A keysym is what a key means. Those of characters beyond Latin-1 are the
// character itself with this bit; layouts also have older ones.
const unicodeSym = 0x01000000

// symOf is the keysym of a character.
func symOf(r rune) xproto.Keysym {
	switch {
	case r == '\n':
		return symReturn
	case r == '\t':
		return symTab
	case r >= 0x20 && r < 0x7f, r >= 0xa0 && r <= 0xff:
		return xproto.Keysym(r)
	}
	return unicodeSym | xproto.Keysym(r)
}

// old are the keysyms that are a byte of an older character set with a number
// in front.
var old = map[xproto.Keysym]*charmap.Charmap{
	0x01: charmap.ISO8859_2, 0x02: charmap.ISO8859_3, 0x03: charmap.ISO8859_4,
	0x05: charmap.ISO8859_6, 0x06: charmap.KOI8U, 0x07: charmap.ISO8859_7, 0x0c: charmap.ISO8859_8, 0x0d: charmap.Windows874,
}

// runeOf is the character that a keysym types; 0 for one that types none.
func runeOf(s xproto.Keysym) rune {
	switch {
	case s >= 0x20 && s < 0x7f, s >= 0xa0 && s <= 0xff:
		return rune(s)
	case s&0xff000000 == unicodeSym:
		return rune(s &^ unicodeSym)
	case s == 0x20ac:
		return '€'
	case s == symReturn:
		return '\n'
	case s == symTab:
		return '\t'
	}
	set, ok := old[s>>8]
	if !ok || s&0xff < 0xa0 {
		return 0
	}
	if s>>8 == 0x07 && s&0xff < 0xc1 {
		return 0 // the accented Greek letters have an order of their own
	}
	if r := set.DecodeByte(byte(s)); r != utf8.RuneError {
		return r
	}
	return 0
}

// The keysyms of keys that have no character, and of modifiers.
const (
	symReturn = 0xff0d
	symTab    = 0xff09
	symInsert = 0xff63
	symShift  = 0xffe1
	symCtrl   = 0xffe3
	symAlt    = 0xffe9
	symSuper  = 0xffeb
	symLevel3 = 0xfe03
	symCaps   = 0xffe5
)

var modifierSyms = map[string]xproto.Keysym{
	"ctrl": symCtrl, "control": symCtrl, "shift": symShift, "alt": symAlt, "option": symAlt,
	"super": symSuper, "win": symSuper, "windows": symSuper, "cmd": symSuper, "command": symSuper, "meta": symSuper,
	"altgr": symLevel3, "isolevel3shift": symLevel3,
}

// sides are modifiers of which there are two.
var sides = map[string]xproto.Keysym{
	"control_l": symCtrl, "control_r": 0xffe4, "shift_l": symShift, "shift_r": 0xffe2,
	"alt_l": symAlt, "alt_r": 0xffea, "super_l": symSuper, "super_r": 0xffec,
}

func modifierOf(name string) (xproto.Keysym, bool) {
	if s, ok := sides[strings.ToLower(name)]; ok {
		return s, true
	}
	s, ok := modifierSyms[wordOf(name)]
	return s, ok
}

// keySyms are keys by name, in lower case and without what joins words.
var keySyms = map[string]xproto.Keysym{
	"return": symReturn, "enter": symReturn, "tab": symTab, "escape": 0xff1b, "esc": 0xff1b,
	"backspace": 0xff08, "delete": 0xffff, "del": 0xffff, "insert": symInsert, "ins": symInsert,
	"home": 0xff50, "end": 0xff57, "left": 0xff51, "up": 0xff52, "right": 0xff53, "down": 0xff54,
	"arrowleft": 0xff51, "arrowup": 0xff52, "arrowright": 0xff53, "arrowdown": 0xff54,
	"pageup": 0xff55, "prior": 0xff55, "pgup": 0xff55, "pagedown": 0xff56, "next": 0xff56, "pgdn": 0xff56,
	"space": ' ', "spacebar": ' ', "menu": 0xff67, "contextmenu": 0xff67, "pause": 0xff13, "print": 0xff61, "printscreen": 0xff61,
	"capslock": symCaps, "numlock": 0xff7f, "scrolllock": 0xff14, "isolefttab": 0xfe20,
	"plus": '+', "minus": '-', "equal": '=', "comma": ',', "period": '.', "slash": '/', "backslash": '\\',
	"semicolon": ';', "colon": ':', "apostrophe": '\'', "quotedbl": '"', "grave": '`', "asciitilde": '~',
	"bracketleft": '[', "bracketright": ']', "braceleft": '{', "braceright": '}', "parenleft": '(', "parenright": ')',
	"less": '<', "greater": '>', "bar": '|', "underscore": '_', "asterisk": '*', "numbersign": '#', "at": '@',
	"exclam": '!', "question": '?', "dollar": '$', "percent": '%', "ampersand": '&', "asciicircum": '^',
	"kpenter": 0xff8d, "kpadd": 0xffab, "kpsubtract": 0xffad, "kpmultiply": 0xffaa, "kpdivide": 0xffaf, "kpdecimal": 0xffae,
	"xf86audioraisevolume": 0x1008ff13, "xf86audiolowervolume": 0x1008ff11, "xf86audiomute": 0x1008ff12,
	"xf86audioplay": 0x1008ff14, "xf86audiostop": 0x1008ff15, "xf86audioprev": 0x1008ff16, "xf86audionext": 0x1008ff17,
	"xf86back": 0x1008ff26, "xf86forward": 0x1008ff27, "xf86monbrightnessup": 0x1008ff02, "xf86monbrightnessdown": 0x1008ff03,
	"volumeup": 0x1008ff13, "volumedown": 0x1008ff11, "volumemute": 0x1008ff12,
	"mediaplaypause": 0x1008ff14, "mediastop": 0x1008ff15, "mediaprevioustrack": 0x1008ff16, "medianexttrack": 0x1008ff17,
	"henkan": 0xff23, "muhenkan": 0xff22, "zenkakuhankaku": 0xff2a, "hiraganakatakana": 0xff27, "hangul": 0xff31,
}

// named finds a key by its name: a word, a character, F1 to F35 or KP_0 to
// KP_9.
func named(name string) (xproto.Keysym, bool) {
	if r, n := utf8.DecodeRuneInString(name); n == len(name) && r != utf8.RuneError && r >= ' ' && r != 0x7f {
		return symOf(r), true
	}
	word := wordOf(name)
	if s, ok := keySyms[word]; ok {
		return s, true
	}
	var n int
	if c, _ := fmt.Sscanf(word+"!", "f%d!", &n); c == 1 && n >= 1 && n <= 35 {
		return xproto.Keysym(0xffbd + n), true
	}
	if c, _ := fmt.Sscanf(word+"!", "kp%d!", &n); c == 1 && n >= 0 && n <= 9 {
		return xproto.Keysym(0xffb0 + n), true
	}
	return 0, false
}

func wordOf(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}
