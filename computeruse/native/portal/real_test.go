//go:build byhand && linux

package portal

import (
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/godbus/dbus/v5"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// consent answers for the person whom the portal may ask; without someone for
// that it offers no screenshots.
type consent struct{}

func (consent) AccessDialog(_ dbus.ObjectPath, _, _, _, _, _ string, _ vardict) (uint32, vardict, *dbus.Error) {
	return granted, vardict{}, nil
}

// TestRealPortal takes a picture through xdg-desktop-portal and its backend for
// sway, which has no remote control. It is tried by hand, since that portal's
// own services wait for each other now and then: make by-hand.
func TestRealPortal(t *testing.T) {
	for _, file := range []string{"/usr/libexec/xdg-desktop-portal", "/usr/libexec/xdg-desktop-portal-wlr", "/usr/bin/pipewire", "/usr/bin/grim"} {
		if _, err := os.Stat(file); err != nil {
			t.Fatalf("%s is not installed", file)
		}
	}
	_, socket := desk.Sway(t, "output HEADLESS-1 resolution 800x600\noutput * bg #336699 solid_color\n")
	dir, err := os.MkdirTemp("", "portal") //nolint:usetesting // its own would be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for name, text := range map[string]string{
		"portals/wlr.portal": "[portal]\nDBusName=org.freedesktop.impl.portal.desktop.wlr\nInterfaces=org.freedesktop.impl.portal.Screenshot;org.freedesktop.impl.portal.ScreenCast;\nUseIn=sway\n",
		"portals/me.portal":  "[portal]\nDBusName=io.github.hobkin.Test\nInterfaces=org.freedesktop.impl.portal.Access;\nUseIn=sway\n",
		"run/nothing":        "",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	address := "unix:path=" + filepath.Join(dir, "bus")
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"), "WAYLAND_DISPLAY=" + socket,
		"XDG_CURRENT_DESKTOP=sway", "XDG_DESKTOP_PORTAL_DIR=" + filepath.Join(dir, "portals"), "DBUS_SESSION_BUS_ADDRESS=" + address, "LANG=C.UTF-8",
	}
	start := func(name string, args ...string) {
		cmd := exec.Command(name, args...) //nolint:noctx // ended below
		cmd.Env = env
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
	start("dbus-daemon", "--session", "--nofork", "--nopidfile", "--address="+address)
	start("pipewire")
	var conn *dbus.Conn
	until(t, func() bool { conn, err = dbus.Connect(address); return err == nil })
	t.Cleanup(func() { _ = conn.Close() })
	until(t, func() bool { _, err := os.Stat(filepath.Join(dir, "run", "pipewire-0")); return err == nil })
	if err := conn.Export(consent{}, path, "org.freedesktop.impl.portal.Access"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName("io.github.hobkin.Test", dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	takesAPicture(t, address)
}

func takesAPicture(t *testing.T, address string) {
	t.Helper()
	d, err := Open(t.Context(), Options{Address: address, Keys: keys{}})
	if err != nil {
		t.Fatalf("xdg-desktop-portal does not come up (its services wait for each other now and then, longer than we do): %v", err)
	}
	t.Cleanup(d.Close)
	all, err := d.Displays(t.Context())
	if err != nil || len(all.Displays) != 1 || all.Displays[0].Box != (wire.Box{W: 800, H: 600}) {
		t.Fatalf("got %+v, %v", all, err)
	}
	img, err := d.Grab(t.Context(), wire.Box{X: 5, Y: 100, W: 10, H: 10})
	if err != nil {
		t.Fatal(err)
	}
	if got := img.RGBAAt(2, 2); got != (color.RGBA{0x33, 0x66, 0x99, 0xff}) {
		t.Errorf("the ground is %v", got)
	}
	wants(t, d.Probe(t.Context()), wire.Unsupported, "offers no remote control")
}
