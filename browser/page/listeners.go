package page

import (
	"context"
	"slices"
)

// Listeners that a page's script has added are seen by the protocol only: an
// isolated world knows its own. They tell what answers to a click although
// nothing in its markup says so.

const (
	maxHeard = 2000 // elements of one document whose listeners are told to the script
	atOnce   = 250  // of them in one call
)

// clicks are the events that make an element worth a click. They are asked for
// once a document and element: what stops listening is not noticed, which costs a
// word too many.
var clicks = map[string]string{
	"click": "click", "mousedown": "click", "mouseup": "click", "pointerdown": "click", "pointerup": "click", "dblclick": "click", "touchstart": "click",
	"dragstart": "click", "drop": "drop",
}

// A hearing asks which elements of a document listen; tell hands on what is new.
type hearing struct {
	w     world
	waits []func(context.Context, any) error // of the document, and of those in its frames
}

// hear asks for the listeners of the elements of the document, and of those in the
// frames that it holds and that share its session. What cannot be found out is
// left: the snapshot only lacks it.
func (w world) hear(ctx context.Context, frames []Frame) *hearing {
	h := &hearing{w: w}
	within := map[string]bool{w.frame.ID: true}
	for _, f := range frames { // each comes after the one that holds it
		if f.Session != w.frame.Session || f.ID != w.frame.ID && !within[f.Parent] {
			continue
		}
		within[f.ID] = true
		document, err := w.page.document(ctx, f)
		if err != nil || document == "" {
			if f.ID == w.frame.ID {
				return h
			}
			continue
		}
		h.waits = append(h.waits, f.Session.Start("DOMDebugger.getEventListeners", map[string]any{"objectId": document, "depth": -1, "pierce": true}))
	}
	return h
}

// tell tells the script of elements that listen to clicks and drops and that it
// was not told of so far. It reports whether there were any.
func (h *hearing) tell(ctx context.Context) bool {
	w := h.w
	if w.heard == nil {
		w.heard = map[int64]bool{}
	}
	kinds := map[string][]int64{}
	for _, l := range h.listeners(ctx) {
		kind := clicks[l.Type]
		if kind == "" || l.Node == 0 || w.heard[l.Node] || len(w.heard) >= maxHeard {
			continue
		}
		w.heard[l.Node] = true
		kinds[kind] = append(kinds[kind], l.Node)
	}
	for kind, nodes := range kinds {
		for some := range slices.Chunk(nodes, atOnce) {
			w.tell(ctx, kind, some)
		}
	}
	return len(kinds) > 0
}

// listeners are all that the document's elements have, whichever world added
// them: that is what pierce means, besides shadow roots and the documents of
// frames in the same process. Those of the frames are left out again: an element
// that is made an object of another document's world stays one of it.
func (h *hearing) listeners(ctx context.Context) (all []listener) {
	others := map[int64]bool{}
	for i, wait := range h.waits {
		var got struct {
			Listeners []listener `json:"listeners"`
		}
		if wait(ctx, &got) != nil {
			continue
		}
		if i == 0 {
			all = got.Listeners
			continue
		}
		for _, l := range got.Listeners {
			others[l.Node] = true
		}
	}
	return slices.DeleteFunc(all, func(l listener) bool { return others[l.Node] })
}

type listener struct {
	Type string `json:"type"`
	Node int64  `json:"backendNodeId"`
}

// document is the document of a frame as an object of the page's own script. Asked
// by an object of an isolated world, Chromium 156 dies on pages whose listeners it
// collects. The object goes with its document.
func (p *Page) document(ctx context.Context, f Frame) (object string, err error) {
	k := p.worlds.of(f)
	if k != nil && k.object != "" {
		return k.object, nil
	}
	if object, err = findDocument(ctx, f); err == nil && k != nil {
		k.object = object
	}
	return object, err
}

func findDocument(ctx context.Context, f Frame) (objectID string, err error) {
	s := f.Session
	if s.Target().ID == f.ID {
		var e evaluation
		err := s.Call(ctx, "Runtime.evaluate", map[string]any{"expression": "document"}, &e)
		return e.Result.ObjectID, err
	}
	var owner struct {
		Node int64 `json:"backendNodeId"`
	}
	if err := s.Call(ctx, "DOM.getFrameOwner", map[string]any{"frameId": f.ID}, &owner); err != nil {
		return "", err
	}
	var described struct {
		Node struct {
			Document struct {
				Node int64 `json:"backendNodeId"`
			} `json:"contentDocument"`
		} `json:"node"`
	}
	if err := s.Call(ctx, "DOM.describeNode", map[string]any{"backendNodeId": owner.Node}, &described); err != nil {
		return "", err
	}
	var resolved struct {
		Object remote `json:"object"`
	}
	err = s.Call(ctx, "DOM.resolveNode", map[string]any{"backendNodeId": described.Node.Document.Node}, &resolved)
	return resolved.Object.ObjectID, err
}

// tell makes elements of the protocol's numbers and hands them to the script.
func (w world) tell(ctx context.Context, kind string, nodes []int64) {
	type resolved struct {
		Object remote `json:"object"`
	}
	params := func(node int64) map[string]any {
		return map[string]any{"backendNodeId": node, "executionContextId": w.context, "objectGroup": worldName}
	}
	s := w.frame.Session
	waits := make([]func(context.Context, any) error, len(nodes))
	for i, node := range nodes {
		waits[i] = s.Post("DOM.resolveNode", params(node))
	}
	defer w.release()
	// Answers come in order. This call, which a dialog would end, is the last.
	if s.Call(ctx, "Runtime.getIsolateId", nil, nil) != nil {
		return
	}
	args := []any{value(kind)}
	for _, wait := range waits {
		var r resolved
		if wait(ctx, &r) == nil && r.Object.Subtype == "node" {
			args = append(args, object(r.Object.ObjectID))
		}
	}
	_, _ = w.run(ctx, `function(kind, ...list) { return globalThis.hobkin ? globalThis.hobkin.listens(kind, list) : null }`, true, args...)
}
