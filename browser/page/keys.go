package page

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/chromedp/kb"

	"github.com/hobkin/hobkin/browser/cdp"
)

// A chord is a key with the modifiers that are held down for it.
type chord struct {
	key  *kb.Key
	held []string // in the order in which they go down
	bits int
	text string // what it writes; empty for none
}

// keyNames are the keys that have no character of their own, by name in lower
// case.
var keyNames = namedKeys()

func namedKeys() map[string]*kb.Key {
	names := map[string]*kb.Key{}
	for r, k := range kb.Keys {
		if utf8.RuneCountInString(k.Key) < 2 || k.Shift && r != '\n' {
			continue
		}
		name := strings.ToLower(k.Key)
		if old := names[name]; old == nil || r == '\r' || old.Code > k.Code {
			names[name] = k
		}
	}
	for alias, name := range map[string]string{
		"esc": "escape", "return": "enter", "del": "delete", "ins": "insert", "pgup": "pageup", "pgdn": "pagedown", "pgdown": "pagedown",
		"up": "arrowup", "down": "arrowdown", "left": "arrowleft", "right": "arrowright", "ctrl": "control", "cmd": "meta", "option": "alt", "command": "meta",
	} {
		names[alias] = names[name]
	}
	names["space"], names["plus"], names["minus"] = kb.Keys[' '], kb.Keys['+'], kb.Keys['-']
	return names
}

// parseChord reads a key with modifiers, such as Control+Shift+K.
func parseChord(text string) (chord, error) {
	bad := func() (chord, error) {
		return chord{}, BadKey.Becausef("there is no key %q", clean(text, 60))
	}
	var c chord
	rest := text
	for {
		name, after, more := strings.Cut(rest, "+")
		known, ok := modifierAliases[strings.ToLower(strings.TrimSpace(name))]
		if !more || !ok || after == "" {
			break
		}
		c.held = append(c.held, known)
		c.bits |= modifierBits[known]
		rest = after
	}
	name := strings.TrimSpace(rest)
	if name == "" && rest != "" {
		name = " "
	}
	r, size := utf8.DecodeRuneInString(name)
	switch {
	case name == "" || r == utf8.RuneError:
		return bad()
	case size == len(name):
		c.key = runeKey(r, c.bits&modifierBits["Shift"] != 0)
	default:
		c.key = keyNames[strings.ToLower(name)]
	}
	if c.key == nil {
		return bad()
	}
	if c.bits&^modifierBits["Shift"] == 0 && c.key.Print {
		c.text = c.key.Text
	}
	return c, nil
}

// runeKey is the key that writes a character; nil if no key of the table does.
func runeKey(r rune, shift bool) *kb.Key {
	k := kb.Keys[r]
	if k == nil || !shift || k.Shift {
		return k
	}
	for _, other := range kb.Keys { // the same key with Shift, as in Shift+a
		if other.Code == k.Code && other.Shift {
			return other
		}
	}
	return k
}

// commands are what an editor does on some chords. The browser does it only if
// it is told to: outside of a window, chords are no shortcuts.
var commands = map[string]string{
	"a": "selectAll", "c": "copy", "x": "cut", "v": "paste", "z": "undo", "y": "redo", "Z": "redo",
}

func (c chord) command() string {
	if c.bits&(modifierBits["Control"]|modifierBits["Meta"]) == 0 || c.bits&modifierBits["Alt"] != 0 {
		return ""
	}
	return commands[c.key.Key]
}

// press presses the chord and lets go of it. left reports that the page went
// away under it.
func (c chord) press(ctx context.Context, s *cdp.Session) (left bool, err error) {
	bits := 0
	for _, name := range c.held {
		bits |= modifierBits[name]
		s.Post("Input.dispatchKeyEvent", keyEvent("rawKeyDown", keyNames[strings.ToLower(name)], bits, ""))
	}
	kind := "rawKeyDown"
	if c.text != "" {
		kind = "keyDown"
	}
	down := keyEvent(kind, c.key, bits, c.text)
	if command := c.command(); command != "" {
		down["commands"] = []string{command}
	}
	if err := s.Call(ctx, "Input.dispatchKeyEvent", down, nil); err != nil {
		c.letGo(s)
		return lost(err), ignoreLost(err)
	}
	if err := s.Call(ctx, "Input.dispatchKeyEvent", keyEvent("keyUp", c.key, bits, ""), nil); err != nil {
		c.letGo(s)
		return lost(err), ignoreLost(err)
	}
	c.release(s, bits)
	return false, nil
}

// letGo makes sure that no key stays down when a press ended early, as when a
// dialog came up. Once too often is no harm.
func (c chord) letGo(s *cdp.Session) {
	s.Post("Input.dispatchKeyEvent", keyEvent("keyUp", c.key, c.bits, ""))
	c.release(s, c.bits)
}

// release lets go of the modifiers.
func (c chord) release(s *cdp.Session, bits int) {
	for _, name := range slices.Backward(c.held) {
		bits &^= modifierBits[name]
		s.Post("Input.dispatchKeyEvent", keyEvent("keyUp", keyNames[strings.ToLower(name)], bits, ""))
	}
}

