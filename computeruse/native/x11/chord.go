package x11

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// A chord is modifiers and at most one other key, by what they mean.
type chord struct {
	modifiers []xproto.Keysym
	key       xproto.Keysym // 0: only modifiers
}

// parseChord reads "ctrl+shift+t". Alone or last, + is the plus key.
func parseChord(text string) (c chord, err error) {
	if strings.TrimSpace(text) == "" {
		return c, unknownKey("the chord is empty")
	}
	parts := native.SplitChord(text)
	for i, name := range parts {
		m, ok := modifierOf(name)
		if ok {
			if !slices.Contains(c.modifiers, m) {
				c.modifiers = append(c.modifiers, m)
			}
			continue
		}
		if c.key, ok = named(name); !ok {
			return c, unknownKey(fmt.Sprintf("no key is called %q", name))
		}
		if i != len(parts)-1 {
			return c, unknownKey(fmt.Sprintf("in %q a key stands before others; only modifiers may", text))
		}
	}
	c.lower()
	return c, nil
}

// lower makes Ctrl+T what people mean by it; only Shift makes it large.
func (c *chord) lower() {
	if len(c.modifiers) == 0 {
		return
	}
	if r := runeOf(c.key); r != 0 && utf8.RuneLen(unicode.ToLower(r)) > 0 {
		c.key = symOf(unicode.ToLower(r))
	}
}

func unknownKey(message string) error {
	return &wire.Error{Code: wire.UnknownKey, Message: message, Fix: "keys are named as in ctrl+shift+t, Return, Page_Up, F5, a"}
}
