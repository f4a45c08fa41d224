package setup

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
)

// Actions are what a person can do on the page of the tool servers.
type Actions struct {
	Add    func(Form, func(error)) // tries and adds; the function is told on the UI goroutine
	Remove func(name string)
	Retry  func(name string)
	Accept func(name string)
	Log    func(name string, show func(string))
	Window func() fyne.Window
}

// A ServersView draws [Servers].
type ServersView struct {
	widget.BaseWidget

	model *Servers
	act   Actions
	cards *fyne.Container
	note  *look.Text
	root  fyne.CanvasObject
}

// NewServersView makes the page.
func NewServersView(m *Servers, act Actions) *ServersView {
	v := &ServersView{model: m, act: act, cards: look.Stack(12), note: look.NewText("", look.Small)}
	add := look.NewButton(look.L("Add a server…"), look.ButtonAccent, v.form)
	v.root = look.Stack(14,
		look.Stack(6,
			look.NewLine(look.L("Tool servers"), look.Title),
			look.NewText(look.L("Programs and addresses that add tools, over the Model Context Protocol. Their tools ask before they run."), look.Small),
		),
		v.note, v.cards, look.Wrap(8, add),
	)
	v.ExtendBaseWidget(v)
	v.Sync()
	return v
}

// CreateRenderer implements [fyne.Widget].
func (v *ServersView) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(v.root) }

// Sync draws what changed in the model.
func (v *ServersView) Sync() {
	cards := make([]fyne.CanvasObject, 0, len(v.model.List))
	for _, s := range v.model.List {
		cards = append(cards, v.card(s))
	}
	v.cards.Objects = cards
	v.cards.Refresh()
	words, style := "", look.Small
	switch {
	case v.model.Err != nil:
		words, style.Colour = fault(v.model.Err), theme.ColorNameError
	case !v.model.Loaded:
		words = look.L("Looking…")
	case len(cards) == 0:
		words = look.L("There are no tool servers yet. Add one by its command, such as: npx -y @modelcontextprotocol/server-filesystem ~/Documents")
	}
	v.note.Set(words, style)
	v.note.Hidden = words == ""
	v.Refresh()
}

// card is one server.
func (v *ServersView) card(s control.Server) fyne.CanvasObject {
	status, mood := Status(s)
	if v.model.Busy[s.Name] {
		mood = Quiet
	}
	dot, style := look.NewDot(marks[mood]), look.Plain
	style.Colour = inks[mood]
	line := look.RowTop(8, 1, look.Pad(0, 6, 0, 0, dot), look.NewText(look.Say(status), style))
	return look.Card(look.Stack(8,
		look.Stack(2, look.NewLine(s.Name, look.Bold), look.NewLine(look.Say(About(s)), look.Small)),
		line, look.Wrap(8, v.buttons(s)...),
	))
}

// The colours of a state: of its dot, and of its words.
var (
	marks = map[Mood]fyne.ThemeColorName{Quiet: look.ColorMark, Good: look.ColorGood, Ask: look.ColorAskLine, Bad: look.ColorBad}
	inks  = map[Mood]fyne.ThemeColorName{Quiet: look.ColorQuiet, Ask: look.ColorAsk, Bad: theme.ColorNameError}
)

// buttons are what can be done with a server; removing stands apart.
func (v *ServersView) buttons(s control.Server) []fyne.CanvasObject {
	var out []fyne.CanvasObject
	if len(s.Held) > 0 {
		out = append(out, look.NewButton(look.L("Show difference"), look.ButtonPlain, func() { v.changes(s) }))
	}
	if len(s.Tools) > 0 {
		out = append(out, look.NewButton(look.L("Tools"), look.ButtonPlain, func() { v.text(s.Name, Tools(s)) }))
	}
	out = append(out,
		look.NewButton(look.L("Log"), look.ButtonPlain, func() {
			v.act.Log(s.Name, func(text string) {
				if text == "" {
					text = look.L("It has said nothing.")
				}
				v.text(s.Name, text)
			})
		}),
		look.NewButton(look.L("Start again"), look.ButtonPlain, func() { v.act.Retry(s.Name) }),
		look.NewButton(look.L("Remove"), look.ButtonQuiet, func() { v.remove(s.Name) }),
	)
	return out
}