func keyEvent(kind string, k *kb.Key, bits int, text string) map[string]any {
	p := map[string]any{
		"type": kind, "key": k.Key, "code": k.Code, "modifiers": bits, "windowsVirtualKeyCode": k.Windows, "nativeVirtualKeyCode": k.Native,
	}
	if text != "" {
		p["text"], p["unmodifiedText"] = text, k.Unmodified
	}
	if strings.HasPrefix(k.Code, "Numpad") {
		p["isKeypad"] = true
	}
	return p
}

// press is the act of pressing keys, on an element or wherever the focus is.
func (p *Page) press(ctx context.Context, a *Act) (*Done, error) {
	c, err := parseChord(a.Key)
	if err != nil {
		return nil, err
	}
	s, on, err := p.focus(ctx, a)
	if err != nil {
		return nil, err
	}
	left, err := c.press(ctx, s)
	if err != nil {
		return nil, err
	}
	return &Done{Text: fmt.Sprintf("Pressed %s%s.", clean(a.Key, 60), on), Left: left}, nil
}

// typeText is the act of typing text key by key, on an element or wherever the
// focus is. What no key writes is put there as text.
func (p *Page) typeText(ctx context.Context, a *Act) (*Done, error) {
	s, on, err := p.focus(ctx, a)
	if err != nil {
		return nil, err
	}
	left, err := typeKeys(ctx, s, a.Text)
	if err == nil && a.Submit && !left {
		left, err = element{world: world{frame: Frame{Session: s}}}.enter(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &Done{Text: fmt.Sprintf("Typed %d characters%s.", utf8.RuneCountInString(a.Text), on), Left: left}, nil
}

// typeKeys types text: runs of characters that have keys as keys, others as text.
func typeKeys(ctx context.Context, s *cdp.Session, text string) (left bool, err error) {
	for text != "" && err == nil && !left {
		r, size := utf8.DecodeRuneInString(text)
		if k := kb.Keys[r]; k != nil && (k.Print || r == '\t') {
			c := chord{key: k}
			if k.Shift {
				c.held, c.bits = []string{"Shift"}, modifierBits["Shift"]
			}
			if k.Print {
				c.text = k.Text
			}
			left, err = c.press(ctx, s)
			text = text[size:]
			continue
		}
		run := strings.IndexFunc(text, func(r rune) bool { return kb.Keys[r] != nil })
		if run < 0 {
			run = len(text)
		}
		err = s.Call(ctx, "Input.insertText", map[string]any{"text": text[:run]}, nil)
		left, err = lost(err), ignoreLost(err)
		text = text[run:]
	}
	return left, err
}

// focus puts the focus on the element of an act, and gives the session that keys
// go to; without an element, that of the frame which has the focus.
func (p *Page) focus(ctx context.Context, a *Act) (s *cdp.Session, on string, err error) {
	if a.Ref == "" {
		s, err = p.focused(ctx)
		return s, "", err
	}
	e, err := p.find(ctx, a.Ref)
	if err != nil {
		return nil, "", err
	}
	if _, err := p.ready(ctx, &e, need{Enabled: a.Kind == "type", Editable: a.Kind == "type"}, a.Timeout); err != nil {
		return nil, "", err
	}
	var got struct {
		word
		Focused bool `json:"focused"`
	}
	if err := e.call(ctx, &got, "focusOn", e.number); err != nil {
		return nil, "", err
	}
	switch {
	case got.Why != "":
		return nil, "", e.fail(got.word, a.Timeout)
	case !got.Focused && a.Kind == "type":
		return nil, "", NotEditable.Becausef("%v cannot have the keyboard's focus", e).Trying("click what is to be typed into, then use type without a reference")
	case !got.Focused:
		return nil, "", NotEditable.Becausef("%v cannot have the keyboard's focus", e).Trying("press the key without a reference")
	}
	return e.frame.Session, " in " + e.String(), nil
}

// focused is the session of the frame that has the focus.
func (p *Page) focused(ctx context.Context) (*cdp.Session, error) {
	w, frames, err := p.top(ctx)
	if err != nil {
		return nil, err
	}
	for range maxFrames {
		var owner int
		if err := w.call(ctx, &owner, "focusFrame"); err != nil || owner == 0 {
			return w.frame.Session, err
		}
		next, ok := w.frameOf(ctx, frames, owner)
		if !ok {
			return w.frame.Session, nil
		}
		if w, err = p.enter(ctx, next); err != nil {
			return nil, err
		}
	}
	return w.frame.Session, nil
}

// frameOf is the frame that an element of the world holds.
func (w world) frameOf(ctx context.Context, frames []Frame, owner int) (Frame, bool) {
	for _, f := range frames {
		if f.Parent != w.frame.ID {
			continue
		}
		if ref, err := w.ownerOf(ctx, f); err == nil && ref == owner {
			return f, true
		}
	}
	return Frame{}, false
}
