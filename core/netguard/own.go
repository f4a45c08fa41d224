package netguard

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// ownAddresses knows the addresses of this machine's network interfaces. A
// public one among them is no better than loopback: what connects from inside
// is past the firewall.
type ownAddresses struct {
	mu   sync.Mutex
	read time.Time
	set  map[netip.Addr]bool
}

// ownAge is how long what was read counts: networks come and go on a laptop.
const ownAge = 10 * time.Second

func (o *ownAddresses) has(a netip.Addr) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.set == nil || time.Since(o.read) > ownAge {
		o.read, o.set = time.Now(), interfaceAddrs()
	}
	return o.set[a]
}

// interfaceAddrs is empty where the system does not tell.
func interfaceAddrs() map[netip.Addr]bool {
	set := map[netip.Addr]bool{}
	list, _ := net.InterfaceAddrs()
	for _, n := range list {
		if p, err := netip.ParsePrefix(n.String()); err == nil {
			set[p.Addr().Unmap()] = true
		}
	}
	return set
}
