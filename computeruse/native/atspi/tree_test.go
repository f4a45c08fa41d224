//go:build unix

package atspi

import (
	"context"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// screen is the one of the desk.
type screen struct{}

func (screen) Displays(context.Context) (wire.DisplaysResult, error) {
	return wire.DisplaysResult{Displays: []wire.Display{{Box: wire.Box{W: 1280, H: 860}}}}, nil
}

// TestForm acts on a real program, whose own state says what it did.
func TestForm(t *testing.T) {
	t.Parallel() // it mostly waits
	d := desk.Bare(t)
	tree := New(Options{Displays: screen{}, Address: d.Address()})
	t.Cleanup(tree.Close)
	if err := tree.Probe(t.Context()); err != nil {
		t.Fatalf("probe: %v", err)
	}
	f := startForm(t, d, tree, "Form")
	for _, c := range []struct { // the later ones change the form
		name string
		test func(*form)
	}{
		{"what is told", (*form).whatIsTold},
		{"each kind can be pressed", (*form).pressing},
		{"values arrive", (*form).valued},
		{"wrong values are refused", (*form).refusedValues},
		{"references belong to a snapshot", (*form).snapshotted},
		{"the element under a point", (*form).inspected},
		{"a long list is told from what shows", (*form).scrolled},
		{"windows where nobody else tells of them", (*form).listed},
		{"bounds", (*form).bounded},
		{"what changed is not pressed", (*form).changed},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.t = t
			c.test(f)
		})
	}
	f.t = t
	t.Run("a program that hangs is named in time", func(t *testing.T) { hanging(t, d, f) })
	t.Run("boxes at 200 %", func(t *testing.T) { doubled(t, d, tree) })
	t.Run("a program without elements is named", func(t *testing.T) { mute(t, d, tree) })
}

func (f *form) whatIsTold() {
	t := f.t
	res := f.look()
	for _, want := range []struct{ role, name, value, states, action string }{
		{"push button", "Send", "", "", "click"},
		{"push button", "Locked", "", "disabled", "click"},
		{"text", "Name", "hello", "editable", "focus"},
		{"combo box", "Colour", "red", "", "press"},
		{"slider", "", "0", "", "focus"},
		{"page tab", "One", "", "selected", "select"},
		{"menu item", "Save", "", "hidden", "click"},
		{"list item", "alpha", "", "", "select"},
		{"radio button", "First", "", "checked", "click"},
	} {
		e := find(t, res, want.role, want.name)
		if e.Value != want.value || want.states != "" && !slices.Contains(e.States, want.states) || len(e.Actions) == 0 || e.Actions[0] != want.action {
			t.Errorf("got %+v, want %+v", e, want)
		}
		if (e.Box == nil) != slices.Contains(e.States, "hidden") {
			t.Errorf("%s %q: box %v, states %q", e.Role, e.Name, e.Box, e.States)
		}
	}
	if p := find(t, res, "password text", "Password"); p.Value != "" {
		t.Errorf("the password is told: %q", p.Value)
	}
	seen := map[string]bool{"": true}
	for _, e := range res.Elements {
		if !seen[e.Parent] {
			t.Errorf("%s stands before its parent %s", e.Ref, e.Parent)
		}
		seen[e.Ref] = true
		if e.Box != nil && meet(*e.Box, wire.Box{W: 1280, H: 860}) == nil {
			t.Errorf("%s %q has a box off the screen: %v", e.Role, e.Name, *e.Box)
		}
	}
}

