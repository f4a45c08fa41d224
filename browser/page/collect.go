package page

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

const (
	// walkTime bounds the script in one frame, in milliseconds; a page of 200,000
	// elements is cut there.
	walkTime = 1500
	// walkVisits bounds the elements that are looked at in one frame.
	walkVisits = 60000
	// walkChars bounds what the rows of one frame may hold.
	walkChars = 1_500_000
	// maxFrames bounds the frames that are read; pages with more hold
	// advertisements.
	maxFrames = 60
)

// A reading gathers the tree of a tab from its frames.
type reading struct {
	page   *Page
	frames []Frame
	tree   *tree
	scope  int
	urls   bool
	read   int
	view   View
	left   int // elements that were not looked at
	hidden int
}

// read takes the tree of the tab, or of what scope names.
func (p *Page) read(ctx context.Context, scope int, urls bool) (*reading, error) {
	frames, err := p.tab.Frames(ctx)
	if err != nil {
		return nil, err
	}
	if len(frames) == 0 {
		return nil, NoPage.Becausef("the tab shows no page now")
	}
	r := &reading{page: p, frames: frames, tree: newTree(), scope: scope, urls: urls}
	start := frames[0]
	if scope > 0 {
		i := slices.IndexFunc(frames, func(f Frame) bool { return f.ID == p.refs.frame(scope) })
		if i < 0 {
			return nil, errGone
		}
		start = frames[i]
	}
	if err := r.frame(ctx, start, nil); err != nil {
		return nil, err
	}
	return r, nil
}

// frame reads one document and those within it, below the node of its element.
func (r *reading) frame(ctx context.Context, f Frame, up *node) error {
	r.read++
	w, err := r.page.enter(ctx, f)
	if err != nil {
		return err
	}
	w.hear(ctx, r.page.hears(f.ID))
	a, err := r.ask(ctx, w, up == nil)
	if err != nil {
		return err
	}
	if up == nil {
		r.tree.id, r.tree.url, r.tree.title, r.view = a.ID, a.URL, a.Title, a.View
		r.note(a)
	}
	r.hidden += a.Hidden
	if a.Full != "" {
		r.left += max(a.Total-a.Visits, 1)
	}
	r.tree.grow(f.ID, a.Rows, up)
	return r.within(ctx, w)
}

// hears is what was told to a frame's script of its listeners.
func (p *Page) hears(frame string) *heard {
	if p.heard[frame] == nil {
		if len(p.heard) > 2*maxFrames { // frames come and go
			clear(p.heard)
		}
		p.heard[frame] = &heard{}
	}
	return p.heard[frame]
}

// ask has the script read one document, and once more if that finds closed
// shadow roots.
func (r *reading) ask(ctx context.Context, w world, top bool) (*answer, error) {
	for again := true; ; again = false {
		opts := map[string]any{"millis": walkTime, "visits": walkVisits, "rows": maxRows, "chars": walkChars, "urls": r.urls}
		if top && r.scope > 0 {
			opts["scope"] = r.scope
		}
		var a answer
		if err := w.call(ctx, &a, "snapshot", opts); err != nil {
			return nil, err
		}
		if err := a.judge(func(n int) bool { return r.page.refs.frame(n) == w.frame.ID }); err != nil {
			return nil, err
		}
		if a.Stale {
			return nil, errGone
		}
		if !again || len(a.Hosts) == 0 || !w.openShadows(ctx, a.Hosts) {
			return &a, nil
		}
	}
}

// within reads the frames that the document of w holds, each below its element.
func (r *reading) within(ctx context.Context, w world) error {
	for _, f := range r.frames {
		if f.Parent != w.frame.ID || r.read >= maxFrames {
			continue
		}
		ref, err := w.ownerOf(ctx, f)
		if err != nil {
			continue // it went away meanwhile, or nobody sees it
		}
		up := r.tree.byRef[ref]
		if up == nil || up.frame != w.frame.ID {
			continue // it is not shown
		}
		if err := r.frame(ctx, f, up); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			r.tree.notes = append(r.tree.notes, fmt.Sprintf("The frame %s could not be read: %v.", refName(ref), brief(err)))
		}
	}
	return nil
}

// ownerOf is the reference of the element that holds a frame.
func (w world) ownerOf(ctx context.Context, f Frame) (int, error) {
	var owner struct {
		Backend int64 `json:"backendNodeId"`
	}
	if err := w.frame.Session.Call(ctx, "DOM.getFrameOwner", map[string]any{"frameId": f.ID}, &owner); err != nil {
		return 0, err
	}
	id, err := w.resolve(ctx, owner.Backend)
	if err != nil {
		return 0, err
	}
	defer w.release()
	return w.refOf(ctx, id)
}

// resolve makes an element of the protocol an object of the world.
func (w world) resolve(ctx context.Context, backend int64) (string, error) {
	var node struct {
		Object remote `json:"object"`
	}
	err := w.frame.Session.Call(ctx, "DOM.resolveNode", map[string]any{
		"backendNodeId": backend, "executionContextId": w.context, "objectGroup": worldName,
	}, &node)
	if err != nil {
		return "", err
	}
	if node.Object.ObjectID == "" {
		return "", errGone
	}
	return node.Object.ObjectID, nil
}

// refOf is the reference of an element; a new one must be counted by the caller.
func (w world) refOf(ctx context.Context, objectID string) (int, error) {
	got, err := w.run(ctx, `function(el) { return globalThis.hobkin ? globalThis.hobkin.known(el) : null }`, true, object(objectID))
	if err != nil {
		return 0, err
	}
	return number(got.Value), nil
}

// note says what a reader of the whole page should know.
func (r *reading) note(a *answer) {
	if a.Modal {
		r.tree.notes = append(r.tree.notes, "A dialog is open; the page behind it is blocked and not shown.")
	}
}

// brief is an error without the words of the protocol.
func brief(err error) string {
	if lost(err) || errors.Is(err, errGone) {
		return "it went away meanwhile"
	}
	return err.Error()
}
