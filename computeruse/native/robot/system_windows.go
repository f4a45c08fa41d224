package robot

import (
	"image"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const displayServer = "windows"

var (
	user32  = windows.NewLazySystemDLL("user32.dll")
	shcore  = windows.NewLazySystemDLL("shcore.dll")
	kernel  = windows.NewLazySystemDLL("kernel32.dll")
	setDPI  = user32.NewProc("SetProcessDpiAwarenessContext")
	setDPI8 = user32.NewProc("SetProcessDPIAware")
	lastIn  = user32.NewProc("GetLastInputInfo")
	atRect  = user32.NewProc("MonitorFromRect")
	dpiOf   = shcore.NewProc("GetDpiForMonitor")
	ticks   = kernel.NewProc("GetTickCount")
)

// perMonitorV2 is DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2, which is -4.
const perMonitorV2 = ^uintptr(3)

// prepare says, before any window or capture, that this process counts in
// physical pixels: else Windows would give it a picture in those and move its
// pointer by others.
func prepare() error {
	if setDPI.Find() == nil {
		if ok, _, _ := setDPI.Call(perMonitorV2); ok != 0 {
			return nil
		}
	}
	if setDPI8.Find() == nil { // before Windows 10
		_, _, _ = setDPI8.Call() // else the scale of the process is fixed already, by its manifest
	}
	return nil
}

// scaleOf is the scale of the display at that place.
func scaleOf(r image.Rectangle) float64 {
	const nearest, effective, usual = 2, 0, 96
	rect := [4]int32{int32(r.Min.X), int32(r.Min.Y), int32(r.Max.X), int32(r.Max.Y)}
	if dpiOf.Find() != nil {
		return 1
	}
	m, _, _ := atRect.Call(uintptr(unsafe.Pointer(&rect)), nearest)
	var x, y uint32
	if hr, _, _ := dpiOf.Call(m, effective, uintptr(unsafe.Pointer(&x)), uintptr(unsafe.Pointer(&y))); hr != 0 || x == 0 {
		return 1
	}
	return float64(x) / usual
}

// systemIdle is the time since the last input of anybody.
func systemIdle() (time.Duration, bool) {
	info := struct{ size, at uint32 }{size: 8}
	if ok, _, _ := lastIn.Call(uintptr(unsafe.Pointer(&info))); ok == 0 {
		return 0, false
	}
	now, _, _ := ticks.Call()
	return time.Duration(uint32(now)-info.at) * time.Millisecond, true
}

// allowed reports what the system does not let us do: Windows lets a program
// of the session see and act, but for windows of administrators.
func allowed() error { return nil }
