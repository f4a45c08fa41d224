package chat

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/sessions"
)

// A View draws the chat window. Only the UI goroutine may touch it.
type View struct {
	glue   *Glue
	win    Window
	model  *Model
	list   sessions.Model
	window fyne.Window

	completion Completion // of the command that is being written

	side      *sessions.View
	flow      *flow
	empty     *fyne.Container
	examples  []*look.Button
	newer     *look.Button // goes to the end, where more was said
	problem   *problemBar
	composer  *composer
	completer *completer
	status    *statusBar
	talk      *fyne.Container // conversation and input
	root      *rootLayout
	content   *fyne.Container
}

// newView builds the widgets.
func newView(g *Glue, w fyne.Window) *View {
	v := &View{glue: g, model: &Model{}, window: w}
	g.view = v
	v.side = sessions.NewView(&v.list, g.sessionActions())
	v.newer = look.NewButton(look.L("To the end"), look.ButtonPlain, func() { v.flow.toEnd() })
	v.newer.Icon = theme.MoveDownIcon()
	v.newer.Hide()
	v.flow = newFlow(v.draw, func(at bool) { v.showNewer(!at) })
	v.composer = newComposer(v)
	v.completer = newCompleter(v)
	v.problem = newProblemBar(v)
	v.root = &rootLayout{v: v}
	v.status = newStatusBar(v)
	v.empty = v.emptyState()
	newer := container.NewBorder(nil, look.Pad(0, 0, 0, 8, container.NewCenter(v.newer)), nil, nil)
	conversation := container.NewStack(container.New(flowView{v.flow}, v.flow.scroll), v.empty, newer)
	foot := look.Column(columnWidth, look.Stack(8, v.problem.panel, v.completer.panel, v.composer.panel))
	v.talk = container.New(talkLayout{}, conversation, look.Pad(0, 4, 0, 12, foot))
	v.content = container.New(v.root, v.side, container.NewBorder(nil, v.status.contents, nil, nil, v.talk), widget.NewSeparator())
	return v
}

func (v *View) canvas() fyne.Canvas { return v.window.Canvas() }

// sync draws what changed in the models.
func (v *View) sync() {
	v.flow.set(v.model.Rows)
	if fresh := len(v.model.Rows) == 0 && !v.model.Busy(); fresh == v.empty.Hidden {
		v.empty.Hidden = !fresh
		v.empty.Refresh()
	}
	for i, e := range Examples() {
		words := look.Say(e)
		if v.win.Info.Offline { // the offline model knows the English sentences
			words = e.Key
		}
		v.examples[i].Set(words)
	}
	v.composer.sync()
	v.problem.sync()
	v.status.sync()
	v.relayout()
}

// syncSide draws the list of sessions anew.
func (v *View) syncSide() { v.side.Sync() }

// relayout gives the input the height that it needs now.
func (v *View) relayout() {
	if v.talk != nil {
		v.talk.Layout.Layout(v.talk.Objects, v.talk.Size())
	}
}

func (v *View) showNewer(show bool) {
	if show == v.newer.Visible() {
		return
	}
	if show {
		v.newer.Show()
	} else {
		v.newer.Hide()
	}
}

// focusInput puts the cursor into the input.
func (v *View) focusInput() { v.canvas().Focus(v.composer.input) }

// wake brings the cursor back into the input when something is typed while
// nothing has the focus.
func (v *View) wake() {
	c, in := v.canvas(), v.composer.input
	c.SetOnTypedRune(func(r rune) {
		v.focusInput()
		in.TypedRune(r)
	})
	c.SetOnTypedKey(func(k *fyne.KeyEvent) {
		if k.Name != fyne.KeyTab {
			v.focusInput()
			in.TypedKey(k)
		}
	})
	c.AddShortcut(&fyne.ShortcutPaste{}, func(s fyne.Shortcut) {
		v.focusInput()
		in.TypedShortcut(s)
	})
}

