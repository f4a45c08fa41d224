//go:debug x509usefallbackroots=1

package proxy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/netguardtest"
	"github.com/hobkin/hobkin/core/netguard/proxy"
	"github.com/hobkin/hobkin/test/suite"
)

func TestMain(m *testing.M) {
	netguardtest.Trust()
	goleak.VerifyTestMain(m)
}

// site is the public web: pages, what was sent, an echo after an upgrade, and a
// page that never ends.
var site = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Header.Get("Upgrade") != "":
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_, _ = io.Copy(conn, buf)
	case r.URL.Path == "/sent":
		_ = json.NewEncoder(w).Encode(map[string]any{"host": r.Host, "uri": r.RequestURI, "header": r.Header})
	case r.URL.Path == "/to":
		http.Redirect(w, r, r.FormValue("u"), http.StatusFound)
	case r.URL.Path == "/events":
		for i := 0; r.Context().Err() == nil && i < 1000; i++ {
			_, _ = fmt.Fprintf(w, "event %d\n", i)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(time.Second):
			}
		}
	default:
		b, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "hello %s%s", r.Host, b)
	}
})

// refusals keeps what a proxy refused.
type refusals struct {
	mu   sync.Mutex
	list []proxy.Refusal
}

func (r *refusals) add(f proxy.Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, f)
}

func (r *refusals) take() []proxy.Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.list
	r.list = nil
	return list
}

// start opens a proxy into a world and closes it with the test.
func start(tb testing.TB, w *netguardtest.World, o proxy.Options) *proxy.Proxy {
	tb.Helper()
	if o.Guard == nil {
		o.Guard = w.Guard(tb)
	}
	p, err := proxy.Start(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = p.Close() })
	return p
}

// through is a client that uses a proxy, as any program does.
func through(tb testing.TB, p *proxy.Proxy) *http.Client {
	tb.Helper()
	t := &http.Transport{Proxy: http.ProxyURL(p.URL())}
	tb.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t}
}

func get(tb testing.TB, c *http.Client, url string) (status int, body string, err error) {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	resp, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// An answer is the beginning of what a proxy answers.
type answer struct {
	code   int
	header textproto.MIMEHeader
	rest   *bufio.Reader // its body and what follows
}

// raw writes to a proxy as no library would, and returns the connection and the
// beginning of the answer.
func raw(tb testing.TB, p *proxy.Proxy, text string) (net.Conn, answer) {
	tb.Helper()
	var d net.Dialer
	conn, err := d.DialContext(tb.Context(), "tcp", p.Addr())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		tb.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		tb.Fatal(err)
	}
	return conn, read(tb, bufio.NewReader(conn))
}

func read(tb testing.TB, r *bufio.Reader) answer {
	tb.Helper()
	a := answer{rest: r}
	line, err := r.ReadString('\n')
	if err == nil {
		_, err = fmt.Sscanf(line, "HTTP/1.1 %d ", &a.code)
	}
	if err != nil {
		tb.Fatalf("%q, %v", line, err)
	}
	if a.header, err = textproto.NewReader(r).ReadMIMEHeader(); err != nil {
		tb.Fatal(err)
	}
	return a
}

