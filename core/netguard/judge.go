package netguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// checkURL judges all of an address that can be judged without the DNS.
func (s *state) checkURL(u *url.URL, schemes ...string) (host, uint16, error) {
	switch {
	case u.Scheme == "":
		return host{}, 0, BadURL.Becausef("%s does not begin with http:// or https://", quote(u.Redacted()))
	case u.Scheme != "http" && u.Scheme != "https" && !slices.Contains(schemes, u.Scheme):
		return host{}, 0, BadScheme.Becausef("addresses that begin with %s: are not opened", u.Scheme)
	case u.Opaque != "" || u.Host == "":
		return host{}, 0, BadURL.Becausef("there is no host in %s", quote(u.Redacted()))
	case u.User != nil:
		return host{}, 0, CredentialsInURL.Becausef("the address to %s holds a user name or a password before the @", u.Hostname())
	}
	h, problem := parseHost(u.Hostname())
	if problem == "" && strings.HasPrefix(u.Host, "[") != strings.Contains(u.Hostname(), ":") {
		problem = "brackets stand only round an IPv6 address"
	}
	if problem != "" {
		return host{}, 0, BadURL.Becausef("%s cannot be opened: %s", quote(u.Redacted()), problem)
	}
	port, err := portOf(u)
	if err != nil {
		return host{}, 0, err
	}
	return h, port, s.checkHost(h, port)
}

func portOf(u *url.URL) (uint16, error) {
	switch p := u.Port(); {
	case p != "":
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return 0, BadURL.Becausef("the port of %s must be a number from 1 to 65535", quote(u.Redacted()))
		}
		return uint16(n), nil
	case u.Scheme == "https" || u.Scheme == "wss":
		return 443, nil
	}
	return 80, nil
}

// checkHost judges the host and port before the DNS is asked.
func (s *state) checkHost(h host, port uint16) error {
	inner := innerName(h.name)
	switch {
	case h.name == "":
		return s.checkAddr(h, h.addr, port)
	case !webPort(port) && !s.rules.mayReach(h, port):
		return blockedPort(h, port)
	case inner != "" && !s.rules.names(h, port):
		return BlockedAddress.Becausef("%s is %s and was not contacted", h, inner).Trying(advice(BlockedAddress, h, port))
	}
	return nil
}

// checkAddr judges one address of a host.
func (s *state) checkAddr(h host, a netip.Addr, port uint16) error {
	switch {
	case s.rules.allows(h, a, port):
		return nil
	case !global(a):
		return blocked(h, a, kind(a)).Trying(advice(BlockedAddress, h, port))
	case s.own.has(a):
		return blocked(h, a, "this machine").Trying(advice(BlockedAddress, h, port))
	case !webPort(port):
		return blockedPort(h, port)
	}
	return nil
}

// resolve returns the addresses of a host that has passed checkHost, once every
// one of them is judged.
func (s *state) resolve(ctx context.Context, h host, port uint16) ([]netip.Addr, error) {
	addrs, err := s.lookup(ctx, h)
	if err != nil {
		return nil, err
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
		if err := s.checkAddr(h, addrs[i], port); err != nil {
			return nil, err
		}
	}
	return addrs, nil
}

func (s *state) lookup(ctx context.Context, h host) ([]netip.Addr, error) {
	switch {
	case h.name == "":
		return []netip.Addr{h.addr}, nil
	case h.name == "localhost" || strings.HasSuffix(h.name, ".localhost"): // RFC 6761, 6.3: never asked of the DNS
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	addrs, err := s.Resolver.LookupNetIP(ctx, "ip", h.name)
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("looking up %s: %w", h.name, context.Cause(ctx))
	case isDNS && dns.IsNotFound, err == nil && len(addrs) == 0:
		return nil, NotFound.Becausef("no host has the name %s", h.name)
	case err != nil:
		return nil, Unreachable.Becausef("the name %s could not be looked up: %v", h.name, err)
	}
	return slices.Clone(addrs), nil
}

func blocked(h host, a netip.Addr, what string) *capability.UserError {
	if h.name != "" {
		return BlockedAddress.Becausef("%s has the address %s (%s) and was not contacted", h, a, what)
	}
	return BlockedAddress.Becausef("%s is not public (%s) and was not contacted", a, what)
}

func blockedPort(h host, port uint16) *capability.UserError {
	return BlockedPort.Becausef("port %d of %s is not open to Hobkin, only 80 and 443 are", port, h).Trying(advice(BlockedPort, h, port))
}

// advice adds the very entry that would open a host.
func advice(f *capability.Failure, h host, port uint16) string {
	p := ""
	if !webPort(port) {
		p = strconv.Itoa(int(port))
	}
	return fmt.Sprintf("%s = [%q]", f.Try, plainHost(h, p))
}

func plainHost(h host, port string) string {
	text := h.String()
	if port != "" {
		return net.JoinHostPort(text, port)
	}
	if strings.Contains(text, ":") {
		return "[" + text + "]"
	}
	return text
}

// quote shows text of others shortened and with what is invisible made visible.
func quote(s string) string {
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	return strconv.QuoteToGraphic(s)
}
