//go:build unix

package atspi

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// TestOtherToolkits: each tells of itself in its own way, and one crashes when
// it is asked in the wrong one.
func TestOtherToolkits(t *testing.T) {
	t.Parallel() // it mostly waits
	d := desk.Bare(t)
	tree := New(Options{Displays: screen{}, Address: d.Address()})
	t.Cleanup(tree.Close)
	t.Run("Qt", func(t *testing.T) { qt(t, d, tree) })
	t.Run("GTK 4", func(t *testing.T) { gtk4(t, d, tree) })
	t.Run("Chromium", func(t *testing.T) { chromium(t, d, tree) })
}

func qt(t *testing.T, d *desk.Desk, tree *Tree) {
	t.Helper()
	f := startProgram(t, d, tree, "qt.py", "QtForm", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1")
	res := f.look()
	if strings.Contains(list(res), "hunter2") {
		t.Error("the password is told")
	}
	for _, e := range res.Elements {
		if e.Name == "green" && e.Box != nil { // of a list that is not open
			t.Errorf("got %+v", e)
		}
	}
	for _, p := range []struct {
		role, name, says string
		value            any
	}{
		{"push button", "Send", "button", false},
		{"check box", "Check", "check", true},
		{"list item", "beta", "rows", nil},
		{"page tab", "Two", "page", 1.0},
	} {
		if err := f.press(p.role, p.name, ""); err != nil {
			t.Errorf("press %q: %v", p.name, err)
		} else if got := f.await(p.says); got != p.value {
			t.Errorf("press %q: the form says %v, want %v", p.name, got, p.value)
		}
	}
	refusal(t, f.press("push button", "Locked", ""), wire.NotActionable, "is disabled")
	if err := f.set("text", "Name", "Grüße 世界"); err != nil {
		t.Error(err)
	} else if got := f.await("entry"); got != "Grüße 世界" {
		t.Errorf("the form says %v", got)
	}
	if err := f.set("slider", "", "40"); err != nil {
		t.Error(err)
	} else if got := f.await("slider"); got != 40.0 {
		t.Errorf("the form says %v", got)
	}
	refusal(t, f.set("combo box", "", "green"), wire.Failed, "still shows “red”") // never told as done
	f.quiet("combo")
	f.look() // it lives
}

// gtk4 clicks too: its boxes are counted from the corner of the window.
func gtk4(t *testing.T, d *desk.Desk, tree *Tree) {
	t.Helper()
	f := startProgram(t, d, tree, "gtk4.py", "FormOfFour", "GSK_RENDERER=cairo")
	f.window.Box = webWindow(t, d, d.Window("FormOfFour")).Box
	if err := f.press("button", "Send", ""); err != nil {
		t.Error(err)
	} else if got := f.await("button"); got != "Send" {
		t.Errorf("the form says %v", got)
	}
	b := find(t, f.look(), "button", "Send").Box
	d.Click(b.X+b.W/2, b.Y+b.H/2)
	if got := f.await("button"); got != "Send" {
		t.Errorf("the form says %v", got)
	}
	refusal(t, f.press("button", "Locked", ""), wire.NotActionable, "is disabled")
	if err := f.set("text box", "GtkEntry", "Grüße 世界"); err != nil {
		t.Error(err)
	}
	for got := f.await("entry"); got != "Grüße 世界"; got = f.await("entry") {
	}
	if err := f.set("slider", "GtkScale", "40"); err != nil {
		t.Error(err)
	} else if got := f.await("slider"); got != 40.0 {
		t.Errorf("the form says %v", got)
	}
}

func chromium(t *testing.T, d *desk.Desk, tree *Tree) {
	t.Helper()
	page, err := filepath.Abs(filepath.Join("testdata", "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "chromium", "--no-sandbox", "--force-renderer-accessibility", "--no-first-run", "--disable-gpu",
		"--user-data-dir="+filepath.Join(d.Home, "chromium"), "--password-store=basic", "--app=file://"+page)
	cmd.Env = append(d.Env(), "ACCESSIBILITY_ENABLED=1")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = wait
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Cancel(); _ = cmd.Wait() })
	w := webWindow(t, d, d.Window("Web form"))
	var res wire.ElementsResult
	d.Until("the elements of the page", func() bool {
		res, err = tree.Elements(context.Background(), w, wire.ElementsParams{})
		return err == nil && slices.ContainsFunc(res.Elements, func(e wire.Element) bool { return e.Name == "a link" })
	})
	if strings.Contains(list(res), "hunter2") {
		t.Error("the password is told")
	}
	act := func(role, name, set, says string) {
		t.Helper()
		w = webWindow(t, d, w.ID)
		if res, err = tree.Elements(context.Background(), w, wire.ElementsParams{}); err != nil {
			t.Fatal(err)
		}
		ref := find(t, res, role, name).Ref
		if set == "" {
			err = tree.Press(context.Background(), wire.PressParams{Snapshot: res.Snapshot, Ref: ref})
		} else {
			err = tree.SetValue(context.Background(), wire.SetValueParams{Snapshot: res.Snapshot, Ref: ref, Value: set})
		}
		if err != nil {
			t.Errorf("%s %q: %v", role, name, err)
			return
		}
		d.Until("the page to say "+says, func() bool { return strings.HasPrefix(webWindow(t, d, w.ID).Title, says) })
	}
	if e := find(t, res, "combo box", "Colour"); e.Value != "red" || e.Box == nil {
		t.Errorf("got %+v", e)
	}
	act("push button", "Send", "", "pressed")
	act("check box", "Check", "", "check true")
	act("link", "a link", "", "link")
	act("combo box", "Colour", "blue", "colour blue")
	act("slider", "Volume", "60", "volume 60")
	e := find(t, res, "entry", "Name")
	refusal(t, tree.SetValue(context.Background(), wire.SetValueParams{Snapshot: res.Snapshot, Ref: e.Ref, Value: "x"}), wire.NotActionable, "takes no text this way")
	if e := find(t, res, "push button", "Locked"); !slices.Contains(e.States, "disabled") {
		t.Errorf("got %+v", e)
	}
}

// webWindow is a window as the X server has it now.
func webWindow(t *testing.T, d *desk.Desk, id string) wire.Window {
	t.Helper()
	number := func(name string, args ...string) int {
		out, err := d.Run(name, args...)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := strconv.Atoi(strings.TrimSpace(out))
		return n
	}
	title, err := d.Run("xdotool", "getwindowname", id)
	if err != nil {
		t.Fatal(err)
	}
	w := wire.Window{ID: id, App: "chromium", Title: strings.TrimSpace(title), PID: number("xdotool", "getwindowpid", id), Active: true}
	out, err := d.Run("xwininfo", "-id", id)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		n, _ := strconv.Atoi(strings.TrimSpace(value))
		switch name {
		case "Absolute upper-left X":
			w.Box.X = n
		case "Absolute upper-left Y":
			w.Box.Y = n
		case "Width":
			w.Box.W = n
		case "Height":
			w.Box.H = n
		}
	}
	return w
}
