package browser

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/browser/cdp"
	"github.com/hobkin/hobkin/core/capability"
)

// A view is the live side of a tab: its page in a browser that runs. Events keep
// its state, on the reader's goroutine; who waits for something waits for a
// change of it.
type view struct {
	in      *instance
	session *cdp.Session
	target  string
	enabled func(ctx context.Context) error // waits until its events come

	mu      sync.Mutex
	tab     *Tab // nil until it belongs to one
	changed chan struct{}
	gone    bool
	crashed bool

	frames  map[string]*cdp.Session // of frames of other origins, by frame id
	url     string                  // of the main frame, committed
	title   string
	loader  string // of the main document
	marks   marks
	moves   moves
	dialog  *Dialog
	dialogs dialogCount
	traffic traffic
	console ring[Message]
	network ring[Request]
	pending map[string]*Request // requests under way
}

// marks is how far the main document has come.
type marks struct{ content, load bool }

func newView(in *instance, s *cdp.Session) *view {
	v := &view{
		in: in, session: s, target: s.Target().ID, changed: make(chan struct{}), frames: map[string]*cdp.Session{},
		url: s.Target().URL, title: s.Target().Title, pending: map[string]*Request{},
		console: newRing[Message](keepMessages), network: newRing[Request](keepRequests),
	}
	v.listen(s, true)
	in.b.work.Go(func() { // ends with the session
		<-s.Done()
		v.ended()
	})
	return v
}

// enable makes the page tell what happens in it, and lets it go on. All commands
// are written before any is waited for: a page that stands still answers only
// some of them.
func (v *view) enable(waiting bool) {
	enable(v.session)
	wait := v.session.Post("Page.setLifecycleEventsEnabled", map[string]any{"enabled": true})
	var once sync.Once
	var err error
	v.enabled = func(ctx context.Context) error {
		once.Do(func() { err = wait(ctx, nil) }) // an answer comes once
		return err
	}
	if v.in.proc != nil && !v.in.b.opts.Window {
		v.session.Post("Emulation.setDeviceMetricsOverride", map[string]any{"width": v.in.b.opts.Width, "height": v.in.b.opts.Height, "deviceScaleFactor": 1, "mobile": false})
	}
	if waiting {
		v.session.Post("Runtime.runIfWaitingForDebugger", nil)
	}
}

// The viewport without a window: the size of a common laptop's screen.
const viewWidth, viewHeight = 1280, 800

// enable turns on the events of a page or of a frame of another origin.
func enable(s *cdp.Session) {
	s.Post("Page.enable", nil)
	s.Post("Runtime.enable", nil)
	s.Post("Log.enable", nil)
	s.Post("Network.enable", map[string]any{"maxTotalBufferSize": 1 << 20, "maxResourceBufferSize": 1 << 20})
	s.Post("Inspector.enable", nil)
	s.Post("Target.setAutoAttach", map[string]any{
		"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": []any{map[string]any{"type": "iframe"}},
	})
}

// listen keeps the state by the events of a session; main is that of the page,
// the others are of frames.
func (v *view) listen(s *cdp.Session, main bool) {
	s.OnAttach(func(child *cdp.Session, waiting bool) { v.frameAppeared(child, waiting) })
	if main {
		cdp.On(s, "Page.frameNavigated", v.navigated)
		cdp.On(s, "Page.navigatedWithinDocument", v.navigatedWithin)
		cdp.On(s, "Page.lifecycleEvent", v.lifecycle)
		cdp.On(s, "Inspector.targetCrashed", func(struct{}) { v.crash() })
		v.listenMoves(s)
	}
	v.listenDialogs(s)
	v.listenTraffic(s)
	v.listenConsole(s)
}

// frameAppeared takes in a frame of another origin.
func (v *view) frameAppeared(s *cdp.Session, waiting bool) {
	v.listen(s, false)
	enable(s)
	if waiting {
		s.Post("Runtime.runIfWaitingForDebugger", nil)
	}
	id := s.Target().ID // a frame's target has the frame's id
	v.update(func() {
		v.frames[id] = s
		if v.dialog != nil {
			s.Interrupt(v.dialog.open())
		}
	})
	v.in.b.work.Go(func() { // ends with the session
		<-s.Done()
		v.update(func() {
			if v.frames[id] == s {
				delete(v.frames, id)
			}
		})
	})
}

// sessions lists the page's session and those of its frames.
func (v *view) sessions() []*cdp.Session {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.sessionsLocked()
}

func (v *view) sessionsLocked() []*cdp.Session {
	return append([]*cdp.Session{v.session}, slices.Collect(maps.Values(v.frames))...)
}

