package desk

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nobody is the user of that name on every Linux.
const nobody = 65534

// Sway starts a real compositor without a screen and returns the folder of its
// session and its socket. Sway refuses to run as root, and then runs as nobody.
func Sway(tb testing.TB, config string) (dir, socket string) {
	tb.Helper()
	needs(tb, "sway")
	dir, err := os.MkdirTemp("", "sway") //nolint:usetesting // its own would be too long for a socket, and closed to nobody
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	conf := filepath.Join(dir, "config")
	if err := os.WriteFile(conf, []byte("xwayland disable\ndefault_border none\n"+config), 0o644); err != nil { //nolint:gosec // for nobody to read
		tb.Fatal(err)
	}
	cmd := exec.Command("sway", "-c", conf) //nolint:noctx // ended below
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir,
		"WLR_BACKENDS=headless", "WLR_LIBINPUT_NO_DEVICES=1", "WLR_RENDERER=pixman",
	}
	root := os.Getuid() == 0
	if root {
		if err := os.Chown(dir, nobody, nobody); err != nil {
			tb.Fatal(err)
		}
	}
	grouped(cmd, root)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		kill(-cmd.Process.Pid)
		_ = cmd.Wait()
		if tb.Failed() {
			tb.Log(said.String())
		}
	})
	d := &Desk{tb: tb, dir: dir, env: cmd.Env}
	d.Until("the socket of sway", func() bool {
		found, _ := filepath.Glob(filepath.Join(dir, "wayland-?"))
		if len(found) > 0 {
			socket = found[0]
		}
		return socket != ""
	})
	return dir, socket
}
