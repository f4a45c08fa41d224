package robot

import (
	"fmt"
	"image"
	"sync"
	"time"

	"github.com/ebitengine/purego"

	"github.com/hobkin/hobkin/computeruse/wire"
)

const displayServer = "quartz"

// Frameworks of macOS.
const (
	coreGraphics = "/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics"
	services     = "/System/Library/Frameworks/ApplicationServices.framework/ApplicationServices"
)

func prepare() error { return nil }

// scaleOf is 1: pictures and pointer both count in points here, whatever the
// density of the screen.
func scaleOf(image.Rectangle) float64 { return 1 }

// load finds a function of a framework.
func load(fn any, framework, name string) error {
	lib, err := purego.Dlopen(framework, purego.RTLD_LAZY|purego.RTLD_GLOBAL)
	if err != nil {
		return fmt.Errorf("robot: %s: %w", framework, err)
	}
	if _, err := purego.Dlsym(lib, name); err != nil {
		return fmt.Errorf("robot: %s: %w", name, err)
	}
	purego.RegisterLibFunc(fn, lib, name)
	return nil
}

// systemIdle is the time since the last input of hardware: what programs put
// in is not counted.
func systemIdle() (time.Duration, bool) {
	const hardware, anyEvent = 1, ^uint32(0)
	since := sinceEvent()
	if since == nil {
		return 0, false
	}
	return time.Duration(since(hardware, anyEvent) * float64(time.Second)), true
}

// sinceEvent is the system's function, nil where it has none.
var sinceEvent = sync.OnceValue(func() (since func(state int32, kind uint32) float64) {
	if load(&since, coreGraphics, "CGEventSourceSecondsSinceLastEventType") != nil {
		return nil
	}
	return since
})

// allowed reports which permission of the system is missing. It asks for none:
// that is for the moment in which a person sets Hobkin up.
func allowed() error {
	for _, p := range []struct{ framework, function, what, where string }{
		{coreGraphics, "CGPreflightScreenCaptureAccess", "see the screen", "Screen Recording"},
		{services, "AXIsProcessTrusted", "use mouse and keyboard", "Accessibility"},
	} {
		var ok func() bool
		if load(&ok, p.framework, p.function) == nil && !ok() {
			return &wire.Error{
				Code: wire.Denied, Message: "macOS does not allow Hobkin to " + p.what,
				Fix: "allow it in System Settings, Privacy & Security, " + p.where + ", and start Hobkin again",
			}
		}
	}
	return nil
}
