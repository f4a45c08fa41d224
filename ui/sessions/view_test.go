package sessions

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/ui/look"
)

// onList runs a test on a list whose actions are written down.
func onList(t *testing.T, do func(v *View, done *[]string)) {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(&look.Theme{})
	w := a.NewWindow("list")
	defer w.Close()
	var done []string
	note := func(format string, args ...any) { done = append(done, fmt.Sprintf(format, args...)) }
	m := &Model{Open: "a"}
	m.Set(list())
	v := NewView(m, Actions{
		Open: func(id string) { note("open %s", id) }, Search: func(s string) { note("search %s", s) },
		Rename: func(id, title string) { note("rename %s %s", id, title) }, Pin: func(id string, on bool) { note("pin %s %v", id, on) },
		Delete: func(id string) { note("delete %s", id) }, Restore: func() { note("restore") }, Export: func(id string) { note("export %s", id) },
		Now: func() time.Time { return noon }, Window: func() fyne.Window { return w },
	})
	w.SetContent(v)
	w.Resize(fyne.NewSize(Width, 500))
	do(v, &done)
}

// tapped presses the button with a text in an overlay.
func tapped(t *testing.T, c fyne.Canvas, text string) {
	t.Helper()
	for _, o := range c.Overlays().List() {
		for _, x := range test.LaidOutObjects(o) {
			if b, ok := x.(*look.Button); ok && b.Text == text {
				test.Tap(b)
				return
			}
		}
	}
	t.Fatalf("there is no button %q", text)
}

func TestOpenAndSearch(t *testing.T) {
	onList(t, func(v *View, done *[]string) {
		test.Tap(v.rows["b"].tap)
		test.Type(v.search, "x")
		if want := []string{"open b", "search x"}; !slices.Equal(*done, want) {
			t.Errorf("got %q, want %q", *done, want)
		}
	})
}

func TestMenu(t *testing.T) {
	for name, tt := range map[string]struct{ id, item, want string }{
		"pin": {"a", "Pin", "pin a true"}, "unpin": {"p", "Unpin", "pin p false"}, "save": {"a", "Save as Markdown…", "export a"}, "delete": {"b", "Delete", "delete b"},
	} {
		t.Run(name, func(t *testing.T) {
			onList(t, func(v *View, done *[]string) {
				for _, item := range v.menuItems(v.rows[tt.id]) {
					if item.Label == tt.item {
						item.Action()
					}
				}
				if !slices.Equal(*done, []string{tt.want}) {
					t.Errorf("got %q, want %q", *done, tt.want)
				}
			})
		})
	}
}

func TestRename(t *testing.T) {
	onList(t, func(v *View, done *[]string) {
		c := v.act.Window().Canvas()
		v.rows["a"].tap.TypedKey(&fyne.KeyEvent{Name: fyne.KeyF2})
		entry, ok := c.Focused().(*widget.Entry)
		if !ok || entry.Text != "A" {
			t.Fatalf("the field of the name has not the focus: %T", c.Focused())
		}
		entry.SetText("New name")
		tapped(t, c, "Rename")
		v.rename(v.rows["a"])
		c.Focused().(*widget.Entry).SetText("other")
		tapped(t, c, "Cancel")
		v.rename(v.rows["a"]) // the same name is no change
		tapped(t, c, "Rename")
		if want := []string{"rename a New name"}; !slices.Equal(*done, want) {
			t.Errorf("got %q, want %q", *done, want)
		}
		if n := len(c.Overlays().List()); n != 0 {
			t.Errorf("%d windows stay open", n)
		}
	})
}

func TestKeys(t *testing.T) {
	onList(t, func(v *View, done *[]string) {
		v.rows["b"].tap.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDelete})
		v.rows["b"].tap.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		v.rows["b"].tap.TypedKey(&fyne.KeyEvent{Name: fyne.KeyA})
		if want := []string{"delete b", "open b"}; !slices.Equal(*done, want) {
			t.Errorf("got %q, want %q", *done, want)
		}
	})
}

func TestBringBack(t *testing.T) {
	onList(t, func(v *View, _ *[]string) {
		if v.bar.Visible() {
			t.Error("the bar is there although nothing was deleted")
		}
		v.model.Delete("b")
		v.Sync()
		if !v.bar.Visible() || v.gone.String() != "Deleted “B”" || v.rows["b"] != nil {
			t.Errorf("bar %v, %q", v.bar.Visible(), v.gone.String())
		}
	})
}
