// Package browsertest has a real browser for tests: one for all tests of a
// package, on a web that is served by the test itself. Names such as a.example
// are public hosts there, and pages of two names are of two origins.
//
// A package's TestMain is
//
//	func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }
//
// Where no Chromium is installed its tests are skipped with one line; where CI
// is true they fail. HOBKIN_TEST_BROWSER=full takes the full browser instead of
// the headless shell.
package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/browser/cdp"
	"github.com/hobkin/hobkin/browser/chromium"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/proxy"
)

// shared is what the tests of one package have together.
var shared struct {
	mu      sync.Mutex
	dir     string
	web     *httptest.Server
	guard   *netguard.Guard
	proxy   *proxy.Proxy
	process *chromium.Process
	profile *chromium.Profile
}

var (
	pages  sync.Map // "host/path" to http.Handler
	serial atomic.Int64
)

// Main runs the tests of a package, ends what they shared, and fails them when
// a goroutine or a temporary profile is left.
//
// What the package itself shares is ended by atEnd.
func Main(m *testing.M, atEnd ...func()) int {
	dir, err := os.MkdirTemp("", "hobkin-browsertest-")
	if err != nil {
		panic(err)
	}
	shared.dir = dir
	for name, value := range map[string]string{"HOME": filepath.Join(dir, "home"), "TMPDIR": filepath.Join(dir, "t")} {
		if err := os.MkdirAll(value, 0o700); err != nil {
			panic(err)
		}
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	for _, f := range atEnd {
		f()
	}
	end()
	left, _ := filepath.Glob(filepath.Join(dir, "t", "hobkin-browser-*")) // the pattern is well formed
	if code == 0 && len(left) > 0 {
		fmt.Fprintln(os.Stderr, "temporary profiles are left:", left)
		code = 1
	}
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}

// end ends what the tests shared.
func end() {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.process != nil {
		_ = shared.process.Kill() // its profile goes too
		_ = shared.profile.Close()
	}
	if shared.proxy != nil {
		_ = shared.proxy.Close()
		shared.web.Close()
	}
}

// Binary finds the browser of the tests.
func Binary(tb testing.TB) chromium.Binary {
	tb.Helper()
	b, err := chromium.Find(chromium.Search{Headless: os.Getenv("HOBKIN_TEST_BROWSER") != "full"})
	return present(tb, b, err)
}

// Full finds a full browser, which can show a window.
func Full(tb testing.TB) chromium.Binary {
	tb.Helper()
	b, err := chromium.Find(chromium.Search{})
	return present(tb, b, err)
}

func present(tb testing.TB, b chromium.Binary, err error) chromium.Binary {
	tb.Helper()
	if err != nil && os.Getenv("CI") == "true" {
		tb.Fatal(err)
	}
	if err != nil {
		tb.Skipf("no Chromium is installed (%v); make test installs it", err)
	}
	return b
}

// Guard judges the web of the tests: every name is a public host that this
// program serves.
func Guard(tb testing.TB) *netguard.Guard {
	tb.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	web(tb)
	return shared.guard
}

// Proxy is where the web of the tests is reached.
func Proxy(tb testing.TB) string {
	tb.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	web(tb)
	return shared.proxy.Addr()
}

// web makes the web. The caller holds the lock.
func web(tb testing.TB) {
	tb.Helper()
	if shared.web != nil {
		return
	}
	shared.web = httptest.NewServer(http.HandlerFunc(serve))
	to := shared.web.Listener.Addr().String()
	g, err := netguard.New(netguard.Config{Resolver: names{}, Dial: func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", to)
	}})
	if err != nil {
		tb.Fatal(err)
	}
	shared.guard = g
	if shared.proxy, err = proxy.Start(proxy.Options{Guard: g, NoCredentials: true}); err != nil {
		tb.Fatal(err)
	}
}

// names is a DNS that knows every name but those that end with .invalid.
type names struct{}

