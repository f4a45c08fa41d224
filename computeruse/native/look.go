package native

import (
	"context"
	"fmt"
	"image"
	"time"

	"github.com/hobkin/hobkin/computeruse/native/picture"
	"github.com/hobkin/hobkin/computeruse/wire"
)

func (s *Server) displays(ctx context.Context, _ none) (wire.DisplaysResult, error) {
	if s.parts.Screen == nil {
		return wire.DisplaysResult{}, s.unsupported(wire.CanCapture)
	}
	return s.parts.Screen.Displays(ctx)
}

// A shot is a picture as captured.
type shot struct {
	display wire.Display
	layout  string
	box     wire.Box
	taken   time.Time
	pix     *image.RGBA
}

// shoot takes a picture of a display, or of a region of it.
func (s *Server) shoot(ctx context.Context, display string, region *wire.Box) (shot, error) {
	d, layout, box, err := s.aim(ctx, display, region)
	if err != nil {
		return shot{}, err
	}
	show, err := s.hideStrip(ctx, box)
	if err != nil {
		return shot{}, err
	}
	defer show()
	pix, err := s.parts.Screen.Grab(ctx, box)
	return shot{d, layout, box, time.Now(), pix}, err
}

// aim finds what a picture is to be taken of.
func (s *Server) aim(ctx context.Context, display string, region *wire.Box) (d wire.Display, layout string, box wire.Box, err error) {
	all, err := s.displays(ctx, none{})
	if err != nil {
		return d, "", box, err
	}
	d, err = pick(all.Displays, display)
	if err != nil {
		return d, "", box, err
	}
	box = d.Box
	if region != nil {
		box = *region
	}
	if !box.Within(d.Box) {
		return d, "", box, &wire.Error{
			Code:    wire.OutOfBounds,
			Message: fmt.Sprintf("the region %v does not lie within display %s, which is %v", show(box), d.ID, show(d.Box)),
		}
	}
	return d, all.Layout, box, nil
}

// pick finds a display by its ID, the primary one if that is empty.
func pick(all []wire.Display, id string) (wire.Display, error) {
	if len(all) == 0 {
		return wire.Display{}, &wire.Error{Code: wire.NoDisplay, Message: "there is no display", Fix: "switch a screen on"}
	}
	best := all[0]
	for _, d := range all {
		if id != "" && d.ID == id {
			return d, nil
		}
		if d.Primary && !best.Primary {
			best = d
		}
	}
	if id != "" {
		return best, &wire.Error{Code: wire.UnknownDisplay, Message: fmt.Sprintf("there is no display %q; there are %d", id, len(all))}
	}
	return best, nil
}

// show writes a box as people do.
func show(b wire.Box) string { return fmt.Sprintf("%d×%d at %d,%d", b.W, b.H, b.X, b.Y) }

// hideStrip takes the strip off the screen if it covers a part of box. What it
// returns brings it back, once nobody else wants it gone.
func (s *Server) hideStrip(ctx context.Context, box wire.Box) (show func(), err error) {
	if s.parts.Strip == nil {
		return func() {}, nil
	}
	s.stripM.Lock()
	defer s.stripM.Unlock()
	if s.strip == 0 {
		at, on := s.parts.Strip.Box()
		if !on || !overlap(at, box) {
			return func() {}, nil
		}
		if s.show, err = s.parts.Strip.Hide(ctx); err != nil {
			return nil, err
		}
	}
	s.strip++
	return func() {
		s.stripM.Lock()
		defer s.stripM.Unlock()
		if s.strip--; s.strip == 0 {
			s.show()
		}
	}, nil
}

func overlap(a, b wire.Box) bool {
	return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
}

// The bounds of a picture that is asked for, in pixels.
const (
	maxSide = 16384
	maxArea = 40_000_000 // more than 8K has
)

