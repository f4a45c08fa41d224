//go:build unix

package x11

import (
	"slices"
	"testing"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// TestActs: the window that gets the acts says what they were.
func TestActs(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	f, c := startFixture(t, d, "judge"), serve(t, d)
	area := f.ask("place").Area
	mid := wire.Point{X: area.X + area.W/2, Y: area.Y + area.H/2}

	t.Run("clicks", func(t *testing.T) {
		for name, button := range map[string]int{wire.Left: 1, wire.Middle: 2, wire.Right: 3} {
			f.forget()
			at := wire.Point{X: mid.X + button, Y: mid.Y}
			c.do(wire.Click, wire.ClickParams{Point: &at, Button: name, Modifiers: []string{wire.Ctrl}}, nil)
			got := f.until("a press", func(l told) bool { return l.Event == "press" })
			if got.Button != button || got.X != at.X || got.Y != at.Y || !slices.Equal(got.Mods, []string{wire.Ctrl}) {
				t.Errorf("a %s click at %v arrived as %+v", name, at, got)
			}
			f.until("a release", func(l told) bool { return l.Event == "release" && l.Button == button })
		}
	})
	t.Run("triple", func(*testing.T) {
		f.forget()
		c.do(wire.Click, wire.ClickParams{Point: &wire.Point{X: mid.X + 60, Y: mid.Y}, Count: 3}, nil)
		f.until("a triple click", func(l told) bool { return l.Event == "triple" })
	})
	t.Run("scroll", func(*testing.T) {
		f.forget()
		c.do(wire.Scroll, wire.ScrollParams{Point: &mid, DY: 3, DX: -2, Modifiers: []string{wire.Shift}}, nil)
		f.until("two notches left", func(l told) bool { return l.Event == "scroll" && l.Way == "left" })
		f.until("two notches left", func(l told) bool { return l.Event == "scroll" && l.Way == "left" && l.Mods[0] == wire.Shift })
	})
	t.Run("drag", func(t *testing.T) { dragArrives(t, c, f, area) })
	t.Run("chords", func(t *testing.T) { chordsArrive(t, c, f) })
	t.Run("refused", func(t *testing.T) { refusals(t, c, mid) })
}

func dragArrives(t *testing.T, c *client, f *fixture, area wire.Box) {
	t.Helper()
	f.forget()
	path := []wire.Point{{X: area.X + 20, Y: area.Y + 20}, {X: area.X + 200, Y: area.Y + 20}, {X: area.X + 200, Y: area.Y + 180}}
	c.do(wire.Drag, wire.DragParams{Path: path, Duration: 250}, nil)
	end := f.until("the end of the drag", func(l told) bool { return l.Event == "release" })
	if end.X != path[2].X || end.Y != path[2].Y {
		t.Errorf("the drag to %v ended at %d,%d", path[2], end.X, end.Y)
	}
}

func chordsArrive(t *testing.T, c *client, f *fixture) {
	t.Helper()
	for chord, want := range map[string]told{
		"ctrl+shift+k": {Name: "K", Mods: []string{wire.Ctrl, wire.Shift}}, "F5": {Name: "F5"}, "alt+Left": {Name: "Left", Mods: []string{wire.Alt}},
		"ctrl++": {Name: "plus", Mods: []string{wire.Ctrl, wire.Shift}}, "Page_Down": {Name: "Page_Down"}, "super+j": {Name: "j", Mods: []string{wire.Super}},
		"ctrl+ö": {Name: "odiaeresis", Mods: []string{wire.Ctrl}}, "XF86AudioPlay": {Name: "AudioPlay"},
	} {
		f.forget()
		c.do(wire.Key, wire.KeyParams{Chord: chord}, nil)
		got := f.until("the key of "+chord, func(l told) bool { return l.Event == "key" && l.Name == want.Name })
		if !slices.Equal(got.Mods, want.Mods) {
			t.Errorf("%s arrived with %v, want %v", chord, got.Mods, want.Mods)
		}
		f.until("the end of "+chord, func(l told) bool { return l.Event == "keyup" && l.Name == want.Name })
	}
	for _, bad := range []string{"", "ctrl+nokey", "a+b", "hyper+x", "+ctrl"} {
		if e := c.refusal(wire.UnknownKey, wire.Key, wire.KeyParams{Chord: bad}); e.Sent {
			t.Errorf("the chord %q was refused, and sent", bad)
		}
	}
}

func refusals(t *testing.T, c *client, mid wire.Point) {
	t.Helper()
	var all wire.DisplaysResult
	c.do(wire.Displays, nil, &all)
	out := wire.Point{X: 1280, Y: 10}
	c.refused(wire.OutOfBounds, wire.Click, wire.ClickParams{Point: &out})
	c.refused(wire.OutOfBounds, wire.Move, wire.MoveParams{Point: wire.Point{X: -1, Y: 5}})
	c.refused(wire.OutOfBounds, wire.Drag, wire.DragParams{Path: []wire.Point{mid, out}})
	c.refused(wire.OutOfBounds, wire.Capture, wire.CaptureParams{Region: &wire.Box{X: 1200, Y: 0, W: 200, H: 10}})
	c.refused(wire.UnknownDisplay, wire.Capture, wire.CaptureParams{Display: "7"})
	c.refused(wire.DisplayReplaced, wire.Move, wire.MoveParams{Point: mid, Layout: "another"})
	c.refused(wire.UnknownWindow, wire.Click, wire.ClickParams{Point: &mid, Window: "0x1234"})
	c.refused(wire.UnknownWindow, wire.Click, wire.ClickParams{Point: &mid, Window: wire.NoWindow})
	c.refused(wire.UnknownWindow, wire.FocusWindow, wire.FocusWindowParams{Window: "0x1234"})
	c.refused(wire.UnknownWindow, wire.Type, wire.TypeParams{Text: "x", Window: "0x1234"})
	for method, params := range map[string]any{
		wire.Click:      wire.ClickParams{Count: 4},
		wire.Scroll:     wire.ScrollParams{DY: 101},
		wire.Drag:       wire.DragParams{Path: []wire.Point{mid}},
		wire.Type:       wire.TypeParams{Text: "bell\a"},
		wire.HoldKey:    wire.HoldKeyParams{Chord: "a"},
		wire.WaitChange: wire.WaitChangeParams{Timeout: 26_000},
		wire.ButtonDown: map[string]string{"buton": "left"},
		wire.Capture:    wire.CaptureParams{Format: "gif"},
	} {
		c.refused(wire.BadRequest, method, params)
	}
	c.do(wire.Move, wire.MoveParams{Point: mid, Layout: all.Layout}, nil)
}

// TestPauseStopsADrag: it stops midway, the button comes up there, and nothing
// more happens until resume.
func TestPauseStopsADrag(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	f, c := startFixture(t, d, "judge"), serve(t, d)
	area := f.ask("place").Area
	from, to := wire.Point{X: area.X + 10, Y: area.Y + 10}, wire.Point{X: area.X + 600, Y: area.Y + 10}
	drag := c.send(wire.Drag, wire.DragParams{Path: []wire.Point{from, to}, Duration: 5000, Modifiers: []string{wire.Shift}})
	f.until("the drag under way", func(l told) bool { return l.Event == "motion" && l.Down && l.X > from.X+20 })
	c.refused(wire.Busy, wire.Move, wire.MoveParams{Point: from})

	began := time.Now()
	var paused wire.PauseResult
	c.do(wire.Pause, nil, &paused)
	took := time.Since(began)
	if !paused.Stopped || took > 3*time.Second {
		t.Errorf("pause = %+v after %v", paused, took)
	}
	if e := c.answer(wire.Drag, drag, nil); e == nil || e.Code != wire.IsPaused || !e.Sent {
		t.Errorf("the drag that was stopped = %+v", e)
	}
	up := f.until("the button's release", func(l told) bool { return l.Event == "release" })
	if up.X >= to.X || up.X <= from.X {
		t.Errorf("the button came up at %d, want between %d and %d", up.X, from.X, to.X)
	}
	noneHeld(t, d)
	c.refused(wire.IsPaused, wire.Key, wire.KeyParams{Chord: "a"})
	c.do(wire.Capture, wire.CaptureParams{Region: &area}, nil)
	c.do(wire.Resume, nil, nil)
	c.do(wire.Key, wire.KeyParams{Chord: "a"}, nil)
}

// noneHeld holds that no key and no button is down on the server.
func noneHeld(t testing.TB, d *desk.Desk) {
	t.Helper()
	if held := heldOn(t, d); len(held) > 0 {
		t.Errorf("still held: %v", held)
	}
}
