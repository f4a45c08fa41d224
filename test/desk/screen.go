package desk

import (
	"slices"
	"strings"
	"testing"
)

// Screen brings up only an X server with a screen of that size, such as
// 1920x1080, and a window manager; options are further ones of the server.
func Screen(tb testing.TB, size string, options ...string) *Desk {
	tb.Helper()
	needs(tb, "Xvfb", "openbox")
	d := blank(tb)
	d.startServer(size, options...)
	d.manage()
	return d
}

// manage starts the window manager.
func (d *Desk) manage() {
	d.tb.Helper()
	d.Go("openbox")
	d.Until("the window manager", func() bool {
		out, err := d.Run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK")
		return err == nil && strings.Contains(out, "window id")
	})
}

// Nested brings up a screen that fills this one: what is done to d arrives
// there as by devices of a person, not of a program.
func (d *Desk) Nested() *Desk {
	d.tb.Helper()
	needs(d.tb, "Xephyr")
	n := blank(d.tb)
	n.env = append(n.env, "DISPLAY="+d.Display)
	n.startBy("Xephyr", "-fullscreen", "-nolisten", "tcp", "-noreset")
	n.env = append(slices.DeleteFunc(n.env, func(v string) bool { return strings.HasPrefix(v, "DISPLAY=") }), "DISPLAY="+n.Display)
	n.manage()
	d.must("xdotool", "search", "--sync", "--name", "Xephyr", "windowactivate", "--sync")
	return n
}

// KillServer ends the X server, as if it had crashed.
func (d *Desk) KillServer() { kill(d.server) }

// StopServer makes the X server answer nothing until GoOn, as one that hangs.
func (d *Desk) StopServer() { halt(d.server) }

// GoOn ends what StopServer began.
func (d *Desk) GoOn() { goOn(d.server) }
