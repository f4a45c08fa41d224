package main

import (
	"context"
	"io"
	"log" //nolint:depguard // xgb takes no other logger; it reports what it also returns
	"log/slog"
	"os"
	"sync/atomic"

	"github.com/jezek/xgb"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/native/portal"
	"github.com/hobkin/hobkin/computeruse/native/x11"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// assemble joins the parts that work on this display. Without any the helper
// still answers, and says why nothing works.
func assemble(ctx context.Context, lookOnly bool, logger *slog.Logger) (*helper, error) {
	xgb.Logger = log.New(io.Discard, "", 0)
	if at := portal.Detect(os.Getenv); at.Server == portal.Wayland {
		return assembleWayland(ctx, at, lookOnly, logger), nil
	}
	display := os.Getenv("DISPLAY")
	b, err := x11.Open(ctx, display)
	if err != nil {
		return &helper{native.NewServer(without(err), lookOnly, logger), func() {}}, nil
	}
	parts := b.Parts()
	var server atomic.Pointer[native.Server]                                 // the strip is shown only at its word
	endBar := addBar(ctx, &parts, func() { server.Load().Stop(wire.ByBar) }) //nolint:contextcheck // it has limits of its own
	endElements := addElements(&parts)
	if !lookOnly && b.Window() != 0 {
		if err := startGuard(ctx, b.Window()); err != nil {
			logger.Warn("nobody releases keys if the helper is killed, until it starts again", "err", err)
		}
	}
	server.Store(native.NewServer(parts, lookOnly, logger))
	return &helper{server.Load(), func() { endBar(); endElements(); b.Close() }}, nil
}
