// Package desk starts a real desktop on a virtual display for tests: an X
// server, a session bus, a window manager, a panel with a StatusNotifier host
// and a notification server. A test drives it with pointer and keys.
package desk

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// A Desk is a running desktop.
type Desk struct {
	tb   testing.TB
	dir  string
	env  []string
	Home string     // HOME of everything on it; empty at first
	Bus  *dbus.Conn // nil on a bare one

	Display string // as the variable DISPLAY has it
	server  int    // process of the X server
}

// Size is the screen, in pixels.
const Size = "1280x860"

// need are the programs a desk is made of.
var need = []string{"Xvfb", "dbus-daemon", "openbox", "xfce4-panel", "xdotool", "import"}

// notifyd is where Debian puts the notification server.
const notifyd = "/usr/lib/x86_64-linux-gnu/xfce4/notifyd/xfce4-notifyd"

// Start brings up a desk that ends with the test. env are further variables,
// such as FYNE_SCALE=2.
func Start(tb testing.TB, env ...string) *Desk {
	tb.Helper()
	needs(tb, need...)
	d := blank(tb, env...)
	d.startX()
	d.startBus()
	d.Go("openbox")
	d.Go("xfce4-panel", "--disable-wm-check")
	d.Go(notifyd)
	for _, name := range []string{"org.kde.StatusNotifierWatcher", "org.freedesktop.Notifications"} {
		d.Until("the bus name "+name, func() bool { return d.Owned(name) })
	}
	return d
}

func needs(tb testing.TB, programs ...string) {
	tb.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			tb.Fatalf("%s is missing; make test installs it", p)
		}
	}
}

// blank is a desk with an empty home and nothing on it, as most tests want it:
// without accessibility.
func blank(tb testing.TB, env ...string) *Desk {
	tb.Helper()
	return empty(tb, append([]string{"LANG=en_US.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "NO_AT_BRIDGE=1"}, env...)...)
}

// empty is a desk with an empty home, nothing on it, and env.
func empty(tb testing.TB, env ...string) *Desk {
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
		"HOME="+d.Home, "XDG_CONFIG_HOME="+d.Home+"/.config", "XDG_RUNTIME_DIR="+dir+"/run")
	d.env = append(d.env, env...)
	return d
}

// minimalEnv is what of our own environment a desk's programs may see.
func minimalEnv() (env []string) {
	for _, name := range []string{"PATH", "TMPDIR", "USER", "CI", "HOBKIN_SUITES"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func (d *Desk) startX() { d.startServer(Size) }

func (d *Desk) startServer(size string, options ...string) {
	d.startBy("Xvfb", append([]string{"-screen", "0", size + "x24", "-nolisten", "tcp", "-noreset"}, options...)...)
}

// startBy starts an X server and waits until it is ready.
func (d *Desk) startBy(program string, options ...string) {
	r, w, err := os.Pipe()
	if err != nil {
		d.tb.Fatal(err)
	}
	cmd := d.cmd(program, append([]string{d.reserve(), "-displayfd", "3"}, options...)...)
	cmd.ExtraFiles = []*os.File{w}
	d.start(cmd)
	d.server = cmd.Process.Pid
	_ = w.Close()
	_ = r.SetReadDeadline(time.Now().Add(startTime))
	line, err := bufio.NewReader(r).ReadString('\n') // the number and the line end come in two writes
	d.tb.Cleanup(func() { _ = r.Close() })
	if err != nil {
		d.tb.Fatalf("%s did not start: %v", program, err)
	}
	d.Display = ":" + strings.TrimSpace(line)
	d.env = append(d.env, "DISPLAY="+d.Display)
}

// reserve takes a display that no other desk has before this one's test ends,
// even when its server is killed: a free one that a server chooses could be the
// next server's then, and a program of this desk would work on that.
func (d *Desk) reserve() string {
	const first, most = 100, 900 // far from those that people and other tests use
	for n := first; n < first+most; n++ {
		display := fmt.Sprintf(":%d", n)
		if c, err := net.Dial("unix", fmt.Sprintf("@/tmp/.X11-unix/X%d", n)); err == nil { //nolint:noctx // at once
			_ = c.Close()
			continue // of somebody else, or left by a test that was killed
		}
		// A socket without a file: it is free again however this process ends.
		l, err := net.Listen("unix", "@hobkin-desk"+display) //nolint:noctx // at once
		if err != nil {
			continue
		}
		d.tb.Cleanup(func() { _ = l.Close() })
		return display
	}
	d.tb.Fatalf("no display is free from :%d on", first)
	return ""
}

func (d *Desk) startBus() {
	addr := "unix:path=" + d.dir + "/run/bus"
	d.start(d.cmd("dbus-daemon", "--session", "--nofork", "--nopidfile", "--address="+addr))
	d.env = append(d.env, "DBUS_SESSION_BUS_ADDRESS="+addr)
	d.Until("the session bus", func() bool {
		conn, err := dbus.Connect(addr)
		d.Bus = conn
		return err == nil
	})
	d.tb.Cleanup(func() { _ = d.Bus.Close() })
}

// Owned reports whether a program on the bus has that name.
func (d *Desk) Owned(name string) (owned bool) {
	err := d.Bus.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, name).Store(&owned)
	return err == nil && owned
}

const (
	startTime = 30 * time.Second // for anything on the desk to come up, on a busy machine
	tick      = 30 * time.Millisecond
)

// Until waits until ok, and fails the test with what was waited for when it
// takes too long.
func (d *Desk) Until(what string, ok func() bool) {
	d.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	t := time.NewTicker(tick)
	defer t.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			d.tb.Fatalf("waited %v for %s; screenshot: %s", startTime, what, d.failureShot())
		case <-t.C:
		}
	}
}

// failureShot keeps a picture of the screen for whoever reads the failure.
func (d *Desk) failureShot() string {
	path := filepath.Join(os.TempDir(), "hobkin-e2e-failure.png")
	d.Screenshot(path)
	return path
}

// Env is the environment of the desk's programs.
func (d *Desk) Env() []string { return d.env }

// Go starts a program on the desk; it ends with the test.
func (d *Desk) Go(name string, args ...string) *exec.Cmd {
	cmd := d.cmd(name, args...)
	d.start(cmd)
	return cmd
}

func (d *Desk) cmd(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...) //nolint:noctx // ends in Cleanup, after its context would have
	cmd.Env = d.env
	grouped(cmd, false)
	return cmd
}

