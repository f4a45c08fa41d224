//go:build unix

package x11

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// BenchmarkScreenshot takes a picture that a model gets, 1456×819 of a screen
// with a photo and text on it, beside programs that write one of the screen.
func BenchmarkScreenshot(b *testing.B) {
	for name, size := range map[string]string{"1080p": "1920x1080", "4K": "3840x2160"} {
		d := desk.Screen(b, size)
		fillScreen(b, d)
		c := serve(b, d)
		file := filepath.Join(b.TempDir(), "shot.png")
		ours := func() {
			c.do(wire.Capture, wire.CaptureParams{Size: &wire.Size{W: 1456, H: 819}}, &wire.CaptureResult{})
		}
		b.Run(name+"_beside_scrot", func(b *testing.B) {
			beside(b, 1, ours, func() { run(b, d, "scrot", "-o", file) })
		})
		b.Run(name+"_beside_maim", func(b *testing.B) {
			beside(b, 1, ours, func() { run(b, d, "maim", file) })
		})
	}
}

// BenchmarkInput clicks and types, beside xdotool, which is a process each time.
func BenchmarkInput(b *testing.B) {
	d := desk.Screen(b, "1280x860")
	f, c := startFixture(b, d, "judge"), serve(b, d)
	view := f.ask("place").View
	at := wire.Point{X: view.X + 20, Y: view.Y + 20}
	b.Run("click_beside_xdotool", func(b *testing.B) {
		beside(b, 1, func() { c.do(wire.Click, wire.ClickParams{Point: &at}, nil) }, func() {
			run(b, d, "xdotool", "mousemove", "--sync", "90", "90", "mousemove", "--sync", "100", "100", "click", "1")
		})
	})
	text := "The quick brown fox jumps over the lazy dog; 42 times. "
	c.do(wire.Click, wire.ClickParams{Point: &at}, nil)
	b.Run("typed_character_beside_xdotool", func(b *testing.B) {
		beside(b, len(text), func() { c.do(wire.Type, wire.TypeParams{Text: text}, nil) }, func() { run(b, d, "xdotool", "type", text) })
	})
}

// BenchmarkPause stops a drag: from the request to the answer, which comes when
// nothing moves any more and nothing is held.
func BenchmarkPause(b *testing.B) {
	d := desk.Screen(b, "1280x860")
	c := serve(b, d)
	var all []time.Duration
	for b.Loop() {
		drag := c.send(wire.Drag, wire.DragParams{Path: []wire.Point{{X: 10, Y: 10}, {X: 1200, Y: 800}}, Duration: 9000, Modifiers: []string{wire.Ctrl}})
		d.Until("the drag", func() bool { return len(heldOn(b, d)) > 1 })
		began := time.Now()
		c.do(wire.Pause, nil, nil)
		all = append(all, time.Since(began))
		noneHeld(b, d)
		if e := c.answer(wire.Drag, drag, nil); e == nil || e.Code != wire.IsPaused {
			b.Fatalf("the drag = %+v", e)
		}
		c.do(wire.Resume, nil, nil)
	}
	b.ReportMetric(ms(slices.Max(all)), "ms-longest")
}

// beside measures two ways by turns, for n things each time.
func beside(b *testing.B, n int, ours, peer func()) {
	b.Helper()
	ours() // what is set up once
	var a, p time.Duration
	rounds := 0
	for b.Loop() {
		began := time.Now()
		ours()
		a += time.Since(began)
		began = time.Now()
		peer()
		p += time.Since(began)
		rounds += n
	}
	b.ReportMetric(ms(a)/float64(rounds), "ms-ours")
	b.ReportMetric(ms(p)/float64(rounds), "ms-peer")
	b.ReportMetric(float64(a)/float64(p), "×peer")
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func run(b *testing.B, d *desk.Desk, name string, args ...string) {
	b.Helper()
	if _, err := exec.LookPath(name); err != nil {
		b.Fatalf("%s is missing; make test installs it", name)
	}
	if out, err := d.Run(name, args...); err != nil {
		b.Fatal(out, err)
	}
}

// fillScreen puts a photo-like ground and a window of text on the screen.
func fillScreen(b *testing.B, d *desk.Desk) {
	b.Helper()
	c, err := dial(b.Context(), d.Display, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.close)
	w, h := int(c.screen.WidthInPixels), int(c.screen.HeightInPixels)
	ground, err := xproto.NewPixmapId(c.Conn)
	if err != nil {
		b.Fatal(err)
	}
	gc, err := xproto.NewGcontextId(c.Conn)
	if err != nil {
		b.Fatal(err)
	}
	xproto.CreatePixmap(c.Conn, c.screen.RootDepth, ground, xproto.Drawable(c.root), uint16(w), uint16(h))
	xproto.CreateGC(c.Conn, gc, xproto.Drawable(ground), 0, nil)
	r := rand.New(rand.NewPCG(1, 2))
	line := make([]byte, 4*w)
	for y := range h {
		for x := range w {
			n := byte(r.IntN(12))
			line[4*x], line[4*x+1], line[4*x+2] = byte(255*x/w)+n, byte(255*y/h)+n, byte(127*(x+y)/(w+h))+n
		}
		xproto.PutImage(c.Conn, xproto.ImageFormatZPixmap, xproto.Drawable(ground), gc, uint16(w), 1, 0, int16(y), 0, c.screen.RootDepth, line)
	}
	xproto.ChangeWindowAttributes(c.Conn, c.root, xproto.CwBackPixmap, []uint32{uint32(ground)})
	xproto.ClearArea(c.Conn, false, c.root, 0, 0, 0, 0)
	if err := c.sync(); err != nil {
		b.Fatal(err)
	}
	d.Go("xterm", "-T", "text", "-geometry", "120x40+100+100", "-e", "sh", "-c", "ls -l /usr/bin | head -60; sleep 600")
	d.Window("text")
}
