package page

import (
	"context"
	"fmt"

	"github.com/hobkin/hobkin/browser/cdp"
)

// A Box is the place of an element in the tab's own document, in CSS pixels from
// its upper left corner.
type Box struct{ X, Y, Width, Height float64 }

// Box brings an element into view and tells where it is, through all the frames
// that hold it.
func (p *Page) Box(ctx context.Context, ref string) (Box, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	box, err := p.box(ctx, ref)
	if err != nil {
		return Box{}, p.explain(ctx, parseRef(ref), err)
	}
	return box, nil
}

func (p *Page) box(ctx context.Context, ref string) (Box, error) {
	e, err := p.find(ctx, ref)
	if err != nil {
		return Box{}, err
	}
	if _, err := p.ready(ctx, &e, need{}, actTime); err != nil {
		return Box{}, err
	}
	id, err := e.element(ctx, e.number)
	if err != nil {
		return Box{}, err
	}
	defer e.release()
	s := e.frame.Session
	if err := s.Call(ctx, "DOM.scrollIntoViewIfNeeded", object(id), nil); err != nil {
		return Box{}, err
	}
	box, err := outerBox(ctx, s, object(id))
	if err != nil {
		return Box{}, err
	}
	if box, err = p.outwardBox(ctx, e.frame, box); err != nil {
		return Box{}, err
	}
	var m struct {
		View struct{ PageX, PageY float64 } `json:"cssVisualViewport"`
	}
	frames, err := p.tab.Frames(ctx)
	if err != nil || len(frames) == 0 {
		return Box{}, err
	}
	err = frames[0].Session.Call(ctx, "Page.getLayoutMetrics", nil, &m)
	box.X, box.Y = box.X+m.View.PageX, box.Y+m.View.PageY
	return box, err
}

// outwardBox adds where the frames are that hold a session of its own: places in
// the frames of one session are those of its outermost frame.
func (p *Page) outwardBox(ctx context.Context, f Frame, box Box) (Box, error) {
	frames, err := p.tab.Frames(ctx)
	if err != nil {
		return box, err
	}
	byID := map[string]Frame{}
	for _, one := range frames {
		byID[one.ID] = one
	}
	for f.Parent != "" {
		parent, ok := byID[f.Parent]
		if !ok {
			return box, errGone
		}
		if parent.Session != f.Session {
			var owner struct {
				Node int64 `json:"backendNodeId"`
			}
			if err := parent.Session.Call(ctx, "DOM.getFrameOwner", map[string]any{"frameId": f.ID}, &owner); err != nil {
				return box, err
			}
			node := map[string]any{"backendNodeId": owner.Node}
			if err := parent.Session.Call(ctx, "DOM.scrollIntoViewIfNeeded", node, nil); err != nil {
				return box, err
			}
			at, err := innerBox(ctx, parent.Session, node)
			if err != nil {
				return box, err
			}
			box.X, box.Y = box.X+at.X, box.Y+at.Y
		}
		f = parent
	}
	return box, nil
}

func outerBox(ctx context.Context, s *cdp.Session, node map[string]any) (Box, error) {
	return model(ctx, s, node, "border")
}

func innerBox(ctx context.Context, s *cdp.Session, node map[string]any) (Box, error) {
	return model(ctx, s, node, "content")
}

// model is one of the boxes of an element.
func model(ctx context.Context, s *cdp.Session, node map[string]any, which string) (Box, error) {
	var got struct {
		Model map[string]any `json:"model"`
	}
	if err := s.Call(ctx, "DOM.getBoxModel", node, &got); err != nil {
		return Box{}, err
	}
	quad, _ := got.Model[which].([]any)
	var xs, ys []float64
	for i, v := range quad {
		n, _ := v.(float64)
		if i%2 == 0 {
			xs = append(xs, n)
		} else {
			ys = append(ys, n)
		}
	}
	if len(xs) != 4 || len(ys) != 4 {
		return Box{}, fmt.Errorf("the browser gave no %s box", which)
	}
	left, right, top, bottom := xs[0], xs[0], ys[0], ys[0]
	for i := range xs {
		left, right, top, bottom = min(left, xs[i]), max(right, xs[i]), min(top, ys[i]), max(bottom, ys[i])
	}
	return Box{left, top, right - left, bottom - top}, nil
}

// Control hands the field of a reference over: the element itself, or the one
// that its label or box is of. The object is let go of when do returns.
func (p *Page) Control(ctx context.Context, ref string, do func(s *cdp.Session, objectID string) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := p.find(ctx, ref)
	if err == nil {
		err = e.control(ctx, do)
	}
	return p.explain(ctx, parseRef(ref), err)
}

func (e element) control(ctx context.Context, do func(*cdp.Session, string) error) error {
	got, err := e.run(ctx, `function(number) { return globalThis.hobkin ? globalThis.hobkin.control(number) : null }`, false, value(e.number))
	switch {
	case err != nil:
		return err
	case got.ObjectID == "":
		return errGone
	}
	defer e.release()
	return do(e.frame.Session, got.ObjectID)
}
