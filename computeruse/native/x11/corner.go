package x11

import (
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A corner knows how a person moved the pointer a moment ago, to tell whether
// they threw it into a corner: the oldest way to stop a machine.
type corner struct {
	way  []place
	done bool // told, until the pointer leaves the corner
}

type place struct {
	when time.Time
	at   wire.Point
}

// What counts as a throw: into a corner, from so far away, within so long.
const (
	cornerSize = 3   // pixels
	throwFar   = 150 // pixels
	throwTime  = 600 * time.Millisecond
)

// at takes the next place of the pointer and reports whether it was thrown.
func (c *corner) at(now time.Time, p wire.Point, displays []wire.Display) bool {
	for len(c.way) > 0 && now.Sub(c.way[0].when) > throwTime {
		c.way = c.way[1:]
	}
	c.way = append(c.way, place{now, p})
	if !inCorner(p, displays) {
		c.done = false
		return false
	}
	if c.done {
		return false
	}
	for _, w := range c.way {
		if max(w.at.X-p.X, p.X-w.at.X, w.at.Y-p.Y, p.Y-w.at.Y) >= throwFar {
			c.done = true
			return true
		}
	}
	return false
}

// inCorner reports whether p is in a corner of a display that is one of the
// whole desktop: the pointer can go no further either way.
func inCorner(p wire.Point, displays []wire.Display) bool {
	for _, d := range displays {
		if !d.Box.Contains(p) {
			continue
		}
		left, right := p.X-d.Box.X < cornerSize, d.Box.X+d.Box.W-1-p.X < cornerSize
		top, bottom := p.Y-d.Box.Y < cornerSize, d.Box.Y+d.Box.H-1-p.Y < cornerSize
		if !(left || right) || !(top || bottom) {
			return false
		}
		x, y := d.Box.X-1, d.Box.Y-1
		if right {
			x = d.Box.X + d.Box.W
		}
		if bottom {
			y = d.Box.Y + d.Box.H
		}
		return !onAny(wire.Point{X: x, Y: p.Y}, displays) && !onAny(wire.Point{X: p.X, Y: y}, displays)
	}
	return false
}

func onAny(p wire.Point, displays []wire.Display) bool {
	for _, d := range displays {
		if d.Box.Contains(p) {
			return true
		}
	}
	return false
}
