//go:build unix

package x11

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// TestCapture: the picture shows what is on the screen, where it is, and the
// mark of an executed point is where the pointer went.
func TestCapture(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	f, c := startFixture(t, d, "judge"), serve(t, d)
	area := f.ask("place").Area
	colours := []color.RGBA{{0xff, 0, 0, 0xff}, {0, 0xff, 0, 0xff}, {0, 0, 0xff, 0xff}, {0xff, 0xff, 0xff, 0xff}}
	for name, p := range map[string]wire.CaptureParams{
		"whole":       {},
		"scaled":      {Size: &wire.Size{W: 640, H: 430}},
		"region":      {Region: &area},
		"region zoom": {Region: &area, Size: &wire.Size{W: area.W * 2, H: area.H * 2}},
	} {
		t.Run(name, func(t *testing.T) {
			r, img := shot(t, c, p)
			for i, want := range colours {
				at := r.Box.Pixel(wire.Point{X: area.X + area.W*(2*i+1)/8, Y: area.Y + area.H/2}, r.Sent)
				if got := color.RGBAModel.Convert(img.At(at.X, at.Y)); got != want {
					t.Errorf("the pixel %v of %v is %v, want %v", at, r.Sent, got, want)
				}
			}
		})
	}
	t.Run("the point is where the pointer is", func(t *testing.T) {
		at := wire.Point{X: area.X + 77, Y: area.Y + 99}
		c.do(wire.Move, wire.MoveParams{Point: at}, nil)
		var cur wire.CursorResult
		c.do(wire.Cursor, nil, &cur)
		r, img := shot(t, c, wire.CaptureParams{Point: &at, Size: &wire.Size{W: 640, H: 430}, Marks: []wire.Mark{{Box: area, Label: "7"}}})
		px := r.Box.Pixel(cur.Point, r.Sent)
		if got := color.RGBAModel.Convert(img.At(px.X, px.Y)); cur.Point != at || got != (color.RGBA{0xff, 0x30, 0x20, 0xff}) {
			t.Errorf("the pointer is at %v and the picture has %v there", cur.Point, got)
		}
	})
	t.Run("jpeg", func(t *testing.T) {
		var r wire.CaptureResult
		c.do(wire.Capture, wire.CaptureParams{Format: "jpeg", Quality: 90}, &r)
		if _, kind, err := image.DecodeConfig(bytes.NewReader(r.Image)); err != nil && kind != "jpeg" {
			t.Logf("%v", err) // the decoder is not linked in; the magic tells
		}
		if !bytes.HasPrefix(r.Image, []byte{0xff, 0xd8, 0xff}) || r.Format != "jpeg" {
			t.Errorf("a jpeg begins with % x", r.Image[:4])
		}
	})
	t.Run("as another program sees it", func(t *testing.T) { asOthers(t, c, d, area.Y+area.H) })
}

// asOthers compares a capture with that of another program, above a line below
// which a cursor blinks.
func asOthers(t *testing.T, c *client, d *desk.Desk, line int) {
	t.Helper()
	path := t.TempDir() + "/other.png"
	d.Screenshot(path)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	other, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	_, ours := shot(t, c, wire.CaptureParams{})
	for y := 0; y < line; y += 5 {
		for x := 0; x < ours.Bounds().Dx(); x += 3 {
			if a, b := color.RGBAModel.Convert(ours.At(x, y)), color.RGBAModel.Convert(other.At(x, y)); a != b {
				t.Fatalf("the pixel %d,%d is %v, and import has %v", x, y, a, b)
			}
		}
	}
}

func shot(t *testing.T, c *client, p wire.CaptureParams) (r wire.CaptureResult, img image.Image) {
	t.Helper()
	c.do(wire.Capture, p, &r)
	img, err := png.Decode(bytes.NewReader(r.Image))
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds().Dx() != r.Sent.W || img.Bounds().Dy() != r.Sent.H {
		t.Fatalf("the picture is %v, and said to be %v", img.Bounds(), r.Sent)
	}
	return r, img
}

