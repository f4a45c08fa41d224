package browser

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/hobkin/hobkin/browser/cdp"
)

const (
	dialTime = 5 * time.Second
	// maxVersion bounds the answer that says where the browser listens.
	maxVersion = 64 << 10
)

// attach connects to the person's own browser. Only an address of this machine
// will do: what is spoken there has the powers of the person.
func (in *instance) attach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	addr := in.b.opts.Attach
	if err := loopback(addr); err != nil {
		return err
	}
	v, err := ask(ctx, addr)
	if err != nil {
		return AttachFailed.Becausef("no browser can be attached to at %s: %v", addr, err)
	}
	ws, err := url.Parse(v.WebSocket)
	if err != nil || ws.Scheme != "ws" || ws.Path == "" {
		return AttachFailed.Becausef("what listens at %s is no browser that can be attached to", addr)
	}
	ws.Host = addr // whatever it says of itself
	t, err := cdp.Dial(ctx, ws.String())
	if err != nil {
		return AttachFailed.Becausef("the browser at %s does not let itself be attached to: %v", addr, err)
	}
	in.conn, in.product = cdp.New(t), clip(v.Product, 100)
	return nil
}

// loopback refuses addresses that are not of this machine.
func loopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return AttachFailed.Becausef("%q is no address with a port, such as 127.0.0.1:9222", addr)
	}
	ip, err := netip.ParseAddr(host)
	if host != "localhost" && (err != nil || !ip.Unmap().IsLoopback()) {
		return AttachFailed.Becausef("%s is not on this machine; only a browser of this machine is attached to", addr)
	}
	return nil
}

type versionAnswer struct {
	Product   string `json:"Browser"`
	WebSocket string `json:"webSocketDebuggerUrl"`
}

// ask asks a DevTools port where its browser listens. No proxy stands between,
// and no redirect is followed.
func ask(ctx context.Context, addr string) (v versionAnswer, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/json/version", nil)
	if err != nil {
		return v, err
	}
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return v, err
	}
	defer func() { _ = resp.Body.Close() }()
	return v, json.NewDecoder(io.LimitReader(resp.Body, maxVersion)).Decode(&v)
}

// prepareAttached finds the person's tabs. None is touched until it is used.
func (in *instance) prepareAttached(ctx context.Context) error {
	in.root.OnAttach(in.appeared)
	cdp.On(in.root, "Target.targetCreated", func(e struct {
		Target cdp.Target `json:"targetInfo"`
	},
	) {
		if in.viewOf(e.Target.OpenerID) != nil && e.Target.Type == "page" { // one of ours opened it
			in.adopt(e.Target.ID)
		}
	})
	if err := in.root.Call(ctx, "Target.setDiscoverTargets", map[string]any{"discover": true}, nil); err != nil {
		return in.b.explain(in, err)
	}
	return nil
}

// letGo takes the tabs of the person's own browser from the list when the
// connection ends: they are the person's, and cannot be brought back.
func (b *Browser) letGo(in *instance) {
	if in.proc != nil {
		return
	}
	b.mu.Lock()
	tabs := b.tabs
	b.tabs, b.active = nil, nil
	for _, t := range tabs {
		b.notes.gone(t.id, "the connection to the person's own browser ended")
	}
	b.mu.Unlock()
	for _, t := range tabs {
		t.leave()
	}
}

// adopt attaches to one page of the person's own browser.
func (in *instance) adopt(target string) {
	in.root.Post("Target.attachToTarget", map[string]any{"targetId": target, "flatten": true})
}

// OwnTabs lists the pages that are open in the person's own browser, which
// [Browser.Adopt] takes over. It fails for a browser of Hobkin's.
func (b *Browser) OwnTabs(ctx context.Context) ([]cdp.Target, error) {
	if !b.Attached() {
		return nil, NoTab.Becausef("the profile %s is not the person's own browser", b.opts.name())
	}
	in, done, err := b.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	var all struct {
		Targets []cdp.Target `json:"targetInfos"`
	}
	if err := in.root.Call(ctx, "Target.getTargets", nil, &all); err != nil {
		return nil, b.explain(in, err)
	}
	var pages []cdp.Target
	for _, t := range all.Targets {
		if t.Type == "page" {
			pages = append(pages, t)
		}
	}
	return pages, nil
}

// Adopt takes over a page that is open in the person's own browser and makes it
// the active tab.
func (b *Browser) Adopt(ctx context.Context, target string) (*Tab, error) {
	list, err := b.OwnTabs(ctx)
	if err != nil {
		return nil, err
	}
	in, done, err := b.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	for _, one := range list {
		if one.ID != target {
			continue
		}
		v := in.viewOf(target)
		if v == nil {
			in.adopt(target)
			if v, err = in.view(ctx, target); err != nil {
				return nil, err
			}
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if t := v.owner(); t != nil {
			b.active = t
			return t, nil
		}
		b.active = b.addLocked(v, false)
		b.active.remember(one.URL, one.Title)
		return b.active, nil
	}
	return nil, NoTab.Becausef("the person's own browser has no such page")
}
