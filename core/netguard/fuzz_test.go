package netguard_test

import (
	"net"
	"net/url"
	"testing"

	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/netguardtest"
)

// Whatever is let through leads to addresses that an independent judge calls
// public, and means the same when it is checked again.
func FuzzCheck(f *testing.F) {
	for _, list := range spellings {
		for _, raw := range list {
			f.Add(raw)
		}
	}
	f.Add("http://\xbf")
	w := netguardtest.New(f, hello)
	g := w.Guard(f)
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := g.Check(t.Context(), raw)
		if err != nil {
			if code(err) == err.Error() {
				t.Errorf("%q: %v is no declared failure", raw, err)
			}
			return
		}
		again, err := g.Check(t.Context(), u.String())
		if err != nil || again.Host != u.Host {
			t.Errorf("%q became %q, which becomes %v, %v", raw, u, again, err)
		}
		dialled(t, w, g, u)
	})
}

// dialled connects as a client would, and judges where it went.
func dialled(t *testing.T, w *netguardtest.World, g *netguard.Guard, u *url.URL) {
	t.Helper()
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	conn, err := g.DialContext(t.Context(), "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		t.Errorf("%q passed the check: %v", u, err)
		return
	}
	_ = conn.Close()
	for _, to := range w.Dialled() {
		if !netguardtest.Public(to.Addr()) {
			t.Errorf("%q led to %s", u, to)
		}
	}
}

// A list of hosts never panics, and what it opens it also names.
func FuzzParseRules(f *testing.F) {
	for _, s := range []string{"nas.lan", "*.example.org:8443", "10.0.0.0/8:81", "[fd00::7]:*", "[fd00::/8]:80", ":", "[", "*.", "0x7f.1", "①.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, entry string) {
		list, err := netguard.ParseRules([]string{entry})
		if err == nil && list.Names("a.b", 22) && list.Names("c.d", 22) {
			t.Errorf("%q opens everything", entry)
		}
	})
}
