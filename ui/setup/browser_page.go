package setup

import (
	"context"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/say"
)

// A browserPage shows the browser of the agent's own: its program, its
// profiles, the hosts that are open to it, and the person's own browser.
type browserPage struct {
	*Window

	state  control.Browser
	loaded bool
	trial  *control.BrowserTrial // what the last test gave
	trying bool
	sheet  *sheet
}

func newBrowserPage(w *Window) *browserPage {
	p := &browserPage{Window: w}
	p.sheet = newSheet(look.L("Browser"), look.L("A browser of Hobkin's own, for pages that need one. It has cookies of its own and never sees those of yours. What it sends asks you first."),
		nil, look.Wrap(8, look.NewButton(look.L("New profile…"), look.ButtonAccent, p.newProfile)))
	p.draw(nil)
	return p
}

func (*browserPage) title() say.Phrase { return say.P("Browser") }

func (p *browserPage) object() fyne.CanvasObject { return p.sheet.root }

func (p *browserPage) ask(ctx context.Context) func() {
	state, err := p.opts.Client.Browser(ctx)
	return func() { p.set(state, err) }
}

func (p *browserPage) set(state control.Browser, err error) {
	if err == nil {
		p.state, p.loaded = state, true
	}
	p.draw(err)
}

func (p *browserPage) draw(err error) {
	var cards []fyne.CanvasObject
	if p.loaded {
		cards = append(cards, p.program())
		for _, profile := range p.state.Profiles {
			cards = append(cards, p.profile(profile))
		}
		cards = append(cards, p.hosts(), p.own())
	}
	p.sheet.show(cards, p.loaded, err, "")
}

// program is the card of the browser that was found.
func (p *browserPage) program() fyne.CanvasObject {
	status, mood := ProgramStatus(p.state, p.trial)
	about := p.state.Program
	if fix := p.fix(); fix != "" {
		about = strings.TrimPrefix(about+" · "+fix, " · ")
	}
	return card(look.Say(ProgramTitle(p.state)), about, look.Say(status), mood, p.programButtons()...)
}

// fix is what helps, where something does not work.
func (p *browserPage) fix() string {
	if p.state.Fix == "" && p.trial != nil && !p.trial.OK {
		return p.trial.Fix
	}
	return p.state.Fix
}

func (p *browserPage) programButtons() []fyne.CanvasObject {
	var out []fyne.CanvasObject
	if p.state.Program != "" {
		words := look.L("Test it")
		if p.trying {
			words = look.L("Trying…")
		}
		out = append(out, look.NewButton(words, look.ButtonPlain, p.test))
	}
	switch {
	case p.state.Shell || !p.state.Screen:
	case p.state.Headless:
		out = append(out, look.NewButton(look.L("Work in a window"), look.ButtonPlain, func() { p.setting("browser.headless", "false") }))
	default:
		out = append(out, look.NewButton(look.L("Work without a window"), look.ButtonPlain, func() { p.setting("browser.headless", "true") }))
	}
	words, value := look.L("Switch off"), "false"
	if !p.state.Enabled {
		words, value = look.L("Switch on"), "true"
	}
	return append(out, look.NewButton(words, look.ButtonQuiet, func() { p.setting("browser.enabled", value) }))
}

// test really starts the browser; a second click while it does is not heard.
func (p *browserPage) test() {
	if p.trying {
		return
	}
	p.trying = true
	p.draw(nil)
	var trial control.BrowserTrial
	p.run(func(ctx context.Context) (err error) {
		trial, err = p.opts.Client.TestBrowser(ctx)
		return err
	}, func(err error) {
		p.trying = false
		if err == nil {
			p.trial = &trial
		}
		p.draw(err)
	})
}

// profile is the card of one profile.
func (p *browserPage) profile(b control.BrowserProfile) fyne.CanvasObject {
	status, mood := ProfileStatus(b)
	name := look.L("Profile {{.Name}}", "Name", b.Name)
	if b.Usual {
		name = look.L("Profile {{.Name}}, the usual one", "Name", b.Name)
	}
	return card(name, look.Say(ProfileAbout(b)), look.Say(status), mood, p.profileButtons(b)...)
}

func (p *browserPage) profileButtons(b control.BrowserProfile) []fyne.CanvasObject {
	c := p.opts.Client
	on := func(ask func(context.Context, string) error) func() {
		return func() { p.do(func(ctx context.Context) error { return ask(ctx, b.Name) }) }
	}
	var out []fyne.CanvasObject
	if p.state.Screen && !p.state.Shell && p.state.Reason == "" && !b.Window {
		out = append(out, look.NewButton(look.L("Open it to sign in"), look.ButtonPlain, on(c.OpenBrowser)))
	}
	if b.Running {
		out = append(out, look.NewButton(look.L("Close"), look.ButtonPlain, on(c.StopBrowser)))
	}
	if !b.Usual {
		out = append(out, look.NewButton(look.L("Make it the usual one"), look.ButtonPlain, func() { p.setting("browser.profile", strconv.Quote(b.Name)) }))
	}
	clearing := look.NewButton(look.L("Clear…"), look.ButtonQuiet, func() {
		popup(p.win, look.L("Clear {{.Name}}?", "Name", b.Name), look.L("Its cookies and all that sites stored are deleted: it is signed out everywhere."),
			look.NewButton(look.L("Clear"), look.ButtonPlain, on(c.ClearBrowser)), cancelling())
	})
	if !b.Used.IsZero() {
		out = append(out, clearing)
	}
	if !b.Usual {
		out = append(out, look.NewButton(look.L("Remove"), look.ButtonQuiet, func() {
			popup(p.win, look.L("Remove {{.Name}}?", "Name", b.Name), look.L("Its cookies and all that sites stored are deleted: it is signed out everywhere."),
				look.NewButton(look.L("Remove"), look.ButtonPlain, on(c.DeleteBrowser)), cancelling())
		}))
	}
	return out
}