func (f *form) pressing() {
	t := f.t
	for _, p := range []struct {
		role, name, action string
		says               string
		value              any
	}{
		{"push button", "Send", "", "button", "Send"},
		{"check box", "Check", "", "check", true},
		{"radio button", "Second", "click", "second", true},
		{"menu item", "Save", "", "menu", "Save"},
		{"page tab", "Two", "", "page", 1.0},
		{"push button", "On page two", "focus", "", nil},
		{"page tab", "One", "", "page", 0.0},
		{"table cell", "row 2", "", "row", "row 2"},
		{"table cell", "row 3", "activate", "opened", "row 3"},
		{"list item", "beta", "", "list", "beta"},
		{"text", "Name", "focus", "focus", "entry"},
		{"text", "Name", "activate", "sent", "hello"},
	} {
		if err := f.press(p.role, p.name, p.action); err != nil {
			t.Errorf("press %s %q: %v", p.role, p.name, err)
			continue
		}
		if p.says == "" {
			continue
		}
		if got := f.await(p.says); got != p.value {
			t.Errorf("press %s %q: the form says %s %v, want %v", p.role, p.name, p.says, got, p.value)
		}
	}
	res := f.look()
	i := slices.IndexFunc(res.Elements, func(e wire.Element) bool {
		return e.Role == "table cell" && len(e.Actions) > 0 && e.Actions[0] == "toggle"
	})
	// GTK 3 says yes to this and does nothing: never told as done.
	err := f.tree.Press(t.Context(), wire.PressParams{Snapshot: res.Snapshot, Ref: res.Elements[i].Ref})
	refusal(t, err, wire.Failed, "is as it was")
	f.quiet("cell")

	refusal(t, f.press("push button", "Locked", ""), wire.NotActionable, "is disabled")
	refusal(t, f.press("push button", "Send", "fly"), wire.NotActionable, `no action "fly"; it has: click, focus`)
	refusal(t, f.press("label", "alpha", ""), wire.NotActionable, "nothing that can be pressed")
	f.quiet("button")
}

func (f *form) valued() {
	t := f.t
	long := strings.Repeat("Grüße, 世界 😀. ", 300)
	for _, v := range []struct {
		role, name, value string
		says              string
		want              any
	}{
		{"text", "Name", "Grüße aus Köln, 你好 😀", "entry", "Grüße aus Köln, 你好 😀"},
		{"text", "Name", long, "entry", long},
		{"text", "Name", "hello", "entry", "hello"},
		{"password text", "Password", "s3cret ß", "password", "s3cret ß"},
		{"combo box", "Colour", "blue", "combo", "blue"},
		{"combo box", "Colour", "Red", "combo", "red"},
		{"slider", "", "35", "slider", 35.0},
		{"spin button", "", "7", "spin", 7.0},
		{"toggle button", "", "on", "switch", true},
		{"check box", "Check", "off", "check", false},
	} {
		if err := f.set(v.role, v.name, v.value); err != nil {
			t.Errorf("set %s %q to %q: %v", v.role, v.name, v.value, err)
			continue
		}
		for got := f.await(v.says); got != v.want; got = f.await(v.says) {
			if got != "" { // GTK deletes the old text first, and says so
				t.Errorf("set %s %q: the form says %v, want %v", v.role, v.name, got, v.want)
				break
			}
		}
	}
	if err := f.set("check box", "Check", "off"); err != nil {
		t.Errorf("off when it is off: %v", err)
	}
	f.quiet("check")
}

func (f *form) refusedValues() {
	t := f.t
	refusal(t, f.set("slider", "", "101"), wire.BadRequest, "takes 0 to 100, not 101")
	refusal(t, f.set("slider", "", "NaN"), wire.BadRequest, "takes a number")
	refusal(t, f.set("combo box", "Colour", "pink"), wire.NotActionable, `no entry "pink"; it has: “red”, “green”, “blue”`)
	refusal(t, f.set("text", "Fixed", "x"), wire.NotActionable, "read-only")
	refusal(t, f.set("push button", "Send", "x"), wire.NotActionable, "no value that can be set")
	refusal(t, f.set("check box", "Check", "maybe"), wire.BadRequest, "on or off")
	refusal(t, f.set("text", "Name", strings.Repeat("x", wire.MaxText+1)), wire.BadRequest, "at most 10000 bytes")
	refusal(t, f.set("text", "Name", "\xff"), wire.BadRequest, "UTF-8")

	err := f.set("text", "Digits", "123456")
	refusal(t, err, wire.Failed, "shows “1234” now")
	if said := asWire(err); !said.Sent {
		t.Error("a text that was cut short is told as if nothing had gone out")
	}
	f.quiet("slider")
	f.quiet("combo")
}

func (f *form) changed() {
	t := f.t
	res := f.look()
	rename, vanish := find(t, res, "push button", "Rename"), find(t, res, "push button", "Vanish")
	for _, e := range []wire.Element{rename, vanish} {
		if err := f.tree.Press(t.Context(), wire.PressParams{Snapshot: res.Snapshot, Ref: e.Ref}); err != nil {
			t.Fatal(err)
		}
		f.await("button")
	}
	press := func(e wire.Element) error {
		return f.tree.Press(t.Context(), wire.PressParams{Snapshot: res.Snapshot, Ref: e.Ref})
	}
	refusal(t, press(rename), wire.StaleElement, "it is the push button “Delete all” now")
	refusal(t, press(vanish), wire.StaleElement, "is gone")
	f.quiet("button")
}

