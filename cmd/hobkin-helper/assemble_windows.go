package main

import (
	"context"
	"log/slog"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/native/win"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// assemble joins what works on Windows.
func assemble(ctx context.Context, lookOnly bool, logger *slog.Logger) (*helper, error) {
	parts := native.Parts{DisplayServer: "windows", Backend: "win32", Missing: []wire.Capability{
		{
			Name: wire.CanElements, Reason: "Elements of programs (UI Automation) are not built for Windows yet.",
			Fix: "Use screenshots with the pointer and the keyboard.",
		},
		{
			Name: wire.CanBar, Reason: "The strip on the screen is not built for Windows yet.",
			Fix: "The icon in the tray shows what happens, and stops it.",
		},
	}}
	desk, err := win.Open(ctx)
	if err != nil {
		return &helper{native.NewServer(without(err), lookOnly, logger), func() {}}, nil
	}
	parts.Screen, parts.Pointer, parts.Keyboard, parts.Held = desk, desk, desk, desk
	parts.Windows, parts.Watcher = win.NewWindows(desk), win.NewWatcher(desk)
	return &helper{native.NewServer(parts, lookOnly, logger), func() { desk.ReleaseAll() }}, nil
}