// TestWaitForChange: a change is told with where it was, also since an earlier
// picture; a screen at rest is still.
func TestWaitForChange(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	f, c := startFixture(t, d, "judge"), serve(t, d)
	view := f.ask("place").View
	c.do(wire.WaitChange, wire.WaitChangeParams{Still: 300, Timeout: 8000}, nil)
	r, _ := shot(t, c, wire.CaptureParams{})

	var got wire.ChangeResult
	wait := c.send(wire.WaitChange, wire.WaitChangeParams{Timeout: 8000})
	c.do(wire.Type, wire.TypeParams{Text: "something new"}, nil)
	if e := c.answer(wire.WaitChange, wait, &got); e != nil || !got.Changed || got.TimedOut || len(got.Boxes) == 0 {
		t.Fatalf("a change = %+v, %v", got, e)
	}
	if !got.Boxes[0].Within(wire.Box{X: view.X - 16, Y: view.Y - 16, W: view.W + 32, H: view.H + 32}) {
		t.Errorf("what changed is told at %v, the view is %v", got.Boxes, view)
	}
	c.do(wire.WaitChange, wire.WaitChangeParams{Since: r.Hash, Timeout: 2000}, &got)
	if !got.Changed || !got.Since {
		t.Errorf("since the picture before = %+v", got)
	}
	corner := wire.Box{X: 0, Y: 800, W: 60, H: 60}
	got = wire.ChangeResult{}
	c.do(wire.WaitChange, wire.WaitChangeParams{Region: &corner, Timeout: 200}, &got)
	if got.Changed || !got.TimedOut {
		t.Errorf("of a corner where nothing happens = %+v", got)
	}
}

// TestWindows: listed from the top, found under a point by frame and content,
// brought to the front; a click for another window is not made.
func TestWindows(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	below, above := startFixture(t, d, "below"), startFixture(t, d, "above")
	c := serve(t, d)
	var list wire.WindowsResult
	c.do(wire.Windows, nil, &list)
	if len(list.Windows) != 2 || list.Windows[0].Title != "above" || !list.Windows[0].Active || list.Windows[1].Title != "below" {
		t.Fatalf("the windows are %+v", list)
	}
	top, low := list.Windows[0], list.Windows[1]
	if top.PID != above.cmd.Process.Pid || !strings.Contains(top.Exe, "python3") || top.App == "" || top.Display != "1" {
		t.Errorf("of a window is told %+v", top)
	}
	area := above.ask("place").Area
	for name, p := range map[string]wire.Point{
		"content": {X: area.X + 5, Y: area.Y + 5}, "title": {X: top.Box.X + top.Box.W/2, Y: top.Box.Y + 3},
	} {
		var at wire.WindowAtResult
		c.do(wire.WindowAt, p, &at)
		if at.Window == nil || at.Window.ID != top.ID {
			t.Errorf("under the %s of the window is %+v", name, at.Window)
		}
	}
	var none wire.WindowAtResult
	c.do(wire.WindowAt, wire.Point{X: 1279, Y: 859}, &none)
	if none.Window != nil {
		t.Errorf("on the bare desktop is %+v", none.Window)
	}
	c.refused(wire.UnknownWindow, wire.Click, wire.ClickParams{Point: &wire.Point{X: area.X + 5, Y: area.Y + 5}, Window: low.ID})
	c.do(wire.FocusWindow, wire.FocusWindowParams{Window: low.ID}, nil)
	if !below.ask("place").Active {
		t.Error("the window was not brought to the front")
	}
	c.refused(wire.UnknownWindow, wire.Type, wire.TypeParams{Text: "x", Window: top.ID})
	if out, err := d.Run("xdotool", "windowminimize", low.ID); err != nil {
		t.Fatal(out, err)
	}
	d.Until("the minimized window", func() bool {
		c.do(wire.Windows, nil, &list)
		for _, w := range list.Windows {
			if w.ID == low.ID {
				return w.Minimized
			}
		}
		return false
	})
}

// TestFocusStolen: a text stops when another window comes to the front.
func TestFocusStolen(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	f, c := startFixture(t, d, "judge"), serve(t, d)
	var list wire.WindowsResult
	c.do(wire.Windows, nil, &list)
	typing := c.send(wire.Type, wire.TypeParams{Text: strings.Repeat("typed before it was stolen\n", 300), Window: list.Windows[0].ID})
	f.until("the first characters", func(l told) bool { return l.Event == "key" })
	thief := exec.Command("/usr/bin/zenity", "--entry", "--text", "thief") //nolint:noctx // ends in Cleanup
	thief.Env = d.Env()
	if err := thief.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = thief.Process.Kill(); _ = thief.Wait() })
	if e := c.answer(wire.Type, typing, nil); e == nil || e.Code != wire.UnknownWindow || !e.Sent {
		t.Errorf("a text whose focus was stolen = %+v", e)
	}
}

