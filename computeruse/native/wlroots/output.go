//go:build linux

package wlroots

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strconv"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// An output is a display as the compositor tells of it.
type output struct {
	id         uint32
	name       string
	w, h       int32 // pixels, as it is driven
	transform  int32 // as in wl_output: quarter turns, from 4 on mirrored
	x, y       int32 // where it is, in units of the compositor
	lw, lh     int32 // its size there, turned as it is seen
	positioned bool
}

func (o *output) known() bool { return o.positioned && o.lw > 0 && o.lh > 0 && o.w > 0 && o.h > 0 }

// seen is its size in pixels, as a person sees it.
func (o *output) seen() (w, h int) {
	if o.transform%2 == 1 {
		return int(o.h), int(o.w)
	}
	return int(o.w), int(o.h)
}

// scale is pixels for each unit. It is told by the sizes: the number that
// wl_output tells is rounded up.
func (o *output) scale() float64 {
	w, _ := o.seen()
	return float64(w) / float64(o.lw)
}

// addOutput binds one, of which events then tell.
func (d *Desk) addOutput(registry uint32, g global) {
	o := &output{}
	change := func(f func()) {
		d.mu.Lock()
		defer d.mu.Unlock()
		f()
	}
	o.id = d.c.add(func(op uint16, m *message) {
		switch op {
		case 0: // geometry
			for range 5 {
				m.int()
			}
			m.text()
			m.text()
			change(func() { o.transform = m.int() })
		case 1: // mode
			const current = 1
			if m.uint()&current != 0 {
				change(func() { o.w, o.h = m.int(), m.int() })
			}
		}
	})
	d.c.send(registry, 0, g.name, "wl_output", min(g.version, 2), o.id)
	change(func() { d.outputs[g.name] = o })
}

// place asks where an output is; d.mu is not held while events come, and o is
// not read by others before it is known.
func (d *Desk) place(o *output, manager uint32) {
	id := d.c.add(func(op uint16, m *message) {
		d.mu.Lock()
		defer d.mu.Unlock()
		switch op {
		case 0:
			o.x, o.y, o.positioned = m.int(), m.int(), true
		case 1:
			o.lw, o.lh = m.int(), m.int()
		case 3:
			o.name = m.text()
		}
	})
	d.c.send(manager, 1, id, o.id) // get_xdg_output
}

// boxes are where the outputs are in pixels. Where all have one scale that is
// their place times the scale; else they would overlap or gape, and so stand
// side by side.
func boxes(list []output) []wire.Box {
	out := make([]wire.Box, len(list))
	same := true
	for _, o := range list {
		same = same && math.Abs(o.scale()-list[0].scale()) < 0.001
	}
	x := 0
	for i, o := range list {
		w, h := o.seen()
		at := func(v int32) int { return int(math.Round(float64(v) * o.scale())) }
		if same {
			x = at(o.x)
		}
		out[i] = wire.Box{X: x, Y: at(o.y), W: w, H: h}
		x += w
	}
	return out
}

// Displays lists the outputs, from left to right.
func (d *Desk) Displays(context.Context) (wire.DisplaysResult, error) {
	list := d.sorted()
	if len(list) == 0 {
		return wire.DisplaysResult{}, noDisplay
	}
	hash := fnv.New64a()
	var res wire.DisplaysResult
	for i, b := range boxes(list) {
		o := &list[i]
		dis := wire.Display{
			ID: strconv.Itoa(i + 1), Name: o.name, Primary: i == 0, Box: b, Scale: o.scale(),
			Logical: wire.Size{W: int(o.lw), H: int(o.lh)}, Rotation: int(o.transform%4) * 90,
		}
		_, _ = fmt.Fprintf(hash, "%+v", dis)
		res.Displays = append(res.Displays, dis)
	}
	res.Layout = strconv.FormatUint(hash.Sum64(), 16)
	return res, nil
}

var noDisplay = &wire.Error{Code: wire.NoDisplay, Message: "The compositor has no display.", Fix: "Switch a display on."}

// find returns the output under a pixel, and the place there in its units.
func find(list []output, p wire.Point) (o output, x, y float64, ok bool) {
	for i, b := range boxes(list) {
		if p.X < b.X || p.Y < b.Y || p.X >= b.X+b.W || p.Y >= b.Y+b.H {
			continue
		}
		o = list[i]
		return o, (float64(p.X-b.X) + 0.5) / o.scale(), (float64(p.Y-b.Y) + 0.5) / o.scale(), true
	}
	return output{}, 0, 0, false
}
