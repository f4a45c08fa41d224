package computeruse

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// scales are those that desktops have.
var scales = []float64{1, 1.25, 1.5, 1.75, 2, 3}

// display draws a display: its place on the desktop, negative too, its size,
// portrait too, and its scale.
func display(t *rapid.T) (wire.Box, float64) {
	w, h := rapid.IntRange(320, 7680).Draw(t, "w"), rapid.IntRange(240, 4320).Draw(t, "h")
	if rapid.Bool().Draw(t, "portrait") {
		w, h = h, w
	}
	return wire.Box{X: rapid.IntRange(-8000, 8000).Draw(t, "x"), Y: rapid.IntRange(-8000, 8000).Draw(t, "y"), W: w, H: h},
		rapid.SampledFrom(scales).Draw(t, "scale")
}

func frameOf(box wire.Box, scale float64, crop wire.Box, l Limits) *Frame {
	return &Frame{
		ID: "f1", Display: "1", Origin: wire.Point{X: box.X, Y: box.Y}, Physical: wire.Size{W: box.W, H: box.H},
		Logical: wire.Size{W: int(float64(box.W) / scale), H: int(float64(box.H) / scale)},
		Crop:    crop, Sent: l.Fit(wire.Size{W: crop.W, H: crop.H}, crop != box),
	}
}

// drawFrame draws a picture of a whole display or of a part of it.
func drawFrame(t *rapid.T) *Frame {
	box, scale := display(t)
	crop := box
	if rapid.Bool().Draw(t, "zoom") {
		crop.W, crop.H = rapid.IntRange(8, box.W).Draw(t, "cw"), rapid.IntRange(8, box.H).Draw(t, "ch")
		crop.X += rapid.IntRange(0, box.W-crop.W).Draw(t, "cx")
		crop.Y += rapid.IntRange(0, box.H-crop.H).Draw(t, "cy")
	}
	l := Limits{Edge: rapid.SampledFrom([]int{0, 768, 1280, 2576}).Draw(t, "edge"), Tiles: rapid.SampledFrom([]int{0, 400, 4096}).Draw(t, "tiles")}
	return frameOf(box, scale, crop, l)
}

func checkPicture(t *rapid.T, f *Frame, x, y int) {
	p := f.Desktop(Spot{X: float64(x), Y: float64(y)})
	if !f.Crop.Contains(p) {
		t.Fatalf("%d,%d of %v leads to %v, outside %v", x, y, f.Sent, p, f.Crop)
	}
	back, ok := f.Picture(p)
	if !ok || off(back, Spot{X: float64(x), Y: float64(y)}) > perPixel(f.Crop, f.Sent) {
		t.Fatalf("%d,%d of a picture %v of %v leads to %v and back to %v", x, y, f.Sent, f.Crop, p, back)
	}
}

// perPixel is the error that is allowed, in pixels of the picture: one pixel of
// the picture or of the desktop, whichever is larger.
func perPixel(crop wire.Box, sent wire.Size) float64 {
	return max(1, float64(sent.W)/float64(crop.W), float64(sent.H)/float64(crop.H))
}

func off(a, b Spot) float64 { return max(math.Abs(a.X-b.X), math.Abs(a.Y-b.Y)) }

// TestTransformThereAndBack: a place in a picture leads to the desktop and back
// with an error of at most a pixel, for every scale, origin, shape and zoom.
func TestTransformThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFrame(t)
		checkPicture(t, f, rapid.IntRange(0, f.Sent.W-1).Draw(t, "px"), rapid.IntRange(0, f.Sent.H-1).Draw(t, "py"))
		for _, c := range [][2]int{{0, 0}, {f.Sent.W - 1, 0}, {0, f.Sent.H - 1}, {f.Sent.W - 1, f.Sent.H - 1}} {
			checkPicture(t, f, c[0], c[1])
		}
	})
}

