package setup

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/ui/look"
)

// A sheet is what every page looks like: a title with what it is about, a note
// where there is nothing to show, cards, and what can be added.
type sheet struct {
	note  *look.Text
	stack *fyne.Container
	root  fyne.CanvasObject
}

func newSheet(title, about string, head, foot fyne.CanvasObject) *sheet {
	s := &sheet{note: look.NewText("", look.Small), stack: look.Stack(12)}
	parts := []fyne.CanvasObject{look.Stack(6, look.NewLine(title, look.Title), look.NewText(about, look.Small))}
	if head != nil {
		parts = append(parts, head)
	}
	s.root = look.Stack(14, append(parts, s.note, s.stack, foot)...)
	return s
}

// show draws cards, or says why there are none. An error comes before all.
func (s *sheet) show(cards []fyne.CanvasObject, loaded bool, err error, none string) {
	s.stack.Objects = cards
	s.stack.Refresh()
	words, style := "", look.Small
	switch {
	case err != nil:
		words, style.Colour = fault(err), theme.ColorNameError
	case !loaded:
		words = look.L("Looking…")
	case len(cards) == 0:
		words = none
	}
	s.note.Set(words, style)
	s.note.Hidden = words == ""
	s.root.Refresh()
}

// The colours of a state: of its dot, and of its words.
var (
	marks = map[Mood]fyne.ThemeColorName{Quiet: look.ColorMark, Good: look.ColorGood, Ask: look.ColorAskLine, Bad: look.ColorBad}
	inks  = map[Mood]fyne.ThemeColorName{Quiet: look.ColorQuiet, Ask: look.ColorAsk, Bad: theme.ColorNameError}
)

// card is one thing of a page: its name, a quiet line about it, its state, and
// what can be done with it; the last button stands apart.
func card(name, about, status string, mood Mood, buttons ...fyne.CanvasObject) fyne.CanvasObject {
	style := look.Plain
	style.Colour = inks[mood]
	line := look.RowTop(8, 1, look.Pad(0, 6, 0, 0, look.NewDot(marks[mood])), look.NewText(status, style))
	return look.Card(look.Stack(8,
		look.Stack(2, look.NewText(name, look.Bold), look.NewText(about, look.Small)),
		line, look.Wrap(8, buttons...),
	))
}

// popup shows text and buttons over the page; each button closes it.
func popup(win fyne.Window, title, text string, buttons ...*look.Button) {
	c := win.Canvas()
	var pop *widget.PopUp
	row := make([]fyne.CanvasObject, len(buttons))
	for i, b := range buttons {
		do := b.Do
		b.Do = func() {
			pop.Hide()
			if do != nil {
				do()
			}
		}
		row[i] = b
	}
	size := c.Size()
	body := container.NewVScroll(look.NewText(text, look.Mono))
	body.SetMinSize(fyne.NewSize(min(680, size.Width-80), min(360, size.Height-180)))
	pop = widget.NewModalPopUp(look.Pad(14, 14, 14, 14, look.Stack(10, look.NewLine(title, look.Bold), body, look.Wrap(8, row...))), c)
	pop.Show()
}

// closing is the button that only closes a popup.
func closing() *look.Button { return look.NewButton(look.L("Close"), look.ButtonQuiet, nil) }

// cancelling is the button that leaves all as it is.
func cancelling() *look.Button { return look.NewButton(look.L("Cancel"), look.ButtonQuiet, nil) }

// A question is a small form over the page.
type question struct {
	title  string
	fields []field
	action string // what the accent button says
	busy   string // what it says while the answer is on its way
	// do is given the answers; told with nil closes the form, with an error
	// shows it, and with words shows those and waits for another click.
	do func(answers []string, told func(words string, err error))
}

// A field is one line of a form.
type field struct {
	label, value, hint string
	lines              int // of text; 0 is one line
}

func (q question) ask(win fyne.Window) {
	c := win.Canvas()
	entries := make([]*widget.Entry, len(q.fields))
	body := look.Stack(10, look.NewLine(q.title, look.Bold))
	for i, f := range q.fields {
		entries[i] = widget.NewEntry()
		if f.lines > 1 {
			entries[i] = widget.NewMultiLineEntry()
			entries[i].Wrapping = fyne.TextWrapWord
			entries[i].SetMinRowsVisible(f.lines)
		}
		entries[i].SetText(f.value)
		entries[i].SetPlaceHolder(f.hint)
		body.Add(look.Stack(4, look.NewLine(f.label, look.Small), entries[i]))
	}
	said := look.NewText("", look.Small)
	said.Hidden = true
	var pop *widget.PopUp
	var act *look.Button
	told := func(words string, err error) {
		act.Set(q.action)
		style := look.Small
		if err != nil {
			words, style.Colour = fault(err), theme.ColorNameError
		}
		if words == "" {
			pop.Hide()
			return
		}
		said.Set(words, style)
		said.Hidden = false
		pop.Refresh()
	}
	act = look.NewButton(q.action, look.ButtonAccent, func() {
		answers := make([]string, len(entries))
		for i, e := range entries {
			answers[i] = e.Text
		}
		act.Set(q.busy)
		q.do(answers, told)
	})
	body.Add(said)
	body.Add(look.Wrap(8, act, look.NewButton(look.L("Cancel"), look.ButtonQuiet, func() { pop.Hide() })))
	pop = widget.NewModalPopUp(look.Pad(14, 14, 14, 14, container.New(least{fyne.NewSize(min(560, c.Size().Width-80), 0)}, body)), c)
	pop.Show()
	if len(entries) > 0 {
		c.Focus(entries[0])
	}
}

// least holds content at a least size.
type least struct{ size fyne.Size }

func (l least) Layout(objects []fyne.CanvasObject, size fyne.Size) { objects[0].Resize(size) }

func (l least) MinSize(objects []fyne.CanvasObject) fyne.Size {
	w := max(l.size.Width, objects[0].MinSize().Width)
	return fyne.NewSize(w, max(l.size.Height, look.Fit(objects[0], w)))
}
