//go:build !linux && !windows && (cgo || purego)

package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/native/robot"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// assemble joins what the portable way offers.
func assemble(_ context.Context, lookOnly bool, logger *slog.Logger) (*helper, error) {
	d, err := robot.Open()
	if err != nil {
		p := native.Parts{DisplayServer: "none", Backend: "none"}
		why := wire.Capability{Reason: err.Error()}
		if e := (*wire.Error)(nil); errors.As(err, &e) {
			why.Fix = e.Fix
		}
		for _, why.Name = range []string{wire.CanCapture, wire.CanPointer, wire.CanKeys, wire.CanText} {
			p.Missing = append(p.Missing, why)
		}
		return &helper{native.NewServer(p, lookOnly, logger), func() {}}, nil
	}
	return &helper{native.NewServer(d.Parts(), lookOnly, logger), func() {}}, nil
}
