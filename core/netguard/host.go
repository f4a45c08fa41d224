package netguard

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// A host is what stands between // and the port in its one plain form: either a
// name or an address.
type host struct {
	name string     // lower case, ASCII, without the last dot; empty when it is an address
	addr netip.Addr // without zone, IPv4 where it is IPv4 in IPv6
}

func (h host) String() string {
	if h.name != "" {
		return h.name
	}
	return h.addr.String()
}

// lookup maps a name as browsers do before they ask the DNS: full-width and
// circled digits, ideographic dots, capitals and what cannot be seen. Underscores
// and hyphens are taken as they are; hosts use them.
var lookup = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false), idna.BidiRule())

// parseHost brings text into its plain form. Brackets round IPv6 have been taken
// off. On failure it says what is wrong, for a sentence that names the host.
func parseHost(text string) (h host, problem string) {
	switch {
	case text == "":
		return host{}, "there is no host in it"
	case len(text) > 2048: // as text, before it is mapped; a name has at most 253 characters
		return host{}, "the host is longer than 253 characters"
	case strings.Contains(text, "%"):
		return host{}, "the host holds a % (a zone or an encoded character)"
	case strings.Contains(text, ":"):
		a, err := netip.ParseAddr(text)
		if err != nil {
			return host{}, "the host is no IPv6 address"
		}
		return host{addr: a.Unmap()}, ""
	}
	name, err := lookup.ToASCII(text)
	if err != nil || !utf8.ValidString(text) {
		return host{}, "the host is no name of the DNS"
	}
	if again, err := lookup.ToASCII(name); err != nil || again != name {
		return host{}, "the host is no name of the DNS" // whoever reads it next would read another
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if problem := checkName(name); problem != "" {
		return host{}, problem
	}
	if !endsInNumber(name) {
		return host{name: name}, ""
	}
	a, ok := parseIPv4(name)
	if !ok {
		return host{}, "the host ends like an IPv4 address but is none"
	}
	return host{addr: a}, ""
}

// checkName holds a name against the limits of the DNS (RFC 1035, section 2.3.4).
func checkName(name string) (problem string) {
	if len(name) > 253 {
		return "the host is longer than 253 characters"
	}
	for label := range strings.SplitSeq(name, ".") {
		switch {
		case label == "":
			return "the host has an empty part between dots"
		case len(label) > 63:
			return "a part of the host is longer than 63 characters"
		case strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "":
			return "the host holds characters that no host has"
		}
	}
	return ""
}

// endsInNumber reports whether a host must be read as IPv4: its last part is a
// number (WHATWG URL, "ends in a number checker"). No top-level domain is one.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := parseNumber(last)
	return ok
}

// parseIPv4 reads every spelling that inet_aton and browsers take: one to four
// parts, decimal, octal (0177) or hexadecimal (0x7f), the last part filling the
// bytes that are left (WHATWG URL, "IPv4 parser").
func parseIPv4(name string) (netip.Addr, bool) {
	parts := strings.Split(name, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var v uint64
	for i, p := range parts {
		n, ok := parseNumber(p)
		last := i == len(parts)-1
		switch {
		case !ok, !last && n > 255, last && n >= 1<<(8*(5-len(parts))):
			return netip.Addr{}, false
		case last:
			v |= n
		default:
			v |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}), true
}

func parseNumber(s string) (uint64, bool) {
	base, digits := 10, s
	switch {
	case strings.HasPrefix(s, "0x"):
		base, digits = 16, s[2:]
	case len(s) > 1 && s[0] == '0':
		base, digits = 8, s[1:]
	}
	if base == 16 && digits == "" {
		return 0, true // "0x" alone is nought
	}
	n, err := strconv.ParseUint(digits, base, 64)
	return n, err == nil && !strings.ContainsAny(digits, "+_")
}
