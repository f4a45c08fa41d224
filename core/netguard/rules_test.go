package netguard_test

import (
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/netguardtest"
)

func TestRules(t *testing.T) {
	w := netguardtest.New(t, hello)
	w.Name("nas.lan", "192.168.1.7")
	w.Name("sub.nas.lan", "192.168.1.7")
	w.Name("two.lan", "192.168.1.7", "192.168.2.7")
	w.Name("both.example", "93.184.216.34", "192.168.1.7")
	w.Name("cloud.lan", "169.254.169.254")
	w.Name("nat64.lan", "64:ff9b::a9fe:a9fe")
	w.Name("6to4.lan", "2002:a9fe:a9fe::1")
	w.Name("vault.internal", "10.0.0.9")
	for name, test := range map[string]struct {
		allow []string
		url   string
		want  string // code; empty is let through
	}{
		"name":                             {[]string{"nas.lan"}, "http://nas.lan/", ""},
		"name in another spelling":         {[]string{"NAS.lan."}, "http://ｎas.LAN./", ""},
		"name over TLS":                    {[]string{"nas.lan"}, "https://nas.lan/", ""},
		"name, other port":                 {[]string{"nas.lan"}, "http://nas.lan:8080/", "blocked_port"},
		"name and port":                    {[]string{"nas.lan:8080"}, "http://nas.lan:8080/", ""},
		"name and port, usual port":        {[]string{"nas.lan:8080"}, "http://nas.lan/", "blocked_address"},
		"every port":                       {[]string{"nas.lan:*"}, "http://nas.lan:65535/", ""},
		"name is not its parent":           {[]string{"nas.lan"}, "http://sub.nas.lan/", "blocked_address"},
		"below a name":                     {[]string{"*.nas.lan"}, "http://sub.nas.lan/", ""},
		"below a name is not the name":     {[]string{"*.nas.lan"}, "http://nas.lan/", "blocked_address"},
		"below a name is not its end":      {[]string{"*.s.lan"}, "http://nas.lan/", "blocked_address"},
		"below a name, with port":          {[]string{"*.lan:81"}, "http://nas.lan:81/", ""},
		"an address for a name":            {[]string{"192.168.1.7"}, "http://nas.lan/", ""},
		"an address":                       {[]string{"192.168.1.7"}, "http://192.168.1.7/", ""},
		"an address, odd":                  {[]string{"0xc0a80107"}, "http://3232235783/", ""},
		"an address and port":              {[]string{"192.168.1.7:8080"}, "http://192.168.1.7:8080/", ""},
		"an address and port, by its name": {[]string{"192.168.1.7:8080"}, "http://nas.lan:8080/", ""},
		"an address, other port":           {[]string{"192.168.1.7"}, "http://192.168.1.7:8080/", "blocked_address"},
		"a range":                          {[]string{"192.168.1.0/24"}, "http://nas.lan/", ""},
		"a range, one of two inside":       {[]string{"192.168.1.0/24"}, "http://two.lan/", "blocked_address"},
		"a range, both inside":             {[]string{"192.168.0.0/16"}, "http://two.lan/", ""},
		"a range and port":                 {[]string{"192.168.0.0/16:81"}, "http://two.lan:81/", ""},
		"a range and port, public host":    {[]string{"192.168.0.0/16:81"}, "http://example.com:81/", "blocked_port"},
		"a public host with an inner one":  {nil, "http://both.example/", "blocked_address"},
		"the same, allowed":                {[]string{"192.168.1.7"}, "http://both.example/", ""},
		"IPv6":                             {[]string{"fd00::7"}, "http://[fd00::7]/", ""},
		"IPv6 in brackets":                 {[]string{"[fd00::7]"}, "http://[fd00:0::7]/", ""},
		"IPv6 and port":                    {[]string{"[fd00::7]:8443"}, "https://[fd00::7]:8443/", ""},
		"a range of IPv6":                  {[]string{"fd00::/8"}, "http://[fd12::1]/", ""},
		"a range of IPv6 and port":         {[]string{"[fd00::/8]:81"}, "http://[fd12::1]:81/", ""},
		"IPv4 in IPv6":                     {[]string{"127.0.0.1"}, "http://[::ffff:127.0.0.1]/", ""},
		"localhost":                        {[]string{"localhost:3000"}, "http://localhost:3000/", ""},
		"localhost is not its address":     {[]string{"localhost"}, "http://127.0.0.1/", "blocked_address"},
		"an address is not localhost":      {[]string{"127.0.0.1"}, "http://localhost/", "blocked_address"},
		"an inner name":                    {[]string{"vault.internal"}, "http://vault.internal/", ""},
		"the cloud's keys by a name":       {[]string{"*.lan"}, "http://cloud.lan/", "blocked_address"},
		"the same through NAT64":           {[]string{"*.lan"}, "http://nat64.lan/", "blocked_address"},
		"the same through 6to4":            {[]string{"*.lan"}, "http://6to4.lan/", "blocked_address"},
		"the cloud's keys by their own":    {[]string{"169.254.169.254"}, "http://169.254.169.254/", ""},
		"a port of a public host":          {[]string{"example.com:8443"}, "https://example.com:8443/", ""},
		"a port of all public hosts below": {[]string{"*.example.com:8443"}, "https://a.example.com:8443/", ""},
		"a scheme is no matter of rules":   {[]string{"example.com"}, "ftp://example.com/", "bad_scheme"},
	} {
		_, err := w.Guard(t, test.allow...).Check(t.Context(), test.url)
		if got := code(err); got != test.want {
			t.Errorf("%s: %q with %q: %v; want %q", name, test.url, test.allow, err, test.want)
		}
	}
}

