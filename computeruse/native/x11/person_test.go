//go:build unix

package x11

import (
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// A person sits at an outer display: what they do there arrives in the nested
// one as by real devices.
type person struct {
	t     *testing.T
	outer *input
	desk  *desk.Desk
}

// nested starts a display within another, and who sits at it.
func nested(t *testing.T) (*desk.Desk, *person) {
	t.Helper()
	outer := desk.Screen(t, "1280x860")
	inner := outer.Nested()
	in, err := newInput(t.Context(), outer.Display)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.close)
	p := &person{t, in, inner}
	p.moves(500, 400) // the window of the inner display has to notice the pointer
	return inner, p
}

func (p *person) moves(x, y int) {
	p.t.Helper()
	if err := p.outer.Move(p.t.Context(), wire.Point{X: x, Y: y}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) keys(list ...byte) {
	for _, code := range list {
		p.outer.fake(xproto.KeyPress, code, wire.Point{})
	}
	for _, code := range list {
		p.outer.fake(xproto.KeyRelease, code, wire.Point{})
	}
	if err := p.outer.c.sync(); err != nil {
		p.t.Fatal(err)
	}
}

// TestPersonAndAgentToldApart: what the agent does is not a person's; what a
// person does is.
func TestPersonAndAgentToldApart(t *testing.T) {
	t.Parallel()
	d, who := nested(t)
	c := serve(t, d)
	settled := func() bool { return personOf(c).IdleMS > 400 }
	d.Until("a person at rest", settled)
	for range 5 {
		c.do(wire.Click, wire.ClickParams{Point: &wire.Point{X: 300, Y: 300}}, nil)
		c.do(wire.Key, wire.KeyParams{Chord: "a"}, nil)
		c.do(wire.Scroll, wire.ScrollParams{DY: 1}, nil)
	}
	if got := personOf(c); got.IdleMS < 400 || !got.Known || !got.Exact {
		t.Errorf("after the agent's acts the person is said to have been idle for %+v", got)
	}
	for name, does := range map[string]func(){
		"moves": func() { who.moves(600, 500); who.moves(610, 500) }, "types": func() { who.keys(38) },
	} {
		d.Until("a person at rest", settled)
		does()
		d.Until("a person who "+name, func() bool { return personOf(c).IdleMS < 300 })
	}
	var ev wire.PersonResult
	c.event(wire.PersonActive, &ev)
	if !ev.Known || ev.IdleMS > 300 {
		t.Errorf("the event says %+v", ev)
	}
}

func personOf(c *client) (r wire.PersonResult) {
	c.t.Helper()
	c.do(wire.Person, nil, &r)
	return r
}

// TestCornerSlam: a person who throws the pointer into a corner stops a drag;
// an agent that goes there does not stop itself.
func TestCornerSlam(t *testing.T) {
	t.Parallel()
	d, who := nested(t)
	c := serve(t, d)
	c.do(wire.Move, wire.MoveParams{Point: wire.Point{X: 400, Y: 400}}, nil)
	c.do(wire.Move, wire.MoveParams{Point: wire.Point{X: 0, Y: 0}}, nil)
	c.do(wire.Move, wire.MoveParams{Point: wire.Point{X: 640, Y: 400}}, nil) // else it would be paused now
	drag := c.send(wire.Drag, wire.DragParams{Path: []wire.Point{{X: 300, Y: 300}, {X: 900, Y: 300}}, Duration: 9000})
	d.Until("the drag", func() bool { return len(heldOn(t, d)) > 0 })
	var ev wire.PausedData
	for tries := 0; ; tries++ { // on a busy machine a throw may be too slow to be one
		who.moves(700, 500)
		for x := 600; x > 0; x -= 60 {
			who.moves(x, x*400/600)
		}
		who.moves(0, 0)
		if c.eventWithin(2*time.Second, wire.Paused, &ev) {
			break
		}
		t.Logf("throw %d was none", tries)
		if tries == 5 {
			t.Fatal("thrown into the corner six times, and not paused")
		}
	}
	if ev.By != wire.ByCorner {
		t.Errorf("paused by %+v", ev)
	}
	// It may have met the person's hand on the pointer just before.
	if e := c.answer(wire.Drag, drag, nil); e == nil || e.Code != wire.IsPaused && e.Code != wire.Failed || !e.Sent {
		t.Errorf("the drag = %+v", e)
	}
	noneHeld(t, d)
	if e := c.refusal(wire.IsPaused, wire.Move, wire.MoveParams{}); e.Message != "a person paused computer use by throwing the pointer into a corner" {
		t.Errorf("it says %q", e.Message)
	}
}

// TestHotkey: it pauses wherever the focus is, with Caps Lock on too; a chord
// that another program has is an error.
func TestHotkey(t *testing.T) {
	t.Parallel()
	d, who := nested(t)
	c := serve(t, d)
	c.do(wire.Hotkey, wire.HotkeyParams{Chord: "ctrl+alt+p"}, nil)
	const ctrl, alt, p = 37, 64, 33
	c.do(wire.Key, wire.KeyParams{Chord: "ctrl+alt+p"}, nil)
	c.do(wire.Key, wire.KeyParams{Chord: "a"}, nil) // else the agent had paused itself
	for _, caps := range []bool{false, true} {
		capsLock(t, d, caps)
		c.do(wire.Resume, nil, nil)
		who.keys(ctrl, alt, p)
		var ev wire.PausedData
		c.event(wire.Paused, &ev)
		if ev.By != wire.ByHotkey {
			t.Errorf("paused by %+v", ev)
		}
	}
	for _, bad := range []string{"p", "ctrl", "nokey"} {
		c.refused(wire.UnknownKey, wire.Hotkey, wire.HotkeyParams{Chord: bad})
	}
	other := serve(t, d)
	other.refused(wire.Failed, wire.Hotkey, wire.HotkeyParams{Chord: "ctrl+alt+p"})
	c.do(wire.Hotkey, wire.HotkeyParams{}, nil)
	other.do(wire.Hotkey, wire.HotkeyParams{Chord: "ctrl+alt+p"}, nil)
}

// TestHeldByAPerson: no text goes in while somebody holds Ctrl, which would
// turn it into commands.
func TestHeldByAPerson(t *testing.T) {
	t.Parallel()
	d, who := nested(t)
	c := serve(t, d)
	const ctrl = 37
	who.outer.press(held{code: ctrl})
	d.Until("the held key", func() bool { return len(heldOn(t, d)) > 0 })
	began := time.Now()
	if e := c.refusal(wire.Busy, wire.Type, wire.TypeParams{Text: "q"}); e.Sent || time.Since(began) < fingers {
		t.Errorf("the text was refused after %v with %+v", time.Since(began), e)
	}
	who.outer.release(held{code: ctrl})
}
