package computeruse

import (
	"math"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A Frame is a picture that a model was sent, and what of the desktop it
// showed. It does not change.
type Frame struct {
	ID       string
	Display  string
	Layout   string     // of the displays when it was taken
	Origin   wire.Point // of the display on the desktop
	Physical wire.Size  // of the display
	Logical  wire.Size  // what programs that know of scale call that
	Crop     wire.Box   // what the picture shows, in pixels of the desktop
	Sent     wire.Size  // of the picture
	TakenAt  time.Time  // not later than the picture itself
	Hash     string     // of the pixels as they were on the screen

	Marks map[int]Mark // what the numbers in the picture stand for
}

// A Mark is a numbered thing in a picture.
type Mark struct {
	Snapshot string // of the elements that it is from
	Window   string // id of the window that it is in
	Element  wire.Element
}

// Whole reports whether the picture shows all of its display.
func (f *Frame) Whole() bool {
	return f.Crop == wire.Box{X: f.Origin.X, Y: f.Origin.Y, W: f.Physical.W, H: f.Physical.H}
}

// A Spot is a place in a picture, in its pixels; 0,0 is its upper left corner.
type Spot struct{ X, Y float64 }

// Spot is the place that a model named in its own way. The error is
// [OutOfBounds] or, for what is no number, [capability.BadInput].
func (f *Frame) Spot(x, y float64, c Coordinates) (Spot, error) {
	if math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return Spot{}, OutOfBounds.Becausef("a coordinate is no number")
	}
	top := Spot{X: float64(f.Sent.W), Y: float64(f.Sent.H)}
	unit := "pixels"
	s := Spot{X: x, Y: y}
	if c == Thousandths {
		s, unit = Spot{X: x * top.X / thousand, Y: y * top.Y / thousand}, "thousandths"
		// the far edge is a place too: 1,000 of 1,000
		if x == thousand {
			s.X = top.X - 1
		}
		if y == thousand {
			s.Y = top.Y - 1
		}
		top = Spot{X: thousand, Y: thousand}
	}
	if s.X < 0 || s.Y < 0 || s.X >= float64(f.Sent.W) || s.Y >= float64(f.Sent.H) {
		return Spot{}, OutOfBounds.Becausef("the point %g,%g lies outside the picture %s, which has %g×%g %s", x, y, f.ID, top.X, top.Y, unit)
	}
	return s, nil
}

const thousand = 1000

// Desktop is the pixel of the desktop that lies under the middle of a spot's
// pixel. With [Frame.Picture] it uses the one transform there is, that of
// package wire: the helper draws by it too.
func (f *Frame) Desktop(s Spot) wire.Point {
	return f.Crop.Point(wire.Point{X: int(math.Floor(s.X)), Y: int(math.Floor(s.Y))}, f.Sent)
}

// Picture is the pixel of the picture that shows a pixel of the desktop, and
// whether it shows it at all.
func (f *Frame) Picture(p wire.Point) (Spot, bool) {
	if !f.Crop.Contains(p) {
		return Spot{}, false
	}
	px := f.Crop.Pixel(p, f.Sent)
	return Spot{X: float64(px.X), Y: float64(px.Y)}, true
}

// Said is a pixel of the picture in the model's own way of naming places.
func (f *Frame) Said(s Spot, c Coordinates) (x, y int) {
	if c == Thousandths {
		return int(math.Round(s.X * thousand / float64(f.Sent.W))), int(math.Round(s.Y * thousand / float64(f.Sent.H)))
	}
	return int(s.X), int(s.Y)
}

// middle is the point in the middle of a box.
func middle(b wire.Box) wire.Point { return wire.Point{X: b.X + b.W/2, Y: b.Y + b.H/2} }

// meet is what two boxes have in common; of no size when they have nothing.
func meet(a, b wire.Box) wire.Box {
	x, y := max(a.X, b.X), max(a.Y, b.Y)
	w, h := min(a.X+a.W, b.X+b.W)-x, min(a.Y+a.H, b.Y+b.H)-y
	return wire.Box{X: x, Y: y, W: max(w, 0), H: max(h, 0)}
}