func (s *Server) capture(ctx context.Context, p wire.CaptureParams) (wire.CaptureResult, error) {
	format := picture.Format{Name: p.Format, Quality: p.Quality}
	if err := format.Check(); err != nil {
		return wire.CaptureResult{}, badRequest(err.Error())
	}
	if p.Size != nil && (p.Size.W < 1 || p.Size.H < 1 || p.Size.W > maxSide || p.Size.H > maxSide || p.Size.W*p.Size.H > maxArea) {
		return wire.CaptureResult{}, badRequest(fmt.Sprintf("the size of a picture is 1 to %d pixels each way and %d in all, not %d×%d", maxSide, maxArea, p.Size.W, p.Size.H))
	}
	sh, err := s.shoot(ctx, p.Display, p.Region)
	if err != nil {
		return wire.CaptureResult{}, err
	}
	sum := picture.PrintOf(sh.pix)
	s.prints.keep(sh, sum)
	pix := sh.pix
	if p.Size != nil {
		pix = picture.Scale(pix, *p.Size)
	}
	picture.Draw(pix, sh.box, p.Marks, p.Point)
	raw, err := format.Encode(pix)
	if err != nil {
		return wire.CaptureResult{}, err
	}
	return wire.CaptureResult{
		Display: sh.display.ID, Layout: sh.layout, Box: sh.box,
		Sent: wire.Size{W: pix.Bounds().Dx(), H: pix.Bounds().Dy()}, Scale: sh.display.Scale,
		TakenAt: sh.taken, Format: format.Used(), Image: raw, Hash: sum.Hash(),
	}, nil
}

func (s *Server) windows(ctx context.Context, _ none) (wire.WindowsResult, error) {
	if s.parts.Windows == nil {
		return wire.WindowsResult{}, s.unsupported(wire.CanWindows)
	}
	list, err := s.parts.Windows.List(ctx)
	if err != nil {
		return wire.WindowsResult{}, err
	}
	if all, err := s.displays(ctx, none{}); err == nil {
		for i := range list {
			list[i].Display = displayOf(all.Displays, list[i].Box)
		}
	}
	return wire.WindowsResult{Windows: append([]wire.Window{}, list...)}, nil
}

// displayOf names the display that the middle of a box is on.
func displayOf(all []wire.Display, b wire.Box) string {
	return displayAt(all, wire.Point{X: b.X + b.W/2, Y: b.Y + b.H/2})
}

func displayAt(all []wire.Display, p wire.Point) string {
	for _, d := range all {
		if d.Box.Contains(p) {
			return d.ID
		}
	}
	return ""
}

func (s *Server) windowAt(ctx context.Context, p wire.Point) (wire.WindowAtResult, error) {
	w, err := s.under(ctx, p)
	return wire.WindowAtResult{Window: w}, err
}

// under is the window under a point, the strip left out.
func (s *Server) under(ctx context.Context, p wire.Point) (*wire.Window, error) {
	if s.parts.Windows == nil {
		return nil, s.unsupported(wire.CanWindows)
	}
	show, err := s.hideStrip(ctx, wire.Box{X: p.X, Y: p.Y, W: 1, H: 1})
	if err != nil {
		return nil, err
	}
	defer show()
	return s.parts.Windows.At(ctx, p)
}

func (s *Server) elements(ctx context.Context, p wire.ElementsParams) (wire.ElementsResult, error) {
	if s.parts.Elements == nil {
		return wire.ElementsResult{}, s.unsupported(wire.CanElements)
	}
	list, err := s.windows(ctx, none{})
	if err != nil {
		return wire.ElementsResult{}, err
	}
	for _, w := range list.Windows {
		if w.ID == p.Window || p.Window == "" && w.Active {
			return s.parts.Elements.Elements(ctx, w, p)
		}
	}
	if p.Window == "" {
		return wire.ElementsResult{}, &wire.Error{Code: wire.UnknownWindow, Message: "no window is active", Fix: "name one of the windows"}
	}
	return wire.ElementsResult{}, unknownWindow(p.Window)
}

func unknownWindow(id string) error {
	return &wire.Error{Code: wire.UnknownWindow, Message: fmt.Sprintf("there is no window %q", id), Fix: "list the windows again"}
}

func (s *Server) inspect(ctx context.Context, p wire.Point) (wire.InspectResult, error) {
	if s.parts.Elements == nil {
		return wire.InspectResult{}, s.unsupported(wire.CanElements)
	}
	w, err := s.under(ctx, p)
	if err != nil {
		return wire.InspectResult{}, err
	}
	return s.parts.Elements.Inspect(ctx, p, w)
}

func (s *Server) cursor(ctx context.Context, _ none) (wire.CursorResult, error) {
	if s.parts.Pointer == nil {
		return wire.CursorResult{}, s.unsupported(wire.CanPointer)
	}
	at, err := s.parts.Pointer.Where(ctx)
	if err != nil {
		return wire.CursorResult{}, err
	}
	r := wire.CursorResult{Point: at}
	if all, err := s.displays(ctx, none{}); err == nil {
		r.Display = displayAt(all.Displays, at)
	}
	return r, nil
}

func (s *Server) person(_ context.Context, _ none) (wire.PersonResult, error) {
	if s.parts.Watcher == nil {
		return wire.PersonResult{}, nil
	}
	return s.parts.Watcher.Person(), nil
}
