package win

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The functions of Windows that golang.org/x/sys has not got.
var (
	user32 = windows.NewLazySystemDLL("user32.dll")
	gdi32  = windows.NewLazySystemDLL("gdi32.dll")
	shcore = windows.NewLazySystemDLL("shcore.dll")

	setProcessDpiAwarenessContext = user32.NewProc("SetProcessDpiAwarenessContext")
	setProcessDPIAware            = user32.NewProc("SetProcessDPIAware")
	enumDisplayMonitors           = user32.NewProc("EnumDisplayMonitors")
	getMonitorInfo                = user32.NewProc("GetMonitorInfoW")
	getSystemMetrics              = user32.NewProc("GetSystemMetrics")
	getDC                         = user32.NewProc("GetDC")
	releaseDC                     = user32.NewProc("ReleaseDC")
	sendInput                     = user32.NewProc("SendInput")
	getCursorPos                  = user32.NewProc("GetCursorPos")
	getLastInputInfo              = user32.NewProc("GetLastInputInfo")
	getWindowText                 = user32.NewProc("GetWindowTextW")
	getWindowRect                 = user32.NewProc("GetWindowRect")
	isIconic                      = user32.NewProc("IsIconic")
	windowFromPoint               = user32.NewProc("WindowFromPoint")
	getAncestor                   = user32.NewProc("GetAncestor")
	setForegroundWindow           = user32.NewProc("SetForegroundWindow")
	showWindow                    = user32.NewProc("ShowWindow")
	getWindowLong                 = user32.NewProc("GetWindowLongW")
	mapVirtualKey                 = user32.NewProc("MapVirtualKeyW")
	vkKeyScan                     = user32.NewProc("VkKeyScanW")
	getMessage                    = user32.NewProc("GetMessageW")
	peekMessage                   = user32.NewProc("PeekMessageW")
	postThreadMessage             = user32.NewProc("PostThreadMessageW")
	registerHotKey                = user32.NewProc("RegisterHotKey")
	unregisterHotKey              = user32.NewProc("UnregisterHotKey")

	createCompatibleDC = gdi32.NewProc("CreateCompatibleDC")
	createDIBSection   = gdi32.NewProc("CreateDIBSection")
	selectObject       = gdi32.NewProc("SelectObject")
	bitBlt             = gdi32.NewProc("BitBlt")
	deleteObject       = gdi32.NewProc("DeleteObject")
	deleteDC           = gdi32.NewProc("DeleteDC")
	gdiFlush           = gdi32.NewProc("GdiFlush")

	getDpiForMonitor = shcore.NewProc("GetDpiForMonitor")
)

// call calls a function that may be missing on older versions of Windows, and
// returns its result, 0 where it is missing.
func call(p *windows.LazyProc, args ...uintptr) uintptr {
	if p.Find() != nil {
		return 0
	}
	r, _, _ := p.Call(args...)
	return r
}

func failed(what string) error { return errors.New(what + " did not work") }

type rect struct{ Left, Top, Right, Bottom int32 }

type point struct{ X, Y int32 }

// packed is a point as it is passed by value: in one word.
func (p point) packed() uintptr { return uintptr(uint32(p.X)) | uintptr(uint32(p.Y))<<32 } //nolint:gosec // its bits

// awareness makes the process tell true pixels on every display, whatever their
// scales are. It returns false where Windows goes on scaling for us; then no
// point would be true.
func awareness() bool {
	const (
		perMonitorV2    = ^uintptr(3) // the handle -4
		perMonitorAware = 2
		denied          = 0x80070005 // it was set before, by a manifest
	)
	if setProcessDpiAwarenessContext.Find() == nil {
		r, _, err := setProcessDpiAwarenessContext.Call(perMonitorV2)
		if r != 0 || errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return true
		}
	}
	p := shcore.NewProc("SetProcessDpiAwareness") // Windows 8.1
	if p.Find() == nil {
		r := uint32(call(p, perMonitorAware)) //nolint:gosec // an HRESULT
		return r == 0 || r == denied
	}
	return call(setProcessDPIAware) != 0
}

func ptr[T any](v *T) uintptr { return uintptr(unsafe.Pointer(v)) }
