package setup

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
)

// Actions are what a person can do on the page of the tool servers.
type Actions struct {
	Add    func(Form, func(error)) // tries and adds; the function is told on the UI goroutine
	Paste  func(block string, told func(words string, err error))
	Login  func(name string)
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
	sheet *sheet
}

// NewServersView makes the page.
func NewServersView(m *Servers, act Actions) *ServersView {
	v := &ServersView{model: m, act: act}
	v.sheet = newSheet(look.L("Tool servers"), look.L("Programs and addresses that add tools, over the Model Context Protocol. Their tools ask before they run."),
		nil, look.Wrap(8, look.NewButton(look.L("Add a server…"), look.ButtonAccent, v.form), look.NewButton(look.L("Paste a block…"), look.ButtonQuiet, v.paste)))
	v.ExtendBaseWidget(v)
	v.Sync()
	return v
}

// CreateRenderer implements [fyne.Widget].
func (v *ServersView) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(v.sheet.root)
}

// Sync draws what changed in the model.
func (v *ServersView) Sync() {
	cards := make([]fyne.CanvasObject, 0, len(v.model.List))
	for _, s := range v.model.List {
		status, mood := Status(s)
		if v.model.Busy[s.Name] {
			mood = Quiet
		}
		cards = append(cards, card(s.Name, look.Say(About(s)), look.Say(status), mood, v.buttons(s)...))
	}
	v.sheet.show(cards, v.model.Loaded, v.model.Err, look.L("There are no tool servers yet. Add one by its command, such as: npx -y @modelcontextprotocol/server-filesystem ~/Documents"))
	v.Refresh()
}

// buttons are what can be done with a server; removing stands apart.
func (v *ServersView) buttons(s control.Server) []fyne.CanvasObject {
	var out []fyne.CanvasObject
	if len(s.Held) > 0 {
		out = append(out, look.NewButton(look.L("Show difference"), look.ButtonPlain, func() {
			popup(v.act.Window(), s.Name, Changes(s),
				look.NewButton(look.L("Offer the tools as they are now"), look.ButtonPlain, func() { v.act.Accept(s.Name) }), closing())
		}))
	}
	if s.State == "needs_login" {
		out = append(out, look.NewButton(look.L("Sign in…"), look.ButtonPlain, func() { v.act.Login(s.Name) }))
	}
	if len(s.Tools) > 0 {
		out = append(out, look.NewButton(look.L("Tools"), look.ButtonPlain, func() { popup(v.act.Window(), s.Name, Tools(s), closing()) }))
	}
	return append(out,
		look.NewButton(look.L("Log"), look.ButtonPlain, func() { v.act.Log(s.Name, func(text string) { v.log(s.Name, text) }) }),
		look.NewButton(look.L("Start again"), look.ButtonPlain, func() { v.act.Retry(s.Name) }),
		look.NewButton(look.L("Remove"), look.ButtonQuiet, func() {
			popup(v.act.Window(), look.L("Remove {{.Name}}?", "Name", s.Name), look.L("Its tools go with it. The program itself is not deleted."),
				look.NewButton(look.L("Remove"), look.ButtonPlain, func() { v.act.Remove(s.Name) }), cancelling())
		}),
	)
}

func (v *ServersView) log(name, text string) {
	if text == "" {
		text = look.L("It has said nothing.")
	}
	popup(v.act.Window(), name, text, closing())
}

// form asks for a new server.
func (v *ServersView) form() {
	question{
		title: look.L("Add a tool server"), action: look.L("Try it and add it"), busy: look.L("Trying…"),
		fields: []field{
			{label: look.L("Name"), hint: "files"},
			{label: look.L("Command or address"), hint: "npx -y @modelcontextprotocol/server-filesystem ~/Documents"},
			{label: look.L("Variables of yours that the program gets"), hint: "API_KEY"},
			{label: look.L("Where the key of an address is"), hint: "keyring:docs"},
		},
		do: func(a []string, told func(string, error)) {
			v.act.Add(Form{Name: a[0], Where: a[1], PassEnv: a[2], Auth: a[3]}, func(err error) { told("", err) })
		},
	}.ask(v.act.Window())
}

// paste asks for a block of settings as other programs have it.
func (v *ServersView) paste() {
	question{
		title: look.L("Add the servers of a block of settings"), action: look.L("Try it and add it"), busy: look.L("Trying…"),
		fields: []field{{label: look.L("JSON, as other programs have it; keys in it go among your secrets"), hint: `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "…"]}}}`, lines: 8}},
		do:     func(a []string, told func(string, error)) { v.act.Paste(a[0], told) },
	}.ask(v.act.Window())
}
