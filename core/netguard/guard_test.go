package netguard

import (
	"context"
	"encoding/json"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/test/suite"
)

// names is a DNS of a few names; every other name is a public host.
type names map[string][]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	list, ok := n[host]
	if !ok {
		list = []string{"93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"}
	}
	if len(list) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var out []netip.Addr
	for _, a := range list {
		out = append(out, netip.MustParseAddr(a))
	}
	return out, nil
}

func newGuard(tb testing.TB, r Resolver, allow ...string) *Guard {
	tb.Helper()
	g, err := New(Config{AllowHosts: allow, Resolver: r})
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// An urlCase is a line of the suite of addresses.
type urlCase struct{ URL, Want string }

func suiteURLs(tb testing.TB) (list []urlCase) {
	tb.Helper()
	text, err := os.ReadFile(suite.Path(tb, "ssrf_urls.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var c urlCase
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			tb.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

func TestSuiteCheck(t *testing.T) {
	g := newGuard(t, names{})
	right := 0
	list := suiteURLs(t)
	for _, c := range list {
		_, err := g.Check(t.Context(), c.URL)
		if (err == nil) != (c.Want == "allow") {
			t.Errorf("%s: %v; want %s", c.URL, err, c.Want)
			continue
		}
		right++
	}
	t.Logf("ssrf_urls through Check: %d of %d", right, len(list))
}