// start runs cmd; what it prints is shown when the test fails.
func (d *Desk) start(cmd *exec.Cmd) {
	d.tb.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		d.tb.Fatal(err)
	}
	d.tb.Cleanup(func() {
		terminate(-cmd.Process.Pid)
		killer := time.AfterFunc(5*time.Second, func() { kill(-cmd.Process.Pid) })
		_ = cmd.Wait()
		killer.Stop()
		if d.tb.Failed() {
			d.tb.Logf("%s printed:\n%s", filepath.Base(cmd.Path), out.String())
		}
	})
}

// Run runs a program on the desk to its end and returns what it printed.
func (d *Desk) Run(name string, args ...string) (string, error) {
	out, err := d.cmd(name, args...).CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

func (d *Desk) must(name string, args ...string) string {
	d.tb.Helper()
	out, err := d.Run(name, args...)
	if err != nil {
		d.tb.Fatal(err)
	}
	return out
}

// Screenshot writes a PNG of the screen.
func (d *Desk) Screenshot(path string) {
	if out, err := d.Run("import", "-window", "root", path); err != nil {
		d.tb.Logf("screenshot: %v %s", err, out)
	}
}

// Picture writes a PNG of one window, without its frame.
func (d *Desk) Picture(window, path string) { d.must("import", "-window", window, path) }

// Type types text into whatever has the focus.
func (d *Desk) Type(text string) { d.must("xdotool", "type", "--delay", "15", text) }

// Key presses a chord such as ctrl+n or Return.
func (d *Desk) Key(chord string) { d.must("xdotool", "key", chord) }

// Click clicks at a point of the screen.
func (d *Desk) Click(x, y int) {
	d.must("xdotool", "mousemove", strconv.Itoa(x), strconv.Itoa(y), "sleep", "0.1", "click", "1")
}

// Window waits for a window whose title holds name, brings it to the front and
// returns its id.
func (d *Desk) Window(name string) (id string) {
	d.tb.Helper()
	d.Until("the window "+name, func() bool {
		out, err := d.Run("xdotool", "search", "--onlyvisible", "--name", name)
		id, _, _ = strings.Cut(out, "\n")
		return err == nil && id != ""
	})
	d.must("xdotool", "windowactivate", "--sync", id)
	return id
}

// HasWindow reports whether such a window is on the screen.
func (d *Desk) HasWindow(name string) bool {
	out, err := d.Run("xdotool", "search", "--onlyvisible", "--name", name)
	return err == nil && strings.TrimSpace(out) != ""
}