func (f *form) snapshotted() {
	t := f.t
	old := f.look()
	e := find(t, old, "push button", "Send")
	fresh := f.look()
	press := func(snapshot, ref string) error {
		return f.tree.Press(t.Context(), wire.PressParams{Snapshot: snapshot, Ref: ref})
	}
	refusal(t, press(old.Snapshot, e.Ref), wire.StaleElement, "not the newest of its window")
	refusal(t, press("", "e1"), wire.StaleElement, "never taken")
	for _, ref := range []string{"e0", "e9999", "17", "", "e-1", "e1x"} {
		refusal(t, press(fresh.Snapshot, ref), wire.StaleElement, "has no element")
	}
	f.quiet("button")
}

func (f *form) inspected() {
	t := f.t
	res := f.look()
	for _, of := range [][2]string{{"push button", "Send"}, {"combo box", "Colour"}, {"page tab", "Two"}, {"label", "beta"}, {"table cell", "row 1"}, {"text", "Name"}} {
		e := find(t, res, of[0], of[1])
		got, err := f.tree.Inspect(t.Context(), wire.Point{X: e.Box.X + e.Box.W/2, Y: e.Box.Y + e.Box.H/2}, &f.window)
		if err != nil || got.Element == nil {
			t.Errorf("inspect %q: %v, %v", of, got, err)
			continue
		}
		if got.Element.Ref != e.Ref || got.Snapshot != res.Snapshot {
			t.Errorf("at %q is %+v of %s, want %s of %s", of, got.Element, got.Snapshot, e.Ref, res.Snapshot)
		}
	}
	if got, err := f.tree.Inspect(t.Context(), wire.Point{}, nil); err != nil || got.Element != nil {
		t.Errorf("on the bare desktop: %v, %v", got, err)
	}
}

func (f *form) scrolled() {
	t := f.t
	if _, err := f.orders.Write([]byte("scroll 4000\n")); err != nil {
		t.Fatal(err)
	}
	f.await("scrolled")
	res := f.look()
	e := find(t, res, "table cell", "row 4000")
	if e.Box == nil || slices.Contains(e.States, "offscreen") {
		t.Errorf("row 4000 has %v %q", e.Box, e.States)
	}
	if res.More < 9000 {
		t.Errorf("%d left out of 10,000 cells", res.More)
	}
	if err := f.press("table cell", "row 4001", ""); err != nil {
		t.Fatal(err)
	}
	if got := f.await("row"); got != "row 4001" {
		t.Errorf("the form says %v", got)
	}
	if _, err := f.orders.Write([]byte("scroll 0\n")); err != nil {
		t.Fatal(err)
	}
	f.await("scrolled")
	err := f.tree.Press(t.Context(), wire.PressParams{Snapshot: res.Snapshot, Ref: e.Ref})
	refusal(t, err, wire.StaleElement, "") // its place on the screen is another row's now
}

func (f *form) listed() {
	t := f.t
	ws := NewWindows(f.tree)
	list, err := ws.List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("got %+v, %v", list, err)
	}
	w := list[0]
	if w.Title != "Form" || w.App != "form.py" || w.PID != f.window.PID || !strings.Contains(w.Exe, "python3") || w.Box != (wire.Box{}) {
		t.Errorf("got %+v", w)
	}
	res, err := f.tree.Elements(t.Context(), w, wire.ElementsParams{})
	if err != nil {
		t.Fatal(err)
	}
	e := find(t, res, "push button", "Send")
	if e.Box != nil || slices.Contains(e.States, "offscreen") { // its window may be anywhere
		t.Errorf("got %+v", e)
	}
	find(t, res, "table cell", "row 1")
	if err := f.tree.Press(t.Context(), wire.PressParams{Snapshot: res.Snapshot, Ref: e.Ref}); err != nil {
		t.Fatal(err)
	}
	if got := f.await("button"); got != "Send" {
		t.Errorf("the form says %v", got)
	}
	_, err = ws.At(t.Context(), wire.Point{})
	refusal(t, err, wire.Unsupported, "no program is told where windows are")
	refusal(t, ws.Focus(t.Context(), w.ID), wire.Unsupported, "to the front")
}

