package computeruse

import (
	"context"
	"fmt"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/capability"
)

// What can be asked of the screen beside pictures.

// Displays lists the screens.
func (s *Session) Displays(ctx context.Context, t capability.Turn) (wire.DisplaysResult, error) {
	if err := s.mayLook(t); err != nil {
		return wire.DisplaysResult{}, err
	}
	r, err := s.desk.Displays(ctx)
	if err == nil {
		s.setLayout(r.Layout)
	}
	return r, refusal(err)
}

// Windows lists the windows, the topmost first.
func (s *Session) Windows(ctx context.Context, t capability.Turn) ([]wire.Window, error) {
	if err := s.mayLook(t); err != nil {
		return nil, err
	}
	list, err := s.desk.Windows(ctx)
	return list, refusal(err)
}

// Forbidden says why a window is never acted on; empty when it may be.
func (s *Session) Forbidden(w *wire.Window) string { return forbidden(w, s.config().Forbidden) }

// A Listing is a list of elements with the id that their references belong to.
type Listing struct {
	ID string
	wire.ElementsResult
}

// Elements lists the elements of a window; empty is the active one.
func (s *Session) Elements(ctx context.Context, t capability.Turn, p wire.ElementsParams) (*Listing, error) {
	if err := s.mayLook(t); err != nil {
		return nil, err
	}
	at := time.Now()
	r, err := s.desk.Elements(ctx, p)
	if err != nil {
		return nil, refusal(err)
	}
	return s.listed(t, &r, at), nil
}

func (s *Session) listed(t capability.Turn, r *wire.ElementsResult, at time.Time) *Listing {
	return &Listing{ID: s.seen.add(&observation{session: t.Session, elements: r, at: at}), ElementsResult: *r}
}

// An Inspection is what lies at a place.
type Inspection struct {
	Program Program
	Listing *Listing // of the one element; nil when none is known
}

// Inspect tells what lies at a place in a picture.
func (s *Session) Inspect(ctx context.Context, t capability.Turn, a Act) (*Inspection, error) {
	if err := s.mayLook(t); err != nil {
		return nil, err
	}
	g, err := s.target(t, &a)
	if err != nil {
		return nil, err
	}
	if g.point == nil {
		return nil, BadTarget.Becausef("inspect needs a place: observation_id with x and y")
	}
	at := time.Now()
	r, err := s.desk.Inspect(ctx, *g.point)
	if w, ok := wireError(err); ok && w.Code == wire.Unsupported { // without elements the window is still known
		r.Window, err = s.desk.WindowAt(ctx, *g.point)
	}
	if err != nil {
		return nil, refusal(err)
	}
	out := &Inspection{Program: program(r.Window)}
	if r.Element != nil {
		one := wire.ElementsResult{Snapshot: r.Snapshot, Elements: []wire.Element{*r.Element}}
		if r.Window != nil {
			one.Window = *r.Window
		}
		out.Listing = s.listed(t, &one, at)
	}
	return out, nil
}

// Cursor tells where the pointer is: on which display, and where in the newest
// picture of it that the conversation was sent.
func (s *Session) Cursor(ctx context.Context, t capability.Turn) (r wire.CursorResult, f *Frame, at Spot, err error) {
	if err = s.mayLook(t); err != nil {
		return r, nil, at, err
	}
	if r, err = s.desk.Cursor(ctx); err != nil {
		return r, nil, at, refusal(err)
	}
	if f = s.seen.lastFrame(t.Session, r.Display); f != nil {
		var shown bool
		if at, shown = f.Picture(r.Point); !shown {
			f = nil
		}
	}
	return r, f, at, nil
}

// LastFrame is the newest picture of a whole display that a conversation was
// sent; of any where display is empty. Nil when there is none.
func (s *Session) LastFrame(session, display string) *Frame {
	return s.seen.lastFrame(session, display)
}

// Said is a place in a picture in the coordinates of the turn's model.
func (s *Session) Said(t capability.Turn, f *Frame, at Spot) (x, y int) {
	return f.Said(at, s.model(t).Coordinates)
}

// InPicture is a box of the desktop in a picture: left, top, width and height
// in the coordinates of the turn's model. It is false where the picture shows
// nothing of the box.
func (s *Session) InPicture(t capability.Turn, f *Frame, b wire.Box) (out [4]int, ok bool) {
	b = meet(b, f.Crop)
	if b.W <= 0 || b.H <= 0 {
		return out, false
	}
	from, _ := f.Picture(wire.Point{X: b.X, Y: b.Y})
	to, _ := f.Picture(wire.Point{X: b.X + b.W - 1, Y: b.Y + b.H - 1})
	x, y := s.Said(t, f, from)
	x2, y2 := s.Said(t, f, to)
	return [4]int{x, y, x2 - x + 1, y2 - y + 1}, true
}

// Measures says in words how places in a picture are named.
func (s *Session) Measures(t capability.Turn, f *Frame) string {
	if s.model(t).Coordinates == Thousandths {
		return "in which x and y go from 0 to 1,000"
	}
	return fmt.Sprintf("%d×%d pixels", f.Sent.W, f.Sent.H)
}
