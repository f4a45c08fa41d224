package computeruse

import (
	"context"
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
