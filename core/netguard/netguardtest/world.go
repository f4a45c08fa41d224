// Package netguardtest stands in for the internet in tests of what goes through
// a [netguard.Guard]: names and addresses are those of the public web, judged as
// such, and the connections end at servers of the test.
package netguardtest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/netguard"
)

// A World is the internet of one test. Port 80 of every public address is one
// web server, every other port the same one over TLS; all that is not public
// is another server, which only counts.
type World struct {
	Reached atomic.Int64 // connections to what is not public; a guard lets it be 0

	public, secure, inner *httptest.Server

	mu      sync.Mutex
	names   map[string][]netip.Addr
	dialled []netip.AddrPort
}

// New makes a world whose public web is h. TLS is trusted where the test's
// program calls [Trust] first.
func New(tb testing.TB, h http.Handler) *World {
	tb.Helper()
	w := &World{names: map[string][]netip.Addr{}}
	w.public = httptest.NewServer(h)
	w.secure = httptest.NewUnstartedServer(h)
	w.secure.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return &tls.Config{GetCertificate: certificate, NextProtos: []string{"h2", "http/1.1"}}, nil
	}}
	w.secure.EnableHTTP2 = true
	w.secure.StartTLS()
	w.inner = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("inner")) }))
	w.inner.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			w.Reached.Add(1)
		}
	}
	w.inner.Start()
	tb.Cleanup(func() { w.public.Close(); w.secure.Close(); w.inner.Close() })
	return w
}

// Config is that of a guard in this world.
func (w *World) Config(allow ...string) netguard.Config {
	return netguard.Config{AllowHosts: allow, Resolver: w, Dial: w.Dial}
}

// Guard makes a guard in this world.
func (w *World) Guard(tb testing.TB, allow ...string) *netguard.Guard {
	tb.Helper()
	g, err := netguard.New(w.Config(allow...))
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// Name says what the DNS answers for a name; without addresses there is no such
// name. Names that nothing was said of are public hosts.
func (w *World) Name(name string, addrs ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names[name] = []netip.Addr{}
	for _, a := range addrs {
		w.names[name] = append(w.names[name], netip.MustParseAddr(a))
	}
}

// LookupNetIP is the world's DNS.
func (w *World) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	list, known := w.names[host]
	switch {
	case !known:
		return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
	case len(list) == 0:
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return slices.Clone(list), nil
}

// Dial connects to the server that stands at an address of this world.
func (w *World) Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	w.mu.Lock()
	w.dialled = append(w.dialled, to)
	w.mu.Unlock()
	server := w.secure
	switch {
	case !Public(to.Addr()):
		server = w.inner
	case to.Port() == 80:
		server = w.public
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", server.Listener.Addr().String())
}

// Dialled returns the addresses that were connected to, and forgets them.
func (w *World) Dialled() []netip.AddrPort {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.dialled
	w.dialled = nil
	return list
}

// Public judges an address independently of the guard, by what the standard
// library knows and a plain list.
func Public(a netip.Addr) bool {
	ip := net.ParseIP(a.WithZone("").String())
	if ip == nil || !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsMulticast() {
		return false
	}
	return !slices.ContainsFunc(notPublic, func(cidr string) bool {
		_, n, err := net.ParseCIDR(cidr)
		return err != nil || n.Contains(ip)
	})
}

var notPublic = []string{
	"0.0.0.0/8", "100.64.0.0/10", "168.63.129.16/32", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"::/32", "64:ff9b::7f00:0/104", "64:ff9b::a00:0/104", "64:ff9b::a9fe:0/112", "64:ff9b::c0a8:0/112", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
}

// authority signs for every host of every world.
var authority = sync.OnceValues(func() (*x509.Certificate, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	t := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		panic(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return cert, key
})

// Trust makes the program of a test trust the worlds' certificates. Call it in
// TestMain, in a file with the line
//
//	//go:debug x509usefallbackroots=1
func Trust() {
	cert, _ := authority()
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	x509.SetFallbackRoots(pool)
}

// certificate makes one for the host that a client asks for by name. One that
// names no host asks for an address, of which a few are known.
func certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	ca, caKey := authority()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	t := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		IPAddresses: []net.IP{net.ParseIP("93.184.216.34"), net.ParseIP("2606:2800:220:1:248:1893:25c8:1946")},
	}
	if hello.ServerName != "" {
		t.DNSNames = []string{hello.ServerName}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, ca, key.Public(), caKey)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
