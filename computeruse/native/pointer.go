package native

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A target is where an act of the pointer is to happen.
type target struct {
	point  *wire.Point // nil: where the pointer is
	layout string
	window string
}

// reach brings the pointer to a target, once it has been judged. What it
// returns puts the strip back, and must be called.
func (s *Server) reach(ctx context.Context, st *strike, to target) (end func(), err error) {
	at, err := s.judge(ctx, to)
	if err != nil {
		return nil, err
	}
	end, err = s.hideStrip(ctx, wire.Box{X: at.X, Y: at.Y, W: 1, H: 1})
	if err != nil {
		return nil, err
	}
	if to.point != nil {
		st.sent.Store(true)
		err = s.parts.Pointer.Move(ctx, at)
	}
	if err == nil {
		err = s.windowIs(ctx, at, to.window) // where a window came up just now
	}
	if err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// judge finds the point of a target: refused, never clamped, where it is on no
// display, or of displays that are arranged in another way now.
func (s *Server) judge(ctx context.Context, to target) (at wire.Point, err error) {
	if s.parts.Pointer == nil {
		return at, s.unsupported(wire.CanPointer)
	}
	all, err := s.displays(ctx, none{})
	switch {
	case err != nil:
		return at, err
	case to.layout != "" && to.layout != all.Layout:
		return at, &wire.Error{Code: wire.DisplayReplaced, Message: "the displays have changed since the picture was taken", Fix: "take a new screenshot"}
	case to.point == nil:
		if at, err = s.parts.Pointer.Where(ctx); err != nil {
			return at, err
		}
	default:
		at = *to.point
	}
	if displayAt(all.Displays, at) == "" {
		return at, &wire.Error{Code: wire.OutOfBounds, Message: fmt.Sprintf("the point %d,%d is on no display", at.X, at.Y)}
	}
	return at, s.windowIs(ctx, at, to.window)
}

// windowIs holds that the window under a point is the one that was meant.
func (s *Server) windowIs(ctx context.Context, at wire.Point, want string) error {
	if want == "" {
		return nil
	}
	w, err := s.under(ctx, at)
	if err != nil {
		return err
	}
	if id := idOf(w); id != want {
		return &wire.Error{
			Code:    wire.UnknownWindow,
			Message: fmt.Sprintf("under the point %d,%d is now %s", at.X, at.Y, nameOf(w)), Fix: "take a new screenshot",
		}
	}
	return nil
}

func idOf(w *wire.Window) string {
	if w == nil {
		return wire.NoWindow
	}
	return w.ID
}

func nameOf(w *wire.Window) string {
	if w == nil {
		return "no window"
	}
	return fmt.Sprintf("the window %q of %s", w.Title, w.App)
}

func (s *Server) move(ctx context.Context, st *strike, p wire.MoveParams) (none, error) {
	end, err := s.reach(ctx, st, target{&p.Point, p.Layout, ""})
	if err == nil {
		end()
	}
	return none{}, err
}

// settle is between the steps of a click, so that a program sees a hover
// before the press, and a press that lasted.
const settle = 12 * time.Millisecond

func (s *Server) click(ctx context.Context, st *strike, p wire.ClickParams) (none, error) {
	if p.Count == 0 {
		p.Count = 1
	}
	button, err := buttonOf(p.Button)
	if err == nil && (p.Count < 1 || p.Count > 3) {
		err = badRequest(fmt.Sprintf("count is 1 to 3, not %d", p.Count))
	}
	if err != nil {
		return none{}, err
	}
	end, err := s.reach(ctx, st, target{p.Point, p.Layout, p.Window})
	if err != nil {
		return none{}, err
	}
	defer end()
	return none{}, s.holding(ctx, st, p.Modifiers, func() error {
		for range p.Count {
			// Clicks that come at the same instant are not all told to programs by
			// a window manager that looks at each first.
			if err := Pause(ctx, settle); err != nil {
				return err
			}
			if err := s.tap(ctx, st, button); err != nil {
				return err
			}
		}
		return nil
	})
}

// tap presses a button and releases it, also when it is to stop.
func (s *Server) tap(ctx context.Context, st *strike, button string) error {
	st.sent.Store(true)
	if err := s.parts.Pointer.Press(ctx, button); err != nil {
		return err
	}
	werr := Pause(ctx, settle)
	if err := s.parts.Pointer.Release(context.WithoutCancel(ctx), button); err != nil {
		return err
	}
	return werr
}

// holding does something while modifiers are held.
func (s *Server) holding(ctx context.Context, st *strike, modifiers []string, do func() error) error {
	if len(modifiers) == 0 {
		return do()
	}
	for _, m := range modifiers {
		if !slices.Contains([]string{wire.Ctrl, wire.Shift, wire.Alt, wire.Super}, m) {
			return badRequest(fmt.Sprintf("%q is no modifier; they are ctrl, shift, alt and super", m))
		}
	}
	if s.parts.Keyboard == nil {
		return s.unsupported(wire.CanKeys)
	}
	st.sent.Store(true)
	release, err := s.parts.Keyboard.Hold(ctx, strings.Join(modifiers, "+"))
	if err != nil {
		return err
	}
	err = do()
	if rerr := release(); err == nil {
		err = rerr
	}
	return err
}

func buttonOf(name string) (string, error) {
	switch name {
	case "":
		return wire.Left, nil
	case wire.Left, wire.Right, wire.Middle:
		return name, nil
	}
	return "", badRequest(fmt.Sprintf("%q is no button; they are left, right and middle", name))
}

// with reaches where a button is pressed or released; end is as that of reach.
func (s *Server) with(ctx context.Context, st *strike, p wire.ButtonParams) (button string, end func(), err error) {
	if button, err = buttonOf(p.Button); err != nil {
		return "", nil, err
	}
	end, err = s.reach(ctx, st, target{p.Point, p.Layout, p.Window})
	return button, end, err
}

func (s *Server) buttonDown(ctx context.Context, st *strike, p wire.ButtonParams) (none, error) {
	button, end, err := s.with(ctx, st, p)
	if err != nil {
		return none{}, err
	}
	defer end()
	st.sent.Store(true)
	if err := s.parts.Pointer.Press(ctx, button); err != nil {
		return none{}, err
	}
	s.hands.hold(button, func() { s.letGo() })
	return none{}, nil
}

func (s *Server) buttonUp(ctx context.Context, st *strike, p wire.ButtonParams) (none, error) {
	button, end, err := s.with(ctx, st, p)
	if err != nil {
		return none{}, err
	}
	defer end()
	s.hands.open(button)
	st.sent.Store(true)
	return none{}, s.parts.Pointer.Release(ctx, button)
}

// maxNotches bounds a scroll, each way.
const maxNotches = 100

func (s *Server) scroll(ctx context.Context, st *strike, p wire.ScrollParams) (none, error) {
	if abs(p.DX) > maxNotches || abs(p.DY) > maxNotches || p.DX == 0 && p.DY == 0 {
		return none{}, badRequest(fmt.Sprintf("a scroll is 1 to %d notches each way", maxNotches))
	}
	end, err := s.reach(ctx, st, target{p.Point, p.Layout, p.Window})
	if err != nil {
		return none{}, err
	}
	defer end()
	return none{}, s.holding(ctx, st, p.Modifiers, func() error {
		st.sent.Store(true)
		return s.parts.Pointer.Wheel(ctx, p.DX, p.DY)
	})
}

func abs(n int) int { return max(n, -n) }

// Pause waits for d, or until ctx ends; then it fails with the cause.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
