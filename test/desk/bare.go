package desk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// Bare brings up less than [Start]: an X server, a session bus on which the
// accessibility service starts when a program asks for it, and a window
// manager. Nothing else is on the screen.
func Bare(tb testing.TB, env ...string) *Desk {
	tb.Helper()
	dir, err := os.MkdirTemp("", "desk") //nolint:usetesting // its own would be too long: sockets lie in it
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	d := &Desk{tb: tb, dir: dir, Home: filepath.Join(dir, "home")}
	for _, sub := range []string{"home/.config", "run"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	d.env = append(minimalEnv(),
		"HOME="+d.Home, "XDG_CONFIG_HOME="+d.Home+"/.config", "XDG_RUNTIME_DIR="+dir+"/run", "LANG=C.UTF-8")
	d.env = append(d.env, env...)
	d.startX()
	d.startBus()
	d.Go("openbox")
	d.Until("the window manager", func() bool {
		out, err := d.Run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK")
		return err == nil && strings.Contains(out, "window id")
	})
	return d
}

// Address is that of the session bus.
func (d *Desk) Address() string { return "unix:path=" + d.dir + "/run/bus" }

// Bus starts a message bus with nothing on it, not even services that start
// when they are asked for, and returns its address.
func Bus(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "bus") //nolint:usetesting // as above
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	d := &Desk{tb: tb, dir: dir, env: minimalEnv()}
	address := "unix:path=" + filepath.Join(dir, "bus")
	conf := filepath.Join(dir, "conf")
	err = os.WriteFile(conf, []byte(`<busconfig><type>session</type><listen>`+address+`</listen><policy context="default">
<allow user="*"/><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>`), 0o600)
	if err != nil {
		tb.Fatal(err)
	}
	d.Go("dbus-daemon", "--nofork", "--nopidfile", "--config-file="+conf)
	d.Until("the bus", func() bool {
		conn, err := dbus.Connect(address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return address
}
