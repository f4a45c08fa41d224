package chat

import (
	"fmt"
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/ui/look"
)

// A composer is the card in which a message is written.
type composer struct {
	v      *View
	input  *input
	chips  *fyne.Container
	mode   *look.Button
	model  *look.Button
	attach *look.Button
	stop   *look.Button
	send   *look.Button
	panel  *look.Panel
	drawn  string // what sync drew last
}

func newComposer(v *View) *composer {
	c := &composer{v: v, chips: look.Wrap(6)}
	c.input = newInput(c)
	c.mode = look.NewPicker("", c.pickMode)
	c.model = look.NewPicker("", c.pickModel)
	c.attach = look.NewSmall("", theme.ContentAddIcon(), v.glue.pickFiles).Named(look.L("Send a picture along"))
	c.stop = look.NewButton(look.L("Stop"), look.ButtonPlain, v.glue.stop)
	c.stop.Icon = theme.MediaStopIcon()
	c.send = look.NewButton(look.L("Send"), look.ButtonAccent, c.submit)
	row := look.Wrap(6, c.attach, c.mode, c.model, look.Row(6, -1, c.stop, c.send))
	flat := container.NewThemeOverride(c.input, &flatTheme{})
	c.panel = look.NewPanel(look.Frame{Fill: look.ColorCard, Stroke: look.ColorLine, Radius: 14, PadX: 12, PadY: 8},
		look.Stack(2, c.chips, flat, row))
	c.sync()
	return c
}

// sync draws what changed around the input.
func (c *composer) sync() {
	w := &c.v.win
	state := fmt.Sprint(w.CurrentMode(), w.ModelName(), c.v.model.Busy(), w.Sending, len(w.Images))
	if state == c.drawn {
		return // while an answer grows, nothing changes here
	}
	c.drawn = state
	c.mode.Set(look.Say(ModeName(w.CurrentMode())))
	c.model.Set(shorten(w.ModelName()))
	c.model.Hidden = w.ModelName() == ""
	c.stop.Hidden = !c.v.model.Busy()
	if w.Sending == !c.send.Disabled() {
		if w.Sending {
			c.send.Disable()
		} else {
			c.send.Enable()
		}
	}
	c.chips.Objects = nil
	for i, a := range w.Images {
		remove := look.NewSmall(a.Name, theme.CancelIcon(), func() {
			w.Detach(i)
			c.v.sync()
		})
		c.chips.Objects = append(c.chips.Objects, remove)
	}
	if len(w.Images) > 0 {
		c.chips.Objects = append(c.chips.Objects, container.NewWithoutLayout())
	}
	c.chips.Hidden = len(w.Images) == 0
	c.panel.Refresh()
}

// shorten keeps a name at a length that fits a picker.
func shorten(name string) string {
	const most = 28
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
}

func (c *composer) submit() { c.v.glue.send(c.input.Text) }

// completionKey does what a key means while commands are listed. It reports
// whether it means something there.
func (c *composer) completionKey(k fyne.KeyName, shifted bool) bool {
	m := &c.v.completion
	switch {
	case k == fyne.KeyUp:
		m.Move(-1)
	case k == fyne.KeyDown:
		m.Move(1)
	case k == fyne.KeyEscape:
		m.Close(c.input.Text)
	case k == fyne.KeyTab, (k == fyne.KeyReturn || k == fyne.KeyEnter) && !shifted && !m.Whole():
		c.complete(m.At)
		return true
	default:
		return false
	}
	c.v.completer.sync()
	return true
}

// complete puts a command of the list into the input.
func (c *composer) complete(at int) {
	text := c.v.completion.Pick(at)
	c.input.put(text)
	c.v.completion.Close(text)
	c.v.completer.sync()
	c.v.focusInput()
}

// pickMode shows the permission modes.
func (c *composer) pickMode() {
	var items []*fyne.MenuItem
	for _, m := range Modes() {
		item := fyne.NewMenuItem(look.Say(ModeName(m))+" · "+look.Say(ModeHelp(m)), func() { c.v.glue.setMode(m) })
		item.Checked = m == c.v.win.CurrentMode()
		items = append(items, item)
	}
	c.menu(c.mode, items)
}

// pickModel shows the models.
func (c *composer) pickModel() {
	var items []*fyne.MenuItem
	for _, m := range c.v.win.Models {
		item := fyne.NewMenuItem(m.Title+" · "+m.Provider, func() { c.v.glue.setModel(m.ID) })
		item.Checked = m.ID == c.v.win.CurrentModel()
		items = append(items, item)
	}
	if len(items) == 0 {
		items = append(items, fyne.NewMenuItem(look.L("No other model is set up"), func() {}))
		items[0].Disabled = true
	}
	c.menu(c.model, items)
}

// menu shows a list above a button.
func (c *composer) menu(at fyne.CanvasObject, items []*fyne.MenuItem) {
	pop := widget.NewPopUpMenu(fyne.NewMenu("", items...), c.v.canvas())
	pos := fyne.CurrentApp().Driver().AbsolutePositionForObject(at)
	pop.ShowAtPosition(fyne.NewPos(pos.X, max(0, pos.Y-pop.MinSize().Height-4)))
}

