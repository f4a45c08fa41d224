package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/netguard"
)

// A host that the owner writes into the settings is open at once, and closed
// again when it is taken out.
func TestNetFollowsTheSettings(t *testing.T) {
	t.Setenv(config.HomeVariable, filepath.Join(t.TempDir(), "home"))
	paths, err := config.DefaultPaths()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open(t.Context(), Options{Paths: paths})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Follow(ctx) }()
	open := func() bool {
		_, err := c.guard.Check(ctx, "http://127.0.0.1:8123/")
		if err != nil && !errors.Is(err, netguard.BlockedAddress) {
			t.Fatal(err)
		}
		return err == nil
	}
	if open() {
		t.Error("this machine is open before anybody said so")
	}
	for _, step := range []struct {
		text string
		open bool
	}{{"[net]\nallow_hosts = [\"127.0.0.1:8123\"]\n", true}, {"[net]\nallow_hosts = [\"127.0.0.1:8124\"]\n", false}} {
		if err := os.WriteFile(paths.ConfigFile(), []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		until(t, "the new host", func() bool { return open() == step.open })
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
