//go:build linux

package wlroots

import (
	"bufio"
	"encoding/json"
	"image/color"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/computeruse/native/x11"
	"github.com/hobkin/hobkin/computeruse/wire"
	testdesk "github.com/hobkin/hobkin/test/desk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const wait = time.Minute

func sway(t *testing.T, config string) (dir, socket string) {
	t.Helper()
	return testdesk.Sway(t, config)
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(wait); !ok(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", wait, what)
		}
	}
}

// A canvas is the window of testdata/canvas.py, which judges what is done.
type canvas struct {
	t    *testing.T
	said chan map[string]any
}

func startCanvas(t *testing.T, dir, socket string) *canvas {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", filepath.Join("testdata", "canvas.py"))
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "XDG_RUNTIME_DIR=" + dir, "WAYLAND_DISPLAY=" + socket,
		"GDK_BACKEND=wayland", "NO_AT_BRIDGE=1", "LANG=C.UTF-8", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent",
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &canvas{t: t, said: make(chan map[string]any, 10_000)}
	read := make(chan struct{})
	go func() { defer close(read); c.read(out) }()
	t.Cleanup(func() {
		_ = in.Close()
		killer := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
		<-read
		_ = cmd.Wait()
		killer.Stop()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	c.await("ready")
	return c
}

func (c *canvas) read(out io.Reader) {
	for sc := bufio.NewScanner(out); sc.Scan(); {
		var s map[string]any
		if json.Unmarshal(sc.Bytes(), &s) == nil {
			c.said <- s
		}
	}
}

func (c *canvas) await(what string) map[string]any {
	c.t.Helper()
	limit := time.After(wait)
	for {
		select {
		case s := <-c.said:
			if s["what"] == what {
				return s
			}
		case <-limit:
			c.t.Fatalf("the canvas did not say %q", what)
		}
	}
}

// at checks where an input arrived, to a pixel of the compositor.
func (c *canvas) at(s map[string]any, x, y float64) {
	c.t.Helper()
	if dx, dy := s["x"].(float64)-x, s["y"].(float64)-y; dx < -1 || dx > 1 || dy < -1 || dy > 1 {
		c.t.Errorf("it arrived at %v,%v, not at %v,%v", s["x"], s["y"], x, y)
	}
}

func desk(t *testing.T, socket string) *Desk {
	t.Helper()
	d, err := Open(t.Context(), socket, x11.Meaning{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func steady() error { return nil }

// TestCompositor sees and controls a real compositor, at two scales.
func TestCompositor(t *testing.T) {
	for name, c := range map[string]struct {
		config string
		scale  float64
	}{
		"100 %":          {"output HEADLESS-1 resolution 1280x800 position 0 0 scale 1\n", 1},
		"150 %":          {"output HEADLESS-1 resolution 1200x900 position 0 0 scale 1.5\n", 1.5},
		"turned back":    {"output HEADLESS-1 resolution 1200x800 position 0 0 scale 1 transform 270\n", 1},
		"upside down":    {"output HEADLESS-1 resolution 1200x800 position 0 0 scale 1 transform 180\n", 1},
		"200 %, turned":  {"output HEADLESS-1 resolution 1200x800 position 0 0 scale 2 transform 90\n", 2},
		"beside another": {"output HEADLESS-1 resolution 1000x800 position -300 40 scale 1\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir, socket := sway(t, c.config)
			d := desk(t, socket)
			var all wire.DisplaysResult
			until(t, "the display to be as configured", func() bool {
				var err error
				all, err = d.Displays(t.Context())
				return err == nil && all.Displays[0].Scale == c.scale
			})
			inAndOut(t, d, startCanvas(t, dir, socket), all.Displays[0])
		})
	}
}

func inAndOut(t *testing.T, d *Desk, c *canvas, dis wire.Display) {
	t.Helper()
	ctx := t.Context()
	must(t, d.Probe(ctx))
	b := dis.Box
	img, err := d.Grab(ctx, b)
	must(t, err)
	for _, p := range []struct {
		fx, fy float64
		want   color.RGBA
	}{{.2, .3, color.RGBA{255, 0, 0, 255}}, {.8, .3, color.RGBA{0, 255, 0, 255}}, {.2, .8, color.RGBA{0, 0, 255, 255}}, {.8, .8, color.RGBA{255, 255, 0, 255}}} {
		if got := img.RGBAAt(int(p.fx*float64(b.W)), int(p.fy*float64(b.H))); got != p.want {
			t.Errorf("at %v,%v is %v, want %v", p.fx, p.fy, got, p.want)
		}
	}
	to := wire.Point{X: b.X + b.W*3/4, Y: b.Y + b.H*2/3}
	x, y := float64(to.X-b.X)/dis.Scale, float64(to.Y-b.Y)/dis.Scale
	must(t, d.Move(ctx, to))
	must(t, d.Press(ctx, wire.Left))
	c.at(c.await("press"), x, y)
	must(t, d.Move(ctx, wire.Point{X: b.X + b.W/4, Y: to.Y}))
	must(t, d.Release(ctx, wire.Left))
	c.at(c.await("release"), float64(b.W/4)/dis.Scale, y)
	must(t, d.Wheel(ctx, 0, 2))
	c.await("scroll")

	release, err := d.Hold(ctx, "ctrl+shift+t")
	must(t, err)
	if s := c.await("key"); !strings.EqualFold(s["key"].(string), "t") || len(s["mods"].([]any)) != 2 {
		t.Errorf("the chord is %v", s)
	}
	must(t, release())
	must(t, d.Press(ctx, wire.Right))
	if names := d.ReleaseAll(); len(names) != 1 || names[0] != wire.Right {
		t.Errorf("let go of %q", names)
	}
	for c.await("release")["button"] != 3.0 {
	}
	typed(t, d, c, dis)
}

// typed writes into the field at the upper edge.
func typed(t *testing.T, d *Desk, c *canvas, dis wire.Display) {
	t.Helper()
	ctx := t.Context()
	must(t, d.Move(ctx, wire.Point{X: dis.Box.X + dis.Box.W/2, Y: dis.Box.Y + int(15*dis.Scale)}))
	must(t, d.Press(ctx, wire.Left))
	must(t, d.Release(ctx, wire.Left))
	const text = "Hello ~#{}[] Grüße ÄÖÜß€ Привет 你好，世界 שלום 😀✅ ok"
	res, err := d.Type(ctx, text, steady)
	must(t, err)
	if res.Typed != len([]rune(text)) {
		t.Errorf("typed %d of %d characters", res.Typed, len([]rune(text)))
	}
	for got := ""; got != text; got, _ = c.await("text")["text"].(string) {
		if !strings.HasPrefix(text, got) {
			t.Fatalf("the field has %q", got)
		}
	}
}

func TestManyDifferentCharacters(t *testing.T) {
	dir, socket := sway(t, "output HEADLESS-1 resolution 800x600\n")
	d, c := desk(t, socket), startCanvas(t, dir, socket)
	all, err := d.Displays(t.Context())
	must(t, err)
	var runes []rune
	for r := rune(0x4e00); len(runes) < 600; r++ {
		runes = append(runes, r)
	}
	must(t, d.Move(t.Context(), wire.Point{X: all.Displays[0].Box.X + 100, Y: 15}))
	must(t, d.Press(t.Context(), wire.Left))
	must(t, d.Release(t.Context(), wire.Left))
	_, err = d.Type(t.Context(), string(runes), steady)
	must(t, err)
	for got := ""; got != string(runes); got, _ = c.await("text")["text"].(string) {
		if !strings.HasPrefix(string(runes), got) {
			t.Fatalf("the field has %q", got)
		}
	}
}

// TestCompositorThatEnds: every call ends, with a sentence.
func TestCompositorThatEnds(t *testing.T) {
	_, socket := sway(t, "")
	d := desk(t, socket)
	_ = d.c.c.Close() // as when it has ended
	<-d.c.done
	if err := d.Move(t.Context(), wire.Point{X: 1, Y: 1}); err == nil || !strings.Contains(err.Error(), "ended the connection") {
		t.Errorf("got %v", err)
	}
	if _, err := d.Grab(t.Context(), wire.Box{W: 1, H: 1}); err == nil {
		t.Error("a picture of nothing")
	}
	if _, err := Open(t.Context(), socket+"-none", x11.Meaning{}); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("got %v", err)
	}
}
