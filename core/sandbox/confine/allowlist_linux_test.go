package confine_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/proxy"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// everywhere is a DNS in which every name has one public address.
type everywhere struct{}

// LookupNetIP implements [netguard.Resolver].
func (everywhere) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
}

func TestAllowlist(t *testing.T) {
	c := need(t, confine.Bubblewrap)
	d := newDecoy(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, "served ", r.Host) }))
	t.Cleanup(server.Close)
	guard, err := netguard.New(netguard.Config{Resolver: everywhere{}, Dial: func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
		var one net.Dialer
		return one.DialContext(ctx, "tcp", server.Listener.Addr().String())
	}})
	d.must(err)
	rules, err := netguard.ParseRules([]string{"allowed.example.org"})
	d.must(err)
	p := proxy.New(proxy.Options{Guard: guard, Allow: proxy.Only(rules, "[sandbox] network_hosts")})
	t.Cleanup(func() { _ = p.Close() })
	spec := d.spec(sandbox.Standard)
	spec.Network, spec.Serve = confine.NetworkAllowlist, p.Serve
	d.before = d.state()

	for script, want := range map[string]string{
		`curl -s -m 9 http://allowed.example.org/`:                                                                        "served allowed.example.org",
		`curl -s -m 9 http://other.example.org/`:                                                                          "not among the hosts",
		`curl -s -m 9 http://169.254.169.254/`:                                                                            "not among the hosts",
		`curl -s -m 3 --noproxy '*' http://allowed.example.org/; echo $?`:                                                 "6",
		`curl -s -m 3 --noproxy '*' "http://127.0.0.1:$PORT/"; echo $?`:                                                   "7",
		`python3 -m http.server 8123 >/dev/null 2>&1 & sleep 1; curl -s -m 3 http://127.0.0.1:8123/ | head -c 9; kill $!`: "<!DOCTYPE",
		`ls /proc/self/fd | wc -l; exit 7`:                                                                                "4",
	} {
		out, res := d.run(c, spec, script, time.Minute)
		if !strings.Contains(out, want) {
			t.Errorf("%s ended with %d and printed %q, want %q", script, res.ExitCode, out, want)
		}
	}
	d.check()
}

// A command that ends before it has a network leaves nothing behind.
func TestAllowlistWithoutUse(t *testing.T) {
	c := need(t, confine.Bubblewrap)
	d := newDecoy(t)
	spec := d.spec(sandbox.Standard)
	spec.Network, spec.Serve = confine.NetworkAllowlist, func(l net.Listener) {
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
		}
	}
	for range 5 {
		d.run(c, spec, "true", time.Minute)
	}
	held, report, err := (&confine.Confiner{Only: []confine.Backend{confine.Landlock}}).Prepare(confine.Auto, spec)
	d.must(err)
	if held == nil || !strings.Contains(report.Sentence(), "the network is off") {
		t.Errorf("with Landlock alone the report says %q", report.Sentence())
	}
}
