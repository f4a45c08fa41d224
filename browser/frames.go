package browser

import (
	"context"
	"maps"
	"slices"

	"github.com/hobkin/hobkin/browser/cdp"
	"github.com/hobkin/hobkin/browser/page"
)

// frameTree is how the protocol shows the frames of one process.
type frameTree struct {
	Frame struct {
		ID       string `json:"id"`
		ParentID string `json:"parentId"`
		URL      string `json:"url"`
	} `json:"frame"`
	Children []frameTree `json:"childFrames"`
}

// Frames lists the documents of the tab: its own first, each before those within
// it, frames of other origins included. It fails with [ReadBlocked] when the
// tab's own document is not one to be read; frames within that are not are left
// out, with all they hold.
func (t *Tab) Frames(ctx context.Context) ([]page.Frame, error) {
	v, done, err := t.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	list, err := v.allFrames(ctx)
	if err != nil {
		return nil, t.explain(v, err)
	}
	out := list[:0]
	left := map[string]bool{}
	for i, f := range list {
		why := v.mayRead(ctx, f.URL)
		switch {
		case why != nil && i == 0:
			return nil, why
		case why != nil || left[f.Parent]:
			left[f.ID] = true
		default:
			out = append(out, f)
		}
	}
	return out, nil
}

// Readable fails with [ReadBlocked] when what the tab shows is not to be read.
func (t *Tab) Readable(ctx context.Context) error {
	_, err := t.Frames(ctx)
	return err
}

// allFrames asks every process of the page for its frames.
func (v *view) allFrames(ctx context.Context) ([]page.Frame, error) {
	v.mu.Lock()
	others := make([]*cdp.Session, 0, len(v.frames))
	for _, id := range slices.Sorted(maps.Keys(v.frames)) { // one order each time
		others = append(others, v.frames[id])
	}
	v.mu.Unlock()
	type asked struct {
		s    *cdp.Session
		wait func(context.Context, any) error
	}
	var asks []asked
	for _, s := range others {
		asks = append(asks, asked{s, s.Post("Page.getFrameTree", nil)})
	}
	var own struct {
		Tree frameTree `json:"frameTree"`
	}
	if err := v.session.Call(ctx, "Page.getFrameTree", nil, &own); err != nil {
		return nil, err
	}
	found := flatten(nil, own.Tree, v.session, "")
	short, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	for _, a := range asks {
		var tree struct {
			Tree frameTree `json:"frameTree"`
		}
		if a.wait(short, &tree) == nil { // a frame that is stuck or gone is not there
			found = flatten(found, tree.Tree, a.s, v.holder(a.s))
		}
	}
	return ordered(found), nil
}

// holder is the frame that holds a frame of another origin.
func (v *view) holder(s *cdp.Session) string {
	if id := s.Target().ParentFrameID; id != "" {
		return id
	}
	if p := s.Parent(); p != nil {
		return p.Target().ID
	}
	return v.target
}

func flatten(list []page.Frame, t frameTree, s *cdp.Session, holder string) []page.Frame {
	parent := t.Frame.ParentID
	if parent == "" {
		parent = holder
	}
	list = append(list, page.Frame{Session: s, ID: t.Frame.ID, Parent: parent, URL: t.Frame.URL})
	for _, c := range t.Children {
		list = flatten(list, c, s, "")
	}
	return list
}

// ordered puts each frame after the one that holds it. One that two processes
// name, on its way from one to the other, is that of its own session; one whose
// holder is not known is left out.
func ordered(found []page.Frame) []page.Frame {
	byID, within := map[string]page.Frame{}, map[string][]string{}
	for _, f := range found {
		if old, twice := byID[f.ID]; twice && old.Session.Target().ID == f.ID {
			continue
		}
		if _, twice := byID[f.ID]; !twice {
			within[f.Parent] = append(within[f.Parent], f.ID)
		}
		byID[f.ID] = f
	}
	var out []page.Frame
	var walk func(id string)
	walk = func(id string) {
		out = append(out, byID[id])
		list := within[id]
		delete(within, id)
		for _, c := range list {
			walk(c)
		}
	}
	if len(found) > 0 {
		walk(found[0].ID)
	}
	return out
}