// An input is a text field in which Enter sends and Shift+Enter makes a line.
type input struct {
	widget.Entry

	c       *composer
	shifted bool
	rows    int

	used    time.Time // when it was last typed in
	resting bool      // a rest is waited for
}

const (
	leastRows = 1
	mostRows  = 9
)

func newInput(c *composer) *input {
	in := &input{c: c}
	in.MultiLine, in.Wrapping = true, fyne.TextWrapWord
	in.ExtendBaseWidget(in)
	in.SetPlaceHolder(look.L("Ask, or say what to do"))
	in.SetMinRowsVisible(leastRows)
	in.OnChanged = func(text string) {
		in.grow()
		in.c.v.glue.typed(text)
	}
	return in
}

// KeyDown implements [desktop.Keyable]: it follows the Shift keys.
func (in *input) KeyDown(k *fyne.KeyEvent) {
	if k.Name == desktop.KeyShiftLeft || k.Name == desktop.KeyShiftRight {
		in.shifted = true
	}
	in.Entry.KeyDown(k)
}

// KeyUp implements [desktop.Keyable].
func (in *input) KeyUp(k *fyne.KeyEvent) {
	if k.Name == desktop.KeyShiftLeft || k.Name == desktop.KeyShiftRight {
		in.shifted = false
	}
	in.Entry.KeyUp(k)
}

// restAfter is how long an input that nobody types in keeps its cursor. The
// toolkit blinks it by painting the window many times a second; what is typed
// then brings the cursor back, see [View.wake].
const restAfter = 20 * time.Second

// FocusGained implements [fyne.Focusable].
func (in *input) FocusGained() {
	in.Entry.FocusGained()
	in.used = in.c.v.glue.now()
	in.rest(restAfter)
}

// rest gives up the focus after a time, or later if it is used meanwhile.
func (in *input) rest(after time.Duration) {
	if in.resting {
		return
	}
	in.resting = true
	in.c.v.glue.later(after, func() {
		in.resting = false
		if in.c.v.canvas().Focused() != in {
			return
		}
		if left := restAfter - in.c.v.glue.now().Sub(in.used); left > 0 {
			in.rest(left)
			return
		}
		in.c.v.canvas().Unfocus()
	})
}

// TypedRune implements [fyne.Focusable].
func (in *input) TypedRune(r rune) {
	in.used = in.c.v.glue.now()
	in.Entry.TypedRune(r)
}

// FocusLost implements [fyne.Focusable]: a key that goes up elsewhere is up.
func (in *input) FocusLost() {
	in.shifted = false
	in.Entry.FocusLost()
}

// TypedKey implements [fyne.Focusable].
func (in *input) TypedKey(k *fyne.KeyEvent) {
	in.used = in.c.v.glue.now()
	if in.c.v.completion.Open() && in.c.completionKey(k.Name, in.shifted) {
		return
	}
	switch k.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if !in.shifted {
			in.c.submit()
			return
		}
	case fyne.KeyUp:
		if last := in.c.v.model.LastSaid(); in.Text == "" && last != "" {
			in.put(last)
			return
		}
	case fyne.KeyEscape:
		in.c.v.glue.stop()
		return
	}
	in.Entry.TypedKey(k)
}

// TypedShortcut implements [fyne.Shortcutable]: picture files that are pasted
// go along with the message.
func (in *input) TypedShortcut(s fyne.Shortcut) {
	if p, ok := s.(*fyne.ShortcutPaste); ok && in.c.v.glue.attachPasted(p.Clipboard.Content()) {
		return
	}
	in.Entry.TypedShortcut(s)
}

// put replaces the text and puts the cursor behind it.
func (in *input) put(text string) {
	in.SetText(text)
	in.CursorRow = 0
	in.CursorColumn = 0
	in.Entry.TypedShortcut(&fyne.ShortcutSelectAll{})
	in.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	in.Refresh()
}

// Resize implements [fyne.CanvasObject].
func (in *input) Resize(size fyne.Size) {
	in.Entry.Resize(size)
	in.grow()
}

// grow makes room for the lines of the text.
func (in *input) grow() {
	rows := max(leastRows, min(mostRows, textRows(in.Text, in.Size().Width-2*look.Inner)))
	if rows == in.rows {
		return
	}
	in.rows = rows
	in.SetMinRowsVisible(rows)
	in.c.v.relayout()
}

// textRows is how many lines a text takes at a width.
func textRows(s string, width float32) int {
	rows, start := 0, 0
	for i := 0; i <= len(s) && rows < mostRows; i++ {
		if i == len(s) || s[i] == '\n' {
			w := fyne.MeasureText(s[start:i], look.TextSize, fyne.TextStyle{}).Width
			rows++
			if width > 0 {
				rows += int(w / width)
			}
			start = i + 1
		}
	}
	return rows
}

// flatTheme is the theme for a field that stands in a card of its own: without
// a ground and a line.
type flatTheme struct{ look.Theme }

// Color implements [fyne.Theme].
func (t *flatTheme) Color(n fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	switch n {
	case theme.ColorNameInputBackground, theme.ColorNameInputBorder, theme.ColorNamePrimary:
		return color.Transparent
	}
	return fyne.CurrentApp().Settings().Theme().Color(n, v)
}
