package proxy_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/netguardtest"
	"github.com/hobkin/hobkin/core/netguard/proxy"
)

// BenchmarkProxy measures what the proxy costs: each fetch beside the same one
// without it, by turns.
func BenchmarkProxy(b *testing.B) {
	large := make([]byte, 16<<20)
	w := netguardtest.New(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/large" {
			_, _ = w.Write(large)
		}
	}))
	p := start(b, w, proxy.Options{})
	direct := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return w.Dial(ctx, netip.MustParseAddrPort("93.184.216.34:80"))
	}
	forward := http.ProxyURL(p.URL())
	tunnel := func(context.Context, string, string) (net.Conn, error) {
		return throughTunnel(b, p) //nolint:contextcheck // it has the benchmark's
	}
	for _, way := range []struct {
		name, path string
		with, not  *http.Transport
	}{
		{"16_MiB_beside_direct", "/large", &http.Transport{Proxy: forward}, &http.Transport{DialContext: direct}},
		{"16_MiB_by_CONNECT_beside_direct", "/large", &http.Transport{DialContext: tunnel}, &http.Transport{DialContext: direct}},
		{"a_request_beside_direct", "/", &http.Transport{Proxy: forward}, &http.Transport{DialContext: direct}},
		{"a_new_connection_beside_direct", "/", &http.Transport{DisableKeepAlives: true, Proxy: forward}, &http.Transport{DisableKeepAlives: true, DialContext: direct}},
		{"a_new_tunnel_beside_direct", "/", &http.Transport{DisableKeepAlives: true, DialContext: tunnel}, &http.Transport{DisableKeepAlives: true, DialContext: direct}},
	} {
		b.Run(way.name, func(b *testing.B) {
			defer way.with.CloseIdleConnections()
			defer way.not.CloseIdleConnections()
			var ours, theirs, ratios []float64
			for b.Loop() {
				us, them := fetch(b, way.with, way.path), fetch(b, way.not, way.path)
				ours, theirs, ratios = append(ours, us*1e3), append(theirs, them*1e3), append(ratios, us/them)
			}
			b.ReportMetric(median(ratios), "×peer")
			b.ReportMetric(median(ours), "ms-ours")
			b.ReportMetric(median(theirs), "ms-peer")
		})
	}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// fetch returns the seconds that a page takes.
func fetch(b *testing.B, t *http.Transport, path string) float64 {
	b.Helper()
	begin := time.Now()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://a.example"+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	resp, err := t.RoundTrip(req)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		b.Fatal(resp.Status, err)
	}
	return time.Since(begin).Seconds()
}

func throughTunnel(b *testing.B, p *proxy.Proxy) (net.Conn, error) {
	b.Helper()
	conn, a := raw(b, p, "CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n"+authorization(p)+"\r\n")
	if a.code != http.StatusOK {
		return nil, netguard.Unreachable
	}
	return conn, conn.SetDeadline(time.Time{})
}
