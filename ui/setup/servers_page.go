package setup

import (
	"context"
	"net/url"
	"strings"

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
		Add: p.add, Paste: p.paste, Log: p.log,
		Login:  p.login,
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

// login opens the page that a server wants one to sign in at, and waits for the
// sign-in to end.
func (p *serversPage) login(name string) {
	var begun control.ServerLogin
	p.run(func(ctx context.Context) (err error) {
		begun, err = p.opts.Client.LoginServer(ctx, name)
		return err
	}, func(err error) {
		if err == nil && begun.Page != "" {
			err = p.open(begun.Page)
		}
		if err != nil {
			p.set(p.model.List, err)
			return
		}
		p.do(name, p.await)
	})
}

// await waits for the end of a sign-in; how the server is then stands in the
// list.
func (p *serversPage) await(ctx context.Context, name string) error {
	_, err := p.opts.Client.AwaitLogin(ctx, name)
	return err
}

// open shows a page in the person's browser.
func (p *serversPage) open(page string) error {
	u, err := url.Parse(page)
	if err != nil {
		return err
	}
	return p.opts.App.OpenURL(u)
}

// paste adds the servers of a block, and shows what became of each.
func (p *serversPage) paste(block string, told func(string, error)) {
	var said []string
	p.run(func(ctx context.Context) (err error) {
		said, err = p.opts.Client.PasteServers(ctx, block)
		return err
	}, func(err error) { told(strings.Join(said, "\n"), err) })
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
