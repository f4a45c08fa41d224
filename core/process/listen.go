package process

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"strconv"
)

// Listening lists the TCP addresses at which the command's processes accept
// connections from other machines: all but the loopback's. It is known on
// Linux only, and for commands with a mark.
func (p *Process) Listening() []netip.AddrPort { return listening(p.exec.Process.Pid, p.cmd.Mark) }

// A listener is a listening socket, as the system's table tells it.
type listener struct {
	addr  netip.AddrPort
	inode uint64
}

// parseListeners reads a table such as /proc/net/tcp6 and returns the sockets
// that listen beyond the loopback.
func parseListeners(table []byte) (out []listener) {
	const addrAt, stateAt, inodeAt = 1, 3, 9
	for line := range bytes.Lines(table) {
		f := bytes.Fields(line)
		if len(f) <= inodeAt || string(f[stateAt]) != "0A" {
			continue
		}
		addr, ok := parseAddr(f[addrAt])
		inode, err := strconv.ParseUint(string(f[inodeAt]), 10, 64)
		if ok && err == nil && !addr.Addr().IsLoopback() {
			out = append(out, listener{addr, inode})
		}
	}
	return out
}

// parseAddr reads an address: words of four bytes in hex, each in the order of
// this machine, which is the little end first on all that we build for; then
// the port, the big end first.
func parseAddr(text []byte) (a netip.AddrPort, ok bool) {
	words, port, ok := bytes.Cut(text, []byte(":"))
	raw, err := hex.DecodeString(string(words))
	n, portErr := strconv.ParseUint(string(port), 16, 16)
	if !ok || err != nil || portErr != nil || len(raw)%4 != 0 {
		return a, false
	}
	for i := 0; i < len(raw); i += 4 {
		raw[i], raw[i+1], raw[i+2], raw[i+3] = raw[i+3], raw[i+2], raw[i+1], raw[i]
	}
	addr, ok := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(addr.Unmap(), uint16(n)), ok
}
