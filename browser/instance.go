package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hobkin/hobkin/browser/cdp"
	"github.com/hobkin/hobkin/browser/chromium"
	"github.com/hobkin/hobkin/core/netguard/proxy"
)

// An instance is one run of a browser, or one connection to the person's own.
type instance struct {
	b       *Browser
	conn    *cdp.Conn
	root    *cdp.Session
	product string

	proc    *chromium.Process // nil in the person's own browser, and so are the next two
	profile *chromium.Profile
	proxy   *proxy.Proxy

	refused   refusals
	reads     reads
	downloads downloads
	hung      atomic.Bool // it was ended because it did not answer
	leaving   atomic.Bool // it is being ended: pages that vanish are not closed

	mu       sync.Mutex
	creating int              // tabs that are being made: what appears meanwhile may be one
	views    map[string]*view // by target
	spare    *view            // the page that the browser began with, until it is a tab
	changed  chan struct{}    // closed and made anew with every change of views
	cookieMu sync.Mutex
	cookies  string // as they were last saved
	mourn    sync.Once
	finish   sync.Once
	finished chan struct{}
}

// start starts a browser, or attaches to the person's own.
func (b *Browser) start(ctx context.Context) (*instance, error) {
	in := &instance{b: b, views: map[string]*view{}, changed: make(chan struct{}), finished: make(chan struct{})}
	var err error
	if b.Attached() {
		err = in.attach(ctx)
	} else {
		err = in.launch(ctx)
	}
	if err == nil {
		err = in.prepare(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, in.end(context.WithoutCancel(ctx), false))
	}
	b.mu.Lock()
	b.notes.starts++
	b.mu.Unlock()
	return in, nil
}

// launch starts a browser of our own.
func (in *instance) launch(ctx context.Context) error {
	o := in.b.opts
	binary, err := in.b.binary()
	if err != nil {
		return err
	}
	if o.Profile == "" {
		in.profile, err = chromium.TempProfile(o.Profiles)
	} else {
		in.profile, err = chromium.OpenProfile(ctx, o.Profiles, o.Profile)
	}
	if err != nil {
		return err
	}
	in.proxy, err = proxy.Start(proxy.Options{Guard: o.Guard, NoCredentials: true, OnRefuse: in.refused.add}) //nolint:contextcheck // it lives as long as the browser
	if err != nil {
		return fmt.Errorf("browser: %w", err)
	}
	in.proc, err = chromium.Start(ctx, chromium.Options{Binary: binary, Profile: in.profile, Proxy: in.proxy.Addr(), Window: o.Window, NoSandbox: o.NoSandbox})
	if err != nil {
		return err
	}
	in.conn, in.product = in.proc.Conn, in.proc.Product
	return nil
}

