package browser_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/netguardtest"
)

// A browser starts with its first use, opens pages in tabs, and is gone after its
// end.
func TestTabs(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	if s := b.Status(); s.Running || len(s.Tabs) != 0 {
		t.Fatalf("before the first use: %+v", s)
	}
	if _, err := b.Tab(""); !errors.Is(err, browser.NoTab) {
		t.Errorf("without a tab: %v", err)
	}
	first := open(t, b, browsertest.Serve(t, "a.example", "<title>one</title>"))
	second, a, err := b.Open(within(t), browsertest.Serve(t, "b.example", "<title>two</title>"))
	if err != nil || a.Title != "two" || a.Status != 200 || !a.Loaded {
		t.Fatalf("%+v, %v", a, err)
	}
	if first.ID() != "t1" || second.ID() != "t2" {
		t.Errorf("ids %s and %s", first.ID(), second.ID())
	}
	s := b.Status()
	if !s.Running || len(s.Tabs) != 2 || !s.Tabs[1].Active || s.Tabs[0].Active || s.Tabs[0].Title != "one" || !strings.HasPrefix(s.Tabs[0].URL, "http://a.example/") {
		t.Errorf("%+v", s)
	}
	if _, err := b.Focus(within(t), "t1"); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Tab(""); err != nil || got != first {
		t.Errorf("active is %v, %v", got, err)
	}
	for _, id := range []string{"t2", "t1"} {
		if err := b.CloseTab(within(t), id); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Tab("t2"); !errors.Is(err, browser.TabGone) {
		t.Errorf("a closed tab: %v", err)
	}
	if _, err := first.Navigate(within(t), "http://a.example/"); !errors.Is(err, browser.TabGone) {
		t.Errorf("a closed tab is used: %v", err)
	}
	third := open(t, b, browsertest.Serve(t, "a.example", "<title>three</title>")) // the browser outlived its last tab
	if third.ID() != "t3" || b.Status().Starts != 1 {
		t.Errorf("%s after %d starts", third.ID(), b.Status().Starts)
	}
}

// Frames lists frames of the same and of other origins, each after its holder.
func TestFrames(t *testing.T) {
	b := common(t)
	deep := browsertest.Serve(t, "c.example", "<p>deep")
	other := browsertest.Serve(t, "b.example", fmt.Sprintf("<p>other<iframe src=%q></iframe><iframe srcdoc='<p>in other'></iframe>", deep))
	same := browsertest.Serve(t, "a.example", "<p>same")
	tab := open(t, b, browsertest.Serve(t, "a.example", fmt.Sprintf("<iframe src=%q></iframe><iframe src=%q></iframe>", same, other)))
	frames, err := tab.Frames(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(frames) != 5 {
		t.Fatalf("%d frames: %+v", len(frames), frames)
	}
	at := map[string]string{}
	for i, f := range frames {
		at[f.ID] = f.URL
		if i > 0 && at[f.Parent] == "" {
			t.Errorf("%s comes before its holder", f.URL)
		}
		var out struct {
			Result struct{ Value string } `json:"result"`
		}
		if f.URL == "about:srcdoc" || f.URL == same { // they share a session with their holder
			continue
		}
		if err := f.Session.Call(within(t), "Runtime.evaluate", map[string]any{"expression": "location.href"}, &out); err != nil || out.Result.Value != f.URL {
			t.Errorf("the session of %s is at %q, %v", f.URL, out.Result.Value, err)
		}
	}
	for _, f := range frames {
		got, err := tab.Evaluate(within(t), f.ID, "location.href")
		if err != nil || string(got) != fmt.Sprintf("%q", f.URL) {
			t.Errorf("in the frame %s: %s, %v", f.URL, got, err)
		}
	}
}

// A page whose picture hangs is there after a second; one whose server says
// nothing is given up; each failure has its name.
func TestNavigation(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	silent := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	})
	b := start(t, func(o *browser.Options) { o.Navigate = 2 * time.Second })
	tab := open(t, b, "about:blank")
	picture := browsertest.Handle(t, "a.example", silent)
	begin := time.Now()
	a, err := tab.Navigate(within(t), browsertest.Serve(t, "a.example", fmt.Sprintf("<title>slow</title><img src=%q>", picture)))
	if err != nil || a.Loaded || a.Title != "slow" || time.Since(begin) > 5*time.Second {
		t.Errorf("a picture that hangs: %+v, %v after %v", a, err, time.Since(begin))
	}
	loop := "http://a.example/loop"
	browsertest.HandlePath(t, "a.example", "/loop", http.RedirectHandler(loop, http.StatusFound))
	client := "http://a.example/client"
	var hops atomic.Int64
	browsertest.HandlePath(t, "a.example", "/client", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		hops.Add(1)
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<script>location.href = '/client?' + Math.random()</script>")
	}))
	none := browsertest.Handle(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	for url, want := range map[string]error{
		browsertest.Handle(t, "a.example", silent): browser.NavigationTimeout,
		loop:   browser.RedirectLoop,
		client: browser.RedirectLoop,
		none:   browser.NavigationFailed,
	} {
		begin := time.Now()
		if _, err := tab.Navigate(within(t), url); !errors.Is(err, want) {
			t.Errorf("%s: %v; want %v", url, err, want)
		}
		if took := time.Since(begin); took > 15*time.Second {
			t.Errorf("%s: it took %v", url, took)
		}
	}
	after := browsertest.Serve(t, "a.example", "<title>before</title><script>document.title = 'after all that'</script>")
	for range 5 {
		if _, err := tab.Navigate(within(t), client); !errors.Is(err, browser.RedirectLoop) {
			t.Errorf("a loop of pages: %v", err)
		}
		browsertest.Until(t, func() bool { // a server that was asked last may count late; a loop that goes on counts on
			before := hops.Load()
			<-time.After(300 * time.Millisecond)
			return hops.Load() == before
		})
		if a, err := tab.Navigate(within(t), after); err != nil || a.Title != "after all that" {
			t.Errorf("after the loop: %+v, %v", a, err)
		}
	}
}

