package chat

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/ui/approve"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/prose"
)

// draw makes the widgets of a row.
func (v *View) draw(r *Row) rowWidget {
	switch r.Kind {
	case KindPerson:
		return v.person(r)
	case KindAnswer:
		return v.answer(r)
	case KindReasoning:
		return v.reasoning(r)
	case KindTool:
		return v.toolCard(r)
	case KindAsk:
		return v.ask(r)
	case KindForm:
		return v.form(r)
	case KindProblem:
		return v.problemRow(r)
	case KindDivider:
		return v.divider(r)
	case KindAside:
		return v.aside(r)
	}
	return v.notice(r)
}

// sentence is a row's sentence in the person's language.
func sentence(r *Row) string {
	if !r.Say.IsZero() {
		return look.Say(r.Say)
	}
	return look.Foreign(r.Text)
}

// person is what the person said, in a bubble at the right.
func (v *View) person(r *Row) rowWidget {
	text := look.NewText("", look.Plain)
	note := look.NewText("", look.Small)
	bubble := look.NewPanel(look.Frame{Fill: look.ColorPanel, Radius: 14, PadX: 14, PadY: 9}, look.Stack(2, text, note))
	l := &bubbleLayout{}
	show := func(r *Row) {
		text.Set(r.Text, look.Plain)
		words := ""
		switch {
		case r.Queued:
			words = look.L("waits for its turn")
		case r.Images > 0:
			words = look.L("pictures: {{.N}}", "N", r.Images)
		}
		note.Set(words, look.Small)
		note.Hidden = words == ""
		text.Hidden = r.Text == ""
		l.wanted = 2*14 + 1 + max(widest(r.Text, look.TextSize), widest(words, look.SmallSize))
	}
	show(r)
	tap := newMenuArea(bubble, func(at fyne.Position) { v.copyMenu(r.Text, at) })
	return rowWidget{object: container.New(l, tap), show: show}
}

// widest is the width of the longest line of a text.
func widest(s string, size float32) (w float32) {
	start := 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == '\n' {
			if part := s[start:i]; len(part) < 400 { // longer fills the row anyway
				w = max(w, fyne.MeasureText(part, size, fyne.TextStyle{}).Width)
			} else {
				w = columnWidth
			}
			start = i + 1
		}
	}
	return w
}

// bubbleLayout puts a bubble at the right, as wide as it needs, at most 70 %.
type bubbleLayout struct{ wanted float32 }

func (l *bubbleLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	const part = 0.7
	w := min(size.Width*part, l.wanted)
	objects[0].Move(fyne.NewPos(size.Width-w, 0))
	look.Fit(objects[0], w)
}

func (l *bubbleLayout) MinSize(objects []fyne.CanvasObject) fyne.Size { return objects[0].MinSize() }

// answer is what the agent said.
func (v *View) answer(r *Row) rowWidget {
	text := prose.NewView(func() { v.flow.again(r) })
	show := func(r *Row) { text.Set(r.Text, r.Live) }
	show(r)
	area := newMenuArea(text, func(at fyne.Position) { v.copyMenu(r.Text, at) })
	return rowWidget{object: area, show: show}
}

// aside is what a command answered, on a card with the command above it.
func (v *View) aside(r *Row) rowWidget {
	text := prose.NewView(func() { v.flow.again(r) })
	text.Set(r.Text, false)
	head := look.NewLine(r.Head, look.Small)
	area := newMenuArea(look.Card(look.Stack(4, head, text)), func(at fyne.Position) { v.copyMenu(r.Text, at) })
	return rowWidget{object: area, show: func(*Row) {}}
}

// reasoning is folded: one line until it is opened.
func (v *View) reasoning(r *Row) rowWidget {
	head := look.NewLabel("", look.Small)
	text := look.NewText("", look.Small)
	show := func(r *Row) {
		words := look.L("Thought")
		if r.Live {
			words = look.L("Thinking…")
		}
		head.Set(words, look.Small)
		text.Set(tail(r.Text, maxLive), look.Small)
		text.Hidden = !r.Open
	}
	show(r)
	tap := look.NewTap(look.L("Show what the model thinks"), 4, head, func() {
		r.Open = !r.Open
		r.Version++
		v.flow.update(false)
	})
	return rowWidget{object: look.Stack(4, tap, text), show: show}
}

// ask is an approval card.
func (v *View) ask(r *Row) rowWidget {
	card := approve.NewCard(r.Ask, approve.Deps{
		Now: v.glue.now, After: v.glue.later, Answer: v.glue.answer, Grown: func() { v.flow.again(r) },
	})
	return rowWidget{object: card, show: func(*Row) { card.Sync() }, moved: card.Moved, drawn: card.Drawn}
}

// problemRow says why a turn could not go on, and what to do.
func (v *View) problemRow(r *Row) rowWidget {
	parts := []fyne.CanvasObject{look.NewText(sentence(r), look.Style{Colour: theme.ColorNameError})}
	if r.Try != "" {
		parts = append(parts, look.NewText(look.L("Try: {{.Advice}}", "Advice", r.Try), look.Plain))
	}
	panel := look.NewPanel(look.Frame{Fill: look.ColorCard, Stroke: look.ColorBad, Radius: look.Radius, PadX: 14, PadY: 10}, look.Stack(4, parts...))
	return rowWidget{object: panel, show: func(*Row) {}}
}

// notice is a quiet sentence.
func (v *View) notice(r *Row) rowWidget {
	text := look.NewText(sentence(r), look.Small)
	return rowWidget{object: text, show: func(r *Row) { text.Set(sentence(r), look.Small) }}
}

// divider is a line across the conversation with words in it.
func (v *View) divider(r *Row) rowWidget {
	text := look.NewLabel(sentence(r), look.Small)
	left, right := canvas.NewRectangle(look.Color(look.ColorLine)), canvas.NewRectangle(look.Color(look.ColorLine))
	return rowWidget{object: container.New(dividerLayout{}, left, text, right), show: func(r *Row) { text.Set(sentence(r), look.Small) }}
}

type dividerLayout struct{}

func (dividerLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	m := o[1].MinSize()
	w := max(0, (size.Width-m.Width)/2-8)
	o[0].Resize(fyne.NewSize(w, 1))
	o[0].Move(fyne.NewPos(0, size.Height/2))
	o[1].Resize(m)
	o[1].Move(fyne.NewPos((size.Width-m.Width)/2, (size.Height-m.Height)/2))
	o[2].Resize(fyne.NewSize(w, 1))
	o[2].Move(fyne.NewPos(size.Width-w, size.Height/2))
}

func (dividerLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[1].MinSize().AddWidthHeight(0, 8)
}

// copyMenu offers to copy a text.
func (v *View) copyMenu(text string, at fyne.Position) {
	menu := fyne.NewMenu("", fyne.NewMenuItem(look.L("Copy text"), func() { fyne.CurrentApp().Clipboard().SetContent(text) }))
	widget.ShowPopUpMenuAtPosition(menu, v.canvas(), at)
}

// A menuArea is content with a menu at a right click.
type menuArea struct {
	widget.BaseWidget

	content fyne.CanvasObject
	menu    func(at fyne.Position)
}

func newMenuArea(content fyne.CanvasObject, menu func(fyne.Position)) *menuArea {
	a := &menuArea{content: content, menu: menu}
	a.ExtendBaseWidget(a)
	return a
}

// TappedSecondary implements [fyne.SecondaryTappable].
func (a *menuArea) TappedSecondary(e *fyne.PointEvent) { a.menu(e.AbsolutePosition) }

// CreateRenderer implements [fyne.Widget].
func (a *menuArea) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(a.content) }
