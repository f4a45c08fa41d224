package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/netguardtest"
)

// inner spells addresses that are not public, each in a way that some program
// somewhere reads.
func inner() (list []string) {
	hosts := []string{
		"127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "017700000001", "0", "0.0.0.0", "127.255.255.254",
		"localhost", "LOCALHOST", "localhost.", "a.localhost", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
		"10.0.0.1", "10.255.255.255", "0xa.0.0.1", "167772161", "172.16.0.1", "172.31.255.254", "192.168.1.1", "192.168.0.254", "0300.0250.1.1", "3232235777",
		"169.254.169.254", "0xa9fea9fe", "2852039166", "169.254.1.1", "[fe80::1]", "[fc00::1]", "[fd12:3456::1]", "100.64.0.1", "100.127.255.254",
		"①②⑦.⓪.⓪.①", "127。0。0。1", "%31%32%37.0.0.1", "192.0.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "192.0.2.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"inner.example", "mixed.example", "inner.example.", "metadata.google.internal", "router.local", "nas.lan", "[ff02::1]", "[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]", "[64:ff9b::a00:1]",
	}
	for _, h := range hosts {
		list = append(list, "http://"+h+"/secret")
	}
	for _, h := range hosts[:20] {
		list = append(list, "https://"+h+"/secret")
	}
	for _, port := range []string{"22", "6379", "8080", "9222", "11434", "65535"} {
		for _, h := range []string{"127.0.0.1", "localhost", "[::1]"} {
			list = append(list, "http://"+h+":"+port+"/")
		}
	}
	return list
}

// world is an internet with an inside that counts who comes.
func world(t *testing.T, h http.Handler) (*netguardtest.World, *browser.Browser) {
	t.Helper()
	w := netguardtest.New(t, h)
	w.Name("inner.example", "127.0.0.1")
	w.Name("mixed.example", "93.184.216.34", "10.0.0.1")
	w.Name("nas.lan", "192.168.1.7")
	w.Name("router.local", "192.168.1.1")
	w.Name("metadata.google.internal", "169.254.169.254")
	return w, start(t, func(o *browser.Options) { o.Guard = w.Guard(t) })
}

// No address of the inside is reached by going there, in whatever spelling, and
// the refusal says so.
func TestInnerAddresses(t *testing.T) {
	t.Parallel()
	w, b := world(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.FormValue("to"), http.StatusFound)
	}))
	tab := open(t, b, "about:blank")
	list := inner()
	if len(list) < 90 {
		t.Fatalf("only %d addresses", len(list))
	}
	for _, url := range list {
		_, err := tab.Navigate(within(t), url)
		if err == nil {
			t.Errorf("%s was opened", url)
		}
		u, _ := capability.AsUserError(err)
		if errors.Is(err, browser.NavigationBlocked) && (u == nil || !strings.Contains(u.Try, "[browser] allow_hosts") && !strings.Contains(u.Try, "public")) {
			t.Errorf("%s: %v", url, err)
		}
	}
	for i, url := range list {
		if i%8 != 0 { // through a redirect each takes a turn of the browser
			continue
		}
		if _, err := tab.Navigate(within(t), "http://a.example/?to="+url); err == nil {
			t.Errorf("%s was reached by a redirect", url)
		}
	}
	if _, err := tab.Navigate(within(t), "http://a.example/?to=http://127.0.0.1/"); !errors.Is(err, browser.NavigationBlocked) {
		t.Errorf("a redirect to the inside: %v", err)
	}
	if n := w.Reached.Load(); n != 0 {
		t.Errorf("the inside was reached %d times", n)
	}
}

