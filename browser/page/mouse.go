package page

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/browser/cdp"
)

// A mouse moves and clicks in one session.
type mouse struct {
	session   *cdp.Session
	modifiers int
}

var modifierBits = map[string]int{"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}

// modifierAliases are other names of the modifiers.
var modifierAliases = map[string]string{
	"alt": "Alt", "option": "Alt", "control": "Control", "ctrl": "Control", "meta": "Meta", "cmd": "Meta", "command": "Meta", "super": "Meta", "win": "Meta", "shift": "Shift",
	"controlormeta": "Control",
}

func modifiers(names []string) (bits int, err error) {
	for _, name := range names {
		known, ok := modifierAliases[strings.ToLower(name)]
		if !ok {
			return 0, BadAct.Becausef("there is no modifier %q", clean(name, 20)).Trying("use Alt, Control, Meta or Shift")
		}
		bits |= modifierBits[known]
	}
	return bits, nil
}

// event sends one event. Optional numbers stand in a map: the browser wants some
// of them even when they are 0.
func (m mouse) event(kind string, at point, more map[string]any) map[string]any {
	params := map[string]any{"type": kind, "x": at.x, "y": at.y, "modifiers": m.modifiers, "pointerType": "mouse"}
	maps.Copy(params, more)
	return params
}

func (m mouse) move(ctx context.Context, at point, buttons int) error {
	more := map[string]any{"button": "none", "buttons": buttons}
	if buttons == 1 {
		more["button"] = "left"
	}
	return m.session.Call(ctx, "Input.dispatchMouseEvent", m.event("mouseMoved", at, more), nil)
}

var buttonBits = map[string]int{"left": 1, "right": 2, "middle": 4}

// click presses and lets go of a button where the mouse is, count times in a row
// as a double click does. left reports that the page went away meanwhile.
func (m mouse) click(ctx context.Context, at point, button string, count int) (left bool, err error) {
	for n := 1; n <= count; n++ {
		if left, err = m.press(ctx, at, button, n); left || err != nil {
			return left, err
		}
		if left, err = m.letGo(ctx, at, button, n); left || err != nil {
			return left, err
		}
	}
	return false, nil
}

func (m mouse) press(ctx context.Context, at point, button string, n int) (left bool, err error) {
	more := map[string]any{"button": button, "buttons": buttonBits[button], "clickCount": n}
	err = m.session.Call(ctx, "Input.dispatchMouseEvent", m.event("mousePressed", at, more), nil)
	if err != nil && !lost(err) {
		// A dialog opened, or nobody answers: the button must come up all the same.
		m.session.Post("Input.dispatchMouseEvent", m.event("mouseReleased", at, map[string]any{"button": button, "buttons": 0, "clickCount": n}))
	}
	return lost(err), ignoreLost(err)
}

func (m mouse) letGo(ctx context.Context, at point, button string, n int) (left bool, err error) {
	more := map[string]any{"button": button, "buttons": 0, "clickCount": n}
	err = m.session.Call(ctx, "Input.dispatchMouseEvent", m.event("mouseReleased", at, more), nil)
	return lost(err), ignoreLost(err)
}

// ignoreLost drops the error that a page went away: what was done made it go.
func ignoreLost(err error) error {
	if lost(err) {
		return nil
	}
	return err
}

func (a *Act) button() (string, error) {
	if a.Button == "" {
		return "left", nil
	}
	b := strings.ToLower(a.Button)
	if _, ok := buttonBits[b]; !ok {
		return "", BadAct.Becausef("there is no mouse button %q", clean(a.Button, 20)).Trying("use left, middle or right")
	}
	return b, nil
}

// mouseFor checks what an act says of the mouse.
func (a *Act) mouseFor(s *cdp.Session) (mouse, string, error) {
	button, err := a.button()
	if err != nil {
		return mouse{}, "", err
	}
	bits, err := modifiers(a.Modifiers)
	return mouse{s, bits}, button, err
}

// click is the act of clicking an element, once or twice.
func (p *Page) click(ctx context.Context, a *Act) (*Done, error) {
	e, err := p.find(ctx, a.Ref)
	if err != nil {
		return nil, err
	}
	m, button, err := a.mouseFor(e.frame.Session)
	if err != nil {
		return nil, err
	}
	at, left, err := p.aim(ctx, &e, m, need{Enabled: true}, a.Timeout)
	if err != nil {
		return nil, err
	}
	count, verb := 1, "Clicked "
	if a.Kind == "double_click" {
		count, verb = 2, "Double-clicked "
	}
	if button != "left" {
		verb = strings.ToUpper(button[:1]) + button[1:] + "-" + strings.ToLower(verb)
	}
	if !left {
		left, err = m.click(ctx, at, button, count)
	}
	if err != nil {
		return nil, err
	}
	return &Done{Text: verb + e.String() + ".", Left: left}, nil
}

// hover is the act of moving the mouse over an element.
func (p *Page) hover(ctx context.Context, a *Act) (*Done, error) {
	e, err := p.find(ctx, a.Ref)
	if err != nil {
		return nil, err
	}
	m, _, err := a.mouseFor(e.frame.Session)
	if err != nil {
		return nil, err
	}
	_, left, err := p.aim(ctx, &e, m, need{}, a.Timeout)
	if err != nil {
		return nil, err
	}
	return &Done{Text: "Moved the mouse over " + e.String() + ".", Left: left}, nil
}

// clickAt is the act of clicking at a place of the window, for what has no
// reference, such as a drawing.
func (p *Page) clickAt(ctx context.Context, a *Act) (*Done, error) {
	w, frames, err := p.top(ctx)
	if err != nil {
		return nil, err
	}
	m, button, err := a.mouseFor(w.frame.Session)
	if err != nil {
		return nil, err
	}
	var hit struct {
		cover
		Why   string `json:"why"`
		Frame bool   `json:"frame"`
	}
	if err := w.call(ctx, &hit, "at", a.X, a.Y); err != nil {
		return nil, err
	}
	if hit.Why != "" {
		return nil, BadAct.Becausef("the point %g, %g is outside of the window", a.X, a.Y).Trying("use coordinates of a screenshot of the window at its own size, or scroll first")
	}
	at := point{a.X, a.Y}
	if hit.Frame {
		if m.session, at, err = p.inward(ctx, w, frames, hit.Ref, at); err != nil {
			return nil, err
		}
	}
	if err := m.move(ctx, at, 0); err != nil {
		return nil, err
	}
	left, err := m.click(ctx, at, button, 1)
	if err != nil {
		return nil, err
	}
	return &Done{Text: "Clicked at " + formatPoint(a.X, a.Y) + ", on " + hit.String() + ".", Left: left}, nil
}

// inward finds the session that a point over a frame's element belongs to: input
// for a frame of another origin goes to that frame's own session.
func (p *Page) inward(ctx context.Context, w world, frames []Frame, owner int, at point) (*cdp.Session, point, error) {
	i := slices.IndexFunc(frames, func(f Frame) bool {
		if f.Parent != w.frame.ID || f.Session == w.frame.Session {
			return false
		}
		ref, err := w.ownerOf(ctx, f)
		return err == nil && ref == owner
	})
	if i < 0 {
		return w.frame.Session, at, nil // of the same session, which finds its way
	}
	var zero struct {
		X float64 `json:"x"`
		Y float64 `json:"y"`
	}
	if err := w.call(ctx, &zero, "through", owner, 0, 0, 0); err != nil {
		return nil, point{}, err
	}
	return frames[i].Session, point{at.x - zero.X, at.y - zero.Y}, nil
}
