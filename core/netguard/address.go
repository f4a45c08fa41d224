package netguard

import (
	"net/netip"
	"slices"
	"strings"

	"code.dny.dev/ssrf"
)

// kinds names the ranges that people meet, most particular first. It only words
// the refusal: what is refused is decided by [global].
var kinds = []struct {
	prefix netip.Prefix
	what   string
}{
	{netip.MustParsePrefix("169.254.169.254/32"), "the cloud's metadata service"},
	{netip.MustParsePrefix("0.0.0.0/32"), "this machine (unspecified)"},
	{netip.MustParsePrefix("127.0.0.0/8"), "this machine (loopback)"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private network"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private network"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private network"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a provider's inner network"},
	{netip.MustParsePrefix("198.18.0.0/15"), "for benchmarks only"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("255.255.255.255/32"), "broadcast"},
	{netip.MustParsePrefix("::1/128"), "this machine (loopback)"},
	{netip.MustParsePrefix("::/128"), "this machine (unspecified)"},
	{netip.MustParsePrefix("fd00:ec2::254/128"), "the cloud's metadata service"},
	{netip.MustParsePrefix("fc00::/7"), "a private network"},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
	{netip.MustParsePrefix("2002::/16"), "a 6to4 tunnel"},
	{netip.MustParsePrefix("2001::/32"), "a Teredo tunnel"},
}

// kind says in words what an address that is not global is.
func kind(a netip.Addr) string {
	for _, k := range kinds {
		if k.prefix.Contains(a) {
			return k.what
		}
	}
	switch {
	case isMetadata(a):
		return "the cloud's metadata service"
	case nat64.Contains(a), nat64Local.Contains(a), isISATAP(a):
		return "a tunnel to an inner IPv4 address"
	}
	return "reserved, not public"
}

// special is the registry of special ranges: IANA's for IPv4, and for IPv6 all
// outside 2000::/3 and IANA's within (RFC 6890 and its successors), with 6to4
// and Teredo whole, since both are dead and hide any inner address.
var special = ssrf.New(ssrf.WithAnyPort(), ssrf.WithAnyNetwork())

// global reports whether an address is one of the public internet. Addresses
// that carry an IPv4 address inside are judged by that one.
func global(a netip.Addr) bool {
	a = a.Unmap()
	switch {
	case !a.IsValid(), a.Zone() != "", isMetadata(a):
		return false
	case nat64.Contains(a):
		return global(ipv4At(a, 12))
	case nat64Local.Contains(a):
		return globalNAT64(a)
	case isISATAP(a) && !global(ipv4At(a, 12)):
		return false
	}
	return special.SafeAddr(a) == nil
}

var (
	nat64      = netip.MustParsePrefix("64:ff9b::/96")   // RFC 6052, the well-known prefix
	nat64Local = netip.MustParsePrefix("64:ff9b:1::/48") // RFC 8215, a network's own
	compatible = netip.MustParsePrefix("::/96")          // RFC 4291, 2.5.5.1, deprecated
	sixToFour  = netip.MustParsePrefix("2002::/16")      // RFC 3056
)

// globalNAT64 judges an address under a network's own NAT64 prefix. Where the
// IPv4 address lies in it depends on the length of that network's prefix, which
// nobody tells (RFC 6052, section 2.2: after 48, 56, 64 or 96 bits, leaving out
// byte 8). So it is read in all four ways; each that gives anything must give a
// public address.
func globalNAT64(a netip.Addr) bool {
	b := a.As16()
	found := false
	for _, v4 := range [][4]byte{
		{b[6], b[7], b[9], b[10]},
		{b[7], b[9], b[10], b[11]},
		{b[9], b[10], b[11], b[12]},
		{b[12], b[13], b[14], b[15]},
	} {
		switch {
		case v4[0] == 0: // nothing there: 0.0.0.0/8 is no destination
		case !global(netip.AddrFrom4(v4)):
			return false
		default:
			found = true
		}
	}
	return found
}

// isISATAP finds IPv4 in the interface identifier of a tunnel (RFC 5214, 6.1).
func isISATAP(a netip.Addr) bool {
	b := a.As16()
	return a.Is6() && b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

func ipv4At(a netip.Addr, i int) netip.Addr {
	b := a.As16()
	return netip.AddrFrom4([4]byte(b[i : i+4]))
}

// metadata are the services that give a cloud machine its keys. Some lie in
// ranges that are public or look it.
var metadata = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"), // most clouds
	netip.MustParseAddr("169.254.170.2"),   // Amazon's containers
	netip.MustParseAddr("169.254.170.23"),  // the same
	netip.MustParseAddr("fd00:ec2::254"),   // Amazon over IPv6
	netip.MustParseAddr("fd00:ec2::23"),    // the same
	netip.MustParseAddr("fd20:ce::254"),    // Google over IPv6
	netip.MustParseAddr("100.100.100.200"), // Alibaba
	netip.MustParseAddr("192.0.0.192"),     // Oracle
	netip.MustParseAddr("168.63.129.16"),   // Azure's host, a public address
}

// isMetadata finds them, through a tunnel too.
func isMetadata(a netip.Addr) bool {
	switch a = a.Unmap().WithZone(""); {
	case nat64.Contains(a), compatible.Contains(a):
		return slices.Contains(metadata, ipv4At(a, 12))
	case sixToFour.Contains(a):
		return slices.Contains(metadata, ipv4At(a, 2))
	}
	return slices.Contains(metadata, a)
}

// innerName says what a name is that is never public, whatever the DNS answers.
func innerName(name string) string {
	switch name {
	case "metadata", "metadata.goog", "metadata.google.internal", "instance-data", "instance-data.ec2.internal":
		return "the cloud's metadata service"
	}
	for _, s := range []struct{ suffix, what string }{
		{"localhost", "this machine"},                  // RFC 6761, 6.3
		{"localdomain", "this machine"},                // of old hosts files
		{"localhost6", "this machine"},                 // the same
		{"ip6-localhost", "this machine"},              // of Debian's hosts file
		{"ip6-loopback", "this machine"},               // the same
		{"local", "a name of the local network"},       // RFC 6762
		{"internal", "a name of an inner network"},     // ICANN, reserved 2024
		{"home.arpa", "a name of the local network"},   // RFC 8375
		{"onion", "a name that the DNS does not have"}, // RFC 7686
	} {
		if name == s.suffix || strings.HasSuffix(name, "."+s.suffix) {
			return s.what
		}
	}
	return ""
}
