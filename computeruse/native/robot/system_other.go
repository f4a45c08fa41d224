//go:build !windows && !darwin

package robot

import (
	"image"
	"os"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

const displayServer = "x11"

// prepare keeps robotgo from the crash that it ends in without a display.
func prepare() error {
	if os.Getenv("DISPLAY") == "" {
		return &wire.Error{Code: wire.NoDisplay, Message: "DISPLAY is empty: there is no X display", Fix: "start Hobkin within the graphical session"}
	}
	return nil
}

func scaleOf(image.Rectangle) float64 { return 1 }

func systemIdle() (time.Duration, bool) { return 0, false }

func allowed() error { return nil }
