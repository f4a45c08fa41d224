//go:build linux

package wlroots

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/computeruse/native/atspi"
	"github.com/hobkin/hobkin/computeruse/wire"
	testdesk "github.com/hobkin/hobkin/test/desk"
)

func swaySocket(t *testing.T, dir string) string {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(dir, "sway-ipc.*"))
	if len(found) == 0 {
		t.Fatal("sway has no socket")
	}
	return found[0]
}

func TestWindowsOfSway(t *testing.T) {
	dir, socket := sway(t, "output HEADLESS-1 resolution 1200x900 position 0 0 scale 1.5\n")
	d := desk(t, socket)
	ws := NewSway(swaySocket(t, dir), d)
	ctx := t.Context()
	if list, err := ws.List(ctx); err != nil || len(list) != 0 {
		t.Errorf("an empty desktop: %v, %v", list, err)
	}
	startCanvas(t, dir, socket)
	startCanvas(t, dir, socket)
	list, err := ws.List(ctx)
	must(t, err)
	if len(list) != 2 || list[0].Title != "Canvas" || list[0].PID == 0 || !strings.Contains(list[0].Exe, "python3") || !list[0].Active {
		t.Fatalf("got %+v", list)
	}
	area := 0
	for _, w := range list {
		area += w.Box.W * w.Box.H
		at, err := ws.At(ctx, wire.Point{X: w.Box.X + w.Box.W/2, Y: w.Box.Y + w.Box.H/2})
		if err != nil || at == nil || at.ID != w.ID {
			t.Errorf("in the middle of %s is %+v, %v", w.ID, at, err)
		}
	}
	if area != 1200*900 {
		t.Errorf("the two windows cover %d of %d pixels: %+v", area, 1200*900, list)
	}
	must(t, ws.Focus(ctx, list[1].ID))
	if id, err := ws.Active(ctx); err != nil || id != list[1].ID {
		t.Errorf("active is %s, %v", id, err)
	}
	for _, id := range []string{"999999", "1] kill; [con_id=1", ""} {
		var said *wire.Error
		if err := ws.Focus(ctx, id); !errors.As(err, &said) || said.Code != wire.UnknownWindow {
			t.Errorf("the focus to %q: %v", id, err)
		}
	}
	if list, err := ws.List(ctx); err != nil || len(list) != 2 {
		t.Errorf("then there are %v, %v", list, err)
	}
	if at, err := ws.At(ctx, wire.Point{X: 5000, Y: 5}); err != nil || at != nil {
		t.Errorf("off the screen is %v, %v", at, err)
	}
	if _, err := NewSway(dir+"/none", d).List(ctx); err == nil {
		t.Error("windows of a socket that is not there")
	}
}

// TestElementsOnWayland: a program there does not know where its window is; the
// compositor does, and so the boxes of its elements can be clicked.
func TestElementsOnWayland(t *testing.T) {
	dir, socket := sway(t, "output HEADLESS-1 resolution 1500x1500 position 0 0 scale 1.5\nfor_window [title=\"Form\"] floating enable, move position 100 60\n")
	d := desk(t, socket)
	bus := testdesk.Bare(t) // for its session bus, with the accessibility service
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", "../atspi/testdata/form.py", "Form", "small")
	cmd.Env = append(bus.Env(), "XDG_RUNTIME_DIR="+dir, "WAYLAND_DISPLAY="+socket, "GDK_BACKEND=wayland", "PATH="+os.Getenv("PATH"))
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	said := bufio.NewScanner(out)
	next := func(what string) any {
		t.Helper()
		for said.Scan() {
			var s struct {
				What  string
				Value any
			}
			if json.Unmarshal(said.Bytes(), &s) == nil && s.What == what {
				return s.Value
			}
		}
		t.Fatalf("the form did not say %q", what)
		return nil
	}
	next("ready")
	list, err := NewSway(swaySocket(t, dir), d).List(t.Context())
	must(t, err)
	tree := atspi.New(atspi.Options{Address: bus.Address(), Displays: d})
	t.Cleanup(tree.Close)
	res, err := tree.Elements(t.Context(), list[0], wire.ElementsParams{})
	must(t, err)
	i := slices.IndexFunc(res.Elements, func(e wire.Element) bool { return e.Name == "Send" })
	if i < 0 || res.Elements[i].Box == nil {
		t.Fatalf("got %+v", res.Elements)
	}
	b := res.Elements[i].Box
	must(t, d.Move(t.Context(), wire.Point{X: b.X + b.W/2, Y: b.Y + b.H/2}))
	must(t, d.Press(t.Context(), wire.Left))
	must(t, d.Release(t.Context(), wire.Left))
	killer := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
	defer killer.Stop()
	if got := next("button"); got != "Send" {
		t.Errorf("the form says %v", got)
	}
}

// FuzzEvents: whatever a compositor tells, it is read or left.
func FuzzEvents(f *testing.F) {
	f.Add(uint16(0), []byte{1, 0, 0, 0, 5, 0, 0, 0, 'a', 'b', 'c', 'd', 0, 0, 0, 0})
	f.Add(uint16(6), []byte{0xff, 0xff, 0xff, 0xff})
	f.Add(uint16(1), []byte(`{"nodes":[null,{"pid":3,"rect":{"x":-5,"width":900000000000000}}],"focus":[1]}`))
	f.Fuzz(func(t *testing.T, op uint16, raw []byte) {
		c := &conn{handlers: map[uint32]func(uint16, *message){}}
		c.display(op, &message{raw})
		fr := &frame{offered: make(chan struct{}), ready: make(chan struct{})}
		on := fr.event(uint32(len(raw)%4 + 1)) //nolint:gosec // a small number
		for range 3 {
			on(op, &message{raw})
		}
		m := &message{raw}
		if s := m.text(); len(s) > len(raw) {
			t.Errorf("%d bytes of %d", len(s), len(raw))
		}
		for len(m.raw) > 0 {
			m.uint()
		}
		var tree container
		if json.Unmarshal(raw, &tree) == nil {
			for _, w := range tree.windows() {
				w.box([]output{{w: 100, h: 100, lw: 50, lh: 50, positioned: true}})
			}
		}
	})
}
