package browser_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/browsertest"
)

// person starts a browser as a person would who lets Hobkin attach to it, and
// returns its DevTools address.
func person(t *testing.T, args ...string) string {
	t.Helper()
	args = append([]string{"--remote-debugging-port=0", "--no-sandbox", "--proxy-server=" + browsertest.Proxy(t), "--proxy-bypass-list=<-loopback>", "--user-data-dir=" + t.TempDir()}, args...)
	binary := browsertest.Binary(t)
	if !binary.Shell {
		args = append(args, "--headless=new")
	}
	cmd := exec.CommandContext(t.Context(), binary.Path, args...) //nolint:gosec // the browser of the tests
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(text.String(), "/devtools/browser/") {
		n, err := said.Read(buf)
		if err != nil {
			t.Fatalf("%v: %s", err, text.String())
		}
		text.Write(buf[:n])
	}
	drained := make(chan struct{})
	go func() { defer close(drained); _, _ = io.Copy(io.Discard, said) }() // ends with the browser
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-drained
		_ = cmd.Wait()
	})
	_, rest, _ := strings.Cut(text.String(), "ws://")
	addr, _, _ := strings.Cut(rest, "/")
	return addr
}

// In the person's own browser tabs are opened and used; the person's are left
// alone until one is taken over, its cookies are not read, and its end is the
// person's.
func TestAttached(t *testing.T) {
	t.Parallel()
	theirs := browsertest.Serve(t, "a.example", "<title>theirs</title>")
	addr := person(t, theirs)
	b := start(t, func(o *browser.Options) { o.Attach = addr })
	tab, a, err := b.Open(within(t), browsertest.Serve(t, "a.example", "<title>ours</title>"))
	if err != nil || a.Title != "ours" {
		t.Fatalf("%+v, %v", a, err)
	}
	if s := b.Status(); !s.Attached || len(s.Tabs) != 1 || s.PID != 0 {
		t.Errorf("%+v", s)
	}
	for what, err := range map[string]error{
		"cookies": second(tab.Cookies(within(t), "")), "a cookie": tab.SetCookie(within(t), browser.Cookie{Name: "x", Value: "y"}),
		"storage": second(tab.Storage(within(t), browser.Local)), "deleting": second(tab.DeleteCookies(within(t), "")),
	} {
		if !errors.Is(err, browser.NotAttachedHere) {
			t.Errorf("%s: %v", what, err)
		}
	}
	list, err := b.OwnTabs(within(t))
	if err != nil {
		t.Fatal(err)
	}
	var own string
	for _, one := range list {
		if one.URL == theirs {
			own = one.ID
		}
	}
	taken, err := b.Adopt(within(t), own)
	if err != nil {
		t.Fatal(err)
	}
	if got := eval(t, taken, "document.title"); got != `"theirs"` {
		t.Errorf("the tab taken over shows %s", got)
	}
	if _, err := b.Adopt(within(t), "none"); !errors.Is(err, browser.NoTab) {
		t.Errorf("no such page: %v", err)
	}
	e := settle(t, tab, "open('about:blank')")
	awaitTab(t, b, "t3")
	if err := b.Stop(within(t)); err != nil {
		t.Fatal(err)
	}
	again := start(t, func(o *browser.Options) { o.Attach = addr })
	if err := again.Start(within(t)); err != nil {
		t.Errorf("the person's browser is gone: %v; %+v", err, e)
	}
	if list := b.Tabs(); len(list) != 0 {
		t.Errorf("tabs are listed that cannot be used: %+v", list)
	}
	if _, err := b.Tab("t1"); !errors.Is(err, browser.TabGone) {
		t.Errorf("a tab of a connection that ended: %v", err)
	}
	if _, err := taken.Evaluate(within(t), "", "1"); !errors.Is(err, browser.TabGone) {
		t.Errorf("a tab after the end of the connection: %v", err)
	}
}

// What cannot be attached to is told by what is wrong.
func TestCannotAttach(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"Browser": "x", "webSocketDebuggerUrl": "http://evil.example/"}`))
	}))
	defer site.Close()
	for _, addr := range []string{"93.184.216.34:9222", "example.org:9222", "9222", "127.0.0.1:1", "[::1]:1", "10.0.0.1:9222", strings.TrimPrefix(site.URL, "http://"), "0.0.0.0:9222"} {
		b := start(t, func(o *browser.Options) { o.Attach = addr })
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if err := b.Start(ctx); !errors.Is(err, browser.AttachFailed) {
			t.Errorf("%s: %v", addr, err)
		}
		cancel()
	}
}