// TestTransformBackAndThere: the same from the desktop, in pixels of what is
// coarser; in pixels of programs that know of scale it is below one too, as
// long as the picture is no coarser than those.
func TestTransformBackAndThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFrame(t)
		p := wire.Point{X: f.Crop.X + rapid.IntRange(0, f.Crop.W-1).Draw(t, "dx"), Y: f.Crop.Y + rapid.IntRange(0, f.Crop.H-1).Draw(t, "dy")}
		s, ok := f.Picture(p)
		if !ok {
			t.Fatalf("%v is not in %v", p, f.Crop)
		}
		back := f.Desktop(s)
		allowed := max(1, float64(f.Crop.W)/float64(f.Sent.W), float64(f.Crop.H)/float64(f.Sent.H))
		if d := off(Spot{float64(back.X), float64(back.Y)}, Spot{float64(p.X), float64(p.Y)}); d > allowed {
			t.Fatalf("%v by way of %v of %v leads to %v: %g pixels away, %g allowed", p, s, f.Sent, back, d, allowed)
		}
	})
}

// TestPairsOfDisplays: two displays of any two scales, one to the left of and
// above the other: a spot of one's picture never leads onto the other.
func TestPairsOfDisplays(t *testing.T) {
	for _, a := range scales {
		for _, b := range scales {
			left := wire.Box{X: -int(1280 * a), Y: -200, W: int(1280 * a), H: int(720 * a)}
			right := wire.Box{W: int(1920 * b), H: int(1080 * b)}
			for box, scale := range map[wire.Box]float64{left: a, right: b} {
				f := frameOf(box, scale, box, Limits{})
				for _, s := range []Spot{{}, {float64(f.Sent.W - 1), float64(f.Sent.H - 1)}, {float64(f.Sent.W / 2), 0}} {
					p := f.Desktop(s)
					if !box.Contains(p) || left.Contains(p) && right.Contains(p) {
						t.Errorf("scales %g and %g: %v of the picture of %v leads to %v", a, b, s, box, p)
					}
					if back, ok := f.Picture(p); !ok || off(back, s) > 1 {
						t.Errorf("scales %g and %g: %v leads to %v and back to %v", a, b, s, p, back)
					}
				}
			}
		}
	}
}

