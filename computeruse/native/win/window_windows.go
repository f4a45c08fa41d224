package win

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Windows are those of the desktop.
type Windows struct{ desk *Desk }

// NewWindows returns the windows of a desk.
func NewWindows(d *Desk) Windows { return Windows{d} }

// tops collects handles for one call of EnumWindows at a time, as monitors does.
var tops struct {
	sync.Mutex
	list []windows.HWND
}

var addTop = sync.OnceValue(func() uintptr {
	return windows.NewCallback(func(w windows.HWND, _ uintptr) uintptr {
		tops.list = append(tops.list, w)
		return 1
	})
})

// List returns the windows, the topmost first, as Windows orders them.
func (ws Windows) List(ctx context.Context) ([]wire.Window, error) {
	tops.Lock()
	tops.list = nil
	err := windows.EnumWindows(addTop(), nil)
	handles := tops.list
	tops.Unlock()
	if err != nil {
		return nil, fmt.Errorf("listing the windows: %w", err)
	}
	list := []wire.Window{}
	for _, h := range handles {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if ws.usual(h) {
			list = append(list, ws.describe(h))
		}
	}
	return list, nil
}

// usual leaves out what is not to be seen, and tool windows without a title.
func (Windows) usual(h windows.HWND) bool {
	if !windows.IsWindowVisible(h) {
		return false
	}
	const (
		cloaked    = 14 // of DwmGetWindowAttribute: on another virtual desktop, or asleep
		extraStyle = ^uintptr(19)
		toolWindow = 0x80
	)
	var hidden uint32
	if windows.DwmGetWindowAttribute(h, cloaked, unsafe.Pointer(&hidden), 4) == nil && hidden != 0 {
		return false
	}
	return title(h) != "" || call(getWindowLong, uintptr(h), extraStyle)&toolWindow == 0 && !box(h).Empty()
}

func title(h windows.HWND) string {
	var buf [512]uint16
	n := call(getWindowText, uintptr(h), ptr(&buf[0]), uintptr(len(buf)))
	return windows.UTF16ToString(buf[:min(int(n), len(buf))])
}

// bounds are a box that may be empty.
type bounds wire.Box

func (b bounds) Empty() bool { return b.W <= 0 || b.H <= 0 }

// box is what a person sees of a window: without the frame of some pixels that
// Windows 10 and newer draw invisible around it.
func box(h windows.HWND) bounds {
	const seen = 9 // of DwmGetWindowAttribute: the extended frame
	var r rect
	if windows.DwmGetWindowAttribute(h, seen, unsafe.Pointer(&r), uint32(unsafe.Sizeof(r))) != nil {
		call(getWindowRect, uintptr(h), ptr(&r))
	}
	return bounds{X: int(r.Left), Y: int(r.Top), W: int(r.Right - r.Left), H: int(r.Bottom - r.Top)}
}

func (Windows) describe(h windows.HWND) wire.Window {
	var pid uint32
	_, _ = windows.GetWindowThreadProcessId(h, &pid) // 0 then
	w := wire.Window{
		ID: strconv.FormatUint(uint64(h), 16), Title: title(h), PID: int(pid), Exe: program(pid), Box: wire.Box(box(h)),
		Active: h == windows.GetForegroundWindow(), Minimized: call(isIconic, uintptr(h)) != 0,
	}
	name := w.Exe[strings.LastIndexAny(w.Exe, `\/`)+1:]
	w.App = strings.TrimSuffix(name, filepath.Ext(name))
	return w
}

// program is the path of a process; empty where it is not for us to know.
func program(pid uint32) string {
	p, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return ""
	}
	defer func() { _ = windows.CloseHandle(p) }()
	buf := make([]uint16, windows.MAX_LONG_PATH)
	n := uint32(len(buf)) //nolint:gosec // a constant
	if windows.QueryFullProcessImageName(p, 0, &buf[0], &n) != nil {
		return ""
	}
	return windows.UTF16ToString(buf[:n])
}

// At returns the window under a pixel; nil is the bare desktop.
func (ws Windows) At(_ context.Context, p wire.Point) (*wire.Window, error) {
	const root = 2                                                     // of GetAncestor
	h := call(windowFromPoint, point{int32(p.X), int32(p.Y)}.packed()) //nolint:gosec // a pixel of a display
	if h == 0 {
		return nil, nil //nolint:nilnil // the bare desktop
	}
	if top := call(getAncestor, h, root); top != 0 {
		h = top
	}
	var name [64]uint16
	n, _ := windows.GetClassName(windows.HWND(h), &name[0], int32(len(name))) // empty then
	switch windows.UTF16ToString(name[:max(n, 0)]) {
	case "Progman", "WorkerW", "#32769": // what the desktop itself is made of
		return nil, nil //nolint:nilnil // the bare desktop
	}
	w := ws.describe(windows.HWND(h))
	return &w, nil
}

// Active returns the window with the focus; empty if none has it.
func (Windows) Active(context.Context) (string, error) {
	h := windows.GetForegroundWindow()
	if h == 0 {
		return "", nil
	}
	return strconv.FormatUint(uint64(h), 16), nil
}

// Focus brings a window to the front. Windows lets a program do so only after
// it made the last input; the tap of a key that does nothing is one.
func (ws Windows) Focus(ctx context.Context, id string) error {
	h, err := strconv.ParseUint(id, 16, 64)
	if err != nil || !windows.IsWindow(windows.HWND(h)) {
		return &wire.Error{Code: wire.UnknownWindow, Message: fmt.Sprintf("There is no window %q any more.", id), Fix: "List the windows again."}
	}
	const (
		restore = 9
		noKey   = 0xe8 // is assigned to nothing
	)
	if call(isIconic, uintptr(h)) != 0 {
		call(showWindow, uintptr(h), restore)
	}
	if err := ws.desk.send(keyInput{Key: noKey}.input(), keyInput{Key: noKey, Flags: keyUp}.input()); err != nil {
		return err
	}
	call(setForegroundWindow, uintptr(h))
	for range 50 {
		if now, _ := ws.Active(ctx); now == id {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return &wire.Error{Code: wire.Failed, Message: "Windows did not bring the window to the front.", Fix: "Click on it."}
}
