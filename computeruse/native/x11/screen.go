package x11

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"image"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A Screen takes pictures of an X display.
type Screen struct {
	c        *conn
	monitors bool // RandR 1.5 can list them
	mu       sync.Mutex
	seg      segment
}

// The names of extensions.
const (
	extRandR = "RANDR"
	extShm   = "MIT-SHM"
)

func newScreen(ctx context.Context, display string) (*Screen, error) {
	c, err := dial(ctx, display, nil)
	if err != nil {
		return nil, err
	}
	s := &Screen{c: c}
	if c.screen.RootDepth != 24 && c.screen.RootDepth != 32 && c.screen.RootDepth != 30 || c.setup.ImageByteOrder != xproto.ImageOrderLSBFirst {
		c.close()
		return nil, &wire.Error{
			Code: wire.Unsupported, Message: fmt.Sprintf("pictures of a screen with %d bits a pixel cannot be read", c.screen.RootDepth),
			Fix: "set the screen to 24 bits",
		}
	}
	if c.extension(extRandR) == nil {
		v, err := randr.QueryVersion(c.Conn, 1, 5).Reply()
		s.monitors = err == nil && (v.MajorVersion > 1 || v.MinorVersion >= 5)
	}
	if c.setup.PixmapFormats != nil && c.extension(extShm) == nil {
		_, err := shm.QueryVersion(c.Conn).Reply()
		s.seg.usable = err == nil
	}
	return s, nil
}

func (s *Screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seg.free(s.c)
	s.c.close()
}

// Displays lists the monitors, the whole screen where the server names none.
func (s *Screen) Displays(context.Context) (wire.DisplaysResult, error) {
	list, err := s.list()
	if err != nil {
		return wire.DisplaysResult{}, s.c.check(err)
	}
	scale := s.scale()
	hash := fnv.New64a()
	for i := range list {
		d := &list[i]
		d.ID, d.Scale = strconv.Itoa(i+1), scale
		d.Logical = wire.Size{W: int(float64(d.Box.W)/scale + 0.5), H: int(float64(d.Box.H)/scale + 0.5)}
		_, _ = fmt.Fprintf(hash, "%s %v %v %v %d;", d.Name, d.Primary, d.Box, d.Scale, d.Rotation)
	}
	return wire.DisplaysResult{Layout: strconv.FormatUint(hash.Sum64(), 16), Displays: list}, nil
}

func (s *Screen) list() (list []wire.Display, err error) {
	if s.monitors {
		r, err := randr.GetMonitors(s.c.Conn, s.c.root, true).Reply()
		if err != nil {
			return nil, err
		}
		for _, m := range r.Monitors {
			if m.Width == 0 || m.Height == 0 {
				continue
			}
			list = append(list, wire.Display{
				Name: s.c.atoms.name(m.Name), Primary: m.Primary, Rotation: s.rotation(m),
				Box: wire.Box{X: int(m.X), Y: int(m.Y), W: int(m.Width), H: int(m.Height)},
			})
		}
	}
	if len(list) == 0 {
		g, err := xproto.GetGeometry(s.c.Conn, xproto.Drawable(s.c.root)).Reply()
		if err != nil {
			return nil, err
		}
		list = []wire.Display{{Name: "screen", Primary: true, Box: wire.Box{W: int(g.Width), H: int(g.Height)}}}
	}
	if !slices.ContainsFunc(list, func(d wire.Display) bool { return d.Primary }) {
		list[0].Primary = true
	}
	return list, nil
}

// rotation is that of a monitor in degrees; 0 where it is not known.
func (s *Screen) rotation(m randr.MonitorInfo) int {
	if len(m.Outputs) == 0 {
		return 0
	}
	o, err := randr.GetOutputInfo(s.c.Conn, m.Outputs[0], 0).Reply()
	if err != nil || o.Crtc == 0 {
		return 0
	}
	c, err := randr.GetCrtcInfo(s.c.Conn, o.Crtc, 0).Reply()
	if err != nil {
		return 0
	}
	return map[uint16]int{randr.RotationRotate90: 90, randr.RotationRotate180: 180, randr.RotationRotate270: 270}[c.Rotation&0xf]
}

