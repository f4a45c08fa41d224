package win

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"runtime"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A Desk is the desktop of this session. Its methods may be called at the same
// time.
type Desk struct {
	taking sync.Mutex // one picture at a time
	sent   sentSpan   // when we put in something

	mu   sync.Mutex
	held map[uint16]string // keys that are down, by their virtual code; 1, 2 and 4 are buttons
}

// Open makes the process see true pixels.
func Open(ctx context.Context) (*Desk, error) {
	if !awareness() {
		return nil, &wire.Error{
			Code: wire.Unsupported, Message: "Windows scales what this program sees, so that clicks would miss.",
			Fix: "Windows 8.1 or newer is needed; in the properties of hobkin-helper.exe, let the application do the scaling.",
		}
	}
	d := &Desk{held: map[uint16]string{}}
	if all, err := d.Displays(ctx); err != nil || len(all.Displays) == 0 {
		return nil, &wire.Error{Code: wire.NoDisplay, Message: "There is no display in this session.", Fix: "Start Hobkin while you are logged in at the screen, not as a service."}
	}
	return d, nil
}

type monitorInfo struct {
	Size    uint32
	Monitor rect
	Work    rect
	Flags   uint32
	Device  [32]uint16
}

// monitors collects handles for one call of EnumDisplayMonitors at a time:
// callbacks are never freed, so there is one for the life of the process.
var monitors struct {
	sync.Mutex
	list []uintptr
}

var addMonitor = sync.OnceValue(func() uintptr {
	return windows.NewCallback(func(monitor, _, _, _ uintptr) uintptr {
		monitors.list = append(monitors.list, monitor)
		return 1
	})
})

// Displays lists the displays, the primary one first.
func (d *Desk) Displays(context.Context) (wire.DisplaysResult, error) {
	monitors.Lock()
	defer monitors.Unlock()
	monitors.list = nil
	if call(enumDisplayMonitors, 0, 0, addMonitor(), 0) == 0 {
		return wire.DisplaysResult{}, failed("listing the displays")
	}
	var res wire.DisplaysResult
	for _, m := range monitors.list {
		if dis, ok := describe(m); ok {
			if dis.Primary {
				res.Displays = append([]wire.Display{dis}, res.Displays...)
			} else {
				res.Displays = append(res.Displays, dis)
			}
		}
	}
	hash := fnv.New64a()
	for i := range res.Displays {
		res.Displays[i].ID = strconv.Itoa(i + 1)
		_, _ = fmt.Fprintf(hash, "%+v", res.Displays[i])
	}
	res.Layout = strconv.FormatUint(hash.Sum64(), 16)
	return res, nil
}

func describe(monitor uintptr) (wire.Display, bool) {
	info := monitorInfo{Size: uint32(unsafe.Sizeof(monitorInfo{}))}
	if call(getMonitorInfo, monitor, ptr(&info)) == 0 {
		return wire.Display{}, false
	}
	const (
		primary   = 1
		effective = 0  // the DPI that programs are to use
		usual     = 96 // at 100 %
	)
	x, y := uint32(usual), uint32(usual)
	call(getDpiForMonitor, monitor, effective, ptr(&x), ptr(&y))
	r, scale := info.Monitor, float64(x)/usual
	b := wire.Box{X: int(r.Left), Y: int(r.Top), W: int(r.Right - r.Left), H: int(r.Bottom - r.Top)}
	return wire.Display{
		Name: windows.UTF16ToString(info.Device[:]), Primary: info.Flags&primary != 0, Box: b, Scale: scale,
		Logical: wire.Size{W: int(float64(b.W)/scale + 0.5), H: int(float64(b.H)/scale + 0.5)},
	}, b.W > 0 && b.H > 0
}

type bitmapInfo struct {
	Size                  uint32
	Width, Height         int32
	Planes, Bits          uint16
	Compression, Bytes    uint32
	XPels, YPels          int32
	Used, Important, Quad uint32
}

// Grab copies the pixels of a box of the desktop.
func (d *Desk) Grab(_ context.Context, box wire.Box) (*image.RGBA, error) {
	const most = 1 << 15
	if box.W <= 0 || box.H <= 0 || box.W > most || box.H > most {
		return nil, &wire.Error{Code: wire.OutOfBounds, Message: fmt.Sprintf("a picture of %d×%d cannot be taken", box.W, box.H)}
	}
	d.taking.Lock()
	defer d.taking.Unlock()
	screen := call(getDC, 0)
	if screen == 0 {
		return nil, failed("opening the screen")
	}
	defer call(releaseDC, 0, screen)
	memory := call(createCompatibleDC, screen)
	if memory == 0 {
		return nil, failed("making a picture")
	}
	defer call(deleteDC, memory)
	info := bitmapInfo{Size: 40, Width: int32(box.W), Height: -int32(box.H), Planes: 1, Bits: 32} //nolint:gosec // bounded above; negative: the upper line first
	var bits unsafe.Pointer
	bitmap := call(createDIBSection, memory, ptr(&info), 0, ptr(&bits), 0, 0)
	if bitmap == 0 || bits == nil {
		return nil, failed("making a picture")
	}
	defer call(deleteObject, bitmap)
	old := call(selectObject, memory, bitmap)
	defer call(selectObject, memory, old)
	const copyWithLayers = 0x00CC0020 | 0x40000000 // SRCCOPY and CAPTUREBLT
	if call(bitBlt, memory, 0, 0, uintptr(box.W), uintptr(box.H), screen, uintptr(box.X), uintptr(box.Y), copyWithLayers) == 0 {
		return nil, &wire.Error{
			Code: wire.Denied, Message: "Windows does not let the screen be seen: " + failed("copying it").Error() + ".",
			Fix: "Unlock the screen; a question of the system (UAC) must be answered by you.",
		}
	}
	call(gdiFlush)
	img := image.NewRGBA(image.Rect(0, 0, box.W, box.H))
	for i, src := 0, unsafe.Slice((*byte)(bits), len(img.Pix)); i < len(src); i += 4 {
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = src[i+2], src[i+1], src[i], 0xff
	}
	runtime.KeepAlive(&info)
	return img, nil
}

// Probe takes one pixel: a locked screen says no only then.
func (d *Desk) Probe(ctx context.Context) error {
	all, err := d.Displays(ctx)
	if err != nil {
		return err
	}
	if len(all.Displays) == 0 {
		return errors.New("there is no display")
	}
	b := all.Displays[0].Box
	_, err = d.Grab(ctx, wire.Box{X: b.X, Y: b.Y, W: 1, H: 1})
	return err
}