// text shows a long text in a small window over the page.
func (v *ServersView) text(title, text string) {
	v.popup(title, text, look.NewButton(look.L("Close"), look.ButtonQuiet, nil))
}

// changes shows what changed, with the way to take it as seen.
func (v *ServersView) changes(s control.Server) {
	v.popup(s.Name, Changes(s),
		look.NewButton(look.L("Offer the tools as they are now"), look.ButtonPlain, func() { v.act.Accept(s.Name) }),
		look.NewButton(look.L("Close"), look.ButtonQuiet, nil),
	)
}

func (v *ServersView) remove(name string) {
	v.popup(look.L("Remove {{.Name}}?", "Name", name), look.L("Its tools go with it. The program itself is not deleted."),
		look.NewButton(look.L("Remove"), look.ButtonPlain, func() { v.act.Remove(name) }),
		look.NewButton(look.L("Cancel"), look.ButtonQuiet, nil),
	)
}

// popup shows text and buttons; each of them closes it.
func (v *ServersView) popup(title, text string, buttons ...*look.Button) {
	c := v.act.Window().Canvas()
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

// form asks for a new server.
func (v *ServersView) form() {
	c := v.act.Window().Canvas()
	name, where, pass, auth := widget.NewEntry(), widget.NewEntry(), widget.NewEntry(), widget.NewEntry()
	name.SetPlaceHolder("files")
	where.SetPlaceHolder("npx -y @modelcontextprotocol/server-filesystem ~/Documents")
	pass.SetPlaceHolder("API_KEY")
	auth.SetPlaceHolder("keyring:docs")
	wrong := look.NewText("", look.Small)
	wrong.Hidden = true
	var pop *widget.PopUp
	var add *look.Button
	add = look.NewButton(look.L("Try it and add it"), look.ButtonAccent, func() {
		add.Set(look.L("Trying…"))
		v.act.Add(Form{Name: name.Text, Where: where.Text, PassEnv: pass.Text, Auth: auth.Text}, func(err error) {
			add.Set(look.L("Try it and add it"))
			if err == nil {
				pop.Hide()
				return
			}
			style := look.Small
			style.Colour = theme.ColorNameError
			wrong.Set(fault(err), style)
			wrong.Hidden = false
			pop.Refresh()
		})
	})
	field := func(label string, e *widget.Entry) fyne.CanvasObject {
		return look.Stack(4, look.NewLine(label, look.Small), e)
	}
	body := look.Stack(10,
		look.NewLine(look.L("Add a tool server"), look.Bold),
		field(look.L("Name"), name),
		field(look.L("Command or address"), where),
		field(look.L("Variables of yours that the program gets"), pass),
		field(look.L("Where the key of an address is"), auth),
		wrong,
		look.Wrap(8, add, look.NewButton(look.L("Cancel"), look.ButtonQuiet, func() { pop.Hide() })),
	)
	pop = widget.NewModalPopUp(look.Pad(14, 14, 14, 14, container.New(least{fyne.NewSize(min(560, c.Size().Width-80), 0)}, body)), c)
	pop.Show()
	c.Focus(name)
}

// least holds content at a least size.
type least struct{ size fyne.Size }

func (l least) Layout(objects []fyne.CanvasObject, size fyne.Size) { objects[0].Resize(size) }

func (l least) MinSize(objects []fyne.CanvasObject) fyne.Size {
	w := max(l.size.Width, objects[0].MinSize().Width)
	return fyne.NewSize(w, max(l.size.Height, look.Fit(objects[0], w)))
}
