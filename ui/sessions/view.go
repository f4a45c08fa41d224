package sessions

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
)

// Width of the list, in pixels.
const Width = 232

// Actions are what a person can do with the list.
type Actions struct {
	Open    func(id string) // "" is a new conversation
	Search  func(text string)
	Rename  func(id, title string)
	Pin     func(id string, pinned bool)
	Delete  func(id string)
	Restore func()
	Export  func(id string) // nil hides it
	Setup   func()          // nil hides it
	Now     func() time.Time
	Window  func() fyne.Window
}

// A View draws a [Model].
type View struct {
	widget.BaseWidget

	model  *Model
	act    Actions
	search *widget.Entry
	list   *fyne.Container
	rows   map[string]*item
	none   *look.Text
	bar    *look.Panel // brings back what was deleted
	gone   *look.Text
	panel  fyne.CanvasObject
}

// NewView makes the list.
func NewView(m *Model, act Actions) *View {
	v := &View{model: m, act: act, rows: map[string]*item{}}
	v.search = widget.NewEntry()
	v.search.SetPlaceHolder(look.L("Search sessions…"))
	v.search.OnChanged = act.Search
	fresh := look.NewSmall("", theme.ContentAddIcon(), func() { act.Open("") }).Named(look.L("New conversation"))
	v.list = look.Stack(2)
	v.none = look.NewText("", look.Small)
	v.gone = look.NewLine("", look.Plain)
	undo := look.NewSmall(look.L("Bring back"), nil, func() { act.Restore() })
	v.bar = look.NewPanel(look.Frame{Fill: look.ColorCard, Stroke: look.ColorLine, Radius: 8, PadX: 10, PadY: 6}, look.Row(4, 0, v.gone, undo))
	head := look.Row(4, 0, v.search, fresh)
	scroll := container.NewVScroll(look.Pad(2, 2, 2, 2, look.Stack(8, v.list, look.Pad(10, 0, 10, 0, v.none))))
	foot := look.Stack(6, v.bar)
	if act.Setup != nil {
		foot.Add(look.Row(0, -1, look.NewSmall(look.L("Setup…"), theme.SettingsIcon(), act.Setup)))
	}
	body := container.NewBorder(look.Pad(12, 12, 8, 10, head), look.Pad(12, 6, 12, 12, foot), nil, nil, look.Pad(10, 0, 10, 0, scroll))
	v.panel = container.NewStack(look.NewPanel(look.Frame{Fill: look.ColorPanel}, body))
	v.ExtendBaseWidget(v)
	v.Sync()
	return v
}

// CreateRenderer implements [fyne.Widget].
func (v *View) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(v.panel) }

// MinSize implements [fyne.CanvasObject].
func (v *View) MinSize() fyne.Size { return fyne.NewSize(Width, 200) }

// Sync draws what changed in the model.
func (v *View) Sync() {
	objects := make([]fyne.CanvasObject, 0, len(v.model.Items))
	rows := make(map[string]*item, len(v.model.Items))
	for _, s := range v.model.Items {
		it, ok := v.rows[s.ID]
		if !ok {
			it = v.newItem(s)
		}
		it.show(s, s.ID == v.model.Open, v.act.Now())
		rows[s.ID] = it
		objects = append(objects, it.tap)
	}
	v.rows = rows
	v.list.Objects = objects
	v.list.Refresh()
	words := ""
	switch {
	case len(objects) > 0:
	case v.model.Search != "":
		words = look.L("Nothing found")
	default:
		words = look.L("Your conversations will be listed here.")
	}
	v.none.Set(words, look.Small)
	v.none.Hidden = words == ""
	v.bar.Hidden = v.model.Deleted == nil
	if v.model.Deleted != nil {
		v.gone.Set(look.L("Deleted “{{.Title}}”", "Title", look.Say(Title(*v.model.Deleted))), look.Plain)
	}
	v.bar.Refresh()
	v.Refresh()
}

// FocusSearch puts the cursor into the search.
func (v *View) FocusSearch() { v.act.Window().Canvas().Focus(v.search) }

// An item is a session of the list.
type item struct {
	s           control.Session
	title, line *look.Text
	pin         *widget.Icon
	panel       *look.Panel
	tap         *look.Tap
}