// Nothing that a page can do reaches the inside either.
func TestVectors(t *testing.T) {
	t.Parallel()
	const page = `<title>x</title><link rel=dns-prefetch href="//inner.example"><link rel=preconnect href="http://inner.example"><link rel=prefetch href="http://inner.example/p">
<link rel=preload as=image href="http://10.0.0.1/x"><link rel=stylesheet href="http://127.0.0.1/css"><img src="http://192.168.1.1/x"><iframe src="http://127.0.0.1/f"></iframe><iframe src="http://inner.example/f"></iframe>
<script type=speculationrules>{"prefetch":[{"source":"list","urls":["http://inner.example/s"]}],"prerender":[{"source":"list","urls":["http://inner.example/r"]}]}</script>
<script>
const urls = ['http://127.0.0.1/', 'http://localhost/', 'http://[::1]/', 'http://10.0.0.1:8080/', 'http://inner.example/', 'http://mixed.example/', 'http://169.254.169.254/latest/meta-data/', '/redirect?to=http://127.0.0.1/'];
const soon = list => Promise.all(list.map(p => Promise.race([p, new Promise(r => setTimeout(r, 2000))])));
window.done = soon([
  ...urls.map(u => fetch(u, {mode: 'no-cors'}).catch(() => 0)),
  ...urls.map(u => new Promise(r => { const x = new XMLHttpRequest(); x.onloadend = r; try { x.open('GET', u); x.send() } catch (e) { r() } })),
  ...['ws://127.0.0.1/', 'ws://inner.example/', 'wss://10.0.0.1/', 'ws://localhost:9222/'].map(u => new Promise(r => { try { const s = new WebSocket(u); s.onerror = s.onclose = r } catch (e) { r() } })),
  new Promise(r => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.1/w', {mode:'no-cors'}).catch(() => 0).then(() => postMessage(1))"]))); w.onmessage = r; w.onerror = r }),
  new Promise(r => { try { const s = new SharedWorker(URL.createObjectURL(new Blob(["onconnect = e => fetch('http://127.0.0.1/s', {mode:'no-cors'}).catch(() => 0).then(() => e.ports[0].postMessage(1))"]))); s.port.onmessage = r; s.onerror = r } catch (e) { r() } }),
  new Promise(r => { const s = new EventSource('http://127.0.0.1/e'); s.onerror = () => { s.close(); r() } }),
]).then(() => 'done');
navigator.sendBeacon('http://127.0.0.1/b', 'x');
try { const c = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:3478'}, {urls: 'turn:10.0.0.1:80?transport=tcp', username: 'x', credential: 'x'}]}); c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o)) } catch (e) {}
open('http://127.0.0.1/popup'); open('http://inner.example/popup', '_blank', 'noopener');
const f = document.createElement('form'); f.action = 'http://127.0.0.1/form'; f.method = 'POST'; f.target = '_blank'; document.body ? document.body.append(f) : document.documentElement.append(f); f.submit();
</script>`
	w, b := world(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/redirect" {
			http.Redirect(w, r, r.FormValue("to"), http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(page))
	}))
	tab := open(t, b, "http://a.example/")
	if got := eval(t, tab, "window.done"); got != `"done"` {
		t.Error(got)
	}
	if _, tried := tab.Network(); tried < 25 {
		t.Errorf("only %d requests were tried", tried)
	}
	if n := w.Reached.Load(); n != 0 {
		t.Errorf("the inside was reached %d times", n)
	}
	for _, to := range w.Dialled() {
		if !netguardtest.Public(to.Addr()) {
			t.Errorf("a connection to %s", to)
		}
	}
}