// body is the answer's, whose length it gives.
func (a answer) body(tb testing.TB) string {
	tb.Helper()
	var n int
	if _, err := fmt.Sscan(a.header.Get("Content-Length"), &n); err != nil {
		tb.Fatal(err)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(a.rest, b); err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// authorization is the header line that a client of p sends.
func authorization(p *proxy.Proxy) string {
	r := &http.Request{Header: http.Header{}}
	password, _ := p.URL().User.Password()
	r.SetBasicAuth(p.URL().User.Username(), password)
	return "Proxy-Authorization: " + r.Header.Get("Authorization") + "\r\n"
}

func TestSuiteProxy(t *testing.T) {
	w := netguardtest.New(t, site)
	w.Name("localhost.localdomain", "127.0.0.1")
	p := start(t, w, proxy.Options{})
	client := through(t, p)
	text, err := os.ReadFile(suite.Path(t, "ssrf_urls.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	right, n := 0, 0
	for line := range strings.Lines(string(text)) {
		var c struct{ URL, Want string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		n++
		status, body, err := get(t, client, c.URL)
		if reached := err == nil && status == http.StatusOK && strings.HasPrefix(body, "hello"); reached != (c.Want == "allow") {
			t.Errorf("%s: %d %q, %v; want %s", c.URL, status, body, err, c.Want)
			continue
		}
		right++
	}
	if n := w.Reached.Load(); n != 0 {
		t.Errorf("%d connections reached what is not public", n)
	}
	for _, to := range w.Dialled() {
		if !netguardtest.Public(to.Addr()) {
			t.Errorf("connected to %s", to)
		}
	}
	t.Logf("ssrf_urls through the proxy: %d of %d", right, n)
}

// turns is a DNS whose answers change from one question to the next.
type turns struct {
	asked atomic.Int64
	list  []string
}

func (d *turns) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr(d.list[d.asked.Add(1)%int64(len(d.list))])}, nil
}

func TestRebindingThroughTheProxy(t *testing.T) {
	w := netguardtest.New(t, site)
	cfg := w.Config()
	cfg.Resolver = &turns{list: []string{"93.184.216.34", "127.0.0.1", "169.254.169.254"}}
	g, err := netguard.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, w, proxy.Options{Guard: g})
	count := map[int]int{}
	for i := range 18 {
		text := []string{"GET http://rebind.example/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n", "CONNECT rebind.example:80 HTTP/1.1\r\nHost: x\r\n"}[i%2]
		conn, got := raw(t, p, text+authorization(p)+"\r\n")
		count[got.code]++
		_ = conn.Close()
	}
	if n := w.Reached.Load(); n != 0 || count[200] == 0 || count[403] == 0 || count[200]+count[403] != 18 {
		t.Errorf("%d connections reached what is not public; answers %v", n, count)
	}
}

// The same spellings, written into the proxy's own requests: no client library
// stands before it.
func TestSpellingsThroughTheProxy(t *testing.T) {
	w := netguardtest.New(t, site)
	w.Name("inner.example", "93.184.216.34", "192.168.0.1")
	var seen refusals
	p := start(t, w, proxy.Options{OnRefuse: seen.add})
	for host, want := range map[string]int{
		"example.com": 200, "EXAMPLE.com.": 200, "93.184.216.34": 200, "[2606:2800:220:1:248:1893:25c8:1946]": 200, "bücher.example": 200, "0x5db8d822": 200,
		"127.0.0.1": 403, "127.1": 403, "2130706433": 403, "0x7f.1": 403, "0177.0.0.1": 403, "127.0.0.1.": 403, "localhost": 403, "LOCALHOST.": 403, "a.localhost": 403,
		"①②⑦.⓪.⓪.①": 403, "127。0。0。1": 403, "[::1]": 403, "[::ffff:127.0.0.1]": 403, "[64:ff9b::7f00:1]": 403, "[2002:7f00:1::]": 403, "[::]": 403, "0": 403,
		"169.254.169.254": 403, "metadata.google.internal": 403, "inner.example": 403, "10.0.0.1": 403, "printer.local": 403,
		"[fe80::1%25eth0]": 400, "256.1.1.1": 400, "a..b": 400, "1.2.3.4.5": 400,
	} {
		for _, text := range []string{
			fmt.Sprintf("GET http://%s/ HTTP/1.1\r\nHost: example.com\r\n%s\r\n", host, authorization(p)),
			fmt.Sprintf("CONNECT %s:80 HTTP/1.1\r\nHost: example.com:80\r\n%s\r\n", host, authorization(p)),
		} {
			conn, got := raw(t, p, text)
			if got.code != want {
				t.Errorf("%.70q: %d, want %d", text, got.code, want)
			}
			if status := got.header.Get("Proxy-Status"); want == 403 && status != "hobkin; error=destination_ip_prohibited" {
				t.Errorf("%.70q: Proxy-Status %q", text, status)
			}
			_ = conn.Close()
		}
	}
	if n := w.Reached.Load(); n != 0 {
		t.Errorf("%d connections reached what is not public", n)
	}
	if n := len(seen.take()); n < 50 {
		t.Errorf("%d refusals were told", n)
	}
}

func TestRequests(t *testing.T) {
	w := netguardtest.New(t, site)
	var seen refusals
	p := start(t, w, proxy.Options{OnRefuse: seen.add})
	auth := authorization(p)
	for name, test := range map[string]struct {
		text string
		want int
	}{
		"no whole address":             {"GET / HTTP/1.1\r\nHost: example.com\r\n" + auth, 400},
		"https without CONNECT":        {"GET https://example.com/ HTTP/1.1\r\nHost: example.com\r\n" + auth, 403},
		"another scheme":               {"GET ftp://example.com/ HTTP/1.1\r\nHost: example.com\r\n" + auth, 403},
		"a password":                   {"GET http://a:b@example.com/ HTTP/1.1\r\nHost: example.com\r\n" + auth, 403},
		"another port":                 {"GET http://example.com:22/ HTTP/1.1\r\nHost: example.com\r\n" + auth, 403},
		"CONNECT to another port":      {"CONNECT example.com:22 HTTP/1.1\r\nHost: example.com\r\n" + auth, 403},
		"CONNECT without a port":       {"CONNECT example.com HTTP/1.1\r\nHost: example.com\r\n" + auth, 400},
		"CONNECT with a path":          {"CONNECT /x HTTP/1.1\r\nHost: example.com\r\n" + auth, 400},
		"no credentials":               {"GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n", 407},
		"CONNECT, no credentials":      {"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n", 407},
		"wrong credentials":            {"GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\nProxy-Authorization: Basic aG9ia2luOmhvYmtpbg==\r\n", 407},
		"credentials of another kind":  {"GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\nProxy-Authorization: Bearer x\r\n", 407},
		"credentials for the site":     {"GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n" + strings.Replace(auth, "Proxy-", "", 1), 407},
		"a header that is too long":    {"GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n" + auth + "X: " + strings.Repeat("x", 200<<10) + "\r\n", 431},
		"a host that is only a header": {"GET http://example.com/ HTTP/1.1\r\nHost: 127.0.0.1\r\n" + auth, 200},
	} {
		conn, got := raw(t, p, test.text+"\r\n")
		if got.code != test.want {
			t.Errorf("%s: %d, want %d", name, got.code, test.want)
		}
		if test.want == 403 && !strings.Contains(got.body(t), "What to do: ") {
			t.Errorf("%s: it does not say what to do", name)
		}
		_ = conn.Close()
	}
	for _, f := range seen.take() {
		if f.Err == nil || f.Method == "" {
			t.Errorf("%+v says too little", f)
		}
	}
	if n := w.Reached.Load(); n != 0 {
		t.Errorf("%d connections reached what is not public", n)
	}
}

// What belongs to the proxy stays there, everything else passes as it is.
func TestForwardedAsItIs(t *testing.T) {
	w := netguardtest.New(t, site)
	p := start(t, w, proxy.Options{})
	_, sent := raw(t, p, "GET http://example.com/sent?a=1;b=%zz&c HTTP/1.1\r\nHost: 10.0.0.1\r\nX-Own: kept\r\nConnection: X-Hop\r\nX-Hop: gone\r\nProxy-Connection: keep-alive\r\n"+authorization(p)+"\r\n")
	var got struct {
		Host, URI string
		Header    http.Header
	}
	if err := json.Unmarshal([]byte(sent.body(t)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Host != "example.com" || got.URI != "/sent?a=1;b=%zz&c" || got.Header.Get("X-Own") != "kept" {
		t.Errorf("%+v; want the request as it was, for the host of its address", got)
	}
	for _, name := range []string{"Proxy-Authorization", "Proxy-Connection", "X-Hop", "X-Forwarded-For", "Via", "User-Agent"} {
		if got.Header.Get(name) != "" {
			t.Errorf("%s arrived", name)
		}
	}
	client := through(t, p)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if status, _, err := get(t, client, "http://example.com/to?u=http%3A%2F%2F127.0.0.1%2F"); err != nil || status != http.StatusFound {
		t.Errorf("%d, %v; a redirect is the client's to follow", status, err)
	}
	client.CheckRedirect = nil
	if status, body, err := get(t, client, "http://example.com/to?u=http%3A%2F%2F127.0.0.1%2F"); err != nil || status != http.StatusForbidden {
		t.Errorf("%d %q, %v; want the second hop refused", status, body, err)
	}
	post, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.com/", strings.NewReader(" and a body"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(post)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if b, _ := io.ReadAll(resp.Body); string(b) != "hello example.com and a body" {
		t.Errorf("%q", b)
	}
}

func TestTunnel(t *testing.T) {
	w := netguardtest.New(t, site)
	client := through(t, start(t, w, proxy.Options{}))
	for range 2 {
		if status, body, err := get(t, client, "https://secure.example/"); err != nil || body != "hello secure.example" {
			t.Errorf("%d %q, %v", status, body, err)
		}
	}
	if list := w.Dialled(); len(list) != 1 || list[0].Port() != 443 {
		t.Errorf("connected to %v, want one tunnel", list)
	}
	if _, _, err := get(t, client, "https://[::1]/"); err == nil || !strings.Contains(err.Error(), "Forbidden") {
		t.Errorf("%v; want the tunnel refused", err)
	}
}

// WebSockets pass through both kinds of request.
func TestWebSocket(t *testing.T) {
	w := netguardtest.New(t, site)
	p := start(t, w, proxy.Options{})
	const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	echo := func(name string, conn net.Conn, r *bufio.Reader) {
		t.Helper()
		for _, text := range []string{"one", "two"} {
			if _, err := io.WriteString(conn, text); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(text))
			if _, err := io.ReadFull(r, got); err != nil || string(got) != text {
				t.Errorf("%s: %q, %v; want %q back", name, got, err, text)
			}
		}
		_ = conn.Close()
	}
	for _, scheme := range []string{"http", "ws"} {
		conn, got := raw(t, p, "GET "+scheme+"://live.example/ws HTTP/1.1\r\nHost: live.example\r\n"+upgrade+authorization(p)+"\r\n")
		if got.code != http.StatusSwitchingProtocols {
			t.Fatalf("%s: %d", scheme, got.code)
		}
		echo(scheme, conn, got.rest)
	}
	conn, got := raw(t, p, "CONNECT live.example:80 HTTP/1.1\r\nHost: live.example:80\r\n"+authorization(p)+"\r\n")
	if got.code != http.StatusOK {
		t.Fatal(got.code)
	}
	if _, err := io.WriteString(conn, "GET /ws HTTP/1.1\r\nHost: live.example\r\n"+upgrade+"\r\n"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, got.rest); got.code != http.StatusSwitchingProtocols {
		t.Fatal(got.code)
	}
	echo("CONNECT", conn, got.rest)
	for _, text := range []string{"GET ws://localhost/ws HTTP/1.1\r\nHost: x\r\n" + upgrade, "CONNECT localhost:80 HTTP/1.1\r\nHost: x\r\n"} {
		if _, got := raw(t, p, text+authorization(p)+"\r\n"); got.code != http.StatusForbidden {
			t.Errorf("%.40q: %d", text, got.code)
		}
	}
}

// A client that does not wait for the answer to CONNECT loses nothing.
func TestTunnelTakesWhatCameEarly(t *testing.T) {
	w := netguardtest.New(t, site)
	p := start(t, w, proxy.Options{})
	_, got := raw(t, p, "CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n"+authorization(p)+"\r\nGET /early HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
	if got.code != http.StatusOK {
		t.Fatal(got.code)
	}
	if b, err := io.ReadAll(got.rest); err != nil || !strings.HasSuffix(string(b), "hello a.example") {
		t.Errorf("%q, %v", b, err)
	}
}

func TestAllow(t *testing.T) {
	w := netguardtest.New(t, site)
	w.Name("here.lan", "192.168.0.1")
	list, err := netguard.ParseRules([]string{"github.com", "*.golang.org", "here.lan", "github.com:22"})
	if err != nil {
		t.Fatal(err)
	}
	var seen refusals
	client := through(t, start(t, w, proxy.Options{OnRefuse: seen.add, Allow: proxy.Only(list, "[sandbox] network_hosts")}))
	for url, want := range map[string]int{
		"http://github.com/": 200, "http://GITHUB.com./": 200, "http://proxy.golang.org/": 200, "http://golang.org/": 403, "http://example.com/": 403,
		"http://93.184.216.34/": 403, "http://here.lan/": 403, "http://github.com:22/": 403,
	} {
		status, body, err := get(t, client, url)
		if err != nil || status != want {
			t.Errorf("%s: %d, %v; want %d", url, status, err, want)
		}
		if url == "http://example.com/" && (!strings.Contains(body, "example.com:80") || !strings.Contains(body, "[sandbox] network_hosts")) {
			t.Errorf("%q does not say where the list is", body)
		}
	}
	for _, f := range seen.take() {
		if f.Host == "example.com" && (!errors.Is(f.Err, proxy.NotListed) || f.Port != 80 || f.Method != http.MethodGet) {
			t.Errorf("told %+v", f)
		}
		if f.Host == "here.lan" && !errors.Is(f.Err, netguard.BlockedAddress) {
			t.Errorf("told %+v; being on the list opens no inner host", f)
		}
	}
	plain := through(t, start(t, w, proxy.Options{Allow: func(host string, _ int) error { return fmt.Errorf("not %s today", host) }}))
	if status, body, err := get(t, plain, "http://a.example/"); err != nil || status != 403 || !strings.Contains(body, "not a.example today") {
		t.Errorf("%d %q, %v", status, body, err)
	}
}

// Credentials are new with every start, and none are asked for where there are none.
func TestCredentials(t *testing.T) {
	w := netguardtest.New(t, site)
	a, b := start(t, w, proxy.Options{}), start(t, w, proxy.Options{})
	if a.URL().User.String() == b.URL().User.String() {
		t.Error("two proxies have the same credentials")
	}
	if _, got := raw(t, a, "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"+authorization(b)+"\r\n"); got.code != http.StatusProxyAuthRequired || got.header.Get("Proxy-Authenticate") == "" {
		t.Errorf("%d to the credentials of another", got.code)
	}
	open := start(t, w, proxy.Options{NoCredentials: true})
	if open.URL().User != nil {
		t.Error("the address holds credentials that there are not")
	}
	if status, _, err := get(t, through(t, open), "http://a.example/"); err != nil || status != 200 {
		t.Errorf("%d, %v", status, err)
	}
	if _, got := raw(t, open, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"); got.code != http.StatusBadRequest {
		t.Errorf("%d to a page of a browser that is no client", got.code)
	}
}

// A program without our loopback has the socket.
func TestSocket(t *testing.T) {
	w := netguardtest.New(t, site)
	dir, err := os.MkdirTemp("", "np") //nolint:usetesting // short: a socket's path has at most some 100 characters
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "s")
	left, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false) //nolint:forcetypeassert // it was made so
	_ = left.Close()
	p := start(t, w, proxy.Options{Socket: path})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want a socket for the owner alone", info, err)
	}
	if _, err := proxy.Start(proxy.Options{Guard: w.Guard(t), Socket: path}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("%v; want the socket in use", err)
	}
	tr := &http.Transport{Proxy: http.ProxyURL(p.URL()), DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}}
	client := &http.Client{Transport: tr}
	for _, url := range []string{"http://a.example/", "https://a.example/"} {
		if _, body, err := get(t, client, url); err != nil || body != "hello a.example" {
			t.Errorf("%s: %q, %v", url, body, err)
		}
	}
	if status, _, err := get(t, client, "http://127.1/"); err != nil || status != 403 {
		t.Errorf("%d, %v", status, err)
	}
	tr.CloseIdleConnections()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v; the socket was left", err)
	}
}

