package netguard

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Rules is a list of hosts as the settings hold it. The zero value allows
// nothing.
type Rules struct{ list []rule }

// A rule is one entry: a name, all names below one, or a range of addresses, on
// its ports.
type rule struct {
	name   string       // empty for a range
	below  bool         // of *.name; the name itself is not meant
	prefix netip.Prefix // of an address or a range
	port   int          // webPorts, anyPort or the one
}

const (
	webPorts = 0 // 80 and 443
	anyPort  = -1
)

// ParseRules reads entries such as "nas.lan", "nas.lan:8080", "*.example.org:*",
// "192.168.1.7", "10.0.0.0/8:8080" or "[fd00::7]:8443". Without a port an entry
// means 80 and 443; :* is every port. A wrong entry is an error that names it.
func ParseRules(entries []string) (Rules, error) {
	var r Rules
	for _, e := range entries {
		one, problem := parseRule(e)
		if problem != "" {
			return Rules{}, fmt.Errorf("%q is no host that can be allowed: %s", e, problem)
		}
		r.list = append(r.list, one)
	}
	return r, nil
}

func parseRule(entry string) (r rule, problem string) {
	if strings.Contains(entry, "://") {
		return rule{}, "leave out the scheme and the path, such as nas.lan:8080"
	}
	text, port := splitPort(entry)
	switch n, err := strconv.ParseUint(port, 10, 16); {
	case port == "":
	case port == "*":
		r.port = anyPort
	case err != nil, n == 0:
		return rule{}, "the port must be a number from 1 to 65535, or *"
	default:
		r.port = int(n)
	}
	if strings.Contains(text, "/") {
		return parseRange(r, text)
	}
	text, r.below = strings.CutPrefix(text, "*.")
	h, problem := parseHost(text)
	switch {
	case strings.Contains(text, "*"):
		return rule{}, "a * may only stand as *. before a name"
	case problem != "":
		return rule{}, problem
	case h.name == "" && r.below:
		return rule{}, "an address has nothing below it"
	case h.name == "":
		r.prefix = netip.PrefixFrom(h.addr, h.addr.BitLen())
	}
	r.name = h.name
	return r, ""
}

func parseRange(r rule, text string) (rule, string) {
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return rule{}, "a range of addresses looks like 192.168.1.0/24 or fd00::/8"
	case p.Addr() != p.Masked().Addr():
		return rule{}, fmt.Sprintf("the range begins at %s; write that", p.Masked())
	case p.Bits() == 0:
		return rule{}, "it is the whole network; name the part that is meant"
	case p.Addr().Is4In6():
		return rule{}, "write the range as IPv4"
	}
	r.prefix = p
	return r, ""
}

// splitPort takes the port off an entry. IPv6 without brackets has none.
func splitPort(entry string) (text, port string) {
	if rest, ok := strings.CutPrefix(entry, "["); ok {
		text, after, closed := strings.Cut(rest, "]")
		bits, port, colon := strings.Cut(after, ":")
		switch {
		case !closed, bits != "" && bits[0] != '/':
			return entry, ""
		case colon && port == "":
			port = "?" // as below
		}
		return text + bits, port
	}
	if strings.Count(entry, ":") != 1 {
		return entry, ""
	}
	text, port, _ = strings.Cut(entry, ":")
	if port == "" {
		port = "?" // a colon with nothing after it is a mistake
	}
	return text, port
}

// allows reports whether an entry opens the address a of h on a port.
// A name opens what the DNS says of it, but never the cloud's metadata service:
// that must be written as an address.
func (r Rules) allows(h host, a netip.Addr, port uint16) bool {
	for _, e := range r.list {
		switch {
		case !e.hasPort(port):
		case e.prefix.IsValid() && e.prefix.Contains(a):
			return true
		case e.hasName(h.name) && !isMetadata(a):
			return true
		}
	}
	return false
}

// names reports whether an entry names h itself on a port.
func (r Rules) names(h host, port uint16) bool {
	for _, e := range r.list {
		if e.hasPort(port) && (e.hasName(h.name) || h.name == "" && e.prefix.IsValid() && e.prefix.Contains(h.addr)) {
			return true
		}
	}
	return false
}

// mayReach reports whether an entry could open h on a port, when its addresses
// are not known yet.
func (r Rules) mayReach(h host, port uint16) bool {
	if h.name == "" || r.names(h, port) {
		return r.names(h, port)
	}
	for _, e := range r.list {
		if e.prefix.IsValid() && e.hasPort(port) {
			return true
		}
	}
	return false
}

func (e rule) hasPort(port uint16) bool {
	switch e.port {
	case anyPort:
		return true
	case webPorts:
		return webPort(port)
	}
	return e.port == int(port)
}

func (e rule) hasName(name string) bool {
	if e.below {
		return strings.HasSuffix(name, "."+e.name)
	}
	return e.name != "" && e.name == name
}

func webPort(port uint16) bool { return port == 80 || port == 443 }

// Names reports whether an entry names the host and port. The host may be in
// any spelling.
func (r Rules) Names(text string, port int) bool {
	h, problem := parseHost(strings.Trim(text, "[]"))
	return problem == "" && port > 0 && port <= 65535 && r.names(h, uint16(port))
}
