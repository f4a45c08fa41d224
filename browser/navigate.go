package browser

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/browser/cdp"
)

// An Arrival is where a navigation led.
type Arrival struct {
	URL, Title string
	Status     int       // of HTTP; 0 where there is none
	Loaded     bool      // everything of the page is there; else some is still on its way
	Download   *Download // the address was that of a file, and the tab stays where it was
}

const blankURL = "about:blank"

const (
	// loadTime is how long the rest of a page is waited for once its text is there:
	// a picture that hangs may not cost more.
	loadTime = time.Second
	// contentTime is how long the text of a page may take once its first byte came.
	contentTime = 10 * time.Second
	// maxHops is how many pages may lead on to the next before it counts as a loop.
	maxHops = 20
	// probeTime is how long a page may owe an answer before it counts as stuck.
	probeTime = 1500 * time.Millisecond
)

// Navigate goes to an address and returns once the text of its page is there and
// at most a second has passed for the rest.
func (t *Tab) Navigate(ctx context.Context, url string) (*Arrival, error) {
	url, err := t.b.mayOpen(ctx, url)
	if err != nil {
		return nil, err
	}
	return t.goes(ctx, func(ctx context.Context, v *view) error { return v.navigate(ctx, url) })
}

// Reload loads the page again.
func (t *Tab) Reload(ctx context.Context) (*Arrival, error) {
	return t.goes(ctx, func(ctx context.Context, v *view) error {
		if url := t.again(v); url != "" {
			return v.navigate(ctx, url)
		}
		return v.move(ctx, func(ctx context.Context) error { return v.session.Call(ctx, "Page.reload", nil, nil) })
	})
}

// Back goes back in the tab's history.
func (t *Tab) Back(ctx context.Context) (*Arrival, error) { return t.history(ctx, -1, "back") }

// Forward goes forward in the tab's history.
func (t *Tab) Forward(ctx context.Context) (*Arrival, error) { return t.history(ctx, 1, "forward") }

type historyEntry struct {
	ID    int    `json:"id"`
	URL   string `json:"url"`
	Title string `json:"title"`
}

type history struct {
	Current int            `json:"currentIndex"`
	Entries []historyEntry `json:"entries"`
}

func (t *Tab) history(ctx context.Context, by int, way string) (*Arrival, error) {
	return t.goes(ctx, func(ctx context.Context, v *view) error {
		var h history
		if err := v.session.Call(ctx, "Page.getNavigationHistory", nil, &h); err != nil {
			return err
		}
		i := h.Current + by
		if i < 0 || i >= len(h.Entries) {
			return NoHistory.Becausef("the tab %s has no page to go %s to", t.id, way)
		}
		if _, err := t.b.mayOpen(ctx, h.Entries[i].URL); err != nil {
			return err
		}
		return v.move(ctx, func(ctx context.Context) error {
			return v.session.Call(ctx, "Page.navigateToHistoryEntry", map[string]any{"entryId": h.Entries[i].ID}, nil)
		})
	})
}

// goes makes the tab go somewhere and says where it arrived.
func (t *Tab) goes(ctx context.Context, step func(context.Context, *view) error) (*Arrival, error) {
	v, done, err := t.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if v, err = t.able(ctx, v); err != nil {
		return nil, t.explain(v, err)
	}
	begin := time.Now()
	if err := step(ctx, v); err != nil {
		if aborted(err) {
			if d := v.in.downloadSince(ctx, begin, v); d != nil {
				return &Arrival{URL: v.address(), Download: d}, nil
			}
			err = NavigationFailed.Becausef("the page was left before it came, or its server sent no page")
		}
		return nil, v.failed(t.explain(v, err))
	}
	if err := v.arrive(ctx); err != nil {
		return nil, v.failed(t.explain(v, err))
	}
	return v.arrival(ctx), nil
}

// failed leaves a page that the guard refused: what stands there is our own
// refusal.
func (v *view) failed(err error) error {
	if errors.Is(err, NavigationBlocked) {
		v.session.Post("Page.navigate", map[string]any{"url": blankURL})
	}
	return err
}

// netError is Chromium's name of why a page could not be loaded.
type netError struct{ text, url string }

func (e netError) Error() string { return e.text }

func aborted(err error) bool {
	e, ok := errors.AsType[netError](err)
	return ok && e.text == "net::ERR_ABORTED"
}

