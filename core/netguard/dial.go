package netguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"
)

const (
	connectTime = 10 * time.Second       // for one address
	nextAddress = 250 * time.Millisecond // until the next is tried beside it (RFC 8305, section 5)
	mostTried   = 6                      // addresses of one host; more would only take longer
)

// DialContext connects to "host:port" over TCP. Every address of the host must
// be global or allowed; the connection goes to one of the very addresses that
// were judged. It fits [http.Transport].
func (g *Guard) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if network != "tcp" && network != "tcp4" && network != "tcp6" {
		return nil, fmt.Errorf("netguard: only TCP is let through, not %s", network)
	}
	h, port, err := parseHostPort(addr)
	if err != nil {
		return nil, err
	}
	s := g.state.Load()
	if err := s.checkHost(h, port); err != nil {
		return nil, err
	}
	addrs, err := s.resolve(ctx, h, port)
	if err != nil {
		return nil, err
	}
	addrs = inTurn(addrs, network)
	if len(addrs) == 0 {
		return nil, NotFound.Becausef("%s has no address for %s", h, network)
	}
	conn, err := s.dialAny(ctx, addrs, port)
	if err != nil && ctx.Err() == nil {
		return nil, Unreachable.Becausef("%s port %d: %v", h, port, err)
	}
	return conn, err
}

func parseHostPort(addr string) (host, uint16, error) {
	text, portText, err := net.SplitHostPort(addr)
	if err != nil {
		return host{}, 0, BadURL.Becausef("%s is no host and port", quote(addr))
	}
	h, problem := parseHost(text)
	if problem != "" {
		return host{}, 0, BadURL.Becausef("%s cannot be reached: %s", quote(addr), problem)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return host{}, 0, BadURL.Becausef("the port of %s must be a number from 1 to 65535", quote(addr))
	}
	return h, uint16(port), nil
}

// PlainHost brings the "host:port" of others into the form that everything is
// judged in: a name in lower case and ASCII without its last dot, or an address.
func PlainHost(addr string) (host string, port int, err error) {
	h, p, err := parseHostPort(addr)
	if err != nil {
		return "", 0, err
	}
	return h.String(), int(p), nil
}

// inTurn orders addresses so that the families alternate, IPv6 first, so that a
// network without one of them costs one short wait.
func inTurn(addrs []netip.Addr, network string) []netip.Addr {
	var six, four, out []netip.Addr
	for _, a := range addrs {
		if a.Is4() && network != "tcp6" {
			four = append(four, a)
		} else if !a.Is4() && network != "tcp4" {
			six = append(six, a)
		}
	}
	for i := range max(len(six), len(four)) {
		out = append(out, six[min(i, len(six)):min(i+1, len(six))]...)
		out = append(out, four[min(i, len(four)):min(i+1, len(four))]...)
	}
	return out[:min(len(out), mostTried)]
}

// dialAny tries addresses one after the other, each with a head start before the
// next; the first connection wins. It returns only when all attempts have ended
// or been told to.
func (s *state) dialAny(ctx context.Context, addrs []netip.Addr, port uint16) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		conn net.Conn
		err  error
	}
	outcomes := make(chan outcome, len(addrs))
	started, ended := 0, 0
	start := func() {
		a := addrs[started]
		started++
		go func() { // ends with the dial, which ctx ends
			conn, err := s.Dial(ctx, netip.AddrPortFrom(a, port))
			outcomes <- outcome{conn, err}
		}()
	}
	start()
	timer := time.NewTimer(nextAddress)
	defer timer.Stop()
	var errs []error
	for ended < len(addrs) {
		select {
		case o := <-outcomes:
			ended++
			if o.err == nil {
				cancel()
				go func() { // what connected too late is closed; ends with the dials
					for ; ended < started; ended++ {
						if late := <-outcomes; late.conn != nil {
							_ = late.conn.Close()
						}
					}
				}()
				return o.conn, nil
			}
			errs = append(errs, o.err)
		case <-timer.C:
		}
		if started < len(addrs) {
			start()
			timer.Reset(nextAddress)
		}
	}
	return nil, errors.Join(errs...)
}

func dialTCP(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	d := net.Dialer{Timeout: connectTime}
	return d.DialContext(ctx, "tcp", to.String())
}
