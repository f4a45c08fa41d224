package atspi

import (
	"math"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A lens takes the boxes that a program tells to pixels of the desktop.
//
// GTK and others tell them in their own units where the display is scaled: half
// the pixels at 200 %. Programs that do not know where their window is, as those
// made with GTK 4, call its corner 0,0. Both show in the window itself, whose
// true box the desktop knows.
type lens struct {
	scale  float64
	dx, dy int // added after scaling
	// lost says that nobody knows where the window is, so that no box means
	// anything.
	lost bool
}

// scales are those that programs can be set to.
var scales = [...]float64{1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 3, 4}

// slack is how far the edges of a window may lie apart in the two views, in
// pixels: window managers draw frames and shadows that one of them counts.
const slack = 72

// fit returns the scale by which the box a program tells of its window becomes
// the true one, and whether the two are then the same place but for slack.
func fit(told, onDesk wire.Box) (scale float64, same bool) {
	scale, least := 1, math.Inf(1)
	for _, s := range scales {
		off := math.Abs(float64(told.W)*s-float64(onDesk.W)) + math.Abs(float64(told.H)*s-float64(onDesk.H))
		if off < least {
			scale, least = s, off
		}
	}
	if told.W <= 0 || told.H <= 0 {
		return 1, false
	}
	near := func(a, b int) bool { return math.Abs(float64(a)*scale-float64(b)) <= slack }
	size := near(told.W, onDesk.W) && near(told.H, onDesk.H)
	return scale, size && (told.X == 0 && told.Y == 0 || near(told.X, onDesk.X) && near(told.Y, onDesk.Y))
}

// lensFor returns the lens for a window. Where its two boxes cannot be brought
// together, the program's own numbers stand.
func lensFor(told, onDesk wire.Box) lens {
	if onDesk == (wire.Box{}) {
		return lens{scale: 1, lost: true}
	}
	scale, same := fit(told, onDesk)
	if !same {
		return lens{scale: 1}
	}
	l := lens{scale: scale}
	near := func(a, b int) bool { return math.Abs(float64(a)*scale-float64(b)) <= slack }
	if told.X == 0 && told.Y == 0 && !(near(0, onDesk.X) && near(0, onDesk.Y)) {
		l.dx, l.dy = onDesk.X, onDesk.Y
	}
	return l
}

// sentinel is where Windows and some toolkits put what is minimised; GTK puts
// what is not drawn at the least number there is.
const sentinel = -32000

// box returns a told box in pixels of the desktop, or nil where it is no place
// on any screen.
func (l lens) box(told wire.Box) *wire.Box {
	if l.lost || told.W <= 0 || told.H <= 0 || told.X <= sentinel || told.Y <= sentinel ||
		told.X > far || told.Y > far || told.W > far || told.H > far {
		return nil
	}
	at := func(v, d int) int { return int(math.Round(float64(v)*l.scale)) + d }
	x, y := at(told.X, l.dx), at(told.Y, l.dy)
	return &wire.Box{X: x, Y: y, W: at(told.X+told.W, l.dx) - x, H: at(told.Y+told.H, l.dy) - y}
}

const far = 1 << 20 // pixels: no desktop is that wide

// meet returns what two boxes share, or nil.
func meet(a, b wire.Box) *wire.Box {
	x, y := max(a.X, b.X), max(a.Y, b.Y)
	w, h := min(a.X+a.W, b.X+b.W)-x, min(a.Y+a.H, b.Y+b.H)-y
	if w <= 0 || h <= 0 {
		return nil
	}
	return &wire.Box{X: x, Y: y, W: w, H: h}
}

func inside(b wire.Box, p wire.Point) bool {
	return p.X >= b.X && p.Y >= b.Y && p.X < b.X+b.W && p.Y < b.Y+b.H
}
