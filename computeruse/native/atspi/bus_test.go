//go:build unix

package atspi

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// TestWithoutABus: each way in which there is no accessibility is told in a
// sentence of its own, in time.
func TestWithoutABus(t *testing.T) {
	dir, err := os.MkdirTemp("", "bus") //nolint:usetesting // its own would be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })

	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, "silent"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	for name, c := range map[string]struct{ address, says string }{
		"no socket":                 {"unix:path=" + dir + "/none", "session bus cannot be reached"},
		"no answer":                 {"unix:path=" + dir + "/silent", "session bus cannot be reached"},
		"no accessibility service":  {desk.Bus(t), "accessibility service of this desktop does not run"},
		"an address that is no one": {"rubbish", "session bus cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			wait := 20 * time.Second
			if name == "no answer" {
				wait = time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			defer cancel()
			tree := New(Options{Address: c.address})
			defer tree.Close()
			refusal(t, tree.Probe(ctx), wire.Unsupported, c.says)
			_, err := tree.Elements(ctx, wire.Window{ID: "1"}, wire.ElementsParams{})
			refusal(t, err, wire.Unsupported, c.says)
		})
	}
	t.Run("no session at all", func(t *testing.T) {
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
		t.Setenv("XDG_RUNTIME_DIR", dir)
		tree := New(Options{})
		defer tree.Close()
		refusal(t, tree.Probe(t.Context()), wire.Unsupported, "There is no session bus")
	})
}
