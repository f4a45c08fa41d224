package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestBrowser(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"headless = false\n":       "",
		"profile = \"work-2\"\n":   "",
		"profile = \"Work\"\n":     "2: browser.profile must be 1 to 32 small letters",
		"profile = \"../x\"\n":     "2: browser.profile must be 1 to 32 small letters",
		"profile = \"\"\n":         "2: browser.profile must be 1 to 32 small letters",
		"profile = \"attached\"\n": "2: browser.profile is attached, but browser.attached_port does not say",
		"profile = \"attached\"\nattached_port = 9222\n": "",
		"attached_port = 80\n":                           "2: browser.attached_port must be at least 1024",
		"attached_port = 70000\n":                        "2: browser.attached_port must be at most 65535",
		"path = \"chromium\"\n":                          "2: browser.path must be an absolute path",
		"max_tabs = 11\n":                                "2: browser.max_tabs must be at most 10",
		"max_tabs = 0\n":                                 "2: browser.max_tabs must be at least 1",
		"width = 10\n":                                   "2: browser.width must be at least 320",
		"height = 5000\n":                                "2: browser.height must be at most 2160",
		"idle = \"soon\"\n":                              "2: browser.idle must be a time span",
		"allow_hosts = [\"http://x\"]\n":                 "2: browser.allow_hosts.0 is wrong",
		"allow_hosts = [\"localhost:3000\"]\n":           "",
		"secrets = { github = \"github.com\" }\n":        "",
		"secrets = { github = \"a b\" }\n":               "2: browser.secrets.github is wrong",
		"secrets = { \"keyring:x\" = \"x.y\" }\n":        "2: browser.secrets: \"keyring:x\" must be the name of a secret alone",
		"headles = true\n":                               "2: unknown key browser.headles",
	} {
		checkSection(t, "browser", text, want)
	}
}

func TestBrowserPathInTheHome(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	t.Setenv("USERPROFILE", "/home/ada")
	c, err := Parse("/c.toml", []byte("[browser]\npath = \"~/bin/chromium\"\n"))
	if err != nil || c.Browser.Path != filepath.Join("/home/ada", "bin", "chromium") {
		t.Errorf("the path is %v, %v", c, err)
	}
}

func TestTied(t *testing.T) {
	b := Browser{Secrets: map[string]string{"shop": "shop.example", "dev": "localhost:3000", "any": "*.example.org", "old": "old.example:80"}}
	for _, tt := range []struct {
		secret, host string
		port         int
		want         bool
	}{
		{"shop", "shop.example", 443, true},
		{"shop", "shop.example", 80, false},
		{"old", "old.example", 80, true},
		{"shop", "SHOP.example.", 443, true},
		{"shop", "shop.example", 8443, false},
		{"shop", "evil.shop.example", 443, false},
		{"shop", "shop.example.evil.org", 443, false},
		{"dev", "localhost", 3000, true},
		{"dev", "localhost", 80, false},
		{"any", "a.example.org", 443, true},
		{"any", "example.org", 443, false},
		{"other", "shop.example", 443, false},
	} {
		if got := b.Tied(tt.secret, tt.host, tt.port); got != tt.want {
			t.Errorf("%s on %s:%d is tied: %v, want %v", tt.secret, tt.host, tt.port, got, tt.want)
		}
	}
}

// checkSection is checkText of one section.
func checkSection(t *testing.T, section, text, want string) {
	t.Helper()
	checkText(t, "["+section+"]\n"+text, want)
}

// checkText reads settings that have the one problem that begins with want, its
// line first; empty: none.
func checkText(t *testing.T, text, want string) {
	t.Helper()
	_, err := Parse("/c.toml", []byte(text))
	bad, _ := errors.AsType[*Error](err)
	switch {
	case want == "" && err != nil:
		t.Errorf("%q: %v", text, err)
	case want != "" && (bad == nil || len(bad.Problems) != 1 || !strings.HasPrefix(fmt.Sprintf("%d: %s", bad.Problems[0].Line, bad.Problems[0].Message), want)):
		t.Errorf("%q: %v, want %q", text, err, want)
	}
}
