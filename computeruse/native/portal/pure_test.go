//go:build linux

package portal

import (
	"image"
	"math"
	"net"
	"path/filepath"
	"testing"

	"github.com/godbus/dbus/v5"
	"pgregory.net/rapid"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// TestPointsComeBack: a pixel of the picture, told to the desktop in its units,
// is that pixel again.
func TestPointsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.SampledFrom([]float64{1, 1.25, 1.5, 1.75, 2, 3}).Draw(t, "scale")
		var list []stream
		x := rapid.Int32Range(-3000, 0).Draw(t, "x")
		h := rapid.Int32Range(100, 500).Draw(t, "h") * 4
		for i := range rapid.IntRange(1, 3).Draw(t, "displays") {
			w := rapid.Int32Range(100, 900).Draw(t, "w") * 4
			list = append(list, stream{id: uint32(i + 1), position: [2]int32{x, -40}, size: [2]int32{w, h}, placed: true})
			x += w
		}
		width := int(math.Round(float64(x-list[0].position[0]) * scale))
		l, err := arrange(list, image.Pt(width, int(math.Round(float64(h)*scale))))
		if err != nil {
			t.Fatal(err)
		}
		p := wire.Point{X: rapid.IntRange(0, width-1).Draw(t, "px"), Y: rapid.IntRange(0, int(float64(h)*scale)-1).Draw(t, "py")}
		id, ux, uy, ok := l.find(p)
		if !ok {
			t.Fatalf("%v is on no display of %v", p, list)
		}
		s := list[id-1]
		if ux < 0 || uy < 0 || ux >= float64(s.size[0]) || uy >= float64(s.size[1]) {
			t.Fatalf("%v became %v,%v of %v", p, ux, uy, s)
		}
		backX := int((ux+float64(s.position[0]-l.origin[0]))*l.scale + 1e-9)
		backY := int((uy+float64(s.position[1]-l.origin[1]))*l.scale + 1e-9)
		if abs(backX-p.X) > 1 || abs(backY-p.Y) > 1 {
			t.Fatalf("%v came back as %d,%d", p, backX, backY)
		}
	})
}

func abs(n int) int { return max(n, -n) }

func TestDetect(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, "wayland-0")) //nolint:noctx // of a test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	socket := filepath.Join(dir, "wayland-0")
	for name, c := range map[string]struct {
		env  map[string]string
		want Session
	}{
		"Wayland with an X server for old programs": {
			map[string]string{"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0", "XDG_RUNTIME_DIR": dir, "XDG_CURRENT_DESKTOP": "ubuntu:GNOME"},
			Session{Wayland, "GNOME", socket},
		},
		"a service of a Wayland session":    {map[string]string{"XDG_SESSION_TYPE": "wayland", "XDG_RUNTIME_DIR": dir}, Session{Wayland, "", socket}},
		"an absolute socket":                {map[string]string{"WAYLAND_DISPLAY": socket}, Session{Wayland, "", socket}},
		"Wayland with no socket to be seen": {map[string]string{"XDG_SESSION_TYPE": "wayland", "XDG_RUNTIME_DIR": "/none", "DISPLAY": ":0"}, Session{Wayland, "", ""}},
		"X11":                               {map[string]string{"XDG_SESSION_TYPE": "x11", "DISPLAY": ":0", "XDG_CURRENT_DESKTOP": "XFCE"}, Session{X11, "XFCE", ""}},
		"X11 with a stale WAYLAND_DISPLAY":  {map[string]string{"WAYLAND_DISPLAY": "wayland-7", "DISPLAY": ":0", "XDG_RUNTIME_DIR": dir}, Session{X11, "", ""}},
		"a terminal":                        {map[string]string{"XDG_SESSION_TYPE": "tty"}, Session{None, "", ""}},
		"X11 from a terminal":               {map[string]string{"XDG_SESSION_TYPE": "tty", "DISPLAY": ":9"}, Session{X11, "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Detect(func(k string) string { return c.env[k] }); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// FuzzStreams: whatever displays a portal tells, they are read or left out.
func FuzzStreams(f *testing.F) {
	f.Add(uint32(1), int32(0), int32(0), int32(1920), int32(1080), 1920, 1080)
	f.Add(uint32(1), int32(math.MinInt32), int32(5), int32(math.MaxInt32), int32(-1), 0, 0)
	f.Fuzz(func(t *testing.T, id uint32, x, y, w, h int32, pw, ph int) {
		pair := func(a, b int32) dbus.Variant { return dbus.MakeVariant(struct{ A, B int32 }{a, b}) }
		list := streams(dbus.MakeVariant([]streamProps{{id, vardict{"position": pair(x, y), "size": pair(w, h)}}, {id, vardict{"size": dbus.MakeVariant("rubbish")}}}))
		if len(list) > 1 {
			t.Fatal("rubbish became a display")
		}
		l, err := arrange(list, image.Pt(pw, ph))
		if err != nil {
			return
		}
		b := l.box(list[0])
		if _, ux, uy, ok := l.find(wire.Point{X: b.X, Y: b.Y}); !ok || ux < 0 || uy < 0 || ux > float64(w) || uy > float64(h) {
			t.Errorf("the corner of %v is at %v,%v, %v", b, ux, uy, ok)
		}
	})
}

func TestUnsupportedIsExplained(t *testing.T) {
	for _, c := range Unsupported() {
		if c.Works || c.Reason == "" || c.Fix == "" {
			t.Errorf("%+v", c)
		}
	}
}
