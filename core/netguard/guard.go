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
	"sync/atomic"
	"unicode"

	"github.com/hobkin/hobkin/core/capability"
)

// Config says what a guard lets through beyond the public web.
type Config struct {
	// AllowHosts names hosts of one's own that may be reached although they
	// are internal, and ports other than 80 and 443; see [ParseRules].
	AllowHosts []string
	Resolver   Resolver // nil is the system's
}

// A Resolver looks up the addresses of a name. [net.Resolver] is one. The
// network is always "ip".
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// A Guard judges addresses and opens connections to those that pass. It is safe
// for concurrent use. Make one with [New].
type Guard struct{ state atomic.Pointer[state] }

// state is what Update replaces as a whole.
type state struct {
	rules    Rules
	resolver Resolver
}

// New makes a guard. A wrong entry of AllowHosts is an error that names it.
func New(cfg Config) (*Guard, error) {
	g := &Guard{}
	return g, g.Update(cfg)
}

// Update swaps the configuration for everything that begins afterwards; clients
// open new connections. On error the old one goes on.
func (g *Guard) Update(cfg Config) error {
	rules, err := ParseRules(cfg.AllowHosts)
	if err != nil {
		return fmt.Errorf("netguard: %w", err)
	}
	if cfg.Resolver == nil {
		cfg.Resolver = net.DefaultResolver
	}
	g.state.Store(&state{rules, cfg.Resolver})
	return nil
}

// Check judges an address given as text, including what the DNS says of its
// host now, and returns it in its plain form. Schemes beside http and https,
// such as ws and wss, must be named. Passing it promises nothing for later: the
// connection, made by [Guard.DialContext] or [Guard.Client], is judged again.
func (g *Guard) Check(ctx context.Context, rawURL string, schemes ...string) (*url.URL, error) {
	u, err := parseURL(rawURL)
	if err != nil {
		return nil, err
	}
	s := g.state.Load()
	h, port, err := s.checkURL(u, schemes...)
	if err != nil {
		return nil, err
	}
	if _, err := s.resolve(ctx, h, port); err != nil {
		return nil, err
	}
	u.Host = plainHost(h, u.Port())
	return u, nil
}

// parseURL refuses what programs read in different ways before it is parsed.
func parseURL(rawURL string) (*url.URL, error) {
	raw := strings.TrimSpace(rawURL)
	if i := strings.IndexFunc(raw, func(r rune) bool { return r == '\\' || unicode.IsSpace(r) || unicode.IsControl(r) }); i >= 0 {
		return nil, BadURL.Becausef("%s holds %q, which no address may hold", quote(raw), []rune(raw[i:])[0])
	}
	u, err := url.Parse(raw)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		return nil, BadURL.Becausef("%s is no address of the web: %v", quote(raw), err)
	}
	return u, nil
}

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
	switch inner := innerName(h.name); {
	case h.name == "" && !s.rules.allows(h, h.addr, port) && !global(h.addr):
		return blocked(h, h.addr, port)
	case !webPort(port) && !s.rules.mayReach(h, port):
		return BlockedPort.Becausef("port %d of %s is not open to Hobkin, only 80 and 443 are", port, h).
			Trying(advice(BlockedPort, h, port))
	case inner != "" && !s.rules.names(h, port):
		return BlockedAddress.Becausef("%s is %s and was not contacted", h, inner).Trying(advice(BlockedAddress, h, port))
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
	for i, a := range addrs {
		a = a.Unmap()
		addrs[i] = a
		switch allowed := s.rules.allows(h, a, port); {
		case allowed:
		case !global(a):
			return nil, blocked(h, a, port)
		case !webPort(port):
			return nil, BlockedPort.Becausef("port %d of %s is not open to Hobkin, only 80 and 443 are", port, h).
				Trying(advice(BlockedPort, h, port))
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
	addrs, err := s.resolver.LookupNetIP(ctx, "ip", h.name)
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

func blocked(h host, a netip.Addr, port uint16) *capability.UserError {
	what := fmt.Sprintf("%s is %s", a, kind(a))
	if h.name != "" {
		what = fmt.Sprintf("%s has the address %s, which is %s", h.name, a, kind(a))
	}
	return BlockedAddress.Becausef("%s, and was not contacted", what).Trying(advice(BlockedAddress, h, port))
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
