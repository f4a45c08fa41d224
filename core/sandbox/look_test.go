//go:build unix

package sandbox

import (
	"slices"
	"testing"
)

func TestLook(t *testing.T) {
	h := build(t, nil)
	link(t, "../.ssh", h.ws+"/keys")
	for path, want := range map[string]string{
		"keys/id": h.home + "/.ssh/id", "~/.aws": h.home + "/.aws", "/etc/hosts": "/etc/hosts", "sub/..": h.ws, "none/../x": h.ws + "/x", "a\x00b": "a\x00b",
	} {
		if got := h.Resolve(h.turn, path); got != want {
			t.Errorf("Resolve(%q) = %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]bool{
		h.home + "/.ssh/id": true, h.home + "/app/config.toml": true, h.home + "/app/skills/x": false, "/etc/shadow": false, h.ws: false,
	} {
		if got := h.Secret(path); got != want {
			t.Errorf("Secret(%q) = %v, want %v", path, got, want)
		}
	}
	all := h.Secrets()
	for _, want := range []string{h.home + "/.ssh", h.home + "/.config/gh", h.home + "/Library/Keychains", h.home + "/app"} {
		if !slices.Contains(all, want) {
			t.Errorf("Secrets lacks %s", want)
		}
	}
	if _, err := h.Try(h.turn, "~/.ssh/id", Read); err == nil {
		t.Error("Try let a key through")
	}
	if got := h.Refusals(); len(got) != 0 {
		t.Errorf("Try left a record: %v", got)
	}
}
