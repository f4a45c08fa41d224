package netguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"unicode"
)

// Config says what a guard lets through beyond the public web.
type Config struct {
	// AllowHosts names hosts of one's own that may be reached although they
	// are internal, and ports other than 80 and 443; see [ParseRules].
	AllowHosts []string
	Resolver   Resolver // nil is the system's

	// Dial connects over TCP to an address that was judged; nil is the system's.
	// Tests put a server of their own in the place of the public web by it.
	Dial func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// A Resolver looks up the addresses of a name. [net.Resolver] is one. The
// network is always "ip".
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// A Guard judges addresses and opens connections to those that pass. It is safe
// for concurrent use. Make one with [New].
type Guard struct {
	state atomic.Pointer[state]
	own   ownAddresses
}

// state is what Update replaces as a whole.
type state struct {
	Config
	rules Rules
	own   *ownAddresses
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
	if cfg.Dial == nil {
		cfg.Dial = dialTCP
	}
	g.state.Store(&state{cfg, rules, &g.own})
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
		return nil, BadURL.Becausef("%s holds %q, which no address may hold", quote(withoutUser(raw)), []rune(raw[i:])[0])
	}
	u, err := url.Parse(raw)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		return nil, BadURL.Becausef("%s is no address of the web: %v", quote(withoutUser(raw)), err)
	}
	return u, nil
}

// withoutUser leaves out what may be a password, in text that may be anything.
func withoutUser(raw string) string {
	scheme, rest, found := strings.Cut(raw, "//")
	if !found {
		return raw
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	if at := strings.LastIndexByte(rest[:end], '@'); at >= 0 {
		return scheme + "//…" + rest[at:]
	}
	return raw
}