// TestDisplayChanges: told as an event, and what was aimed before is refused.
func TestDisplayChanges(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	c := serve(t, d)
	var before, after wire.DisplaysResult
	c.do(wire.Displays, nil, &before)
	for _, args := range [][]string{
		{"--newmode", "small", "63.5", "1024", "1072", "1176", "1328", "768", "771", "775", "798"},
		{"--addmode", "screen", "small"},
		{"--output", "screen", "--mode", "small"},
	} {
		if out, err := d.Run("xrandr", args...); err != nil {
			t.Fatal(out, err)
		}
	}
	c.event(wire.DisplaysChanged, &after)
	if after.Layout == before.Layout || after.Displays[0].Box.W != 1024 {
		t.Errorf("the displays were %+v and are %+v", before, after)
	}
	c.refused(wire.DisplayReplaced, wire.Move, wire.MoveParams{Point: wire.Point{X: 5, Y: 5}, Layout: before.Layout})
	c.refused(wire.OutOfBounds, wire.Move, wire.MoveParams{Point: wire.Point{X: 1100, Y: 5}})
	c.refused(wire.OutOfBounds, wire.Capture, wire.CaptureParams{Region: &before.Displays[0].Box})
	c.do(wire.Capture, wire.CaptureParams{}, nil)
}

// TestTwoDisplays: each has its picture, and points of both are reached; the
// gap beside the smaller one is on no display.
func TestTwoDisplays(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1600x860")
	for _, args := range [][]string{
		{"--setmonitor", "LEFT", "600/160x600/160+0+200", "none"},
		{"--setmonitor", "*RIGHT", "1000/260x860/220+600+0", "screen"},
	} {
		if out, err := d.Run("xrandr", args...); err != nil {
			t.Fatal(out, err)
		}
	}
	c := serve(t, d)
	var all wire.DisplaysResult
	c.do(wire.Displays, nil, &all)
	if len(all.Displays) != 2 {
		t.Fatalf("the displays are %+v", all.Displays)
	}
	for _, dis := range all.Displays {
		if dis.Primary != (dis.Name == "RIGHT") {
			t.Errorf("primary is told of %+v", dis)
		}
		r, img := shot(t, c, wire.CaptureParams{Display: dis.ID})
		if r.Box != dis.Box || img.Bounds().Dx() != dis.Box.W {
			t.Errorf("the picture of %+v is of %+v", dis, r.Box)
		}
		for _, p := range []wire.Point{{X: dis.Box.X, Y: dis.Box.Y}, {X: dis.Box.X + dis.Box.W - 1, Y: dis.Box.Y + dis.Box.H - 1}} {
			c.do(wire.Move, wire.MoveParams{Point: p, Layout: all.Layout}, nil)
			var cur wire.CursorResult
			c.do(wire.Cursor, nil, &cur)
			if cur.Point != p || cur.Display != dis.ID {
				t.Errorf("moved to %v of display %s, the pointer is at %+v", p, dis.ID, cur)
			}
		}
	}
	c.refused(wire.OutOfBounds, wire.Move, wire.MoveParams{Point: wire.Point{X: 10, Y: 10}})
	r, _ := shot(t, c, wire.CaptureParams{})
	if r.Box.X != 600 {
		t.Errorf("without a display the picture is of %+v, want the primary one", r.Box)
	}
}

// TestScale: as the desktop tells it to programs.
func TestScale(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	if out, err := d.Run("sh", "-c", "printf 'Xft.dpi: 144\n' | xrdb -merge"); err != nil {
		t.Fatal(out, err)
	}
	c := serve(t, d)
	var all wire.DisplaysResult
	c.do(wire.Displays, nil, &all)
	if got := all.Displays[0]; got.Scale != 1.5 || got.Logical != (wire.Size{W: 853, H: 573}) {
		t.Errorf("the display is %+v", got)
	}
}

// TestDisplayGone: when the X server ends in the middle of an act, the answer
// says so, and nothing hangs.
func TestDisplayGone(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	c := serve(t, d)
	c.do(wire.Move, wire.MoveParams{Point: wire.Point{X: 10, Y: 10}}, nil)
	drag := c.send(wire.Drag, wire.DragParams{Path: []wire.Point{{X: 10, Y: 10}, {X: 1200, Y: 800}}, Duration: 9000})
	d.Until("the drag", func() bool {
		var cur wire.CursorResult
		c.do(wire.Cursor, nil, &cur)
		return cur.Point.X > 20 && cur.Point.X < 600
	})
	d.KillServer()
	if e := c.answer(wire.Drag, drag, nil); e == nil || e.Code != wire.NoDisplay || !e.Sent {
		t.Errorf("a drag whose display went = %+v", e)
	}
	c.refused(wire.NoDisplay, wire.Capture, wire.CaptureParams{})
	c.refused(wire.NoDisplay, wire.Key, wire.KeyParams{Chord: "a"})
}
