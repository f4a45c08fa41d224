package computeruse

import (
	"fmt"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A Model says how a model takes pictures and how it points into them.
type Model struct {
	Limits      Limits
	Coordinates Coordinates
}

// Limits bound a picture so that no provider scales it down itself: what it
// would do to the coordinates is not known. A zero field means its default.
type Limits struct {
	Edge  int // pixels of the longer side; 1,568
	Tiles int // squares that the picture is cut into; 1,568
	Tile  int // pixels of a side of such a square; 28
}

// Coordinates are how a model names a place in a picture.
type Coordinates string

// The ways to name a place. The empty one is Pixels.
const (
	Pixels      Coordinates = "pixels"      // of the picture as it was sent
	Thousandths Coordinates = "thousandths" // of its width and height, 0 to 1,000
)

// The least that a limit is taken for: a picture below tells a model nothing.
const minEdge = 64

func (l Limits) withDefaults() Limits {
	if l.Edge <= 0 {
		l.Edge = 1568
	}
	if l.Tiles <= 0 {
		l.Tiles = 1568
	}
	if l.Tile <= 0 {
		l.Tile = 28
	}
	l.Edge = max(l.Edge, minEdge)
	return l
}

// maxEnlarge bounds how much larger than life a part of the screen is shown:
// beyond it there is nothing more to see.
const maxEnlarge = 4

// Fit is the size in which a part of the screen is sent: the largest with the
// same aspect within the limits. Enlarge lets it have more pixels than the
// screen shows there, as for a zoom.
func (l Limits) Fit(shown wire.Size, enlarge bool) wire.Size {
	l = l.withDefaults()
	if shown.W <= 0 || shown.H <= 0 {
		return wire.Size{}
	}
	top := max(shown.W, shown.H)
	if enlarge {
		top *= maxEnlarge
	}
	for edge := min(top, l.Edge); edge > 1; edge-- {
		if s := withEdge(shown, edge); l.holds(s) {
			return s
		}
	}
	return wire.Size{W: 1, H: 1}
}

// withEdge is a size with the same aspect whose longer side has edge pixels.
func withEdge(s wire.Size, edge int) wire.Size {
	if s.W >= s.H {
		return wire.Size{W: edge, H: max(1, divide(edge*s.H, s.W))}
	}
	return wire.Size{W: max(1, divide(edge*s.W, s.H)), H: edge}
}

// divide rounds to the nearest.
func divide(a, b int) int { return (2*a + b) / (2 * b) }

// holds reports whether a picture of that size is within the limits.
func (l Limits) holds(s wire.Size) bool {
	up := func(n int) int { return (n + l.Tile - 1) / l.Tile }
	return max(s.W, s.H) <= l.Edge && up(s.W)*up(s.H) <= l.Tiles
}

// ParseCoordinates reads the name of a way to point; empty is Pixels.
func ParseCoordinates(name string) (Coordinates, error) {
	switch c := Coordinates(name); c {
	case "":
		return Pixels, nil
	case Pixels, Thousandths:
		return c, nil
	}
	return "", fmt.Errorf("computeruse: there is no way to name a place called %q; there are %s and %s", name, Pixels, Thousandths)
}
