package netguard_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/netguardtest"
)

func TestDialJudges(t *testing.T) {
	w := netguardtest.New(t, hello)
	w.Name("inner.example", "192.168.0.1")
	w.Name("mixed.example", publicAddr, "::1")
	w.Name("nobody.example")
	w.Name("six.example", "2606:2800:220:1:248:1893:25c8:1946")
	g := w.Guard(t)
	for _, test := range []struct{ network, addr, want string }{
		{"tcp", "a.example:80", ""},
		{"tcp4", "a.example:443", ""},
		{"tcp6", "six.example:80", ""},
		{"tcp4", "six.example:80", "not_found"},
		{"tcp", "[2606:2800:220:1:248:1893:25c8:1946]:80", ""},
		{"tcp", "A.EXAMPLE.:80", ""},
		{"tcp", "inner.example:80", "blocked_address"},
		{"tcp", "mixed.example:80", "blocked_address"},
		{"tcp4", "mixed.example:80", "blocked_address"},
		{"tcp", "127.1:80", "blocked_address"},
		{"tcp", "[::ffff:127.0.0.1]:80", "blocked_address"},
		{"tcp", "①②⑦.1:80", "blocked_address"},
		{"tcp", "localhost:80", "blocked_address"},
		{"tcp", "nobody.example:80", "not_found"},
		{"tcp", "a.example:22", "blocked_port"},
		{"tcp", "[fe80::1%eth0]:80", "bad_url"},
		{"tcp", "a.example", "bad_url"},
		{"tcp", "a.example:http", "bad_url"},
		{"tcp", "a.example:0", "bad_url"},
		{"tcp", ":80", "bad_url"},
		{"tcp", "", "bad_url"},
		{"udp", "a.example:443", "netguard: only TCP is let through, not udp"},
		{"unix", "/run/x:80", "netguard: only TCP is let through, not unix"},
	} {
		conn, err := g.DialContext(t.Context(), test.network, test.addr)
		if got := code(err); got != test.want {
			t.Errorf("%s %s: %v, want %q", test.network, test.addr, err, test.want)
		}
		if conn != nil {
			_ = conn.Close()
		}
	}
	if n := w.Reached.Load(); n != 0 {
		t.Errorf("%d connections reached what is not public", n)
	}
}

// An address that is silent costs a moment, not the connection; what connects
// too late is closed.
func TestDialGoesOnToTheNextAddress(t *testing.T) {
	w := netguardtest.New(t, hello)
	w.Name("many.example", "2606:2800:220:1::1", "2606:2800:220:1::2", "93.184.216.34", "93.184.216.35")
	var late atomic.Int64
	var tried []netip.Addr
	var mu sync.Mutex
	cfg := w.Config()
	cfg.Dial = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		mu.Lock()
		tried = append(tried, to.Addr())
		n := len(tried)
		mu.Unlock()
		switch n {
		case 1: // silent until it is told to stop, and connected all the same
			<-ctx.Done()
			a, b := net.Pipe()
			go func() { _, _ = b.Read(make([]byte, 1)); late.Add(1) }()
			return a, nil
		case 2:
			return nil, errors.New("connection refused")
		}
		return w.Dial(ctx, to)
	}
	g, err := netguard.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	conn, err := g.DialContext(t.Context(), "tcp", "many.example:80")
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	mu.Lock()
	got := fmt.Sprint(tried)
	mu.Unlock()
	if want := "[2606:2800:220:1::1 93.184.216.34 2606:2800:220:1::2]"; got != want {
		t.Errorf("tried %s, want %s: the families by turns", got, want)
	}
	for end := time.Now().Add(5 * time.Second); late.Load() == 0; time.Sleep(time.Millisecond) { //nolint:forbidigo // nothing tells when a connection is closed
		if time.Now().After(end) {
			t.Fatal("the connection that came too late was not closed")
		}
	}
}