// In every spelling, and by whatever a page has to load things, neither the inside
// of the tests' internet nor a server that really listens on this machine is
// reached.
func TestEverySpellingFromAPage(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	listens := httptest.NewUnstartedServer(http.NotFoundHandler())
	listens.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			reached.Add(1)
		}
	}
	listens.Start()
	defer listens.Close()
	list := inner()
	_, port, err := net.SplitHostPort(listens.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0", "[::ffff:127.0.0.1]", "a.localhost", "127.0.0.1.", "inner.example"} {
		list = append(list, "http://"+host+":"+port+"/")
	}
	w, b := world(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.FormValue("to"); to != "" {
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>x</title><body>"))
	}))
	tab := open(t, b, "http://a.example/")
	urls, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]string{
		"fetch":     "fetch(u, {mode: 'no-cors'})",
		"redirect":  "fetch('/?to=' + encodeURIComponent(u), {mode: 'no-cors'})",
		"picture":   "new Promise(r => { const i = new Image(); i.onload = i.onerror = r; i.src = u })",
		"frame":     "new Promise(r => { const f = document.createElement('iframe'); f.onload = () => { f.remove(); r() }; f.src = u; document.body.append(f) })",
		"WebSocket": "new Promise(r => { const s = new WebSocket(u.replace(/^http/, 'ws')); s.onopen = s.onerror = s.onclose = r })",
		"prefetch":  "new Promise(r => { for (const rel of ['dns-prefetch', 'preconnect', 'prefetch']) { const l = document.createElement('link'); l.rel = rel; l.href = u; document.head.append(l) } r() })",
	} {
		every := 1
		if name == "frame" { // each is a process of its own
			every = 7
		}
		code = fmt.Sprintf(`(async () => {
			const list = %s.filter((_, i) => i %% %d == 0), each = async u => { try { await Promise.race([%s, new Promise(r => setTimeout(r, 300))]) } catch (e) {} }
			for (let i = 0; i < list.length; i += 20) await Promise.all(list.slice(i, i + 20).map(each))
			return 'tried'
		})()`, urls, every, code)
		if got := eval(t, tab, code); got != `"tried"` {
			t.Errorf("%s: %s", name, got)
		}
		if w.Reached.Load() != 0 || reached.Load() != 0 {
			t.Fatalf("%s: the inside was reached %d times, this machine %d times", name, w.Reached.Load(), reached.Load())
		}
	}
	if _, tried := tab.Network(); tried < 3*len(list) {
		t.Errorf("only %d requests were tried", tried)
	}
}

// A service worker, which is no page, reaches no more than a page.
func TestServiceWorker(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer other.Close()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/worker.js" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = fmt.Fprintf(w, "onmessage = e => fetch(%q, {mode: 'no-cors'}).then(() => 0, () => 0).then(() => e.source.postMessage('tried'))", other.URL)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>x</title>"))
	}))
	defer site.Close()
	host := strings.Replace(strings.TrimPrefix(site.URL, "http://"), "127.0.0.1", "localhost", 1) // secure by its name
	g, err := netguard.New(netguard.Config{AllowHosts: []string{host}})
	if err != nil {
		t.Fatal(err)
	}
	b := start(t, func(o *browser.Options) { o.Guard = g })
	tab := open(t, b, "http://"+host+"/")
	got := eval(t, tab, `(async () => {
		const r = await navigator.serviceWorker.register('/worker.js')
		await navigator.serviceWorker.ready
		const said = new Promise(done => navigator.serviceWorker.onmessage = e => done(e.data))
		r.active.postMessage(1)
		return said
	})()`)
	if got != `"tried"` || reached.Load() != 0 {
		t.Errorf("the worker says %s; reached %d times", got, reached.Load())
	}
}