func TestWrongRules(t *testing.T) {
	for entry, want := range map[string]string{
		"":                    "no host",
		" ":                   "",
		"*":                   "*",
		"*.":                  "no host",
		"a*.lan":              "*",
		"*.*.lan":             "*",
		"*.10.0.0.1":          "below",
		"http://nas.lan":      "scheme",
		"nas.lan/path":        "192.168.1.0/24",
		"nas.lan:":            "port",
		"nas.lan:0":           "port",
		"nas.lan:65536":       "port",
		"nas.lan:http":        "port",
		"nas.lan:80:81":       "",
		"10.0.0.0/33":         "192.168.1.0/24",
		"10.0.0.1/8":          "10.0.0.0/8",
		"0.0.0.0/0":           "whole network",
		"::/0":                "whole network",
		"::ffff:10.0.0.0/104": "IPv4",
		"256.0.0.1":           "none",
		"fe80::1%eth0":        "%",
		"me@nas.lan":          "characters",
		"[fd00::7]:":          "port",
		"[fd00::7":            "",
		"[fd00::7]x:80":       "",
		"nas lan":             "characters",
	} {
		_, err := netguard.New(netguard.Config{AllowHosts: []string{"fine.lan", entry}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"`+entry+`"`) {
			t.Errorf("%q: %v; want an error that names it and says %q", entry, err, want)
		}
	}
}

func TestRulesName(t *testing.T) {
	list, err := netguard.ParseRules([]string{"github.com", "*.golang.org", "[fd00::7]:8443", "10.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"github.com": true, "GitHub.com.": true, "api.github.com": false, "golang.org": false, "proxy.golang.org": true,
		"10.9.8.7": true, "0xa.1": true, "11.0.0.1": false, "": false, "[::1]": false,
	} {
		if got := list.Names(text, 443); got != want {
			t.Errorf("Names(%q, 443) = %v, want %v", text, got, want)
		}
	}
	if list.Names("github.com", 22) || !list.Names("[fd00::7]", 8443) || list.Names("github.com", -1) || list.Names("github.com", 65536+443) {
		t.Error("ports are not held")
	}
}