// A page that builds itself when it is loaded is there when its tab has arrived.
func TestPageThatBuildsItself(t *testing.T) {
	tab := open(t, common(t), "about:blank")
	url := browsertest.Serve(t, "a.example", `<title>empty</title><script>onload = () => requestAnimationFrame(() => setTimeout(() => { document.title = 'built' }, 0))</script>`)
	for range 5 {
		if a, err := tab.Navigate(within(t), url); err != nil || a.Title != "built" {
			t.Fatalf("%+v, %v", a, err)
		}
	}
}

// Back, forward and reload go where they say, and say so when they cannot.
func TestHistory(t *testing.T) {
	b := common(t)
	tab := open(t, b, browsertest.Serve(t, "a.example", "<title>one</title>"))
	if _, err := tab.Forward(within(t)); !errors.Is(err, browser.NoHistory) {
		t.Errorf("forward from the last page: %v", err)
	}
	if _, err := tab.Navigate(within(t), browsertest.Serve(t, "b.example", "<title>two</title>")); err != nil {
		t.Fatal(err)
	}
	if a, err := tab.Back(within(t)); err != nil || a.Title != "one" {
		t.Errorf("back: %+v, %v", a, err)
	}
	if a, err := tab.Forward(within(t)); err != nil || a.Title != "two" {
		t.Errorf("forward: %+v, %v", a, err)
	}
	settle(t, tab, "document.title = 'changed'")
	if got := tab.Info().Title; got != "changed" {
		t.Errorf("the title is %q", got)
	}
	if a, err := tab.Reload(within(t)); err != nil || a.Title != "two" {
		t.Errorf("reload: %+v, %v", a, err)
	}
	if _, err := tab.Navigate(within(t), tab.Info().URL+"#part"); err != nil {
		t.Errorf("to a part of the same page: %v", err)
	}
}

// A host that is not there, that turns the connection down or whose certificate
// is not to be trusted: each is told by its name, and the tab can go on.
func TestHostsThatFail(t *testing.T) {
	t.Parallel()
	w := netguardtest.New(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<title>good</title>")) }))
	w.Name("none.example")
	w.Name("down.example", "93.184.216.99")
	cfg := w.Config()
	cfg.Dial = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		if to.Addr().String() == "93.184.216.99" {
			return nil, syscall.ECONNREFUSED
		}
		return w.Dial(ctx, to)
	}
	g, err := netguard.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b := start(t, func(o *browser.Options) { o.Guard = g })
	tab := open(t, b, "about:blank")
	for url, want := range map[string]error{
		"http://none.example/": netguard.NotFound, "https://none.example/": netguard.NotFound,
		"http://down.example/": netguard.Unreachable, "https://down.example/": netguard.Unreachable,
		"https://a.example/": browser.NavigationFailed,
	} {
		_, err := tab.Navigate(within(t), url)
		if !errors.Is(err, want) || errors.Is(want, browser.NavigationFailed) && !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: %v; want %v", url, err, want)
		}
		if a, err := tab.Navigate(within(t), "http://a.example/"); err != nil || a.Title != "good" {
			t.Errorf("after %s: %+v, %v", url, a, err)
		}
	}
}
