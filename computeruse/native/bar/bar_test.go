//go:build unix

package bar

import (
	"bufio"
	"bytes"
	"context"
	"image"
	"image/png"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A stage is a display with the strip on it, and a window of the test under it.
type stage struct {
	t       *testing.T
	d       *desk.Desk
	conn    *xgb.Conn
	root    xproto.Window
	bar     *Bar
	clicks  chan struct{} // on the strip's button
	passed  chan struct{} // on the window under it
	under   xproto.Window
	address string
}

func (s *stage) Displays(context.Context) (wire.DisplaysResult, error) {
	g, err := xproto.GetGeometry(s.conn, xproto.Drawable(s.root)).Reply()
	if err != nil {
		return wire.DisplaysResult{}, err
	}
	return wire.DisplaysResult{Displays: []wire.Display{{Primary: true, Scale: 1, Box: wire.Box{W: int(g.Width), H: int(g.Height)}}}}, nil
}

// display is the last DISPLAY of an environment, which counts.
func display(env []string) (address string) {
	for _, v := range env {
		if a, ok := strings.CutPrefix(v, "DISPLAY="); ok {
			address = a
		}
	}
	return address
}

func newStage(t *testing.T) *stage {
	t.Helper()
	d := desk.Bare(t)
	return stageOn(t, d, display(d.Env()))
}

func stageOn(t *testing.T, d *desk.Desk, address string) *stage {
	t.Helper()
	s := &stage{t: t, d: d, address: address, clicks: make(chan struct{}, 10), passed: make(chan struct{}, 10)}
	var err error
	if s.conn, err = xgb.NewConnDisplay(s.address); err != nil {
		t.Fatal(err)
	}
	s.root = xproto.Setup(s.conn).DefaultScreen(s.conn).Root
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			ev, err := s.conn.WaitForEvent()
			if ev == nil && err == nil {
				return
			}
			if b, ok := ev.(xproto.ButtonPressEvent); ok && b.Event == s.under {
				s.passed <- struct{}{}
			}
		}
	}()
	t.Cleanup(func() { s.conn.Close(); <-ended })
	s.bar, err = Open(t.Context(), Options{
		Dial:     func(context.Context) (*xgb.Conn, error) { return xgb.NewConnDisplay(s.address) },
		Displays: s, Clicked: func() { s.clicks <- struct{}{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.bar.Close)
	return s
}

// window puts a window of one colour on the screen, through the window manager.
func (s *stage) window(box wire.Box, colour uint32) xproto.Window {
	s.t.Helper()
	id, err := xproto.NewWindowId(s.conn)
	if err != nil {
		s.t.Fatal(err)
	}
	screen := xproto.Setup(s.conn).DefaultScreen(s.conn)
	err = xproto.CreateWindowChecked(s.conn, screen.RootDepth, id, s.root, int16(box.X), int16(box.Y), uint16(box.W), uint16(box.H), 0,
		xproto.WindowClassInputOutput, screen.RootVisual, xproto.CwBackPixel|xproto.CwEventMask, []uint32{colour, xproto.EventMaskButtonPress}).Check()
	if err != nil {
		s.t.Fatal(err)
	}
	hints := make([]byte, 18*4) // WM_SIZE_HINTS
	hints[0] = 1                // a person chose the place, so the window manager keeps it
	xproto.ChangeProperty(s.conn, xproto.PropModeReplace, id, xproto.AtomWmNormalHints, xproto.AtomWmSizeHints, 32, 18, hints)
	s.d.Until("the window to be there", func() bool {
		xproto.MapWindow(s.conn, id) // again: a window manager that starts may miss it
		a, err := xproto.GetWindowAttributes(s.conn, id).Reply()
		return err == nil && a.MapState == xproto.MapStateViewable
	})
	return id
}

func (s *stage) grab(box wire.Box) []byte {
	s.t.Helper()
	r, err := xproto.GetImage(s.conn, xproto.ImageFormatZPixmap, xproto.Drawable(s.root), int16(box.X), int16(box.Y), uint16(box.W), uint16(box.H), 1<<32-1).Reply()
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Data
}

func (s *stage) set(p wire.BarParams) wire.Box {
	s.t.Helper()
	if err := s.bar.Set(s.t.Context(), p); err != nil {
		s.t.Fatal(err)
	}
	box, on := s.bar.Box()
	if on != (p.Text != "") {
		s.t.Fatalf("%+v: shown is %v", p, on)
	}
	return box
}

// got reports whether something came within a while.
func got(ch chan struct{}, within time.Duration) bool {
	select {
	case <-ch:
		return true
	case <-time.After(within):
		return false
	}
}

var working = wire.BarParams{Text: "Hobkin is filling in the form", Button: "Pause", Tone: "working"}

// TestStrip holds the strip to what a person sees of it, and what it must not do.
func TestStrip(t *testing.T) {
	s := newStage(t)
	s.under = s.window(wire.Box{X: 100, W: 1000, H: 300}, 0x3366aa)
	top := wire.Box{W: 1280, H: 80}
	s.d.Until("the screen to be still", func() bool {
		before := s.grab(top)
		<-time.After(100 * time.Millisecond)
		return bytes.Equal(before, s.grab(top))
	})
	before := s.grab(top)
	focus, err := xproto.GetInputFocus(s.conn).Reply()
	if err != nil {
		t.Fatal(err)
	}
	box := s.set(working)
	s.save("strip.png", top)

	t.Run("it is seen, and takes no focus", func(t *testing.T) {
		if bytes.Equal(before, s.grab(top)) {
			t.Error("nothing is to be seen")
		}
		now, err := xproto.GetInputFocus(s.conn).Reply()
		if err != nil || now.Focus != focus.Focus {
			t.Errorf("the focus went from %d to %d, %v", focus.Focus, now.Focus, err)
		}
		if out, err := s.d.Run("xprop", "-root", "_NET_CLIENT_LIST"); err != nil || strings.Contains(out, strconv.FormatInt(int64(s.bar.win.id), 16)) {
			t.Errorf("the window manager knows the strip: %s %v", out, err)
		}
	})
	t.Run("it is in no picture", func(t *testing.T) {
		with := s.grab(top)
		for range 5 {
			show, err := s.bar.Hide(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(before, s.grab(top)) {
				t.Error("the picture is not that of before")
			}
			show()
			show() // harmless
			if !bytes.Equal(with, s.grab(top)) {
				t.Error("it has not come back")
			}
		}
	})
	t.Run("pictures at the same time", func(t *testing.T) {
		first, err := s.bar.Hide(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		second, err := s.bar.Hide(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		first()
		if _, on := s.bar.Box(); on {
			t.Error("it is back while the second picture is taken")
		}
		if err := s.bar.Set(t.Context(), wire.BarParams{Text: "another"}); err != nil {
			t.Fatal(err)
		}
		if _, on := s.bar.Box(); on {
			t.Error("a new text brought it back too soon")
		}
		second()
		if _, on := s.bar.Box(); !on {
			t.Error("it is gone")
		}
		box = s.set(working)
	})
	t.Run("its button is pressed", func(t *testing.T) {
		s.d.Click(box.X+box.W-20, box.Y+box.H/2)
		if !got(s.clicks, 5*time.Second) {
			t.Error("the press was not told")
		}
	})
	t.Run("a click beside the button goes through", func(t *testing.T) {
		s.d.Click(box.X+30, box.Y+box.H-4) // below the title bar of the other
		if !got(s.passed, 5*time.Second) {
			t.Error("the window under it got no click")
		}
		if got(s.clicks, 100*time.Millisecond) {
			t.Error("the strip took it")
		}
	})
	t.Run("another window does not cover it", func(*testing.T) {
		with := s.grab(box)
		s.window(wire.Box{X: 50, W: 1100, H: 400}, 0xaa3333)
		s.d.Until("the strip to be on top again", func() bool { return s.differs(with, box) < 100 }) // the corners show the other
	})
	t.Run("it costs nothing while it stands still", func(t *testing.T) {
		used := cpu(t)
		<-time.After(700 * time.Millisecond)
		if d := cpu(t) - used; d > 100*time.Millisecond {
			t.Errorf("%v of the processor in 0.7 s", d)
		}
	})
	t.Run("bad parameters", func(t *testing.T) {
		for _, p := range []wire.BarParams{{Text: strings.Repeat("x", maxText+1)}, {Text: "x", Button: strings.Repeat("x", maxButton+1)}, {Text: "x", Tone: "loud"}} {
			if err, ok := s.bar.Set(t.Context(), p).(*wire.Error); !ok || err.Code != wire.BadRequest { //nolint:errorlint // the very type is the contract
				t.Errorf("%.20v: %v", p, err)
			}
		}
	})
	t.Run("an empty text takes it away", func(t *testing.T) {
		s.set(wire.BarParams{})
		if _, on := s.bar.Box(); on {
			t.Error("it is still there")
		}
	})
}

// differs counts the pixels that differ.
func (s *stage) differs(want []byte, box wire.Box) (n int) {
	now := s.grab(box)
	for i := 0; i < len(want); i += 4 {
		if !bytes.Equal(want[i:i+3], now[i:i+3]) {
			n++
		}
	}
	return n
}

// save writes a part of the screen where HOBKIN_SHOTS names a folder, for eyes.
func (s *stage) save(name string, box wire.Box) {
	dir := os.Getenv("HOBKIN_SHOTS")
	if dir == "" {
		return
	}
	img := image.NewRGBA(image.Rect(0, 0, box.W, box.H))
	for i, raw := 0, s.grab(box); i < len(raw); i += 4 {
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = raw[i+2], raw[i+1], raw[i], 0xff
	}
	shot(s.t, name, img)
}

func shot(tb testing.TB, name string, img image.Image) {
	tb.Helper()
	dir := os.Getenv("HOBKIN_SHOTS")
	if dir == "" {
		return
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(dir+"/"+name, b.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
}

func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// nested starts a server in a window of the desk, whose screen can change size.
func nested(t *testing.T, d *desk.Desk) (address string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("Xephyr", "-displayfd", "3", "-screen", "1024x768", "-nolisten", "tcp") //nolint:noctx // ended below
	cmd.Env, cmd.ExtraFiles = d.Env(), []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	t.Cleanup(func() {
		_ = r.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	_ = r.SetReadDeadline(time.Now().Add(30 * time.Second))
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xephyr does not start: %v", err)
	}
	return ":" + strings.TrimSpace(line)
}

func TestDisplaysThatChange(t *testing.T) {
	d := desk.Bare(t)
	address := nested(t, d)
	s := stageOn(t, d, address)
	s.set(working)
	// It says that it cannot set the gamma, and ends with an error: the size counts.
	_, _ = d.Run("xrandr", "-display", address, "-s", "640x480")
	d.Until("the strip in the middle of the smaller screen", func() bool {
		all, err := s.Displays(t.Context())
		box, on := s.bar.Box()
		return err == nil && all.Displays[0].Box.W == 640 && on && abs(box.X-(640-box.X-box.W)) <= 1
	})
}

func abs(n int) int { return max(n, -n) }

// TestCompositingManager: where one draws the screen in its own time, the strip
// is gone from pictures all the same.
func TestCompositingManager(t *testing.T) {
	s := newStage(t)
	s.d.Go("picom", "--backend", "xrender", "--config", "/dev/null")
	s.d.Until("the compositing manager", s.bar.win.composited)
	s.window(wire.Box{X: 100, W: 1000, H: 300}, 0x3366aa)
	top := wire.Box{W: 1280, H: 60}
	var before []byte
	s.d.Until("the screen to be still", func() bool {
		before = s.grab(top)
		<-time.After(500 * time.Millisecond)
		return bytes.Equal(before, s.grab(top))
	})
	s.set(working)
	s.d.Until("the strip to be drawn", func() bool { return s.differs(before, top) > 1000 })
	for range 3 {
		show, err := s.bar.Hide(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := s.differs(before, top); n > 0 {
			t.Errorf("%d pixels are not those of before", n)
		}
		show()
		s.d.Until("the strip to be back", func() bool { return s.differs(before, top) > 1000 })
	}
}

func TestServerThatEnds(t *testing.T) {
	s := newStage(t)
	s.set(working)
	s.bar.win.conn.Close() // as when the server has ended
	<-s.bar.done
	if err := s.bar.Set(t.Context(), working); err == nil || !strings.Contains(err.Error(), "display has gone") {
		t.Errorf("got %v", err)
	}
	if _, err := s.bar.Hide(t.Context()); err == nil {
		t.Error("hidden on no display")
	}
}
