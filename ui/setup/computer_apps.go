package setup

import (
	"context"
	"maps"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/say"
)

// app is the card of one program. Other is the opposite of what holds for it.
func (p *computerPage) app(name string, status say.Phrase, mood Mood, otherWords, other string) fyne.CanvasObject {
	use := func(how string) func() {
		return func() {
			p.do(func(ctx context.Context) error {
				return p.opts.Client.SetComputerApp(ctx, control.ComputerApp{Name: name, Use: how})
			})
		}
	}
	var buttons []fyne.CanvasObject
	if other != "" {
		buttons = append(buttons, look.NewButton(otherWords, look.ButtonPlain, use(other)))
	}
	buttons = append(buttons, look.NewButton(look.L("Ask again"), look.ButtonQuiet, use("ask")))
	return card(name, look.L("A program on the screen"), look.Say(status), mood, buttons...)
}

// addApp asks for a program that is never used.
func (p *computerPage) addApp() {
	question{
		title: look.L("Never use a program"), action: look.L("Never use it"), busy: look.L("Storing…"),
		fields: []field{{label: look.L("The name that the question about it shows; a * at its end stands for the rest"), hint: "gimp"}},
		do: func(a []string, told func(string, error)) {
			name := strings.TrimSpace(a[0])
			if name == "" {
				told("", say.Err("Name a program"))
				return
			}
			p.forForm(func(ctx context.Context) error {
				return p.opts.Client.SetComputerApp(ctx, control.ComputerApp{Name: name, Use: "deny"})
			}, told)
		},
	}.ask(p.win)
}

// trying is a button for what takes a while; a second click while it does is not
// heard.
func (p *computerPage) trying(what, words, busy string, ask func(context.Context) error) fyne.CanvasObject {
	if p.busy == what {
		words = busy
	}
	return look.NewButton(words, look.ButtonPlain, func() {
		if p.busy != "" {
			return
		}
		p.busy = what
		p.draw(nil)
		var state control.Computer
		p.run(func(ctx context.Context) (err error) {
			if err = ask(ctx); err == nil {
				state, err = p.opts.Client.Computer(ctx)
			}
			return err
		}, func(err error) {
			p.busy = ""
			p.set(state, err)
		})
	})
}

// setting changes a setting.
func (p *computerPage) setting(key, value string) {
	p.do(func(ctx context.Context) error {
		return p.opts.Client.ConfigSet(ctx, control.ConfigSetRequest{Key: key, Value: value})
	})
}

// save changes settings for a form.
func (p *computerPage) save(values map[string]string, told func(string, error)) {
	p.forForm(func(ctx context.Context) error {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if err := p.opts.Client.ConfigSet(ctx, control.ConfigSetRequest{Key: "computer_use." + key, Value: values[key]}); err != nil {
				return err
			}
		}
		return nil
	}, told)
}

// forForm asks the core for what a form wants, and how things are after it.
func (p *computerPage) forForm(ask func(context.Context) error, told func(string, error)) {
	var state control.Computer
	p.run(func(ctx context.Context) (err error) {
		if err = ask(ctx); err == nil {
			state, err = p.opts.Client.Computer(ctx)
		}
		return err
	}, func(err error) {
		if err == nil {
			p.set(state, nil)
		}
		told("", err)
	})
}

// do asks the core for something, and how things are after it.
func (p *computerPage) do(ask func(context.Context) error) {
	var state control.Computer
	p.run(func(ctx context.Context) (err error) {
		if err = ask(ctx); err == nil {
			state, err = p.opts.Client.Computer(ctx)
		}
		return err
	}, func(err error) { p.set(state, err) })
}
