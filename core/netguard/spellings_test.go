package netguard_test

import (
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/netguard/netguardtest"
)

// spellings are addresses as an attacker writes them, by what becomes of them:
// the code of the refusal, or "-> " and the plain form that is opened.
var spellings = map[string][]string{
	"blocked_address": {
		// this machine, in every spelling of inet_aton
		"http://127.0.0.1/", "http://127.0.0.1:80/", "https://127.0.0.1/", "http://127.1/", "http://127.0.1/", "http://127.255.255.254/",
		"http://2130706433/", "http://017700000001/", "http://0x7f000001/", "http://0x7F.1/", "http://0x7f.0x0.0x0.0x1/", "http://0X7f.0.0.1/",
		"http://0177.0.0.1/", "http://0177.1/", "http://00000177.0.0.01/", "http://127.0.0x1/", "http://127.0.0.01/", "http://0x7f.0.1/",
		"http://127.0.0.1./", "http://127.1./", "http://0x7f.1./", "http://0/", "http://0x/", "http://0x0/", "http://00/", "http://0.0.0.0/", "http://0.0.0.0:443/",
		"http://0.1.2.3/", "http://127.65535/", "http://127.0.0.0x/", "http://127.0x00ff/",
		// names of this machine
		"http://localhost/", "http://LOCALHOST/", "http://LocalHost./", "http://localhost.localdomain/", "http://a.localhost/", "http://a.b.localhost./",
		"http://localhost6/", "http://ip6-localhost/", "http://ip6-loopback/", "http://localhost.localdomain./",
		// look-alikes that IDNA maps
		"http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/", "http://127．0．0．1/", "http://127｡0｡0｡1/", "http://１２７.0.0.1/", "http://０x7f.1/", "http://0ⅹ7f.1/",
		"http://ⓛocalhost/", "http://ｌｏｃａｌｈｏｓｔ/", "http://local\u00adhost/", "http://loca\u200blhost/", "http://LOCALHOſT/", "http://𝟏𝟐𝟕.𝟎.𝟎.𝟏/", "http://𝔩𝔬𝔠𝔞𝔩𝔥𝔬𝔰𝔱/",
		"http://localhost。/", "http://%E2%91%A0%E2%91%A1%E2%91%A6.0.0.1/", "http://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1/", "http://²130706433/",
		// private networks
		"http://10.0.0.1/", "http://10.255.255.255/", "http://10.1/", "http://012.0.0.1/", "http://0xa.1/", "http://167772161/", "http://172.16.0.1/", "http://172.31.255.255/",
		"http://192.168.0.1/", "http://192.168.1/", "http://3232235521/", "http://0xc0a80001/", "http://0300.0250.0.1/",
		// special ranges of RFC 6890 and later
		"http://100.64.0.1/", "http://100.127.255.255/", "http://169.254.0.1/", "http://192.0.0.8/", "http://192.0.0.170/", "http://192.0.2.1/", "http://192.88.99.1/",
		"http://198.18.0.1/", "http://198.19.255.255/", "http://198.51.100.7/", "http://203.0.113.7/", "http://224.0.0.1/", "http://239.255.255.250/", "http://240.0.0.1/", "http://255.255.255.255/",
		"http://192.31.196.1/", "http://192.52.193.1/", "http://192.175.48.1/",
		// the clouds' metadata services
		"http://169.254.169.254/", "http://169.254.169.254/latest/meta-data/", "http://2852039166/", "http://0xA9FEA9FE/", "http://0251.0376.0251.0376/", "http://169.254.43518/", "http://169.254.170.2/",
		"http://100.100.100.200/", "http://168.63.129.16/", "http://192.0.0.192/", "http://[fd00:ec2::254]/", "http://[fd20:ce::254]/",
		"http://metadata.google.internal/", "http://METADATA.google.internal./", "http://metadata.goog/", "http://metadata/", "http://instance-data/",
		// names that are never public
		"http://printer.local/", "http://printer.local./", "http://vault.internal/", "http://nas.home.arpa/", "http://x.onion/", "http://local/", "http://internal/",
		// IPv6
		"http://[::1]/", "http://[::1]:80/", "http://[0:0:0:0:0:0:0:1]/", "http://[0000::0001]/", "http://[::]/", "http://[fc00::1]/", "http://[fdff::1]/", "http://[fe80::1]/", "http://[febf::1]/",
		"http://[fec0::1]/", "http://[ff02::1]/", "http://[100::1]/", "http://[2001:db8::1]/", "http://[2001::1]/", "http://[2001:20::1]/", "http://[3fff::1]/", "http://[5f00::1]/", "http://[4000::1]/",
		// IPv4 in IPv6
		"http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::FFFF:10.0.0.1]/", "http://[0:0:0:0:0:ffff:169.254.169.254]/", "http://[::127.0.0.1]/", "http://[::7f00:1]/", "http://[::8.8.8.8]/",
		"http://[::ffff:0:127.0.0.1]/", "http://[::ffff:0:8.8.8.8]/", "http://[64:ff9b::127.0.0.1]/", "http://[64:ff9b::a9fe:a9fe]/", "http://[64:ff9b::0.0.0.0]/",
		"http://[64:ff9b:1::127.0.0.1]/", "http://[64:ff9b:1:7f00:0:100::]/", "http://[64:ff9b:1:a9fe:a9:fe00::]/", "http://[64:ff9b:1:7f:0:1::]/", "http://[64:ff9b:1:0:7f:0:100:0]/",
		"http://[64:ff9b:1:808:8:800:7f00:1]/", "http://[64:ff9b:1::]/", "http://[64:ff9b:2::8.8.8.8]/", "http://[2002:7f00:1::]/", "http://[2002:a9fe:a9fe::1]/", "http://[2002:808:808::]/",
		"http://[2001:0:a00:1::f5ff:fffe]/", "http://[2001:0:808:808:0:0:80ff:fffe]/", "http://[2a00:1450::5efe:127.0.0.1]/", "http://[2a00:1450::200:5efe:a00:1]/", "http://[2a00:1450::5efe:192.168.0.1]/",
	},
	"bad_url": {
		"", " ", "http://", "http:///", "http:///etc/passwd", "//127.0.0.1/", "127.0.0.1", "http:127.0.0.1", "http://:80/", "http://?/", "http://#/", "http://./", "http://../", "http://a..b/",
		"http://[fe80::1%25eth0]/", "http://[::1%25lo]/", "http://[::1%2525lo]/", "http://[::1/", "http://::1/", "http://[127.0.0.1]/", "http://[::1]x/", "http://[1::2::3]/", "http://[example.com]/",
		"http://localhost%09/", "http://loc%61lhost/", "http://127.0.0.1%00.example.com/", "http://127.0.0.1%23.example.com/", "http://%31%32%37.0.0.1/", "http://local%0ahost/",
		"http://127.0.0.1\\@example.com/", "http:\\\\127.0.0.1\\", "http://example.com\\.evil/", "http://exa\tmple.com/", "ht\ntp://example.com/", "http://local\nhost/", "http://example.com/a b", "http://127.0.0.1 /", "http://example.com /",
		"http://256.0.0.1/", "http://1.2.3.4.5/", "http://127.0.0.1.1/", "http://08.0.0.1/", "http://0x7g.0.0.1:80/\x00", "http://4294967296/", "http://1.2.3.256/", "http://1.2.65536/", "http://foo.1/", "http://foo.0x1/", "http://1..2/", "http://99999999999999999999/",
		"http://example.com:0/", "http://example.com:99999/", "http://example.com:-1/", "http://example.com:8o/", "http://example.com:80:80/", "http://exam℀ple.com/", "http://exa<mple.com/", "http://exa^mple.com/", "http://xn--a/", "http://" + strings.Repeat("a", 64) + ".com/", "http://" + strings.Repeat("a.", 150) + "com/",
		"http://a\u202eb.com/", "http://example.com\u2028/", "http://a*b.com/", "http://☃.\u0000com/",
	},
	"bad_scheme": {
		"file:///etc/passwd", "FILE:///etc/passwd", "ftp://example.com/", "gopher://127.0.0.1:6379/_x", "dict://127.0.0.1:11211/", "unix:///var/run/docker.sock", "javascript:alert(1)", "data:text/html,x", "view-source:http://127.0.0.1/", "chrome://settings/",
		"ws://example.com/", "wss://example.com/", "jar:http://127.0.0.1!/", "ldap://127.0.0.1/", "mailto:a@example.com", "netdoc:///etc/passwd", "about:blank", "blob:http://example.com/x",
	},
	"credentials_in_url": {
		"http://example.com@127.0.0.1/", "http://127.0.0.1@example.com/", "http://user:pass@example.com/", "http://@127.0.0.1/", "http://:@example.com/", "http://example.com:80@127.0.0.1/", "http://a@b@127.0.0.1/", "https://:secret@example.com/", "http://example.com&@127.0.0.1/", "http://foo@[::1]/", "http://example.com%2f@127.0.0.1/",
	},
	"blocked_port": {
		"http://example.com:22/", "http://example.com:8080/", "https://example.com:8443/", "http://93.184.216.34:6379/", "http://[2606:2800:220:1:248:1893:25c8:1946]:9200/", "http://example.com:25/", "http://example.com.:81/", "http://1572395042:8080/",
	},
	"not_found": {"http://nobody.example/", "https://nobody.example./x"},
	"-> http://example.com/": {
		"http://example.com/", "http://EXAMPLE.com/", "http://example.com./", "HTTP://example.com/", "  http://example.com/\n", "http://ｅｘａｍｐｌｅ.com/", "http://example。com/", "http://exa\u00admple.com/", "http://ⓔxample.com/",
	},
	"-> http://example.com:80/":                             {"http://example.com:80/"},
	"-> http://example.com":                                 {"http://example.com"},
	"-> http://example.com:443/":                            {"http://example.com:443/"},
	"-> http://example.com?x=http://127.0.0.1/":             {"http://example.com?x=http://127.0.0.1/"},
	"-> http://example.com/#@127.0.0.1/":                    {"http://example.com/#@127.0.0.1/"},
	"-> http://example.com/@127.0.0.1/":                     {"http://example.com/@127.0.0.1/"},
	"-> http://localhost.example.com/":                      {"http://localhost.example.com/"},
	"-> http://127.0.0.1.example.com/":                      {"http://127.0.0.1.example.com/"},
	"-> http://notlocalhost/":                               {"http://notlocalhost/"},
	"-> http://xn--bcher-kva.example/":                      {"http://bücher.example/", "http://xn--bcher-kva.example/", "http://BÜCHER.example./", "http://b%C3%BCcher.example/"},
	"-> http://xn--fa-hia.example/":                         {"http://faß.example/"},
	"-> http://a_b.example/":                                {"http://a_b.example/"},
	"-> http://r3---sn-4g5e.example/":                       {"http://r3---sn-4g5e.example/"},
	"-> http://8.8.8.8/":                                    {"http://8.8.8.8/", "http://8.8.8.8./", "http://134744072/", "http://0x8080808/", "http://010.8.8.8/", "http://8.526344/", "http://⑧.⑧.⑧.⑧/", "http://[::ffff:8.8.8.8]/"},
	"-> http://172.32.0.1/":                                 {"http://172.32.0.1/"},
	"-> http://172.15.255.255/":                             {"http://172.15.255.255/"},
	"-> http://100.63.255.255/":                             {"http://100.63.255.255/"},
	"-> http://100.128.0.1/":                                {"http://100.128.0.1/"},
	"-> http://11.0.0.1/":                                   {"http://11.0.0.1/"},
	"-> http://223.255.255.255/":                            {"http://223.255.255.255/"},
	"-> https://[2606:2800:220:1:248:1893:25c8:1946]/":      {"https://[2606:2800:220:1:248:1893:25c8:1946]/", "https://[2606:2800:0220:0001:0248:1893:25C8:1946]/"},
	"-> https://[2606:2800:220:1:248:1893:25c8:1946]:443/x": {"https://[2606:2800:220:1:248:1893:25c8:1946]:443/x"},
	"-> http://[64:ff9b::808:808]/":                         {"http://[64:ff9b::8.8.8.8]/"},
	"-> http://[64:ff9b:1::808:808]/":                       {"http://[64:ff9b:1::8.8.8.8]/"},
	"-> http://[64:ff9b:1:808:8:800::]/":                    {"http://[64:ff9b:1:808:8:800::]/"},
	"-> http://[2a00:1450::5efe:808:808]/":                  {"http://[2a00:1450::5efe:8.8.8.8]/"},
}