// hosts is the card of the hosts that are open to pages.
func (p *browserPage) hosts() fyne.CanvasObject {
	status, mood := say.P("Only the public web"), Quiet
	if len(p.state.AllowHosts) > 0 {
		status, mood = say.Raw(strings.Join(p.state.AllowHosts, ", ")), Good
	}
	return card(look.L("Hosts of your own"), look.L("This machine and your network are closed to pages. Open what you want it to read, such as localhost:3000."), look.Say(status), mood,
		look.NewButton(look.L("Edit…"), look.ButtonPlain, p.editHosts))
}

func (p *browserPage) editHosts() {
	question{
		title: look.L("Hosts of your own"), action: look.L("Save"), busy: look.L("Storing…"),
		fields: []field{{label: look.L("A host a line; without a port it is 80 and 443"), value: strings.Join(p.state.AllowHosts, "\n"), hint: "localhost:3000", lines: 4}},
		do: func(a []string, told func(string, error)) {
			p.save("browser.allow_hosts", hostsValue(Hosts(a[0])), told)
		},
	}.ask(p.win)
}

// own is the card of the person's own browser.
func (p *browserPage) own() fyne.CanvasObject {
	status, mood, words := say.P("Not attached"), Quiet, look.L("Attach…")
	if p.state.Attached > 0 {
		status, mood, words = say.P("Attached at port {{.Port}}; each conversation asks first", "Port", strconv.Itoa(p.state.Attached)), Ask, look.L("Change…")
	}
	buttons := []fyne.CanvasObject{look.NewButton(words, look.ButtonPlain, p.attach)}
	if p.state.Attached > 0 {
		buttons = append(buttons, look.NewButton(look.L("Detach"), look.ButtonQuiet, func() { p.setting("browser.attached_port", "0") }))
	}
	return card(look.L("Your own browser"), look.L("Hobkin can steer the browser you use, with your sign-ins, when you start it with --remote-debugging-port. Any program of yours can then steer it too."), look.Say(status), mood, buttons...)
}

func (p *browserPage) attach() {
	value := ""
	if p.state.Attached > 0 {
		value = strconv.Itoa(p.state.Attached)
	}
	question{
		title: look.L("Your own browser"), action: look.L("Save"), busy: look.L("Storing…"),
		fields: []field{{label: look.L("The port of --remote-debugging-port"), value: value, hint: "9222"}},
		do: func(a []string, told func(string, error)) {
			port, err := Port(a[0])
			if err != nil {
				told("", err)
				return
			}
			p.save("browser.attached_port", strconv.Itoa(port), told)
		},
	}.ask(p.win)
}

// newProfile asks for a name and makes that profile the usual one; its folder
// comes with its first use.
func (p *browserPage) newProfile() {
	question{
		title: look.L("New profile"), action: look.L("Save"), busy: look.L("Storing…"),
		fields: []field{{label: look.L("Small letters and digits; it becomes the usual one"), hint: "work"}},
		do: func(a []string, told func(string, error)) {
			p.save("browser.profile", strconv.Quote(strings.TrimSpace(a[0])), told)
		},
	}.ask(p.win)
}

// setting changes a setting.
func (p *browserPage) setting(key, value string) {
	p.do(func(ctx context.Context) error {
		return p.opts.Client.ConfigSet(ctx, control.ConfigSetRequest{Key: key, Value: value})
	})
}

// save changes a setting for a form.
func (p *browserPage) save(key, value string, told func(string, error)) {
	var state control.Browser
	p.run(func(ctx context.Context) (err error) {
		if err = p.opts.Client.ConfigSet(ctx, control.ConfigSetRequest{Key: key, Value: value}); err == nil {
			state, err = p.opts.Client.Browser(ctx)
		}
		return err
	}, func(err error) {
		if err == nil {
			p.set(state, nil)
		}
		told("", err)
	})
}

// do asks the core for something, and how the browser is after it.
func (p *browserPage) do(ask func(context.Context) error) {
	var state control.Browser
	p.run(func(ctx context.Context) (err error) {
		if err = ask(ctx); err == nil {
			state, err = p.opts.Client.Browser(ctx)
		}
		return err
	}, func(err error) { p.set(state, err) })
}
