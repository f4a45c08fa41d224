package window

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/chat/chattest"
)

// TestNoDisplay holds that a missing screen is an error in a sentence: the
// toolkit would end the process.
func TestNoDisplay(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("this system always has a display")
	}
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	core := chattest.New()
	err := Run(context.Background(), core.Client(), Options{})
	if !errors.Is(err, ErrNoDisplay) || !strings.Contains(err.Error(), "command line") {
		t.Errorf("got %v, want a sentence about the display and a way on", err)
	}
	if n := len(core.Calls(control.MethodInfo)); n != 0 {
		t.Errorf("the core was asked %d times for a window that cannot be", n)
	}
}

func TestVariant(t *testing.T) {
	light, dark := variant("light"), variant("dark")
	if light == nil || dark == nil || *light == *dark || variant("") != nil || variant("system") != nil {
		t.Errorf("light %v, dark %v, system %v", light, dark, variant(""))
	}
}
