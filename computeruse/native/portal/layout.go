//go:build linux

package portal

import (
	"context"
	"fmt"
	"hash/fnv"
	"image"
	"strconv"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A layout brings the displays of a session and the picture of them together.
type layout struct {
	streams []stream
	origin  [2]int32 // of the upper left display, in units of the desktop
	scale   float64  // pixels of the picture for each unit
}

// fresh is how old a picture may be whose size tells the scale.
const fresh = 5 * time.Second

// size is that of the picture of all displays; one is taken if none is fresh.
func (d *Desk) size(ctx context.Context) (image.Point, error) {
	d.shots.mu.Lock()
	size, at := d.shots.size, d.shots.at
	d.shots.mu.Unlock()
	if time.Since(at) < fresh {
		return size, nil
	}
	img, err := d.shoot(ctx)
	if err != nil {
		return image.Point{}, err
	}
	return img.Bounds().Size(), nil
}

func (d *Desk) layout(ctx context.Context, c *control) (layout, error) {
	size, err := d.size(ctx)
	if err != nil {
		return layout{}, err
	}
	return arrange(c.streams, size)
}

// arrange works out the scale. It refuses where the displays that are shared are
// not those in the picture: a click would land elsewhere.
func arrange(streams []stream, size image.Point) (layout, error) {
	if len(streams) == 0 {
		return layout{}, &wire.Error{Code: wire.Denied, Message: "No display is shared with Hobkin.", Fix: "Share all displays in the dialog of the desktop."}
	}
	var area image.Rectangle
	for _, s := range streams {
		if !s.placed && len(streams) > 1 {
			return layout{}, &wire.Error{Code: wire.Unsupported, Message: "The desktop does not tell where its displays are.", Fix: "Share one display, or use a session with X11."}
		}
		area = area.Union(s.rect())
	}
	l := layout{streams: streams, origin: [2]int32{int32(area.Min.X), int32(area.Min.Y)}, scale: float64(size.X) / float64(area.Dx())} //nolint:gosec // from int32
	if other := float64(size.Y) / float64(area.Dy()); l.scale < 0.5 || l.scale > 8 || other/l.scale < 0.99 || other/l.scale > 1.01 {
		return layout{}, &wire.Error{
			Code: wire.Unsupported, Message: fmt.Sprintf("The picture of the screen is %d×%d, but the displays that you share are %d×%d: a click would land elsewhere.", size.X, size.Y, area.Dx(), area.Dy()),
			Fix: "Share all displays in the dialog of the desktop.",
		}
	}
	return l, nil
}

func (s stream) rect() image.Rectangle {
	x, y := int(s.position[0]), int(s.position[1])
	return image.Rect(x, y, x+int(s.size[0]), y+int(s.size[1]))
}

// box is where a display is in the picture.
func (l layout) box(s stream) wire.Box {
	at := func(v int) int { return int(float64(v)*l.scale + 0.5) }
	r := s.rect().Sub(image.Pt(int(l.origin[0]), int(l.origin[1])))
	return wire.Box{X: at(r.Min.X), Y: at(r.Min.Y), W: at(r.Max.X) - at(r.Min.X), H: at(r.Max.Y) - at(r.Min.Y)}
}

// find returns the display under a pixel, and the place of its middle there.
func (l layout) find(p wire.Point) (id uint32, x, y float64, ok bool) {
	for _, s := range l.streams {
		b := l.box(s)
		if p.X < b.X || p.Y < b.Y || p.X >= b.X+b.W || p.Y >= b.Y+b.H {
			continue
		}
		within := func(v, from int, size int32) float64 {
			return min((float64(v-from)+0.5)/l.scale, float64(size)-0.01)
		}
		return s.id, within(p.X, b.X, s.size[0]), within(p.Y, b.Y, s.size[1]), true
	}
	return 0, 0, 0, false
}

// Displays returns the displays of the session. Before there is one, the whole
// picture is told as one display, so that looking needs no control.
func (d *Desk) Displays(ctx context.Context) (wire.DisplaysResult, error) {
	size, err := d.size(ctx)
	if err != nil {
		return wire.DisplaysResult{}, err
	}
	l := layout{scale: 1, streams: []stream{{size: [2]int32{int32(size.X), int32(size.Y)}}}} //nolint:gosec // of a picture
	if c := d.opened(); c != nil {
		if l, err = arrange(c.streams, size); err != nil {
			return wire.DisplaysResult{}, err
		}
	}
	hash := fnv.New64a()
	var res wire.DisplaysResult
	for i, s := range l.streams {
		dis := wire.Display{
			ID: strconv.Itoa(i + 1), Name: fmt.Sprintf("display %d", i+1), Primary: i == 0, Box: l.box(s), Scale: l.scale,
			Logical: wire.Size{W: int(s.size[0]), H: int(s.size[1])},
		}
		_, _ = fmt.Fprintf(hash, "%+v", dis)
		res.Displays = append(res.Displays, dis)
	}
	res.Layout = strconv.FormatUint(hash.Sum64(), 16)
	return res, nil
}

// opened returns the session if there is one that has not ended.
func (d *Desk) opened() *control {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opening == nil {
		return nil
	}
	select {
	case <-d.opening.done:
		return d.opening.control
	default:
		return nil
	}
}

// Probe takes a picture and opens a session, which asks the person at most once.
func (d *Desk) Probe(ctx context.Context) error {
	c, err := d.session(ctx)
	if err != nil {
		return err
	}
	_, err = d.layout(ctx, c)
	return err
}