// prepare makes the browser tell us of its pages and downloads. The pages that
// it began with are there when it returns.
func (in *instance) prepare(ctx context.Context) error {
	in.root = in.conn.Root()
	in.watchDownloads()
	cdp.On(in.root, "Target.targetInfoChanged", func(e struct {
		Target cdp.Target `json:"targetInfo"`
	},
	) {
		in.mu.Lock()
		v := in.views[e.Target.ID]
		in.mu.Unlock()
		if v != nil {
			v.titled(e.Target.Title)
		}
	})
	if in.proc == nil {
		return in.prepareAttached(ctx)
	}
	in.root.OnAttach(in.appeared)
	in.root.Post("Browser.setDownloadBehavior", in.downloadBehaviour())
	in.root.Post("Target.setDiscoverTargets", map[string]any{"discover": true, "filter": []any{map[string]any{"type": "page"}}})
	err := in.root.Call(ctx, "Target.setAutoAttach", map[string]any{
		"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": []any{map[string]any{"type": "page"}},
	}, nil)
	if err != nil {
		return in.b.explain(in, err)
	}
	if err := in.reviveCookies(ctx); err != nil {
		in.b.log.Warn("cookies of the last run could not be restored", "err", err)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, v := range in.views {
		in.spare = v
	}
	return nil
}

// ended reports whether the instance is over.
func (in *instance) ended() bool {
	select {
	case <-in.conn.Done():
		return true
	case <-in.finished:
		return true
	default:
		return false
	}
}

// ending reports whether pages vanish because the browser does.
func (in *instance) ending() bool { return in.leaving.Load() || in.ended() }

// watched reports whether a person sees the pages.
func (in *instance) watched() bool { return in.proc == nil || in.b.opts.Window }

// end ends the instance and everything it holds. A polite end lets the browser
// write its profile down. It may be called more than once; only the first does
// the work, and the others wait for it.
func (in *instance) end(ctx context.Context, polite bool) (err error) {
	in.finish.Do(func() {
		defer close(in.finished)
		in.leaving.Store(true)
		switch {
		case in.proc != nil && polite:
			in.keepCookies(ctx)
			err = in.proc.Close(ctx)
		case in.proc != nil:
			err = in.proc.Kill()
		case in.conn != nil:
			err = in.conn.Close()
		}
		in.downloads.wait()
		if in.proxy != nil {
			err = errors.Join(err, in.proxy.Close())
		}
		if in.profile != nil {
			if polite {
				in.forgetCookies()
			}
			err = errors.Join(err, in.profile.Close())
		}
	})
	<-in.finished
	return err
}

// appeared takes in a page that is new. It runs on the reader's goroutine.
func (in *instance) appeared(s *cdp.Session, waiting bool) {
	if s.Target().Type != "page" {
		s.Post("Runtime.runIfWaitingForDebugger", nil)
		return
	}
	v := newView(in, s)
	v.enable(waiting)
	in.mu.Lock()
	in.views[v.target] = v
	popup := in.creating == 0 && s.Target().OpenerID != ""
	in.noteLocked()
	in.mu.Unlock()
	if popup {
		in.b.adoptPopup(in, v)
	}
}

// noteLocked wakes those who wait for a view. The caller holds mu.
func (in *instance) noteLocked() {
	close(in.changed)
	in.changed = make(chan struct{})
}

// vanished forgets a page that is gone.
func (in *instance) vanished(v *view) {
	in.mu.Lock()
	delete(in.views, v.target)
	if in.spare == v {
		in.spare = nil
	}
	in.noteLocked()
	in.mu.Unlock()
}

// blank makes an empty page, or takes the one that the browser began with.
func (in *instance) blank(ctx context.Context) (*view, error) {
	in.mu.Lock()
	if v := in.spare; v != nil {
		in.spare = nil
		in.mu.Unlock()
		return v, v.enabled(ctx)
	}
	in.creating++
	in.mu.Unlock()
	defer in.created()
	var made struct {
		TargetID string `json:"targetId"`
	}
	// A window of its own lets a page be visible and draw although another is in
	// front; with windows that a person sees they are tabs of one.
	params := map[string]any{"url": "about:blank", "newWindow": in.proc != nil && !in.b.opts.Window}
	if err := in.root.Call(ctx, "Target.createTarget", params, &made); err != nil {
		return nil, in.b.explain(in, err)
	}
	if in.proc == nil {
		in.adopt(made.TargetID)
	}
	return in.view(ctx, made.TargetID)
}

// created hands pages that appeared while a tab was made, and are none, over as
// popups.
func (in *instance) created() {
	in.mu.Lock()
	in.creating--
	var popups []*view
	if in.creating == 0 {
		for _, v := range in.views {
			if v.session.Target().OpenerID != "" && v.owner() == nil && v != in.spare {
				popups = append(popups, v)
			}
		}
	}
	in.mu.Unlock()
	for _, v := range popups {
		in.b.adoptPopup(in, v)
	}
}

// view waits for the view of a target.
func (in *instance) view(ctx context.Context, target string) (*view, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		in.mu.Lock()
		v, changed := in.views[target], in.changed
		in.mu.Unlock()
		if v != nil {
			return v, v.enabled(ctx)
		}
		select {
		case <-changed:
		case <-in.conn.Done():
			return nil, in.b.explain(in, cdp.ErrClosed)
		case <-ctx.Done():
			return nil, Gone.Becausef("the browser made no tab: %v", context.Cause(ctx))
		}
	}
}

// explain makes an error of the protocol one that people can read.
func (b *Browser) explain(in *instance, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, cdp.ErrClosed) && in.hung.Load():
		return Gone.Becausef("the browser hung and was ended")
	case errors.Is(err, cdp.ErrClosed):
		return Gone.Becausef("the browser has ended")
	case errors.Is(err, cdp.ErrBusy):
		return Gone.Becausef("the browser takes no more commands")
	}
	return err
}
