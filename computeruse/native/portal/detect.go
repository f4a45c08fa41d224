//go:build linux

package portal

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// The kinds of a session.
const (
	X11     = "x11"
	Wayland = "wayland"
	None    = "none"
)

// A Session is what kind of graphical session this process is in.
type Session struct {
	Server  string // X11, Wayland or None
	Desktop string // such as GNOME, KDE or sway, as it calls itself
	Socket  string // of the Wayland compositor, absolute; empty if not known
}

// Detect tells the session by its environment and its sockets. A Wayland session
// has an X server too, for old programs: by that one only those would be seen,
// on a black ground. So Wayland is looked for first.
func Detect(env func(string) string) Session {
	s := Session{Server: None, Desktop: lastOf(env("XDG_CURRENT_DESKTOP"))}
	kind := strings.ToLower(env("XDG_SESSION_TYPE"))
	name := env("WAYLAND_DISPLAY")
	if name == "" && kind == Wayland {
		name = "wayland-0" // as for a service that got no more of the session
	}
	if name != "" {
		s.Socket = name
		if !filepath.IsAbs(name) {
			s.Socket = filepath.Join(env("XDG_RUNTIME_DIR"), name)
		}
		if st, err := os.Stat(s.Socket); err == nil && st.Mode().Type() == os.ModeSocket {
			s.Server = Wayland
			return s
		}
		s.Socket = ""
	}
	switch {
	case kind == Wayland:
		s.Server = Wayland
	case env("DISPLAY") != "":
		s.Server = X11
	}
	return s
}

// lastOf is the best known of the names that a desktop calls itself by, as in
// ubuntu:GNOME.
func lastOf(list string) string { return list[strings.LastIndex(list, ":")+1:] }

// Unsupported are the capabilities that no portal gives, with the reason.
func Unsupported() []wire.Capability {
	const fix = "Use a session with X11 where this is needed: it can be chosen where you log in."
	list := []wire.Capability{
		{Name: wire.CanPerson, Reason: "On Wayland no program is told when a person uses mouse or keyboard, so Hobkin cannot step aside by itself."},
		{Name: wire.CanBar, Reason: "On Wayland no program may put a strip above all others; the tray shows what happens instead."},
		{Name: wire.CanHotkey, Reason: "Hobkin sets no hotkey on Wayland."},
	}
	for i := range list {
		list[i].Fix = fix
	}
	list[2].Fix = "Pause with /pause, or from the tray."
	return list
}
