//go:build linux

package wlroots

import (
	"context"
	"errors"
	"fmt"
	"image"

	"golang.org/x/sys/unix"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A frame is a picture that the compositor takes for us.
type frame struct {
	format, w, h, stride uint32
	flags                uint32
	offered, ready       chan struct{}
	failed               bool
}

// The formats that compositors offer for shared memory, by their numbers in
// wl_shm: blue, green, red from the lowest byte on, or the other way round.
const (
	argb8888 = 0
	xrgb8888 = 1
	xbgr8888 = 0x34324258
	abgr8888 = 0x34324241
)

const yInvert = 1 // of a frame: the lowest line is first

// Grab copies the pixels of a box that lies on one output.
func (d *Desk) Grab(ctx context.Context, box wire.Box) (*image.RGBA, error) {
	list := d.sorted()
	for i, b := range boxes(list) {
		if box.X < b.X || box.Y < b.Y || box.X+box.W > b.X+b.W || box.Y+box.H > b.Y+b.H || box.W <= 0 || box.H <= 0 {
			continue
		}
		all, err := d.shoot(ctx, &list[i])
		if err != nil {
			return nil, &wire.Error{Code: wire.Failed, Message: "taking a picture of the display: " + err.Error()}
		}
		if got := all.Bounds().Size(); got != image.Pt(b.W, b.H) {
			return nil, &wire.Error{Code: wire.DisplayReplaced, Message: fmt.Sprintf("the picture is %v, the display was %d×%d", got, b.W, b.H)}
		}
		out := image.NewRGBA(image.Rect(0, 0, box.W, box.H))
		for y := range box.H {
			copy(out.Pix[y*out.Stride:(y+1)*out.Stride], all.Pix[all.PixOffset(box.X-b.X, box.Y-b.Y+y):])
		}
		return out, nil
	}
	return nil, &wire.Error{Code: wire.OutOfBounds, Message: fmt.Sprintf("the box %+v is not within one display", box), Fix: "Ask for the displays again."}
}

// shoot takes a picture of an output, turned as a person sees it.
func (d *Desk) shoot(ctx context.Context, o *output) (*image.RGBA, error) {
	d.taking.Lock()
	defer d.taking.Unlock()
	f := &frame{offered: make(chan struct{}), ready: make(chan struct{})}
	id := d.c.add(f.event(d.copier.version))
	defer d.c.send(id, 1) // destroy
	d.c.send(d.copier.name, 0, id, int32(0), o.id)
	if err := d.c.wait(ctx, f.offered); err != nil {
		return nil, err
	}
	if f.failed {
		return nil, errors.New("the compositor does not let this display be seen")
	}
	data, buffer, free, err := d.memory(f)
	if err != nil {
		return nil, err
	}
	defer free()
	d.c.send(id, 0, buffer) // copy
	if err := d.c.wait(ctx, f.ready); err != nil {
		return nil, err
	}
	if f.failed {
		return nil, errors.New("the compositor could not copy this display")
	}
	return turn(f.image(data), o.transform)
}

// event takes what is told of a frame. Before version 3 the first buffer that
// is offered is the only one.
func (f *frame) event(version uint32) func(op uint16, m *message) {
	offered, ready := false, false
	tell := func(ch chan struct{}, told *bool) {
		if !*told {
			*told = true
			close(ch)
		}
	}
	return func(op uint16, m *message) {
		switch op {
		case 0:
			f.format, f.w, f.h, f.stride = m.uint(), m.uint(), m.uint(), m.uint()
			if version < 3 { // of the protocol
				tell(f.offered, &offered)
			}
		case 1:
			f.flags = m.uint()
		case 6: // buffer_done
			tell(f.offered, &offered)
		case 2:
			tell(f.ready, &ready)
		case 3:
			f.failed = true
			tell(f.offered, &offered)
			tell(f.ready, &ready)
		}
	}
}

const maxPixels = 200_000_000

// memory shares a buffer for a frame with the compositor.
func (d *Desk) memory(f *frame) (data []byte, buffer uint32, free func(), err error) {
	switch f.format {
	case argb8888, xrgb8888, xbgr8888, abgr8888:
	default:
		return nil, 0, nil, fmt.Errorf("the compositor offers pictures of the format %#x, which is not known here", f.format)
	}
	if f.w == 0 || f.h == 0 || uint64(f.w)*uint64(f.h) > maxPixels || uint64(f.stride) < 4*uint64(f.w) || uint64(f.stride) > 8*uint64(f.w)+4096 {
		return nil, 0, nil, fmt.Errorf("the compositor offers a picture of %d×%d in lines of %d bytes", f.w, f.h, f.stride)
	}
	size := int(f.stride) * int(f.h)
	fd, err := unix.MemfdCreate("hobkin-picture", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, 0, nil, err
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		return nil, 0, nil, err
	}
	data, err = unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, 0, nil, err
	}
	pool, buffer := d.c.add(nil), uint32(0)
	d.c.send(d.shm, 0, pool, file(fd), int32(size)) //nolint:gosec // bounded above
	buffer = d.c.add(nil)
	d.c.send(pool, 0, buffer, int32(0), int32(f.w), int32(f.h), int32(f.stride), f.format) //nolint:gosec // bounded above
	d.c.send(pool, 1)
	return data, buffer, func() { d.c.send(buffer, 0); _ = unix.Munmap(data) }, nil
}

// image makes a picture of the bytes, in our order of colours.
func (f *frame) image(data []byte) *image.RGBA {
	w, h := int(f.w), int(f.h)
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	swap := f.format == argb8888 || f.format == xrgb8888
	for y := range h {
		from := y
		if f.flags&yInvert != 0 {
			from = h - 1 - y
		}
		src, dst := data[from*int(f.stride):][:4*w], img.Pix[y*img.Stride:][:4*w]
		copy(dst, src)
		for i := 0; i < len(dst); i += 4 {
			if swap {
				dst[i], dst[i+2] = dst[i+2], dst[i]
			}
			dst[i+3] = 0xff
		}
	}
	return img
}

// turn turns a picture as its output is turned.
func turn(img *image.RGBA, transform int32) (*image.RGBA, error) {
	if transform == 0 {
		return img, nil
	}
	if transform < 0 || transform > 3 {
		return nil, errors.New("the display is mirrored, which is not supported")
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	size := image.Rect(0, 0, w, h)
	if transform != 2 { // half a turn
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewRGBA(size)
	for y := range h {
		for x := range w {
			var to int
			switch transform {
			case 1:
				to = out.PixOffset(h-1-y, x)
			case 2: // half a turn
				to = out.PixOffset(w-1-x, h-1-y)
			default:
				to = out.PixOffset(y, w-1-x)
			}
			copy(out.Pix[to:to+4], img.Pix[img.PixOffset(x, y):])
		}
	}
	return out, nil
}
