package process

import (
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

func listening(pid int, mark string) []netip.AddrPort {
	open := map[uint64]netip.AddrPort{}
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, err := os.ReadFile(file)
		if err != nil {
			continue // no IPv6, or no network at all
		}
		for _, l := range parseListeners(table) {
			open[l.inode] = l.addr
		}
	}
	if len(open) == 0 || mark == "" {
		return nil
	}
	mine := strays{}
	mine.find(pid, mark)
	var out []netip.AddrPort
	for one := range mine {
		for _, inode := range sockets(one) {
			if addr, ok := open[inode]; ok && !slices.Contains(out, addr) {
				out = append(out, addr)
			}
		}
	}
	slices.SortFunc(out, netip.AddrPort.Compare)
	return out
}

// sockets lists the sockets that a process has open.
func sockets(pid int) (inodes []uint64) {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		to, err := os.Readlink(dir + e.Name())
		if err != nil {
			continue
		}
		number, ok := strings.CutPrefix(to, "socket:[")
		if inode, err := strconv.ParseUint(strings.TrimSuffix(number, "]"), 10, 64); ok && err == nil {
			inodes = append(inodes, inode)
		}
	}
	return inodes
}