// TestFit: 16:9 is sent as 1,456×819, and nothing is sent over the limits or
// in another shape.
func TestFit(t *testing.T) {
	for name, tt := range map[string]struct {
		shown   wire.Size
		l       Limits
		enlarge bool
		want    wire.Size
	}{
		"full HD":          {wire.Size{W: 1920, H: 1080}, Limits{}, false, wire.Size{W: 1456, H: 819}},
		"4K":               {wire.Size{W: 3840, H: 2160}, Limits{}, false, wire.Size{W: 1456, H: 819}},
		"portrait":         {wire.Size{W: 1080, H: 1920}, Limits{}, false, wire.Size{W: 819, H: 1456}},
		"small stays":      {wire.Size{W: 800, H: 600}, Limits{}, false, wire.Size{W: 800, H: 600}},
		"a zoom grows":     {wire.Size{W: 200, H: 100}, Limits{}, true, wire.Size{W: 800, H: 400}},
		"a zoom, bounded":  {wire.Size{W: 960, H: 540}, Limits{}, true, wire.Size{W: 1456, H: 819}},
		"a larger model":   {wire.Size{W: 3840, H: 2160}, Limits{Edge: 2576, Tiles: 5000}, false, wire.Size{W: 2576, H: 1449}},
		"nothing":          {wire.Size{}, Limits{}, false, wire.Size{}},
		"a line":           {wire.Size{W: 9000, H: 1}, Limits{}, false, wire.Size{W: 1568, H: 1}},
		"a senseless edge": {wire.Size{W: 1920, H: 1080}, Limits{Edge: 1}, false, wire.Size{W: 64, H: 36}},
	} {
		if got := tt.l.Fit(tt.shown, tt.enlarge); got != tt.want {
			t.Errorf("%s: Fit(%v) = %v, want %v", name, tt.shown, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		f := drawFrame(t)
		if max(f.Sent.W, f.Sent.H) > 2576 {
			t.Fatalf("%v is sent for %v", f.Sent, f.Crop)
		}
		if d := math.Abs(float64(f.Sent.W)*float64(f.Crop.H)/float64(f.Crop.W) - float64(f.Sent.H)); d > 1 && f.Crop.W >= f.Crop.H && f.Sent.H > 1 {
			t.Fatalf("%v is sent for %v: the shape is off by %g", f.Sent, f.Crop, d)
		}
	})
}

// TestSpot: what lies outside the picture is refused, never moved inside.
func TestSpot(t *testing.T) {
	f := frameOf(wire.Box{X: -1920, W: 1920, H: 1080}, 1.5, wire.Box{X: -1920, W: 1920, H: 1080}, Limits{})
	for _, tt := range []struct {
		x, y float64
		c    Coordinates
		want string
	}{
		{0, 0, Pixels, "-1920,0"},
		{1455, 818, "", "-1,1079"},
		{728, 409.7, Pixels, "-960,540"},
		{1456, 0, Pixels, "out_of_bounds"},
		{0, 819, Pixels, "out_of_bounds"},
		{-1, 5, Pixels, "out_of_bounds"},
		{-0.5, 5, Pixels, "out_of_bounds"},
		{math.NaN(), 5, Pixels, "out_of_bounds"},
		{math.Inf(1), 5, Pixels, "out_of_bounds"},
		{1e300, 5, Pixels, "out_of_bounds"},
		{0, 0, Thousandths, "-1920,0"},
		{500, 500, Thousandths, "-960,540"},
		{1000, 1000, Thousandths, "-1,1079"},
		{1001, 0, Thousandths, "out_of_bounds"},
		{-1, 0, Thousandths, "out_of_bounds"},
	} {
		s, err := f.Spot(tt.x, tt.y, tt.c)
		got := fmt.Sprintf("%d,%d", f.Desktop(s).X, f.Desktop(s).Y)
		if err != nil {
			got = "out_of_bounds"
			if !errors.Is(err, OutOfBounds) {
				got = err.Error()
			}
		}
		if got != tt.want {
			t.Errorf("Spot(%g, %g, %q) leads to %s, want %s", tt.x, tt.y, tt.c, got, tt.want)
		}
	}
}

// TestThousandths: what a model of either convention is told of a place leads
// back to it.
func TestThousandths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFrame(t)
		want := Spot{float64(rapid.IntRange(0, f.Sent.W-1).Draw(t, "x")), float64(rapid.IntRange(0, f.Sent.H-1).Draw(t, "y"))}
		for _, c := range []Coordinates{Pixels, Thousandths} {
			x, y := f.Said(want, c)
			got, err := f.Spot(float64(x), float64(y), c)
			allowed := 1.0
			if c == Thousandths {
				allowed = 1 + max(float64(f.Sent.W), float64(f.Sent.H))/(2*thousand)
			}
			if err != nil || off(got, want) > allowed {
				t.Fatalf("%v is told as %d,%d %s and taken as %v, %v", want, x, y, c, got, err)
			}
		}
	})
}

// FuzzSpot: no coordinates panic or lead out of the picture.
func FuzzSpot(f *testing.F) {
	f.Add(0.0, 0.0, true)
	f.Add(-1.0, 1e308, false)
	f.Add(999.9999, 1000.0, true)
	f.Fuzz(func(t *testing.T, x, y float64, thousandths bool) {
		c := Pixels
		if thousandths {
			c = Thousandths
		}
		fr := frameOf(wire.Box{X: -3840, Y: -7, W: 3840, H: 2160}, 2, wire.Box{X: -1000, Y: 100, W: 777, H: 333}, Limits{})
		s, err := fr.Spot(x, y, c)
		if err == nil && !fr.Crop.Contains(fr.Desktop(s)) {
			t.Errorf("Spot(%g, %g, %s) leads to %v", x, y, c, fr.Desktop(s))
		}
	})
}
