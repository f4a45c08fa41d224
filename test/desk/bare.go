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
	d := empty(tb, append([]string{"LANG=C.UTF-8"}, env...)...)
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
