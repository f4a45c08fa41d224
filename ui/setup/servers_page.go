package setup

import (
	"context"

	"fyne.io/fyne/v2"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/say"
)

// A serversPage joins the page of the tool servers to the core.
type serversPage struct {
	*Window

	model Servers
	view  *ServersView
}

func newServersPage(w *Window) *serversPage {
	p := &serversPage{Window: w}
	p.view = NewServersView(&p.model, Actions{
		Add: p.add, Log: p.log,
		Remove: func(name string) { p.do(name, w.opts.Client.RemoveServer) },
		Retry:  func(name string) { p.do(name, w.opts.Client.RetryServer) },
		Accept: func(name string) { p.do(name, w.opts.Client.AcceptServer) },
		Window: func() fyne.Window { return w.win },
	})
	return p
}

func (*serversPage) title() say.Phrase { return say.P("Tool servers") }

func (p *serversPage) object() fyne.CanvasObject { return p.view }

func (p *serversPage) ask(ctx context.Context) func() {
	list, err := p.opts.Client.Servers(ctx)
	return func() { p.set(list, err) }
}

func (p *serversPage) set(list []control.Server, err error) {
	p.model.Set(list, err)
	p.view.Sync()
}

// do asks the core to do something to a server, and for the list after it.
func (p *serversPage) do(name string, ask func(context.Context, string) error) {
	p.model.Do(name, true)
	p.view.Sync()
	var list []control.Server
	p.run(func(ctx context.Context) (err error) {
		if err = ask(ctx, name); err == nil {
			list, err = p.opts.Client.Servers(ctx)
		}
		return err
	}, func(err error) {
		p.model.Do(name, false)
		p.set(list, err)
	})
}

// add tries a server and adds it when it works.
func (p *serversPage) add(f Form, told func(error)) {
	e, err := f.Entry()
	if err != nil {
		told(err)
		return
	}
	p.run(func(ctx context.Context) error {
		s, err := p.opts.Client.TestServer(ctx, e)
		if err != nil {
			return err
		}
		if s.State != "ready" && s.State != "needs_login" {
			return say.Err("It does not work: {{.Reason}}", "Reason", s.Reason)
		}
		return p.opts.Client.AddServer(ctx, e)
	}, told)
}

func (p *serversPage) log(name string, show func(string)) {
	var text string
	p.run(func(ctx context.Context) (err error) {
		text, err = p.opts.Client.ServerLog(ctx, name)
		return err
	}, func(err error) {
		if err != nil {
			text = fault(err)
		}
		show(text)
	})
}
