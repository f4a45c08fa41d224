package browser

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
)

// A Tab is one page of a browser, over all the addresses that it goes to and all
// the runs of the browser. It is safe for concurrent use.
type Tab struct {
	b  *Browser
	id string // t1, t2, …; never given twice

	mu     sync.Mutex
	view   *view // nil while no browser runs
	url    string
	title  string
	popup  bool // a page opened it
	closed bool
}

// A TabInfo says what a tab shows.
type TabInfo struct {
	ID, URL, Title string

	Active  bool
	Popup   bool    // a page opened it
	Loading bool    // its page has not arrived yet
	Crashed bool    // its renderer died
	Dialog  *Dialog // that is open; nil without one
}

// ID is the tab's id, such as "t1".
func (t *Tab) ID() string { return t.id }

// Info says what the tab shows now, as far as it is known without asking it.
func (t *Tab) Info() TabInfo {
	t.mu.Lock()
	info := TabInfo{ID: t.id, URL: t.url, Title: t.title, Popup: t.popup}
	v := t.view
	t.mu.Unlock()
	if v != nil {
		v.describe(&info)
	}
	return info
}

// remember keeps what the tab is brought back to after the end of its browser.
func (t *Tab) remember(url, title string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.url, t.title = url, title
}

// addLocked makes a tab of a view. The caller holds the browser's mu.
func (b *Browser) addLocked(v *view, popup bool) *Tab {
	b.lastTab++
	t := &Tab{b: b, id: "t" + strconv.Itoa(b.lastTab), view: v, url: "about:blank", popup: popup}
	b.tabs = append(b.tabs, t)
	v.belong(t)
	return t
}

// New opens an empty tab and makes it the active one. What had to close to make
// room is in the notes, see [Browser.Since].
func (b *Browser) New(ctx context.Context) (*Tab, error) {
	in, done, err := b.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	v, err := in.blank(ctx)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	t := b.addLocked(v, false)
	b.active = t
	drop := b.overLocked()
	b.mu.Unlock()
	b.drop(in, drop, fmt.Sprintf("it was the oldest of more than %d tabs", b.opts.MaxTabs))
	return t, nil
}

// Open opens an address in a tab of its own, which becomes the active one. The
// tab is there even when its address could not be loaded.
func (b *Browser) Open(ctx context.Context, url string) (*Tab, *Arrival, error) {
	if url != "" && url != blankURL {
		if _, err := b.mayOpen(ctx, url); err != nil {
			return nil, nil, err
		}
	}
	t, err := b.New(ctx)
	if err != nil || url == "" || url == blankURL {
		return t, &Arrival{URL: blankURL}, err
	}
	a, err := t.Navigate(ctx, url)
	return t, a, err
}

// adoptPopup makes a tab of a page that a page opened. It runs on the reader's
// goroutine.
func (b *Browser) adoptPopup(in *instance, v *view) {
	b.mu.Lock()
	if v.owner() != nil || v.session.Target().OpenerID == "" {
		b.mu.Unlock()
		return
	}
	t := b.addLocked(v, true)
	b.notes.add(Note{Kind: NotePopup, Tab: t.id})
	drop := b.overLocked()
	b.mu.Unlock()
	b.drop(in, drop, fmt.Sprintf("pages opened more than %d tabs", b.opts.MaxTabs))
}

// overLocked takes the tabs that are too many from the list: the oldest that is
// not active, of those that pages opened first, so that a page which opens a
// hundred closes nobody's but its own. The person's own browser has no cap: its
// tabs are not ours to close.
func (b *Browser) overLocked() (drop []*Tab) {
	if b.Attached() {
		return nil
	}
	for len(b.tabs) > b.opts.MaxTabs {
		i := slices.IndexFunc(b.tabs, func(t *Tab) bool { return t.popup && t != b.active && t != b.tabs[len(b.tabs)-1] })
		if i < 0 {
			i = slices.IndexFunc(b.tabs, func(t *Tab) bool { return t != b.active })
		}
		drop = append(drop, b.tabs[i])
		b.tabs = slices.Delete(b.tabs, i, i+1)
	}
	return drop
}