// navigated notes that a frame shows another document.
func (v *view) navigated(e struct {
	Frame struct {
		ID       string `json:"id"`
		ParentID string `json:"parentId"`
		LoaderID string `json:"loaderId"`
		URL      string `json:"url"`
		Fragment string `json:"urlFragment"`
		Failed   string `json:"unreachableUrl"` // the browser's own words stand in its place
	} `json:"frame"`
	Type string `json:"type"`
},
) {
	if e.Frame.ParentID != "" {
		v.update(func() { v.moves.frames++ })
		return
	}
	v.session.Resume() // a new document answers, whatever became of the old one
	v.update(func() {
		v.url, v.title, v.loader = cmp.Or(e.Frame.Failed, e.Frame.URL+e.Frame.Fragment), "", e.Frame.LoaderID
		v.marks, v.crashed = marks{}, false
		if e.Type == "BackForwardCacheRestore" { // as it was left, and no event will say so
			v.marks = marks{content: true, load: true}
		}
		v.dialogs = dialogCount{}
		v.moves.committedLocked(e.Frame.LoaderID)
		v.leaveBehindLocked()
	})
	v.remember()
}

// navigatedWithin notes that the address has changed and the document has not.
func (v *view) navigatedWithin(e struct {
	FrameID string `json:"frameId"`
	URL     string `json:"url"`
},
) {
	if e.FrameID != v.target {
		return
	}
	v.update(func() {
		v.url = e.URL
		v.moves.within++
	})
	v.remember()
}

func (v *view) lifecycle(e struct {
	FrameID  string `json:"frameId"`
	LoaderID string `json:"loaderId"`
	Name     string `json:"name"`
},
) {
	if e.FrameID != v.target {
		return
	}
	v.update(func() {
		switch v.loader {
		case e.LoaderID:
		case "": // the document that the page began with, of which no other event tells
			v.loader = e.LoaderID
		default:
			return // of a document that is no more, or not yet
		}
		switch e.Name {
		case "DOMContentLoaded":
			v.marks.content = true
		case "load":
			v.marks.content, v.marks.load = true, true
		}
	})
}

// titled notes the title of the page. One without a title has the browser show
// its address in that place, which is none.
func (v *view) titled(title string) {
	v.mu.Lock()
	if title = clip(title, 300); title == "" || strings.HasSuffix(v.url, title) {
		v.mu.Unlock()
		return
	}
	v.title = title
	v.mu.Unlock()
	v.remember()
}

// remember tells the tab where it is.
func (v *view) remember() {
	v.mu.Lock()
	t, url, title := v.tab, v.url, v.title
	v.mu.Unlock()
	if t != nil {
		t.remember(url, title)
	}
}

// crash notes that the page's process died. Nothing that waits for it would be
// answered.
func (v *view) crash() {
	why := Crashed.Becausef("the process of the page died")
	v.update(func() {
		v.crashed = true
		v.dialog = nil
		for _, s := range v.sessionsLocked() {
			s.Interrupt(why)
		}
	})
	if t := v.owner(); t != nil {
		v.in.b.note(Note{Kind: NoteCrash, Tab: t.id, Text: "the process of the page died"})
	}
}

// ended notes that the page is gone, with its browser or alone.
func (v *view) ended() {
	v.update(func() { v.gone = true })
	v.in.vanished(v)
	t := v.owner()
	if t == nil {
		return
	}
	t.mu.Lock()
	ours := t.view == v
	if ours {
		t.view = nil
	}
	t.mu.Unlock()
	if ours && !v.in.ending() && errors.Is(v.session.Err(), cdp.ErrDetached) {
		t.leave()
		v.in.b.lost(t)
	}
}

// belong makes the view that of a tab.
func (v *view) belong(t *Tab) {
	v.mu.Lock()
	v.tab = t
	v.mu.Unlock()
}

func (v *view) owner() *Tab {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.tab
}

func (v *view) describe(info *TabInfo) {
	v.mu.Lock()
	defer v.mu.Unlock()
	info.URL, info.Loading, info.Crashed = v.url, !v.marks.content && v.moves.pendingLocked(), v.crashed
	if v.title != "" {
		info.Title = v.title
	}
	if v.dialog != nil {
		d := *v.dialog
		info.Dialog = &d
	}
}

// update changes the state and wakes those who wait for a change.
func (v *view) update(f func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f()
	close(v.changed)
	v.changed = make(chan struct{})
}

func (v *view) goneLocked() bool { return v.gone }

// await waits until ready, which is asked with mu held after each change. It
// ends early with the page, with a failure, and with ctx.
func (v *view) await(ctx context.Context, ready func() bool) error {
	for {
		v.mu.Lock()
		ok, gone, changed := ready(), v.gone, v.changed
		v.mu.Unlock()
		switch {
		case ok:
			return nil
		case gone:
			return v.explain(v.in.b.explain(v.in, cdp.ErrDetached))
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// within waits as await does, but not longer than d, which is no error. It
// reports whether the state was reached.
func (v *view) within(ctx context.Context, d time.Duration, ready func() bool) (bool, error) {
	short, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	err := v.await(short, ready)
	if err != nil && ctx.Err() == nil && short.Err() != nil {
		return false, nil
	}
	return err == nil, err
}

// explain makes an error of the protocol one that people can read.
func (v *view) explain(err error) error {
	if why, ok := capability.AsUserError(err); ok {
		return why // without the method that met it
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, cdp.ErrDetached) && v.in.ended():
		return Gone.Becausef("the browser has ended")
	case errors.Is(err, cdp.ErrDetached):
		return TabGone.Becausef("the page has closed")
	}
	return err
}