// Who can reach a listener of their own needs no credentials; the others do.
func TestServe(t *testing.T) {
	w := netguardtest.New(t, site)
	p := proxy.New(proxy.Options{Guard: w.Guard(t)})
	defer func() { _ = p.Close() }()
	var served sync.WaitGroup
	listen := func() net.Listener {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served.Go(func() { p.Serve(l) })
		return l
	}
	one, two := listen(), listen()
	for _, l := range []net.Listener{one, two} {
		tr := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: l.Addr().String()})}
		for _, url := range []string{"http://a.example/", "https://a.example/"} {
			if _, body, err := get(t, &http.Client{Transport: tr}, url); err != nil || body != "hello a.example" {
				t.Errorf("%s: %q, %v", url, body, err)
			}
		}
		tr.CloseIdleConnections()
	}
	_ = one.Close() // as when its command has ended
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	served.Wait()
	late := listen() // the command began while the proxy was closed
	served.Wait()
	if _, err := late.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v; want the listener closed", err)
	}
}

// Close ends tunnels, upgrades, streams and requests that are being connected.
func TestCloseEndsEverything(t *testing.T) {
	w := netguardtest.New(t, site)
	dialling := make(chan struct{})
	cfg := w.Config()
	w.Name("stuck.example", "93.184.216.99")
	cfg.Dial = dialer(w, dialling)
	g, err := netguard.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, w, proxy.Options{Guard: g})
	_, tunnel := raw(t, p, "CONNECT a.example:80 HTTP/1.1\r\nHost: x\r\n"+authorization(p)+"\r\n")
	_, ws := raw(t, p, "GET http://a.example/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+authorization(p)+"\r\n")
	_, events := raw(t, p, "GET http://a.example/events HTTP/1.1\r\nHost: x\r\n"+authorization(p)+"\r\n")
	if _, err := events.rest.ReadString('\n'); err != nil { // the length of the first piece
		t.Fatal(err)
	}
	if line, err := events.rest.ReadString('\n'); err != nil || line != "event 0\n" {
		t.Errorf("%q, %v; events must not wait", line, err)
	}
	_, idle := raw(t, p, "GET http://a.example/ HTTP/1.1\r\nHost: x\r\n\r\n")
	go func() { _, _, _ = get(t, through(t, p), "http://stuck.example/") }()
	<-dialling
	begin := time.Now()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("Close took %v", took)
	}
	for _, a := range []answer{tunnel, ws, events, idle} {
		if _, err := io.Copy(io.Discard, a.rest); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("a connection is still open")
		}
	}
	if err := p.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}
