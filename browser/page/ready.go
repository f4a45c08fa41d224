package page

import (
	"context"
	"time"
)

// need is what an element must be before it is acted on; the script waits for it.
type need struct {
	Enabled  bool `json:"enabled"`
	Editable bool `json:"editable"`
	Point    bool `json:"point"` // a point where the mouse reaches it
}

// A point is a place for the mouse, in the coordinates of a session.
type point struct{ x, y float64 }

// ready waits until an element is as needed, and gives the point where the mouse
// reaches it.
func (p *Page) ready(ctx context.Context, e *element, n need, wait time.Duration) (point, error) {
	start := time.Now()
	var got struct {
		word
		X float64 `json:"x"`
		Y float64 `json:"y"`
	}
	if err := e.call(ctx, &got, "ready", e.number, n, wait.Milliseconds()); err != nil {
		return point{}, err
	}
	e.role, e.name = got.Role, got.Name
	if got.Why != "" {
		return point{}, e.fail(got.word, wait.Round(100*time.Millisecond))
	}
	at := point{got.X, got.Y}
	e.at = at
	if !n.Point || e.frame.Parent == "" {
		return at, nil
	}
	return p.outward(ctx, e, at, max(wait-time.Since(start), time.Second))
}

// aim waits until an element can be reached, and moves the mouse there. Pages
// change what is under the mouse: a button that grows, a picture that is loaded
// first. So it is looked at once more, and aimed at anew if it is not there.
func (p *Page) aim(ctx context.Context, e *element, m mouse, n need, wait time.Duration) (at point, left bool, err error) {
	const again = 2 * time.Second
	n.Point = true
	for range 4 {
		if at, err = p.ready(ctx, e, n, wait); err != nil {
			return at, false, err
		}
		if err := m.move(ctx, at, 0); err != nil {
			return at, lost(err), ignoreLost(err)
		}
		var hit bool
		if err := e.call(ctx, &hit, "hits", e.number, e.at.x, e.at.y); err != nil || hit {
			return at, lost(err), ignoreLost(err)
		}
		wait = min(wait, again)
	}
	return at, false, NotStill.Becausef("%v moves away from under the mouse", *e)
}

// outward follows a point from a frame to the tab's own document. It returns the
// point in the coordinates of the frame's session, which are those of the
// outermost frame that the session has. A frame may be covered or scrolled away
// where it is shown, so each is looked at.
func (p *Page) outward(ctx context.Context, e *element, at point, wait time.Duration) (point, error) {
	frames, err := p.tab.Frames(ctx)
	if err != nil {
		return point{}, err
	}
	byID := map[string]Frame{}
	for _, f := range frames {
		byID[f.ID] = f
	}
	here, same := at, true
	for f := e.frame; f.Parent != ""; f = byID[f.Parent] {
		parent, ok := byID[f.Parent]
		if !ok {
			return point{}, errGone
		}
		same = same && parent.Session == f.Session
		w, err := p.enter(ctx, parent)
		if err != nil {
			return point{}, err
		}
		if at, err = w.outside(ctx, e, f, at, wait); err != nil {
			return point{}, err
		}
		if same {
			here = at
		}
	}
	return here, nil
}

// outside is a point of a frame in the document of w, which holds the frame.
func (w world) outside(ctx context.Context, e *element, f Frame, at point, wait time.Duration) (point, error) {
	owner, err := w.ownerOf(ctx, f)
	if err != nil {
		return point{}, err
	}
	if owner == 0 {
		return point{}, errGone
	}
	var got struct {
		word
		X float64 `json:"x"`
		Y float64 `json:"y"`
	}
	if err := w.call(ctx, &got, "through", owner, at.x, at.y, wait.Milliseconds()); err != nil {
		return point{}, err
	}
	if got.Why != "" {
		return point{}, e.fail(got.word, wait)
	}
	return point{got.X, got.Y}, nil
}