func (f *form) bounded() {
	t := f.t
	for name, p := range map[string]wire.ElementsParams{
		"max":     {Max: -1},
		"depth":   {Depth: 1000},
		"timeout": {Timeout: 1 << 30},
	} {
		_, err := f.tree.Elements(t.Context(), f.window, p)
		refusal(t, err, wire.BadRequest, name)
	}
	res, err := f.tree.Elements(t.Context(), f.window, wire.ElementsParams{Max: 5})
	if err != nil || len(res.Elements) != 5 || res.More == 0 {
		t.Errorf("max 5: %d elements, %d more, %v", len(res.Elements), res.More, err)
	}
	res, err = f.tree.Elements(t.Context(), f.window, wire.ElementsParams{Depth: 1})
	if err != nil || len(res.Elements) == 0 || res.More == 0 {
		t.Errorf("depth 1: %d elements, %d more, %v", len(res.Elements), res.More, err)
	}
	res, err = f.tree.Elements(t.Context(), f.window, wire.ElementsParams{Interactive: true})
	if err != nil || slices.ContainsFunc(res.Elements, func(e wire.Element) bool { return e.Role == "label" }) {
		t.Errorf("interactive: %v\n%s", err, list(res))
	}
	other := f.window
	other.Title, other.Box, other.Active = "Another", wire.Box{X: 900, Y: 700, W: 50, H: 50}, false
	_, err = f.tree.Elements(t.Context(), other, wire.ElementsParams{})
	refusal(t, err, wire.Unsupported, "shows no elements")
}

func hanging(t *testing.T, d *desk.Desk, f *form) {
	t.Helper()
	usual := f.tree
	f.tree = New(Options{Displays: screen{}, Address: d.Address(), Patience: time.Second})
	t.Cleanup(func() { f.tree.Close(); f.tree = usual })
	res := f.look()
	send := find(t, res, "push button", "Send")
	stop(t, f.cmd.Process)
	begun := time.Now()
	_, err := f.tree.Elements(t.Context(), f.window, wire.ElementsParams{})
	refusal(t, err, wire.TimedOut, "The program form.py does not answer")
	refusal(t, f.tree.Press(t.Context(), wire.PressParams{Snapshot: res.Snapshot, Ref: send.Ref}), wire.TimedOut, "form.py does not answer")
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("that took %v", took)
	}
	other := startForm(t, d, f.tree, "Beside it")
	other.look()
	unknown := other.window
	unknown.PID = 0 // found by its title and place, with the hanging one asked as well
	if _, err := f.tree.Elements(t.Context(), unknown, wire.ElementsParams{}); err != nil {
		t.Errorf("a program beside the one that hangs: %v", err)
	}
}

// stop halts a program as a hang would, until the test ends.
func stop(t *testing.T, p *os.Process) {
	t.Helper()
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Signal(syscall.SIGCONT) })
}

// doubled clicks where a box is said to be, in a program drawn at twice the size.
func doubled(t *testing.T, d *desk.Desk, tree *Tree) {
	t.Helper()
	f := startForm(t, d, tree, "Doubled", "small", "GDK_SCALE=2")
	b := &f.window.Box // the form counts in its own units
	*b = wire.Box{X: 2 * b.X, Y: 2 * b.Y, W: 2 * b.W, H: 2 * b.H}
	d.Window("Doubled")
	e := find(t, f.look(), "push button", "Send")
	if e.Box.H < 50 {
		t.Errorf("its box is %v", *e.Box)
	}
	d.Click(e.Box.X+e.Box.W-3, e.Box.Y+e.Box.H-3)
	if got := f.await("button"); got != "Send" {
		t.Errorf("the form says %v", got)
	}
}

func mute(t *testing.T, d *desk.Desk, tree *Tree) {
	t.Helper()
	xterm := d.Go("xterm", "-title", "Terminal")
	d.Until("xterm", func() bool { return d.HasWindow("Terminal") })
	w := wire.Window{ID: "1", Title: "Terminal", App: "XTerm", PID: xterm.Process.Pid, Box: wire.Box{X: 10, Y: 10, W: 400, H: 300}}
	_, err := tree.Elements(t.Context(), w, wire.ElementsParams{})
	refusal(t, err, wire.Unsupported, "“Terminal” of XTerm shows no elements")
	got, err := tree.Inspect(t.Context(), wire.Point{X: 20, Y: 20}, &w)
	if err != nil || got.Element != nil || got.Window == nil {
		t.Errorf("inspect: %+v, %v", got, err)
	}
}