// navigate goes to an address and returns when its document is there.
func (v *view) navigate(ctx context.Context, url string) error {
	mark := v.in.refused.mark()
	return v.move(ctx, func(ctx context.Context) error {
		v.mu.Lock()
		call := v.session.Call
		if v.crashed { // a new document needs no answer of the old one's process
			call = v.session.CallAlways
		}
		v.mu.Unlock()
		var out struct {
			Error  string `json:"errorText"`
			Loader string `json:"loaderId"` // empty when the document stays
		}
		if err := call(ctx, "Page.navigate", map[string]any{"url": url}, &out); err != nil {
			if own, ok := asProtocol(err); ok {
				return NavigationFailed.Becausef("%s could not be opened: %s", clip(url, 200), own.Message)
			}
			return err
		}
		if out.Error != "" {
			return v.in.why(netError{out.Error, url}, mark)
		}
		if out.Loader != "" {
			// It may have led on to another already.
			if err := v.await(ctx, func() bool { return slices.Contains(v.moves.came, out.Loader) }); err != nil {
				return err
			}
		}
		if v.blocked() {
			return v.in.refused.failure(mark, url)
		}
		return nil
	})
}

// blocked reports whether the main document is the proxy's refusal.
func (v *view) blocked() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.traffic.blocked
}

// move runs what makes the page go somewhere, bounded by the time that a server
// may take. A page that computes without an end is made to stop.
func (v *view) move(ctx context.Context, start func(context.Context) error) error {
	limit := v.in.b.opts.Navigate
	short, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	v.mu.Lock()
	from := v.moves.commits + v.moves.within
	v.moves.under, v.moves.started, v.moves.came = true, false, nil
	v.traffic = traffic{}
	v.mu.Unlock()
	err := start(short)
	if err == nil {
		err = v.await(short, func() bool { return v.moves.commits+v.moves.within > from || v.dialog != nil || !v.moves.under })
	}
	if err != nil {
		v.update(func() { v.moves.under = v.moves.started }) // unless it is on its way all the same
	}
	if err != nil && ctx.Err() == nil && short.Err() != nil {
		v.session.Post("Page.stopLoading", nil)
		return NavigationTimeout.Becausef("the server sent nothing within %v", limit)
	}
	return err
}

// arrive waits for the text of the page, and a little for the rest. Pages that
// lead on at once are followed.
func (v *view) arrive(ctx context.Context) error {
	for range maxHops {
		v.mu.Lock()
		commits := v.moves.commits
		v.mu.Unlock()
		here := func() bool { return v.moves.commits != commits || v.dialog != nil || v.crashed }
		if _, err := v.within(ctx, contentTime, func() bool { return here() || v.marks.content }); err != nil {
			return err
		}
		if _, err := v.within(ctx, loadTime, func() bool { return here() || v.marks.load }); err != nil {
			return err
		}
		if v.crashedNow() {
			return Crashed.Becausef("the process of the page died while it loaded")
		}
		if v.loaded() {
			v.turn(ctx) // many a page builds itself once it is loaded
		}
		// A page that leads on says so before or right after it is there.
		if moved, err := v.settled(ctx, commits); err != nil || !moved {
			return err
		}
	}
	loop := v.address()
	v.halt(ctx)
	return RedirectLoop.Becausef("after %d pages %s leads on to yet another", maxHops, clip(loop, 200))
}

const (
	// haltTime is how long no further page may come until a loop counts as ended.
	haltTime = 250 * time.Millisecond
	// haltMost bounds the end of a loop.
	haltMost = 5 * time.Second
)

// halt ends a loop of pages: it would go on, and even over the next address that
// is opened, since what a page wanted before that one came is done after it. The
// page that it ends at runs no script of its own; the next one does.
func (v *view) halt(ctx context.Context) {
	const scripts = "Emulation.setScriptExecutionDisabled"
	defer func() { _ = v.insist(context.WithoutCancel(ctx), scripts, map[string]any{"value": false}) }()
	ctx, cancel := context.WithTimeout(ctx, haltMost)
	defer cancel()
	for {
		v.mu.Lock()
		commits := v.moves.commits
		v.mu.Unlock()
		// Once the page has answered, all that its scripts wanted has been told of.
		if v.insist(ctx, scripts, map[string]any{"value": true}) != nil || v.insist(ctx, "Page.stopLoading", nil) != nil {
			return
		}
		moved, err := v.within(ctx, haltTime, func() bool { return v.moves.commits != commits })
		if err != nil || !moved && !v.underWay() {
			return
		}
	}
}