// scale is what programs multiply their sizes by: the resolution that the
// desktop tells them, beside the 96 dots to the inch of old.
func (s *Screen) scale() float64 {
	const usual = 96.0
	raw, err := s.c.property(s.c.root, xproto.AtomResourceManager)
	if err != nil {
		return 1
	}
	for line := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) != "Xft.dpi" {
			continue
		}
		if dpi, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && dpi >= 48 && dpi <= 960 {
			return dpi / usual
		}
	}
	return 1
}

// Grab copies the pixels of a box of the desktop.
func (s *Screen) Grab(_ context.Context, box wire.Box) (*image.RGBA, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := image.NewRGBA(image.Rect(0, 0, box.W, box.H))
	raw, err := s.pixels(box)
	if err != nil {
		return nil, s.c.check(fmt.Errorf("taking a picture of %d×%d at %d,%d: %w", box.W, box.H, box.X, box.Y, err))
	}
	if len(raw) < len(out.Pix) {
		return nil, fmt.Errorf("the picture of %d×%d came with %d bytes", box.W, box.H, len(raw))
	}
	if s.c.screen.RootDepth == 30 {
		deep(out.Pix, raw)
	} else {
		swap(out.Pix, raw)
	}
	return out, nil
}

// pixels are those of the box as the server has them, good until the next call.
func (s *Screen) pixels(box wire.Box) ([]byte, error) {
	d, x, y := xproto.Drawable(s.c.root), int16(box.X), int16(box.Y)
	w, h := uint16(box.W), uint16(box.H)
	const allPlanes = 1<<32 - 1
	if s.seg.ready(s.c, 4*box.W*box.H) {
		_, err := shm.GetImage(s.c.Conn, d, x, y, w, h, allPlanes, xproto.ImageFormatZPixmap, s.seg.id, 0).Reply()
		return s.seg.data, err
	}
	r, err := xproto.GetImage(s.c.Conn, xproto.ImageFormatZPixmap, d, x, y, w, h, allPlanes).Reply()
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}

// swap turns blue, green, red into red, green, blue, opaque.
func swap(dst, src []byte) {
	for i := 0; i+8 <= len(dst); i += 8 { // two pixels at once
		v := binary.LittleEndian.Uint64(src[i:])
		v = v&0x0000ff000000ff00 | v>>16&0x000000ff000000ff | v&0x000000ff000000ff<<16 | 0xff000000ff000000
		binary.LittleEndian.PutUint64(dst[i:], v)
	}
	if len(dst)%8 != 0 {
		i := len(dst) - 4
		dst[i], dst[i+1], dst[i+2], dst[i+3] = src[i+2], src[i+1], src[i], 0xff
	}
}

// deep turns 10 bits of each colour into 8.
func deep(dst, src []byte) {
	for i := 0; i+4 <= len(dst); i += 4 {
		v := binary.LittleEndian.Uint32(src[i:])
		dst[i], dst[i+1], dst[i+2], dst[i+3] = byte(v>>22), byte(v>>12), byte(v>>2), 0xff
	}
}

// property reads all of a property of a window; empty where it has none.
func (c *conn) property(w xproto.Window, name xproto.Atom) ([]byte, error) {
	const most = 1 << 20 // in units of four bytes
	r, err := xproto.GetProperty(c.Conn, false, w, name, xproto.GetPropertyTypeAny, 0, most).Reply()
	if err != nil {
		return nil, err
	}
	return r.Value, nil
}

// numbers are a property of 32-bit numbers.
func (c *conn) numbers(w xproto.Window, name string) []uint32 {
	raw, err := c.property(w, c.atoms.of(name))
	if err != nil {
		return nil
	}
	list := make([]uint32, 0, len(raw)/4)
	for ; len(raw) >= 4; raw = raw[4:] {
		list = append(list, xgb.Get32(raw))
	}
	return list
}
