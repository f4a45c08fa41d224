package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// A child is the helper as a process.
type child struct {
	t    *testing.T
	in   io.WriteCloser
	out  *bufio.Reader
	next int64
}

// built is the helper as a program, made once.
var built = sync.OnceValues(func() (string, error) {
	program := filepath.Join(os.TempDir(), fmt.Sprintf("hobkin-helper-test-%d", os.Getpid()))
	build := exec.Command("go", "build", "-o", program, ".") // as long as it takes
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if program, err := built(); err == nil {
		_ = os.Remove(program)
	}
	os.Exit(code)
}

// TestJoined tests the helper as the program that it is.
func TestJoined(t *testing.T) {
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("elements of a program", func(t *testing.T) { elementsOfAProgram(t, program) })
	t.Run("Wayland without portals", func(t *testing.T) { waylandWithoutPortals(t, program) })
	t.Run("a compositor that trusts us", func(t *testing.T) { compositorThatTrustsUs(t, program) })
}

func startHelper(t *testing.T, program string, env []string) *child {
	t.Helper()
	cmd := exec.Command(program) //nolint:noctx // ends with its input
	cmd.Env, cmd.Stderr = env, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		killer := time.AfterFunc(20*time.Second, func() { t.Error("the helper does not end"); _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		killer.Stop()
	})
	return &child{t: t, in: in, out: bufio.NewReaderSize(out, 1<<20)}
}

// ask sends a request and reads its answer into result.
func (c *child) ask(method string, params, result any) *wire.Error {
	c.t.Helper()
	c.next++
	raw, err := json.Marshal(params)
	if err == nil {
		raw, err = json.Marshal(wire.Request{ID: c.next, Method: method, Params: raw})
	}
	if err == nil {
		_, err = c.in.Write(append(raw, '\n'))
	}
	for err == nil {
		var line []byte
		if line, err = c.out.ReadBytes('\n'); err != nil {
			break
		}
		var m wire.Message
		if err = json.Unmarshal(line, &m); err != nil || m.ID != c.next {
			continue
		}
		if m.Error == nil && result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				c.t.Fatalf("%s: %v", method, err)
			}
		}
		return m.Error
	}
	c.t.Fatalf("%s: %v", method, err)
	return nil
}

func (c *child) must(method string, params, result any) {
	c.t.Helper()
	if err := c.ask(method, params, result); err != nil {
		c.t.Fatalf("%s: %s: %s", method, err.Code, err.Message)
	}
}