// insist is Call for what must not be lost, as it is when another page takes the
// place of the one that was told.
func (v *view) insist(ctx context.Context, method string, params any) error {
	ctx, cancel := context.WithTimeout(ctx, haltMost)
	defer cancel()
	for {
		err := v.session.Call(ctx, method, params, nil)
		if _, refused := asProtocol(err); !refused || ctx.Err() != nil {
			return err
		}
		_, _ = v.within(ctx, haltTime/10, func() bool { return false })
	}
}

// underWay reports whether another document is on its way.
func (v *view) underWay() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.moves.pendingLocked()
}

// settled reports whether the page has led on to another, which is there then.
func (v *view) settled(ctx context.Context, commits int) (moved bool, err error) {
	v.mu.Lock()
	under, now := v.moves.under, v.moves.commits
	v.mu.Unlock()
	if now != commits {
		return true, nil
	}
	if !under {
		return false, nil
	}
	begun := func() bool { return v.moves.commits != commits || v.moves.started || !v.moves.under || v.dialog != nil }
	if ok, err := v.within(ctx, tickTime, begun); err != nil || !ok {
		v.update(func() { v.moves.under = false }) // it was only wanted
		return false, err
	}
	_, err = v.within(ctx, v.in.b.opts.Navigate, func() bool { return v.moves.commits != commits || !v.moves.under || v.dialog != nil })
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.moves.commits != commits, err
}

func (v *view) loaded() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.marks.load && v.dialog == nil
}

func (v *view) crashedNow() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.crashed
}

// address is where the page is.
func (v *view) address() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.url
}

// arrival says where the page is now.
func (v *view) arrival(ctx context.Context) *Arrival {
	v.learnTitle(ctx)
	v.mu.Lock()
	defer v.mu.Unlock()
	return &Arrival{URL: v.url, Title: v.title, Status: v.traffic.status, Loaded: v.marks.load}
}

// learnTitle asks the browser, which knows the title even of a page that is
// stuck.
func (v *view) learnTitle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var h history
	if v.session.CallAlways(ctx, "Page.getNavigationHistory", nil, &h) != nil || h.Current < 0 || h.Current >= len(h.Entries) {
		return // a title is no reason to fail
	}
	v.mu.Lock()
	v.title = clip(h.Entries[h.Current].Title, 300)
	v.mu.Unlock()
	v.remember()
}

// asProtocol finds the browser's own refusal in err.
func asProtocol(err error) (*cdp.Error, bool) { return errors.AsType[*cdp.Error](err) }

// why makes Chromium's reason one that people can read. The proxy knows more of
// what it refused.
func (in *instance) why(e netError, mark int64) error {
	where := clip(e.url, 200)
	switch name := strings.TrimPrefix(e.text, "net::"); name {
	case "ERR_ABORTED":
		return e
	case "ERR_TUNNEL_CONNECTION_FAILED", "ERR_PROXY_CONNECTION_FAILED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "ERR_CONNECTION_CLOSED", "ERR_NAME_NOT_RESOLVED", "ERR_HTTP_RESPONSE_CODE_FAILURE":
		return in.refused.failure(mark, e.url)
	case "ERR_TOO_MANY_REDIRECTS":
		return RedirectLoop.Becausef("%s redirects without an end", where)
	case "ERR_TIMED_OUT", "ERR_CONNECTION_TIMED_OUT":
		return NavigationTimeout.Becausef("the server of %s did not answer in time", where)
	case "ERR_BLOCKED_BY_CLIENT", "ERR_BLOCKED_BY_ADMINISTRATOR", "ERR_UNSAFE_PORT", "ERR_DISALLOWED_URL_SCHEME":
		return NavigationBlocked.Becausef("the browser refuses %s (%s)", where, name)
	default:
		if strings.HasPrefix(name, "ERR_CERT_") || strings.HasPrefix(name, "ERR_SSL_") {
			return NavigationFailed.Becausef("the certificate of %s is not to be trusted (%s)", where, name).Trying("do not go there, or ask the owner of the host to repair it")
		}
		return NavigationFailed.Becausef("%s could not be loaded (%s)", where, name)
	}
}