// LookupNetIP answers with one public address.
func (names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if strings.HasSuffix(host, ".invalid") {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}

func serve(w http.ResponseWriter, r *http.Request) {
	h, ok := pages.Load(r.Host + r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	h.(http.Handler).ServeHTTP(w, r)
}

// Serve serves a page on a host until the test ends, and returns its address.
func Serve(tb testing.TB, host, html string) string {
	tb.Helper()
	return Handle(tb, host, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(html))
	}))
}

// Handle serves an address on a host until the test ends, and returns it.
func Handle(tb testing.TB, host string, h http.Handler) string {
	tb.Helper()
	return HandlePath(tb, host, fmt.Sprintf("/page%d", serial.Add(1)), h)
}

// HandlePath is Handle at a path of the caller's.
func HandlePath(tb testing.TB, host, path string, h http.Handler) string {
	tb.Helper()
	pages.Store(host+path, h)
	tb.Cleanup(func() { pages.Delete(host + path) })
	return "http://" + host + path
}

// Process is the browser of the package, started with the first call.
func Process(tb testing.TB) *chromium.Process {
	tb.Helper()
	b := Binary(tb)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	web(tb)
	if shared.process != nil {
		return shared.process
	}
	profile, err := chromium.TempProfile("")
	if err != nil {
		tb.Fatal(err)
	}
	shared.profile = profile
	if shared.process, err = chromium.Start(context.Background(), chromium.Options{Binary: b, Profile: profile, Proxy: shared.proxy.Addr()}); err != nil {
		_ = profile.Close()
		tb.Fatal(err)
	}
	return shared.process
}

// Session opens a page of its own for a test and attaches to it and to all its
// frames of other origins; attached, which may be nil, is told of those, and runs
// on the reader's goroutine. The page is closed with the test.
func Session(tb testing.TB, url string, attached func(child *cdp.Session)) *cdp.Session {
	tb.Helper()
	root := Process(tb).Conn.Root()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var made struct {
		TargetID string `json:"targetId"`
	}
	must(tb, root.Call(ctx, "Target.createTarget", map[string]any{"url": "about:blank"}, &made))
	got := make(chan *cdp.Session, 1)
	root.OnAttach(func(child *cdp.Session, _ bool) { got <- child })
	must(tb, root.Call(ctx, "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, nil))
	s := <-got
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = root.Call(ctx, "Target.closeTarget", map[string]any{"targetId": made.TargetID}, nil) // it may have closed itself
	})
	if url == "about:blank" { // it is there already
		attach(s, attached)
		return s
	}
	loaded := make(chan struct{})
	once := sync.OnceFunc(func() { close(loaded) })
	attach(s, attached)
	// A page that goes elsewhere before it has answered loses what it was asked.
	must(tb, s.Call(ctx, "Page.enable", nil, nil))
	s.On("Page.loadEventFired", func([]byte) { once() })
	must(tb, s.Call(ctx, "Page.navigate", map[string]any{"url": url}, nil))
	select {
	case <-loaded:
	case <-ctx.Done():
		tb.Fatalf("%s did not load", url)
	}
	return s
}

// attach enables a page or frame, and all frames below it.
func attach(s *cdp.Session, told func(*cdp.Session)) {
	s.OnAttach(func(child *cdp.Session, _ bool) {
		attach(child, told)
		if told != nil {
			told(child)
		}
	})
	s.Post("Page.enable", nil)
	s.Post("Runtime.enable", nil)
	s.Post("Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
	s.Post("Runtime.runIfWaitingForDebugger", nil)
}

// Evaluate runs an expression in a page's own world and decodes its value.
func Evaluate[T any](tb testing.TB, s *cdp.Session, expression string) (value T) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var out struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	must(tb, s.Call(ctx, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}, &out))
	if out.Exception != nil {
		tb.Fatalf("%s: %s", expression, out.Exception.Text)
	}
	if len(out.Result.Value) > 0 {
		must(tb, json.Unmarshal(out.Result.Value, &value))
	}
	return value
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Until waits for a condition that comes soon.
func Until(tb testing.TB, ok func() bool) {
	tb.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			tb.Fatal("it did not come to that")
		}
	}
}