// elementsOfAProgram fills in and answers a dialog without the pointer; what
// the dialog prints is the judge.
func elementsOfAProgram(t *testing.T, program string) {
	t.Helper()
	d := desk.Bare(t)
	c := startHelper(t, program, d.Env())
	var hello wire.HelloResult
	c.must(wire.Hello, wire.HelloParams{Protocol: wire.Protocol}, &hello)
	for _, able := range hello.Capabilities {
		if !able.Works {
			t.Errorf("%s: %s", able.Name, able.Reason)
		}
	}
	said := make(chan string, 1)
	go func() {
		out, err := d.Run("zenity", "--entry", "--title=A question", "--text=Your name?")
		if err != nil {
			out = err.Error()
		}
		said <- out
	}()
	d.Window("A question")
	var list wire.WindowsResult
	c.must(wire.Windows, struct{}{}, &list)
	var res wire.ElementsResult
	for _, w := range list.Windows {
		if w.Title == "A question" {
			c.must(wire.Elements, wire.ElementsParams{Window: w.ID, Interactive: true}, &res)
		}
	}
	ref := func(role, name string) string {
		for _, e := range res.Elements {
			if e.Role == role && (e.Name == name || name == "") {
				return e.Ref
			}
		}
		t.Fatalf("no %s %q among %+v", role, name, res.Elements)
		return ""
	}
	c.must(wire.SetValue, wire.SetValueParams{Snapshot: res.Snapshot, Ref: ref("text", ""), Value: "Ünal 世界"}, nil)

	var capture wire.CaptureResult
	edge := wire.CaptureParams{Region: &wire.Box{W: 1280, H: 60}} // without the cursor that blinks in the dialog
	c.must(wire.Capture, edge, &capture)
	c.must(wire.Bar, wire.BarParams{Text: "Answering the question", Button: "Pause"}, nil)
	var with wire.CaptureResult
	c.must(wire.Capture, edge, &with)
	if with.Hash != capture.Hash {
		t.Error("the strip is in the picture, or what it covers has changed")
	}
	c.must(wire.Press, wire.PressParams{Snapshot: res.Snapshot, Ref: ref("push button", "OK")}, nil)
	select {
	case out := <-said:
		if strings.TrimSpace(out) != "Ünal 世界" {
			t.Errorf("the dialog says %q", out)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the dialog is still there")
	}
	if err := c.ask(wire.Press, wire.PressParams{Snapshot: res.Snapshot, Ref: ref("push button", "OK")}, nil); err == nil || err.Code != wire.StaleElement {
		t.Errorf("a press on what is gone: %+v", err)
	}
}

// waylandWithoutPortals: the X server beside a Wayland desktop is not used
// as if it showed all of it, and everything has its reason.
func waylandWithoutPortals(t *testing.T, program string) {
	t.Helper()
	dir := t.TempDir()
	socket := filepath.Join(dir, "wayland-0")
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c := startHelper(t, program, []string{
		"HOME=" + dir, "WAYLAND_DISPLAY=" + socket, "DISPLAY=:0", "DBUS_SESSION_BUS_ADDRESS=" + desk.Bus(t),
	})
	var hello wire.HelloResult
	c.must(wire.Hello, wire.HelloParams{Protocol: wire.Protocol}, &hello)
	if hello.DisplayServer != "wayland" {
		t.Errorf("the display server is %q", hello.DisplayServer)
	}
	for _, able := range hello.Capabilities {
		if able.Works || able.Reason == "" || able.Fix == "" {
			t.Errorf("%+v", able)
		}
	}
	if err := c.ask(wire.Capture, wire.CaptureParams{}, nil); err == nil || !strings.Contains(err.Message, "no portals") {
		t.Errorf("a capture: %+v", err)
	}
}

// compositorThatTrustsUs: sway offers its own protocols, and needs no portal.
func compositorThatTrustsUs(t *testing.T, program string) {
	t.Helper()
	dir, socket := desk.Sway(t, "output HEADLESS-1 resolution 800x600\n")
	c := startHelper(t, program, []string{"HOME=" + t.TempDir(), "WAYLAND_DISPLAY=" + socket, "XDG_RUNTIME_DIR=" + dir, "DISPLAY=:0", "DBUS_SESSION_BUS_ADDRESS=" + desk.Bus(t)})
	var hello wire.HelloResult
	c.must(wire.Hello, wire.HelloParams{Protocol: wire.Protocol}, &hello)
	if hello.DisplayServer != "wayland" || hello.Backend != "wlroots" {
		t.Errorf("got %s, %s", hello.DisplayServer, hello.Backend)
	}
	var probe wire.ProbeResult
	c.must(wire.Probe, struct{}{}, &probe)
	works := map[string]bool{}
	for _, able := range probe.Capabilities {
		works[able.Name] = able.Works
		if !able.Works && (able.Reason == "" || able.Fix == "") {
			t.Errorf("%+v", able)
		}
	}
	for name, want := range map[string]bool{wire.CanCapture: true, wire.CanText: true, wire.CanElements: false, wire.CanBar: false, wire.CanPerson: false} {
		if works[name] != want {
			t.Errorf("%s works: %v", name, works[name])
		}
	}
	var pic wire.CaptureResult
	c.must(wire.Capture, wire.CaptureParams{}, &pic)
	if pic.Sent != (wire.Size{W: 800, H: 600}) {
		t.Errorf("the picture is %+v", pic.Sent)
	}
}
