//go:build cgo && !race

// Not with the race detector: screenshot connects anew for every picture, and its
// library registers the extensions of each connection in variables of the process,
// while the reader of the one before may still look there. Nothing of ours takes
// this way on X11.

package robot

import (
	"context"
	"image/color"
	"testing"

	"github.com/go-vgo/robotgo"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// TestDesk: the portable way on a real display, the only one that can be had
// here: the pointer goes where it is told, what is held is let go of, and the
// picture is of the size that was asked for.
func TestDesk(t *testing.T) {
	d := desk.Screen(t, "800x600")
	t.Setenv("DISPLAY", d.Display)
	r, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(robotgo.CloseMainDisplay)
	all, err := r.Displays(t.Context())
	if err != nil || len(all.Displays) != 1 || all.Displays[0].Box != (wire.Box{W: 800, H: 600}) || !all.Displays[0].Primary {
		t.Fatalf("the displays are %+v, %v", all, err)
	}
	to := wire.Point{X: 123, Y: 456}
	if err := r.Move(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	if at, err := r.Where(t.Context()); err != nil || at != to {
		t.Errorf("the pointer is at %v, %v, want %v", at, err, to)
	}
	if err := r.Press(t.Context(), wire.Left); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Hold(t.Context(), "ctrl+shift"); err != nil {
		t.Fatal(err)
	}
	if names := r.ReleaseAll(); len(names) != 3 || names[0] != "left button" {
		t.Errorf("released %q", names)
	}
	img, err := r.Grab(t.Context(), wire.Box{X: 10, Y: 20, W: 300, H: 200})
	if err != nil || img.Bounds().Dx() != 300 || img.Bounds().Dy() != 200 {
		t.Fatalf("the picture is %v, %v", img.Bounds(), err)
	}
	if c := img.RGBAAt(5, 5); c.A != 0xff || (c == color.RGBA{}) {
		t.Errorf("its pixel is %v", c)
	}
	p := r.Parts()
	if p.Watcher != nil {
		t.Error("the idle time of this system is not known, and said to be")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Type(ctx, "x", ctx.Err); err == nil {
		t.Error("a text went on after its context ended")
	}
}

// TestNoDisplay: robotgo would crash the process.
func TestNoDisplay(t *testing.T) {
	t.Setenv("DISPLAY", "")
	if _, err := Open(); err == nil {
		t.Error("Open without a display is no error")
	}
}
