package chat

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
)

// A completer shows the commands above the input while one is written: with
// what they do, to be taken by a click or by the keys of the input.
type completer struct {
	v       *View
	rows    *fyne.Container
	scroll  *container.Scroll
	panel   *look.Panel
	drawn   []control.CommandEntry
	grounds []*canvas.Rectangle
}

const (
	completerRow  = 30 // height of a command, in pixels
	completerMost = 8  // commands in view
)

func newCompleter(v *View) *completer {
	c := &completer{v: v, rows: container.New(evenRows{})}
	c.scroll = container.NewVScroll(c.rows)
	c.panel = look.NewPanel(look.Frame{Fill: look.ColorCard, Stroke: look.ColorLine, Radius: look.Radius, PadX: 4, PadY: 4}, container.New(&listHeight{c}, c.scroll))
	c.panel.Hide()
	return c
}

// sync draws what changed in the completion.
func (c *completer) sync() {
	m := &c.v.completion
	if !m.Open() {
		if c.panel.Visible() {
			c.panel.Hide()
			c.v.relayout()
		}
		c.drawn = nil
		return
	}
	if !sameEntries(c.drawn, m.Shown) {
		c.rebuild()
	}
	for i, g := range c.grounds {
		g.FillColor = nil
		if i == m.At {
			g.FillColor = look.Color(theme.ColorNameHover)
		}
		g.Refresh()
	}
	c.panel.Show()
	c.v.relayout()
	c.reveal(m.At)
}

func sameEntries(a, b []control.CommandEntry) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name {
			return false
		}
	}
	return true
}

func (c *completer) rebuild() {
	m := &c.v.completion
	c.drawn, c.grounds, c.rows.Objects = m.Shown, nil, nil
	for i, e := range m.Shown {
		ground := canvas.NewRectangle(nil)
		ground.CornerRadius = look.Radius
		name := look.NewLabel(strings.TrimSpace("/"+e.Name+" "+e.Hint), look.Plain)
		what := look.NewLine(look.Foreign(e.Summary), look.Small)
		content := container.NewStack(ground, look.Pad(10, 3, 10, 3, container.New(nameAndWhat{}, name, what)))
		tap := look.NewTap("/"+e.Name+": "+look.Foreign(e.Summary), look.Radius, content, func() { c.v.composer.complete(i) })
		c.grounds = append(c.grounds, ground)
		c.rows.Objects = append(c.rows.Objects, tap)
	}
	c.rows.Refresh()
	c.scroll.Offset.Y = 0
	c.scroll.Refresh()
}

// reveal scrolls so far that a row is in view.
func (c *completer) reveal(at int) {
	top, view := float32(at)*completerRow, c.scroll.Size().Height
	y := c.scroll.Offset.Y
	switch {
	case top < y:
		y = top
	case top+completerRow > y+view:
		y = top + completerRow - view
	}
	if y != c.scroll.Offset.Y {
		c.scroll.Offset.Y = y
		c.scroll.Refresh()
	}
}

// evenRows puts rows of one height below each other.
type evenRows struct{}

func (evenRows) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for i, o := range objects {
		o.Move(fyne.NewPos(0, float32(i)*completerRow))
		o.Resize(fyne.NewSize(size.Width, completerRow))
	}
}

func (evenRows) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(100, float32(len(objects))*completerRow)
}

// listHeight gives the list the height of its rows, at most a few.
type listHeight struct{ c *completer }

func (l *listHeight) Layout(objects []fyne.CanvasObject, size fyne.Size) { objects[0].Resize(size) }

func (l *listHeight) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(100, float32(min(len(l.c.rows.Objects), completerMost))*completerRow)
}

// nameAndWhat puts a name left and what it does beside it, from one edge on. In
// a narrow place the name gets at most half of the room.
type nameAndWhat struct{}

// whatFrom is where the words begin that say what a command does, in pixels.
const whatFrom = 200

func (nameAndWhat) Layout(o []fyne.CanvasObject, size fyne.Size) {
	name, what := o[0].MinSize(), o[1].MinSize()
	from := max(name.Width+12, min(whatFrom, size.Width*0.45))
	o[0].Resize(name)
	o[0].Move(fyne.NewPos(0, (size.Height-name.Height)/2))
	o[1].Resize(fyne.NewSize(max(0, size.Width-from), what.Height))
	o[1].Move(fyne.NewPos(from, (size.Height-what.Height)/2))
}

func (nameAndWhat) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(o[0].MinSize().Width, max(o[0].MinSize().Height, o[1].MinSize().Height))
}
