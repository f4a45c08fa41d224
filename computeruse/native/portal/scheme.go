//go:build linux

package portal

import (
	"context"

	"github.com/godbus/dbus/v5"
)

// preferDark is what the desktop answers of its colour scheme, as the portal's
// specification numbers it.
const preferDark = 1

// Dark reports whether the desktop that the session bus belongs to prefers dark
// colours; no where it does not say. address is as in [Options].
func Dark(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	conn, end, err := connect(ctx, address)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close(); end() }()
	var v dbus.Variant
	err = conn.Object(service, path).CallWithContext(ctx, settings+".Read", 0, "org.freedesktop.appearance", "color-scheme").Store(&v)
	if err != nil {
		return false
	}
	for { // Read wraps its variant in another
		inner, ok := v.Value().(dbus.Variant)
		if !ok {
			break
		}
		v = inner
	}
	n, _ := v.Value().(uint32)
	return n == preferDark
}
