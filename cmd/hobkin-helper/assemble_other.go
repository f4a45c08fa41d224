//go:build !linux

package main

import (
	"context"
	"log/slog"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// assemble has no parts here.
func assemble(_ context.Context, lookOnly bool, logger *slog.Logger) (*helper, error) {
	return &helper{native.NewServer(native.Parts{
		DisplayServer: "none", Backend: "none",
		Missing: []wire.Capability{},
	}, lookOnly, logger), func() {}}, nil
}