func TestDialFailures(t *testing.T) {
	w := netguardtest.New(t, hello)
	cfg := w.Config()
	cfg.Dial = func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errors.New("connection refused")
	}
	g, err := netguard.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.DialContext(t.Context(), "tcp", "a.example:80"); code(err) != "unreachable" || !strings.Contains(err.Error(), "refused") {
		t.Errorf("%v; want unreachable and why", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.DialContext(ctx, "tcp", "a.example:80"); err == nil || ctx.Err() == nil {
		t.Errorf("%v", err)
	}
	cfg.Resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no network") }}
	if g, err = netguard.New(cfg); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Check(t.Context(), "http://a.example/"); code(err) != "unreachable" {
		t.Errorf("%v; want unreachable: nobody could be asked", err)
	}
}

// Once a host is closed again, a client that has a connection to it does not
// use it any more.
func TestUpdateEndsKeptConnections(t *testing.T) {
	var conns atomic.Int64
	w := netguardtest.New(t, hello)
	cfg := w.Config("nas.lan")
	w.Name("nas.lan", "192.168.1.7")
	cfg.Dial = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) { conns.Add(1); return w.Dial(ctx, to) }
	g, err := netguard.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	client := g.Client(netguard.ClientOptions{})
	defer client.CloseIdleConnections()
	for range 3 {
		if body, err := get(t, client, "http://nas.lan/"); err != nil || body != "inner" {
			t.Fatalf("%q, %v", body, err)
		}
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections for three requests, want 1", n)
	}
	cfg.AllowHosts = nil
	if err := g.Update(cfg); err != nil {
		t.Fatal(err)
	}
	if body, err := get(t, client, "http://nas.lan/"); code(err) != "blocked_address" {
		t.Errorf("%q, %v; want a refusal", body, err)
	}
	cfg.AllowHosts = []string{"a b"}
	if err := g.Update(cfg); err == nil {
		t.Error("a wrong entry was taken")
	}
	if _, err := get(t, client, "http://nas.lan/"); code(err) != "blocked_address" {
		t.Errorf("%v; want the configuration of before", err)
	}
}

// Whoever asks while the configuration changes gets the answer of one of the two.
func TestConcurrent(t *testing.T) {
	w := netguardtest.New(t, hello)
	w.Name("nas.lan", "192.168.1.7")
	g := w.Guard(t)
	client := g.Client(netguard.ClientOptions{})
	defer client.CloseIdleConnections()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 25 {
				if i == 0 {
					for _, cfg := range []netguard.Config{w.Config("nas.lan"), w.Config()} {
						if err := g.Update(cfg); err != nil {
							t.Error(err)
						}
					}
				}
				if _, err := g.Check(t.Context(), "http://nas.lan/"); err != nil && code(err) != "blocked_address" {
					t.Error(err)
				}
				if body, err := get(t, client, "http://a.example/"); err != nil || !strings.HasPrefix(body, "hello") {
					t.Errorf("%q, %v", body, err)
				}
				if _, err := get(t, client, "http://127.1/"); code(err) != "blocked_address" {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestSchemesAreNamed(t *testing.T) {
	g := netguardtest.New(t, hello).Guard(t)
	if u, err := g.Check(t.Context(), "wss://A.example/live", "ws", "wss"); err != nil || u.String() != "wss://a.example/live" {
		t.Errorf("%v, %v", u, err)
	}
	if _, err := g.Check(t.Context(), "ws://127.1/live", "ws", "wss"); code(err) != "blocked_address" {
		t.Errorf("%v; want a refusal", err)
	}
}

// The zero options and the system's resolver work: this machine is the only
// host that every machine has.
func TestTheRealSystem(t *testing.T) {
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: hello, ReadHeaderTimeout: time.Second}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	defer func() { _ = server.Close(); <-done }()
	g, err := netguard.New(netguard.Config{})
	if err != nil {
		t.Fatal(err)
	}
	client := g.Client(netguard.ClientOptions{})
	defer client.CloseIdleConnections()
	addr := l.Addr().String()
	if _, err := get(t, client, "http://"+addr+"/"); code(err) != "blocked_address" {
		t.Errorf("%v; want a refusal", err)
	}
	if err := g.Update(netguard.Config{AllowHosts: []string{addr, strings.Replace(addr, "127.0.0.1", "localhost", 1)}}); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"http://" + addr + "/", "http://" + strings.Replace(addr, "127.0.0.1", "localhost", 1) + "/"} {
		if body, err := get(t, client, url); err != nil || !strings.HasPrefix(body, "hello") {
			t.Errorf("%s: %q, %v", url, body, err)
		}
	}
}
