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
	r := &reading{page: p, tree: newTree(), scope: scope, urls: urls}
	early := r.early(ctx)
	start, err := r.start(ctx)
	if early != nil && (err != nil || len(r.frames) > 1 || early.w.frame.ID != start.ID || early.w.frame.Session != start.Session) {
		_ = early.answer(ctx, nil) // it was of another document, or of one that holds others now
		early = nil
	}
	if err != nil {
		return nil, err
	}
	if p.shown = (Frame{}); scope == 0 && len(r.frames) == 1 {
		p.shown = start
	}
	err = r.frame(ctx, start, nil, early)
	if early != nil && lost(err) { // the tab has just gone on
		r.read = 0
		err = r.frame(ctx, start, nil, nil)
	}
	return r, err
}

// start is the frame that is read first.
func (r *reading) start(ctx context.Context) (f Frame, err error) {
	if r.frames, err = r.page.tab.Frames(ctx); err != nil {
		return f, err
	}
	if len(r.frames) == 0 {
		return f, NoPage.Becausef("the tab shows no page now")
	}
	if r.scope == 0 {
		return r.frames[0], nil
	}
	i := slices.IndexFunc(r.frames, func(f Frame) bool { return f.ID == r.page.refs.frame(r.scope) })
	if i < 0 {
		return f, errGone
	}
	return r.frames[i], nil
}

// frame reads one document and those within it, below the node of its element.
func (r *reading) frame(ctx context.Context, f Frame, up *node, early *asking) error {
	r.read++
	w, err := r.page.enter(ctx, f)
	if err != nil {
		return err
	}
	if early != nil && early.w.known != w.known {
		_ = early.answer(ctx, nil) // of the document before
		early = nil
	}
	if early == nil {
		early = r.ask(ctx, w, up == nil)
	}
	a, err := r.document(ctx, early, up == nil)
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

// An asking is a document that is being read.
type asking struct {
	w      world
	heard  *hearing // under way as well; nil where the script was told before
	answer func(ctx context.Context, a any) error
}

// early asks the document that the tab showed when it was last read, before it is
// sure that it still does: most often it does, and three answers come in the time
// of one.
func (r *reading) early(ctx context.Context) *asking {
	f := r.page.shown
	if r.scope != 0 || f.Session == nil {
		return nil
	}
	k := r.page.worlds.of(f)
	if k == nil || k.heard == nil || k.object == "" {
		return nil
	}
	return r.ask(ctx, world{f, k, r.page}, true)
}

// ask has the script read a document. Before it reads one for the first time it is
// told which elements listen; later that is asked for beside.
func (r *reading) ask(ctx context.Context, w world, top bool) *asking {
	frames := r.frames
	if frames == nil {
		frames = []Frame{w.frame}
	}
	heard, first := w.hear(ctx, frames), w.heard == nil
	if first {
		heard.tell(ctx)
		heard = nil
	}
	return &asking{w, heard, r.begin(w, top)}
}

func (r *reading) begin(w world, top bool) (answer func(ctx context.Context, a any) error) {
	opts := map[string]any{"millis": walkTime, "visits": walkVisits, "rows": maxRows, "chars": walkChars, "urls": r.urls}
	if top && r.scope > 0 {
		opts["scope"] = r.scope
	}
	return w.start("snapshot", opts)
}

// document is what the script says of a document. It is asked once more if there
// are closed shadow roots, or elements that have begun to listen.
func (r *reading) document(ctx context.Context, one *asking, top bool) (*answer, error) {
	w := one.w
	for again := true; ; again = false {
		var a answer
		if err := one.answer(ctx, &a); err != nil {
			return nil, err
		}
		if err := a.judge(func(n int) bool { return r.page.refs.frame(n) == w.frame.ID }); err != nil {
			return nil, err
		}
		if a.Stale {
			return nil, errGone
		}
		if !again {
			return &a, nil
		}
		more := one.heard != nil && one.heard.tell(ctx)
		more = len(a.Hosts) > 0 && w.openShadows(ctx, a.Hosts) || more
		if !more {
			return &a, nil
		}
		one = &asking{w: w, answer: r.begin(w, top)}
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
		if err := r.frame(ctx, f, up, nil); err != nil {
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