// drop closes tabs that were taken from the list, and notes why.
func (b *Browser) drop(in *instance, tabs []*Tab, why string) {
	for _, t := range tabs {
		v := t.leave()
		b.mu.Lock()
		b.notes.gone(t.id, why)
		b.mu.Unlock()
		if v != nil {
			in.root.Post("Target.closeTarget", map[string]any{"targetId": v.target})
		}
	}
}

// leave marks the tab closed and returns its view.
func (t *Tab) leave() *view {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.view
	t.view, t.closed = nil, true
	return v
}

// lost takes a tab from the list whose page has closed itself, or was closed by
// a person.
func (b *Browser) lost(t *Tab) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.tabs, t)
	if i < 0 {
		return
	}
	b.tabs = slices.Delete(b.tabs, i, i+1)
	b.notes.gone(t.id, "its page closed itself")
	b.activateNearLocked(i)
}

// activateNearLocked makes the neighbour of a tab that has left the active one,
// if it was that. The caller holds mu.
func (b *Browser) activateNearLocked(i int) {
	if slices.Contains(b.tabs, b.active) {
		return
	}
	b.active = nil
	if n := len(b.tabs); n > 0 {
		b.active = b.tabs[min(max(i-1, 0), n-1)]
	}
}

// CloseTab closes a tab; an empty id is the active one.
func (b *Browser) CloseTab(ctx context.Context, id string) error {
	t, err := b.Tab(id)
	if err != nil {
		return err
	}
	in := b.instance()
	v := t.leave()
	if in != nil && v != nil {
		if err := in.keepOne(ctx); err != nil {
			return err
		}
	}
	b.mu.Lock()
	if i := slices.Index(b.tabs, t); i >= 0 {
		b.tabs = slices.Delete(b.tabs, i, i+1)
		b.notes.gone(t.id, "it was closed")
		b.activateNearLocked(i)
	}
	b.mu.Unlock()
	if in == nil || v == nil {
		return nil
	}
	if err := in.root.Call(ctx, "Target.closeTarget", map[string]any{"targetId": v.target}, nil); err != nil {
		return b.explain(in, err)
	}
	return v.await(ctx, func() bool { return v.goneLocked() })
}

// keepOne makes sure that the browser has a page besides the one that is about
// to close: with its last one it would end.
func (in *instance) keepOne(ctx context.Context) error {
	in.mu.Lock()
	enough := in.proc == nil || len(in.views) > 1
	in.mu.Unlock()
	if enough {
		return nil
	}
	v, err := in.blank(ctx)
	if err != nil {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.spare = v
	return nil
}

// Focus makes a tab the active one. With a window it comes to the front.
func (b *Browser) Focus(ctx context.Context, id string) (*Tab, error) {
	t, err := b.Tab(id)
	if err != nil {
		return nil, err
	}
	v, done, err := t.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	b.mu.Lock()
	b.active = t
	b.mu.Unlock()
	if b.opts.Window || b.Attached() {
		return t, t.explain(v, v.session.Call(ctx, "Page.bringToFront", nil, nil))
	}
	return t, nil
}

// use makes sure that the browser runs, and returns the tab's live side.
func (t *Tab) use(ctx context.Context) (*view, func(), error) {
	in, done, err := t.b.use(ctx)
	if err != nil {
		return nil, nil, err
	}
	t.mu.Lock()
	v, closed := t.view, t.closed
	t.mu.Unlock()
	switch {
	case closed:
		err = TabGone.Becausef("the tab %s was closed", t.id)
	case v == nil || v.in != in: // a tab that could not be brought back with its browser
		v, err = t.b.revive(ctx, in, t)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return v, done, nil
}

// explain makes an error of the protocol one that people can read.
func (t *Tab) explain(v *view, err error) error {
	if err == nil {
		return nil
	}
	return v.explain(t.b.explain(v.in, err))
}
