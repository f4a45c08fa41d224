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

// heard is what was told already, of the document that a frame shows.
type heard struct {
	context int64
	nodes   map[int64]bool
}

// clicks are the events that make an element worth a click. They are asked for
// once a document and element: what stops listening is not noticed, which costs a
// word too many.
var clicks = map[string]string{
	"click": "click", "mousedown": "click", "mouseup": "click", "pointerdown": "click", "pointerup": "click", "dblclick": "click", "touchstart": "click",
	"dragstart": "click", "drop": "drop",
}

// hear tells the script which elements of its document listen to clicks and
// drops. What cannot be found out is left: the snapshot only lacks it.
func (w world) hear(ctx context.Context, done *heard) {
	if done.context != w.context {
		*done = heard{w.context, map[int64]bool{}}
	}
	kinds := map[string][]int64{}
	for _, l := range w.listeners(ctx) {
		kind := clicks[l.Type]
		if kind == "" || l.Node == 0 || done.nodes[l.Node] || len(done.nodes) >= maxHeard {
			continue
		}
		done.nodes[l.Node] = true
		kinds[kind] = append(kinds[kind], l.Node)
	}
	for kind, nodes := range kinds {
		for some := range slices.Chunk(nodes, atOnce) {
			w.tell(ctx, kind, some)
		}
	}
}

type listener struct {
	Type string `json:"type"`
	Node int64  `json:"backendNodeId"`
}

// listeners are all that the document's elements have, whichever world added
// them: that is what pierce means, besides shadow roots and the documents of
// frames in the same process. Those of the frames are left out again: an element
// that is made an object of another document's world stays one of it.
func (w world) listeners(ctx context.Context) []listener {
	all := w.listenersIn(ctx, w.frame.ID)
	if len(all) == 0 {
		return nil
	}
	others := map[int64]bool{}
	for _, id := range w.inner(ctx) {
		for _, l := range w.listenersIn(ctx, id) {
			others[l.Node] = true
		}
	}
	return slices.DeleteFunc(all, func(l listener) bool { return others[l.Node] })
}

// listenersIn are the listeners in the document of a frame of the session, and in
// the frames within it.
func (w world) listenersIn(ctx context.Context, frame string) []listener {
	s := w.frame.Session
	document, err := w.document(ctx, frame)
	if err != nil || document == "" {
		return nil
	}
	defer func() { s.Post("Runtime.releaseObject", object(document)) }()
	var all struct {
		Listeners []listener `json:"listeners"`
	}
	if s.Call(ctx, "DOMDebugger.getEventListeners", map[string]any{"objectId": document, "depth": -1, "pierce": true}, &all) != nil {
		return nil
	}
	return all.Listeners
}

// document is the document of a frame of the session, as the page's own script has
// it. Asked by an object of an isolated world, Chromium 156 dies on pages whose
// listeners it collects.
func (w world) document(ctx context.Context, frame string) (objectID string, err error) {
	s := w.frame.Session
	if s.Target().ID == frame {
		var e evaluation
		err := s.Call(ctx, "Runtime.evaluate", map[string]any{"expression": "document"}, &e)
		return e.Result.ObjectID, err
	}
	var owner struct {
		Node int64 `json:"backendNodeId"`
	}
	if err := s.Call(ctx, "DOM.getFrameOwner", map[string]any{"frameId": frame}, &owner); err != nil {
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

// A localFrame is a frame with those of the same session in it.
type localFrame struct {
	Frame struct {
		ID string `json:"id"`
	} `json:"frame"`
	Children []localFrame `json:"childFrames"`
}

// inner are the frames that the document holds and that share its session.
func (w world) inner(ctx context.Context) (ids []string) {
	var got struct {
		Tree localFrame `json:"frameTree"`
	}
	if w.frame.Session.Call(ctx, "Page.getFrameTree", nil, &got) != nil {
		return nil
	}
	for _, one := range got.Tree.find(w.frame.ID) {
		ids = append(ids, one.Frame.ID)
	}
	return ids
}

// find gives the frames within the frame of an id.
func (t localFrame) find(id string) []localFrame {
	if t.Frame.ID == id {
		return t.Children
	}
	for _, one := range t.Children {
		if found := one.find(id); found != nil {
			return found
		}
	}
	return nil
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