// A name that changes its address between the look and the connection leads
// nowhere.
func TestRebinding(t *testing.T) {
	t.Parallel()
	w := netguardtest.New(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<title>public</title>")) }))
	turn := &rebinder{World: w}
	cfg := w.Config()
	cfg.Resolver = turn
	g, err := netguard.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b := start(t, func(o *browser.Options) { o.Guard = g })
	tab := open(t, b, "about:blank")
	for range 4 {
		if a, err := tab.Navigate(within(t), "http://rebind.example/"); err == nil && a.Title != "public" {
			t.Errorf("%+v", a)
		}
	}
	if turn.asked < 2 || w.Reached.Load() != 0 {
		t.Errorf("asked %d times, reached %d times", turn.asked, w.Reached.Load())
	}
}

// rebinder answers by turns with a public and an inner address.
type rebinder struct {
	*netguardtest.World
	asked int
}

func (r *rebinder) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	r.asked++
	if r.asked%2 == 1 {
		return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// Addresses of other kinds are refused before the browser sees them.
func TestSchemes(t *testing.T) {
	b := common(t)
	tab := open(t, b, browsertest.Serve(t, "a.example", "<title>safe</title>"))
	for url, want := range map[string]error{
		"file:///etc/passwd": netguard.BadScheme, "FILE:/etc/passwd": netguard.BadScheme, "view-source:file:///etc/passwd": netguard.BadScheme, "view-source:http://a.example/": netguard.BadScheme,
		"chrome://version": netguard.BadScheme, "chrome://settings": netguard.BadScheme, "devtools://devtools/bundled/inspector.html": netguard.BadScheme, "javascript:alert(1)": netguard.BadScheme,
		"data:text/html,<p>x": netguard.BadScheme, "blob:http://a.example/x": netguard.BadScheme, "ftp://a.example/": netguard.BadScheme, "about:settings": netguard.BadScheme, "chrome-extension://x/": netguard.BadScheme,
		"http://user:pass@a.example/": netguard.CredentialsInURL, "a.example": netguard.BadURL, "": netguard.BadURL, "http://": netguard.BadURL, "http:///x": netguard.BadURL,
		"http://a.example\\@127.0.0.1/": netguard.BadURL, " java\nscript:alert(1)": netguard.BadURL, "http://a.example:0/": netguard.BadURL,
	} {
		if _, err := tab.Navigate(within(t), url); !errors.Is(err, want) {
			t.Errorf("%q: %v; want %v", url, err, want)
		}
	}
	if got := eval(t, tab, "document.title"); got != `"safe"` {
		t.Errorf("the page was left: %s", got)
	}
}

// Whatever way a tab came to such a page, it is not read.
func TestReadGate(t *testing.T) {
	b := common(t)
	tab := open(t, b, browsertest.Serve(t, "a.example", "<title>x</title>"))
	frames, err := tab.Frames(within(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := frames[0].Session.Call(ctx, "Page.navigate", map[string]any{"url": "file:///etc/passwd"}, nil); err != nil { // past all checks
		t.Fatal(err)
	}
	browsertest.Until(t, func() bool { return strings.HasPrefix(tab.Info().URL, "file:") })
	for what, err := range map[string]error{
		"frames":     second(tab.Frames(within(t))),
		"a script":   second(tab.Evaluate(within(t), "", "document.body.innerText")),
		"a picture":  second(tab.Screenshot(within(t), browser.Shot{})),
		"a PDF":      second(tab.PDF(within(t), browser.Print{})),
		"the stored": second(tab.Storage(within(t), browser.Local)),
	} {
		if !errors.Is(err, browser.ReadBlocked) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A host of one's own is reached where the owner allows it.
func TestAllowedHost(t *testing.T) {
	t.Parallel()
	w := netguardtest.New(t, http.NotFoundHandler())
	w.Name("nas.lan", "192.168.1.7")
	b := start(t, func(o *browser.Options) { o.Guard = w.Guard(t, "nas.lan") })
	tab := open(t, b, "about:blank")
	if _, err := tab.Navigate(within(t), "http://nas.lan/"); err != nil {
		t.Error(err)
	}
	if got := eval(t, tab, "document.body.innerText"); got != `"inner"` {
		t.Errorf("the page says %s", got)
	}
	if _, err := tab.Navigate(within(t), "http://192.168.1.8/"); !errors.Is(err, browser.NavigationBlocked) {
		t.Errorf("another: %v", err)
	}
	if w.Reached.Load() == 0 {
		t.Error("it was not reached")
	}
}
