package process

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const tcpTable = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 x
   1: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 1 x
   2: 0501A8C0:1F92 0100007F:0050 01 00000000:00000000 00:00000000 00000000     0        0 13 1 x
   3: 0501A8C0:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 14 1 x
   4: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 15 1 x
   5: 00000000000000000000000001000000:0051 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 16 1 x
   6: 0000000000000000FFFF00000100007F:0052 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 17 1 x
   7: zz:0052 0:0 0A 0 0 0 0 0 18 1 x
`

func TestParseListeners(t *testing.T) {
	want := []listener{
		{netip.MustParseAddrPort("0.0.0.0:8080"), 11},
		{netip.MustParseAddrPort("192.168.1.5:22"), 14},
		{netip.MustParseAddrPort("[::]:80"), 15},
	}
	got := parseListeners([]byte(tcpTable))
	if d := cmp.Diff(want, got, cmp.AllowUnexported(listener{}), cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b })); d != "" {
		t.Errorf("listeners (-want +got):\n%s", d)
	}
}

func FuzzParseListeners(f *testing.F) {
	f.Add([]byte(tcpTable))
	f.Fuzz(func(t *testing.T, table []byte) {
		for _, l := range parseListeners(table) {
			if !l.addr.IsValid() || l.addr.Addr().IsLoopback() {
				t.Errorf("reported %v", l.addr)
			}
		}
	})
}
