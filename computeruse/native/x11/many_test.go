//go:build unix

package x11

import (
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// A moved desktop is a real one whose coordinates begin elsewhere, as those of
// Windows and macOS do with a second display at the left or above.
type moved struct {
	native.Screen
	native.Pointer
	native.Windows

	by wire.Point
}

func (m moved) out(p wire.Point) wire.Point { return wire.Point{X: p.X - m.by.X, Y: p.Y - m.by.Y} }
func (m moved) in(p wire.Point) wire.Point  { return wire.Point{X: p.X + m.by.X, Y: p.Y + m.by.Y} }
func (m moved) box(b wire.Box, n int) wire.Box {
	return wire.Box{X: b.X + n*m.by.X, Y: b.Y + n*m.by.Y, W: b.W, H: b.H}
}

func (m moved) Displays(ctx context.Context) (wire.DisplaysResult, error) {
	all, err := m.Screen.Displays(ctx)
	for i := range all.Displays {
		all.Displays[i].Box = m.box(all.Displays[i].Box, -1)
	}
	return all, err
}

func (m moved) Grab(ctx context.Context, b wire.Box) (*image.RGBA, error) {
	return m.Screen.Grab(ctx, m.box(b, 1))
}

func (m moved) Where(ctx context.Context) (wire.Point, error) {
	p, err := m.Pointer.Where(ctx)
	return m.out(p), err
}

func (m moved) Move(ctx context.Context, to wire.Point) error { return m.Pointer.Move(ctx, m.in(to)) }

func (m moved) At(ctx context.Context, p wire.Point) (*wire.Window, error) {
	return m.Windows.At(ctx, m.in(p))
}

// TestManyActs: acts at random pixels of pictures as models get them arrive
// where they were aimed, at every scale and layout, on one display and on two
// of which one lies at negative coordinates. With HOBKIN_LONG set there are
// 100 for each combination.
func TestManyActs(t *testing.T) {
	t.Parallel()
	acts, dpis, few := 6, []int{96, 144}, []string{"us", "de"}
	if os.Getenv("HOBKIN_LONG") != "" {
		acts, dpis, few = 100, []int{96, 120, 144, 168, 192, 288}, []string{"us", "de", "ru", "jp"}
	}
	total := 0
	for _, displays := range []int{1, 2} {
		d := desk.Screen(t, "1600x860")
		origin := wire.Point{}
		if displays == 2 {
			origin = wire.Point{X: 900, Y: 60}
			twoDisplays(t, d)
		}
		f := startFixture(t, d, "judge")
		for _, dpi := range dpis {
			if out, err := d.Run("sh", "-c", fmt.Sprintf("printf 'Xft.dpi: %d\n' | xrdb -merge", dpi)); err != nil {
				t.Fatal(out, err)
			}
			b, err := Open(t.Context(), d.Display)
			if err != nil {
				t.Fatal(err)
			}
			parts := b.Parts()
			m := moved{parts.Screen, parts.Pointer, parts.Windows, origin}
			parts.Screen, parts.Pointer, parts.Windows = m, m, m
			c := serveParts(t, parts, b.Close)
			for _, layout := range few {
				setLayout(t, d, layout)
				for range acts {
					randomAct(t, c, f, origin)
					total++
				}
			}
		}
	}
	t.Logf("%d acts, all as they were meant", total)
}

func twoDisplays(t *testing.T, d *desk.Desk) {
	t.Helper()
	for _, args := range [][]string{
		{"--setmonitor", "LEFT", "900/240x800/210+0+0", "none"}, {"--setmonitor", "*RIGHT", "700/180x800/210+900+60", "screen"},
	} {
		if out, err := d.Run("xrandr", args...); err != nil {
			t.Fatal(out, err)
		}
	}
}

// randomAct does something by the pixels of a picture and asks the window.
func randomAct(t *testing.T, c *client, f *fixture, origin wire.Point) {
	t.Helper()
	var all wire.DisplaysResult
	c.do(wire.Displays, nil, &all)
	area := f.ask("place").Area
	area.X, area.Y = area.X-origin.X, area.Y-origin.Y
	mid := wire.Point{X: area.X + area.W/2, Y: area.Y + area.H/2}
	id := ""
	for _, dis := range all.Displays {
		if dis.Box.Contains(mid) {
			id = dis.ID
		}
	}
	size := wire.Size{W: 600 + rand.IntN(900), H: 400 + rand.IntN(400)}
	var shot wire.CaptureResult
	c.do(wire.Capture, wire.CaptureParams{Display: id, Size: &size, Format: "jpeg"}, &shot)
	aim := wire.Point{X: area.X + 5 + rand.IntN(area.W-10), Y: area.Y + 5 + rand.IntN(area.H-10)}
	to := shot.Box.Point(shot.Box.Pixel(aim, shot.Sent), shot.Sent) // what a model that points at aim gets
	if !area.Contains(to) || !shot.Box.Contains(to) {
		return
	}
	f.forget()
	switch rand.IntN(4) {
	case 0, 1:
		c.do(wire.Click, wire.ClickParams{Point: &to, Layout: shot.Layout}, nil)
		got := f.until("the click", func(l told) bool { return l.Event == "press" })
		if got.X-origin.X != to.X || got.Y-origin.Y != to.Y {
			t.Errorf("a click at %v arrived at %d,%d", to, got.X-origin.X, got.Y-origin.Y)
		}
	case 2:
		c.do(wire.Scroll, wire.ScrollParams{Point: &to, DY: 2, Layout: shot.Layout}, nil)
		f.until("the scroll", func(l told) bool { return l.Event == "scroll" && l.Way == "down" })
	default:
		text := fmt.Sprintf("%d: Grüße, %s", rand.IntN(1000), []string{"ok", "я", "好", "😀"}[rand.IntN(4)])
		f.ask("clear")
		c.do(wire.Type, wire.TypeParams{Text: text}, nil)
		f.textIs(text)
	}
}
