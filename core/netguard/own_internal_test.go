package netguard

import (
	"errors"
	"net/netip"
	"testing"
	"time"
)

// A public address of this machine's own is no public host.
func TestOwnAddresses(t *testing.T) {
	g, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	g.own.read, g.own.set = time.Now().Add(time.Hour), map[netip.Addr]bool{netip.MustParseAddr("93.184.216.34"): true}
	if _, err := g.Check(t.Context(), "http://93.184.216.34/"); !errors.Is(err, BlockedAddress) {
		t.Errorf("%v; want a refusal", err)
	}
	if _, err := g.Check(t.Context(), "http://93.184.216.35/"); err != nil {
		t.Error(err)
	}
	if err := g.Update(Config{AllowHosts: []string{"93.184.216.34"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Check(t.Context(), "http://93.184.216.34/"); err != nil {
		t.Errorf("%v although it is allowed", err)
	}
}

func TestInterfacesAreRead(t *testing.T) {
	if !interfaceAddrs()[netip.MustParseAddr("127.0.0.1")] {
		t.Skip("this system does not tell its addresses")
	}
	var o ownAddresses
	if !o.has(netip.MustParseAddr("127.0.0.1")) || o.has(netip.MustParseAddr("8.8.8.8")) {
		t.Error("not the addresses of this machine")
	}
}