func TestSpellings(t *testing.T) {
	w := netguardtest.New(t, hello)
	w.Name("nobody.example")
	g := w.Guard(t)
	n := 0
	for want, list := range spellings {
		for _, raw := range list {
			n++
			u, err := g.Check(t.Context(), raw)
			got := code(err)
			if err == nil {
				got = "-> " + u.String()
			}
			if got != want {
				t.Errorf("%q: %s (%v); want %s", raw, got, err, want)
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d spellings", n)
	}
	t.Logf("%d spellings", n)
}

// What is refused says what, where and what to do.
func TestRefusalsAreSentences(t *testing.T) {
	w := netguardtest.New(t, hello)
	w.Name("intranet.example", "93.184.216.34", "10.1.2.3")
	w.Name("nobody.example")
	g := w.Guard(t)
	for raw, want := range map[string][]string{
		"http://127.1:3000/":            {"127.0.0.1", "this machine", `[net] allow_hosts = ["127.0.0.1:3000"]`},
		"http://localhost/":             {"localhost is this machine", `allow_hosts = ["localhost"]`},
		"http://intranet.example/":      {"intranet.example has the address 10.1.2.3", "a private network", `allow_hosts = ["intranet.example"]`},
		"http://[fe80::1]:8080/":        {"fe80::1", "link-local", `allow_hosts = ["[fe80::1]:8080"]`},
		"http://169.254.169.254/":       {"the cloud's metadata service"},
		"https://example.com:8443/":     {"port 8443 of example.com", "80 and 443", `allow_hosts = ["example.com:8443"]`},
		"http://nobody.example/":        {"no host has the name nobody.example", "spelling"},
		"ftp://example.com/":            {"ftp:", "http"},
		"https://me:hunter2@a.exa mple": {"…@a.exa mple"},
		"https://me:hunter2@%zz/":       {"…@%zz/"},
		"https://me:hunter2@a.example":  {"a.example", "before the @"},
		"http://a\u202eb.com/":          {"http://a%E2%80%AEb.com/"},
	} {
		_, err := g.Check(t.Context(), raw)
		text := sentence(err)
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%q: %s; want %q in it", raw, text, part)
			}
		}
		if strings.Contains(text, "hunter2") {
			t.Errorf("%q: the password is repeated: %s", raw, text)
		}
	}
}
