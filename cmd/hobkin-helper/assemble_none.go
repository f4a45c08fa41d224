//go:build !linux && !windows && !cgo && !purego

package main

import (
	"context"
	"log/slog"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// assemble has no parts: mouse, keys and pictures need cgo here.
func assemble(_ context.Context, lookOnly bool, logger *slog.Logger) (*helper, error) {
	p := native.Parts{DisplayServer: "none", Backend: "none"}
	for _, name := range []string{wire.CanCapture, wire.CanPointer, wire.CanKeys, wire.CanText} {
		p.Missing = append(p.Missing, wire.Capability{Name: name, Reason: "this helper was built without cgo", Fix: "install a release, or build it with cgo"})
	}
	return &helper{native.NewServer(p, lookOnly, logger), func() {}}, nil
}
