package proxy_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/netguardtest"
	"github.com/hobkin/hobkin/core/netguard/proxy"
)

// large is a page of 16 MiB.
var large = make([]byte, 16<<20)

// BenchmarkThroughput fetches a large page directly and through the proxy.
func BenchmarkThroughput(b *testing.B) {
	w := netguardtest.New(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(large) }))
	p := start(b, w, proxy.Options{})
	direct := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return w.Dial(ctx, netip.MustParseAddrPort("93.184.216.34:80"))
	}}
	defer direct.CloseIdleConnections()
	for _, way := range []struct {
		name   string
		client *http.Client
	}{{"direct", &http.Client{Transport: direct}}, {"proxy", through(b, p)}, {"tunnel", tunnelled(b, p)}} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(len(large)))
			for b.Loop() {
				fetch(b, way.client)
			}
		})
	}
}

// BenchmarkConnect opens a new connection for each small page.
func BenchmarkConnect(b *testing.B) {
	w := netguardtest.New(b, site)
	p := start(b, w, proxy.Options{})
	direct := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return w.Dial(ctx, netip.MustParseAddrPort("93.184.216.34:80"))
	}}
	forward := &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyURL(p.URL())}
	for _, way := range []struct {
		name   string
		client *http.Client
	}{{"direct", &http.Client{Transport: direct}}, {"proxy", &http.Client{Transport: forward}}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				fetch(b, way.client)
			}
		})
	}
}

func fetch(b *testing.B, c *http.Client) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://a.example/", nil)
	if err != nil {
		b.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		b.Fatal(resp.Status, err)
	}
}

// tunnelled is a client that speaks http through CONNECT.
func tunnelled(b *testing.B, p *proxy.Proxy) *http.Client {
	b.Helper()
	t := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		conn, a := raw(b, p, "CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n"+authorization(p)+"\r\n") //nolint:contextcheck // it has the benchmark's
		if a.code != http.StatusOK {
			return nil, netguard.Unreachable
		}
		return conn, conn.SetDeadline(time.Time{})
	}}
	b.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t}
}