// emptyState says what one can do, with examples that work at once.
func (v *View) emptyState() *fyne.Container {
	parts := []fyne.CanvasObject{
		centred(look.L("What shall I do?"), look.Title),
		centred(look.L("I can read and change files, run commands and look things up, and ask you before anything changes."), look.Quiet),
	}
	var buttons []fyne.CanvasObject
	for _, e := range Examples() {
		b := look.NewButton("", look.ButtonPlain, nil)
		b.Do = func() { v.glue.send(b.Text) }
		v.examples = append(v.examples, b)
		buttons = append(buttons, container.NewCenter(b))
		b.Text = e.Key
	}
	parts = append(parts, look.Pad(0, 8, 0, 0, look.Stack(8, buttons...)))
	return container.New(middle{}, look.Stack(8, parts...))
}

func centred(s string, style look.Style) fyne.CanvasObject {
	t := look.NewText(s, style)
	t.SetAlign(fyne.TextAlignCenter)
	return t
}

// middle puts its content in the middle, at most 460 px wide.
type middle struct{}

func (middle) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	w := min(460, size.Width-2*look.Gutter)
	h := look.Fit(objects[0], w)
	objects[0].Move(fyne.NewPos((size.Width-w)/2, max(0, (size.Height-h)/2)))
}

func (middle) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, 100) }

// talkLayout puts the conversation above what is at the foot.
type talkLayout struct{}

func (talkLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	h := look.Fit(o[1], size.Width)
	o[1].Move(fyne.NewPos(0, size.Height-h))
	o[0].Resize(fyne.NewSize(size.Width, max(0, size.Height-h)))
}

func (talkLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(o[0].MinSize().Width, o[0].MinSize().Height+o[1].MinSize().Height)
}

// A problemBar says what went wrong last, above the input.
type problemBar struct {
	v         *View
	what, try *look.Text
	panel     *look.Panel
}

func newProblemBar(v *View) *problemBar {
	b := &problemBar{v: v, what: look.NewText("", look.Style{Colour: theme.ColorNameError}), try: look.NewText("", look.Plain)}
	hide := look.NewSmall("", theme.CancelIcon(), func() {
		v.win.Dismiss()
		v.sync()
	}).Named(look.L("Close"))
	b.panel = look.NewPanel(look.Frame{Fill: look.ColorCard, Stroke: look.ColorBad, Radius: look.Radius, PadX: 12, PadY: 8},
		look.RowTop(8, 0, look.Stack(2, b.what, b.try), hide))
	return b
}

func (b *problemBar) sync() {
	w := &b.v.win
	if b.panel.Hidden && w.Problem.IsZero() {
		return
	}
	b.what.Set(look.Say(w.Problem), look.Style{Colour: theme.ColorNameError})
	try := ""
	if w.Try != "" {
		try = look.L("Try: {{.Advice}}", "Advice", w.Try)
	}
	b.try.Set(try, look.Plain)
	b.try.Hidden = try == ""
	b.panel.Hidden = w.Problem.IsZero()
	b.panel.Refresh()
}

// rootLayout puts the list of sessions left of the conversation. In a narrow
// window the list is folded away, and a button shows it in front.
type rootLayout struct {
	v      *View
	open   bool // shown although the window is narrow
	narrow bool
}

// narrowBelow is the width under which the list is folded away, in pixels.
const narrowBelow = 700

func (l *rootLayout) toggle() {
	l.open = !l.open
	l.v.content.Refresh()
}

func (l *rootLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.narrow = size.Width < narrowBelow
	l.v.status.offerList(l.narrow) // before the foot is laid out, whose height depends on it
	left := float32(0)
	if shown := !l.narrow || l.open; shown {
		left = sessions.Width
		o[0].Show()
	} else {
		o[0].Hide()
	}
	o[0].Resize(fyne.NewSize(sessions.Width, size.Height))
	o[1].Move(fyne.NewPos(left, 0))
	o[1].Resize(fyne.NewSize(size.Width-left, size.Height))
	o[2].Move(fyne.NewPos(left-1, 0))
	o[2].Resize(fyne.NewSize(1, size.Height))
}

func (l *rootLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(360, max(300, o[1].MinSize().Height))
}
