package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/native/atspi"
	"github.com/hobkin/hobkin/computeruse/native/bar"
	"github.com/hobkin/hobkin/computeruse/native/portal"
	"github.com/hobkin/hobkin/computeruse/native/wlroots"
	"github.com/hobkin/hobkin/computeruse/native/x11"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/config"
)

// addBar puts the strip to the parts of an X11 desktop.
func addBar(ctx context.Context, p *native.Parts, clicked func()) (end func()) {
	strip, err := bar.Open(ctx, bar.Options{
		Displays: p.Screen, Clicked: clicked,
		Dark: func(ctx context.Context) bool { return portal.Dark(ctx, "") },
	})
	if err != nil {
		p.Missing = append(p.Missing, why(wire.CanBar, err))
		return func() {}
	}
	p.Strip = strip
	return strip.Close
}

// addElements puts the accessibility tree to the parts.
func addElements(p *native.Parts) (end func()) {
	tree := atspi.New(atspi.Options{Displays: p.Screen})
	p.Elements = tree
	return tree.Close
}

// onWayland are the parts of a Wayland desktop: by the compositor's own
// protocols where it offers them, else by the portals. An X server beside it
// shows only old programs, and is not asked.
func onWayland(ctx context.Context, at portal.Session) (p native.Parts, end func(), err error) {
	p.Missing = portal.Unsupported()
	if at.Socket != "" {
		desk, err := wlroots.Open(ctx, at.Socket, x11.Meaning{})
		if err == nil {
			p.DisplayServer, p.Backend = portal.Wayland, "wlroots"
			p.Screen, p.Pointer, p.Keyboard, p.Held = desk, desk, desk, desk
			if socket := os.Getenv("SWAYSOCK"); socket != "" {
				p.Windows = wlroots.NewSway(socket, desk)
			}
			return p, desk.Close, nil
		}
	}
	paths, err := config.DefaultPaths()
	if err != nil {
		return p, nil, err
	}
	desk, err := portal.Open(ctx, portal.Options{TokenFile: filepath.Join(paths.State, "desktop-consent"), Keys: x11.Meaning{}})
	if err != nil {
		return p, nil, err
	}
	p.DisplayServer, p.Backend = portal.Wayland, "portal"
	p.Screen, p.Pointer, p.Keyboard, p.Held = desk, desk, desk, desk
	return p, desk.Close, nil
}

// why says that a part is missing because of err.
func why(name string, err error) wire.Capability {
	c := wire.Capability{Name: name, Reason: err.Error()}
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		c.Fix = e.Fix
	}
	return c
}

// assembleWayland is assemble where the session is one of Wayland.
func assembleWayland(ctx context.Context, at portal.Session, lookOnly bool, logger *slog.Logger) *helper {
	parts, endDesk, err := onWayland(ctx, at)
	if err != nil {
		none := without(err)
		none.DisplayServer = portal.Wayland
		return &helper{native.NewServer(none, lookOnly, logger), func() {}}
	}
	tree := atspi.New(atspi.Options{Displays: parts.Screen})
	parts.Elements = tree
	if parts.Windows == nil {
		parts.Windows = atspi.NewWindows(tree)
	}
	return &helper{native.NewServer(parts, lookOnly, logger), func() { tree.Close(); endDesk() }}
}
