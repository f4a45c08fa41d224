package netguard_test

import (
	"testing"

	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/netguardtest"
)

func BenchmarkCheck(b *testing.B) {
	for name, raw := range map[string]string{
		"name":    "https://www.example.com/a/page?with=query",
		"unicode": "https://bücher.example/",
		"address": "http://93.184.216.34/",
		"refused": "http://2130706433/",
	} {
		b.Run(name, func(b *testing.B) {
			g := netguardtest.New(b, hello).Guard(b, "nas.lan", "192.168.1.0/24")
			for b.Loop() {
				_, _ = g.Check(b.Context(), raw)
			}
		})
	}
}

func BenchmarkClient(b *testing.B) {
	client := netguardtest.New(b, hello).Guard(b).Client(netguard.ClientOptions{})
	defer client.CloseIdleConnections()
	for b.Loop() {
		if _, err := get(b, client, "http://a.example/"); err != nil {
			b.Fatal(err)
		}
	}
}
