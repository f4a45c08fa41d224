package netguard_test

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/netguardtest"
)

// rebinder is a DNS server whose answers change: a real one over UDP, asked by
// the standard library's resolver.
type rebinder struct {
	conn   net.PacketConn
	asked  atomic.Int64
	answer func(n int64) []string // the addresses of the nth answer, from 0
}

func newRebinder(t *testing.T, answer func(n int64) []string) *net.Resolver {
	t.Helper()
	var lc net.ListenConfig
	conn, err := lc.ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &rebinder{conn: conn, answer: answer}
	done := make(chan struct{})
	go func() { defer close(done); r.serve() }()
	t.Cleanup(func() { _ = conn.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (r *rebinder) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := r.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		q := m.Questions[0]
		m.Response, m.Authoritative, m.Additionals = true, true, nil
		if q.Type == dnsmessage.TypeA {
			for _, a := range r.answer(r.asked.Add(1) - 1) {
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 0},
					Body:   &dnsmessage.AResource{A: netip.MustParseAddr(a).As4()},
				})
			}
		}
		if out, err := m.Pack(); err == nil {
			_, _ = r.conn.WriteTo(out, from)
		}
	}
}

const publicAddr = "93.184.216.34"

// An answer of the DNS that changes between the check and the connection, or
// from one connection to the next, or that mixes, leads nowhere inside.
func TestRebinding(t *testing.T) {
	for name, answer := range map[string]func(n int64) []string{
		"public first, then this machine": func(n int64) []string {
			if n == 0 {
				return []string{publicAddr}
			}
			return []string{"127.0.0.1"}
		},
		"by turns":            func(n int64) []string { return []string{[]string{publicAddr, "127.0.0.1"}[n%2]} },
		"the other way round": func(n int64) []string { return []string{[]string{"169.254.169.254", publicAddr}[n%2]} },
		"mixed":               func(int64) []string { return []string{publicAddr, "10.0.0.1"} },
		"mixed, inner first":  func(int64) []string { return []string{"0.0.0.0", publicAddr} },
	} {
		t.Run(name, func(t *testing.T) {
			w := netguardtest.New(t, hello)
			cfg := w.Config()
			cfg.Resolver = newRebinder(t, answer)
			g, err := netguard.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			opened, refused := 0, 0
			for range 12 {
				client := g.Client(netguard.ClientOptions{})
				_, checked := g.Check(t.Context(), "http://rebind.example/")
				_, fetched := get(t, client, "http://rebind.example/")
				client.CloseIdleConnections()
				for _, err := range []error{checked, fetched} {
					switch code(err) {
					case "":
						opened++
					case "blocked_address":
						refused++
					default:
						t.Fatal(err)
					}
				}
			}
			if n := w.Reached.Load(); n != 0 || refused == 0 {
				t.Errorf("%d connections reached this machine; %d requests were refused, %d answered", n, refused, opened)
			}
			for _, to := range w.Dialled() {
				if !netguardtest.Public(to.Addr()) {
					t.Errorf("connected to %s", to)
				}
			}
		})
	}
}

// The same server fools a client that judges first and connects afterwards, so
// the test above would see it.
func TestRebindingFoolsOthers(t *testing.T) {
	w := netguardtest.New(t, hello)
	cfg := w.Config()
	resolver := newRebinder(t, func(n int64) []string { return []string{[]string{publicAddr, "127.0.0.1"}[min(n, 1)]} })
	cfg.Resolver = resolver
	g, err := netguard.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Check(t.Context(), "http://rebind.example/"); err != nil {
		t.Fatal(err)
	}
	naive := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		addrs, err := resolver.LookupNetIP(ctx, "ip4", "rebind.example")
		if err != nil {
			return nil, err
		}
		return w.Dial(ctx, netip.AddrPortFrom(addrs[0].Unmap(), 80))
	}}}
	if _, err := get(t, naive, "http://rebind.example/"); err != nil {
		t.Fatal(err)
	}
	if n := w.Reached.Load(); n != 1 {
		t.Errorf("%d connections reached this machine, want the 1 of the client that is fooled", n)
	}
}
