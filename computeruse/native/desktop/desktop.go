// Package desktop is what the parts for Linux desktops know alike of the session
// that they are in.
package desktop

import (
	"os"
	"path/filepath"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// BusAddress is where the session bus of this user is; empty where there is
// none. It never starts one: a bus of our own would have nobody on it.
func BusAddress() string {
	if a := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); a != "" {
		return a
	}
	path := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus")
	if st, err := os.Stat(path); err == nil && st.Mode().Type() == os.ModeSocket && filepath.IsAbs(path) {
		return "unix:path=" + path
	}
	return ""
}

// PointerUnknown says why the pointer's place cannot be told on Wayland before
// it was put anywhere.
func PointerUnknown() error {
	return &wire.Error{
		Code: wire.Unsupported, Message: "On Wayland no program is told where the pointer is, and it has not been moved yet.",
		Fix: "Move it to a point first.",
	}
}
