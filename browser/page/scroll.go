package page

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// A place is where something that scrolls stands, in CSS pixels.
type place struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
	ViewW  int `json:"viewWidth"`
	ViewH  int `json:"viewHeight"`
}

// String says how far there is to go.
func (p place) String() string {
	left := p.Height - p.Y - p.ViewH
	if left <= 1 {
		return "This is the bottom."
	}
	return fmt.Sprintf("At %d of %d pixels; %d more below.", p.Y, p.Height, left)
}

// scrolled is what the script says of its scrolling.
type scrolled struct {
	word
	place
	Moved  bool `json:"moved"`
	Inside int  `json:"inside"` // what scrolled; 0 for the page
}

// scroll is the act of bringing an element into view, or of scrolling it, or the
// page, by an amount.
func (p *Page) scroll(ctx context.Context, a *Act) (*Done, error) {
	e, err := p.target(ctx, a.Ref)
	if err != nil {
		return nil, err
	}
	dx, dy, err := a.way()
	if err != nil {
		return nil, err
	}
	if a.Wheel && (dx != 0 || dy != 0) {
		return p.wheel(ctx, a, dx, dy)
	}
	var s scrolled
	if err := e.call(ctx, &s, "scroll", e.number, dx, dy); err != nil {
		return nil, err
	}
	switch {
	case s.Why != "":
		return nil, e.fail(s.word, a.Timeout)
	case a.Direction == "":
		return &Done{Text: "Scrolled " + refOrPage(a.Ref) + " into view."}, nil
	case !s.Moved:
		// Maps and games turn on the wheel alone.
		if done, err := p.wheel(ctx, a, dx, dy); err != nil || done.Value != "" {
			return done, err
		}
		return &Done{Text: "Nothing scrolled: it is at the end already. " + s.place.String()}, nil
	}
	what := "the page"
	if s.Inside > 0 {
		what = refName(s.Inside)
	}
	return &Done{Text: "Scrolled " + what + " " + a.Direction + ". " + s.place.String()}, nil
}

// target is the element of a reference, or the page itself without one.
func (p *Page) target(ctx context.Context, ref string) (element, error) {
	if ref != "" {
		return p.find(ctx, ref)
	}
	w, _, err := p.top(ctx)
	return element{world: w}, err
}

// way is how far to scroll.
func (a *Act) way() (dx, dy int, err error) {
	amount := a.Amount
	if amount <= 0 {
		amount = 600 // most of a screen of 800
	}
	amount = min(amount, 1_000_000)
	switch a.Direction {
	case "down":
		return 0, amount, nil
	case "up":
		return 0, -amount, nil
	case "right":
		return amount, 0, nil
	case "left":
		return -amount, 0, nil
	case "":
		if a.Ref == "" {
			return 0, 0, BadAct.Becausef("scroll needs a direction or a reference").Trying("give direction up, down, left or right, or the reference of what to bring into view")
		}
		return 0, 0, nil
	}
	return 0, 0, BadAct.Becausef("there is no direction %q", clean(a.Direction, 20)).Trying("use up, down, left or right")
}

// wheel turns the mouse's wheel over an element, or over the middle of the page.
// Value tells whether anything scrolled.
func (p *Page) wheel(ctx context.Context, a *Act, dx, dy int) (*Done, error) {
	e, at, err := p.over(ctx, a)
	if err != nil {
		return nil, err
	}
	before, err := e.position(ctx)
	if err != nil {
		return nil, err
	}
	m := mouse{session: e.frame.Session}
	err = m.session.Call(ctx, "Input.dispatchMouseEvent", m.event("mouseWheel", at, map[string]any{"deltaX": dx, "deltaY": dy}), nil)
	if err != nil {
		return nil, err
	}
	after := before
	err = poll(ctx, time.Second, func(ctx context.Context) (bool, error) { // scrolling by wheel is smooth: it takes a while
		last := after
		var err error
		after, err = e.position(ctx)
		return after != before && after == last, err
	})
	if err != nil && !errors.Is(err, errNotYet) {
		return nil, err
	}
	done := &Done{Text: "Turned the wheel " + a.Direction + "."}
	if after != before {
		done.Value = strconv.Itoa(after.Y)
		done.Text += " " + after.String()
	}
	return done, nil
}

// position is where what scrolls around an element stands.
func (e element) position(ctx context.Context) (at place, err error) {
	err = e.call(ctx, &at, "position", e.number)
	return at, err
}

// over is where the mouse is for the wheel.
func (p *Page) over(ctx context.Context, a *Act) (element, point, error) {
	e, err := p.target(ctx, a.Ref)
	if err != nil {
		return e, point{}, err
	}
	if a.Ref != "" {
		at, err := p.ready(ctx, &e, need{Point: true}, a.Timeout)
		return e, at, err
	}
	var view View
	err = e.call(ctx, &view, "view")
	return e, point{math.Round(float64(view.Width) / 2), math.Round(float64(view.Height) / 2)}, err
}

func formatPoint(x, y float64) string { return fmt.Sprintf("%g, %g", x, y) }