func (v *View) newItem(s control.Session) *item {
	it := &item{s: s, title: look.NewLine("", look.Plain), line: look.NewLine("", look.Small)}
	it.pin = widget.NewIcon(look.Icon("pin"))
	text := look.Stack(1, look.Row(4, 0, it.title, container.New(pinLayout{}, it.pin)), it.line)
	it.panel = look.NewPanel(look.Frame{Radius: 8, PadX: 10, PadY: 7}, text)
	it.tap = look.NewTap("", 8, it.panel, func() { v.act.Open(it.s.ID) })
	it.tap.Secondary = func(at fyne.Position) { v.menu(it, at) }
	it.tap.Keys = func(k *fyne.KeyEvent) {
		switch k.Name {
		case fyne.KeyF2:
			v.rename(it)
		case fyne.KeyDelete:
			v.act.Delete(it.s.ID)
		case desktop.KeyMenu:
			v.menu(it, fyne.CurrentApp().Driver().AbsolutePositionForObject(it.tap).AddXY(20, 20))
		}
	}
	return it
}

func (it *item) show(s control.Session, open bool, now time.Time) {
	it.s = s
	title := look.Say(Title(s))
	it.title.Set(title, look.Plain)
	style := look.Small
	if s.State == control.StateWaiting && s.Snippet == "" {
		style.Colour = look.ColorAsk
	}
	it.line.Set(look.Say(Line(s, now)), style)
	it.pin.Hidden = !s.Pinned
	it.tap.Name = title
	if open {
		it.panel.Set(look.ColorCard, look.ColorLine)
		return
	}
	it.panel.Set("", "")
}

// menu shows what can be done with a session.
func (v *View) menu(it *item, at fyne.Position) {
	widget.ShowPopUpMenuAtPosition(fyne.NewMenu("", v.menuItems(it)...), v.act.Window().Canvas(), at)
}

func (v *View) menuItems(it *item) []*fyne.MenuItem {
	pin := look.L("Pin")
	if it.s.Pinned {
		pin = look.L("Unpin")
	}
	items := []*fyne.MenuItem{
		fyne.NewMenuItem(look.L("Rename…"), func() { v.rename(it) }),
		fyne.NewMenuItem(pin, func() { v.act.Pin(it.s.ID, !it.s.Pinned) }),
	}
	if v.act.Export != nil {
		items = append(items, fyne.NewMenuItem(look.L("Save as Markdown…"), func() { v.act.Export(it.s.ID) }))
	}
	return append(items, fyne.NewMenuItemSeparator(), fyne.NewMenuItem(look.L("Delete"), func() { v.act.Delete(it.s.ID) }))
}

// rename asks for a new name, in a small window over the list.
func (v *View) rename(it *item) {
	entry := widget.NewEntry()
	entry.SetText(look.Say(Title(it.s)))
	var pop *widget.PopUp
	save := func() {
		pop.Hide()
		if entry.Text != "" && entry.Text != it.s.Title {
			v.act.Rename(it.s.ID, entry.Text)
		}
	}
	entry.OnSubmitted = func(string) { save() }
	c := v.act.Window().Canvas()
	pop = widget.NewModalPopUp(look.Pad(12, 12, 12, 12, look.Stack(10,
		look.NewLabel(look.L("Rename this conversation"), look.Bold), container.New(wide(340), entry),
		look.Wrap(8, look.NewButton(look.L("Rename"), look.ButtonAccent, save), look.NewButton(look.L("Cancel"), look.ButtonQuiet, func() { pop.Hide() })))), c)
	pop.Show()
	c.Focus(entry)
}

// wide holds content at a least width.
type wide float32

func (w wide) Layout(objects []fyne.CanvasObject, size fyne.Size) { objects[0].Resize(size) }

func (w wide) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(float32(w), objects[0].MinSize().Height)
}

type pinLayout struct{}

const pinSize = 12

func (pinLayout) Layout(objects []fyne.CanvasObject, _ fyne.Size) {
	objects[0].Resize(fyne.NewSquareSize(pinSize))
}

func (pinLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSquareSize(pinSize) }
