package x11

import (
	"math"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A hand follows where a person's motions alone would have brought the
// pointer: while the agent drags, the pointer itself is the agent's again a
// moment later.
type hand struct {
	last   time.Time
	x, y   float64
	corner corner
	seen   corner // the same by where the pointer really is
}

// A spot is where the pointer is, and on what displays.
type spot struct {
	at       wire.Point
	displays []wire.Display
}

// handRests is how long after a motion the next one begins where the pointer is.
const handRests = 300 * time.Millisecond

// moves takes a motion and reports whether it threw the pointer into a corner.
func (h *hand) moves(e rawEvent, d device, where spot) bool {
	now := e.when
	all := bounds(where.displays)
	if now.Sub(h.last) > handRests {
		h.x, h.y = float64(where.at.X), float64(where.at.Y)
	}
	h.last = now
	h.x = d.axes[0].follow(h.x, e.values[0], e.has[0], span{all.X, all.W})
	h.y = d.axes[1].follow(h.y, e.values[1], e.has[1], span{all.Y, all.H})
	thrown := h.corner.at(now, wire.Point{X: int(math.Round(h.x)), Y: int(math.Round(h.y))}, where.displays)
	return h.seen.at(now, where.at, where.displays) || thrown
}

// A span is what an axis covers of the desktop.
type span struct{ from, size int }

// follow is the next place on an axis, within the desktop.
func (a axis) follow(at, value float64, has bool, s span) float64 {
	switch {
	case !has:
	case !a.absolute:
		at += value
	case a.max > a.min:
		at = float64(s.from) + (value-a.min)/(a.max-a.min)*float64(s.size-1)
	default:
		at = value
	}
	return min(max(at, float64(s.from)), float64(s.from+s.size-1))
}

// bounds is the box around all displays.
func bounds(displays []wire.Display) (b wire.Box) {
	for i, d := range displays {
		if i == 0 {
			b = d.Box
			continue
		}
		right, bottom := max(b.X+b.W, d.Box.X+d.Box.W), max(b.Y+b.H, d.Box.Y+d.Box.H)
		b.X, b.Y = min(b.X, d.Box.X), min(b.Y, d.Box.Y)
		b.W, b.H = right-b.X, bottom-b.Y
	}
	return b
}
