package setup

import (
	"context"
	"errors"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/say"
)

// Options say what the window is connected to.
type Options struct {
	App    fyne.App
	Client *control.Client
	Post   func(func()) // runs a function on the UI goroutine
	Closed func()       // a person closed the window
}

// A Window is the window of the settings. Its methods are for the UI goroutine.
type Window struct {
	opts  Options
	ctx   context.Context
	win   fyne.Window
	model Servers
	page  *ServersView
	shown bool
	round int // counts how often it was shown: what asks for an earlier one ends

	tasks sync.WaitGroup
}

// refresh is how often the states are asked for while the window is shown.
const refresh = 2 * time.Second

// callTime is how long the core may take for what a person asked; a server is
// tried with all the time that it may take to start.
const callTime = 90 * time.Second

// NewWindow makes the window, hidden. It asks nothing until it is shown, and
// nothing any more when ctx ends.
func NewWindow(ctx context.Context, opts Options) *Window {
	w := &Window{opts: opts, ctx: ctx}
	w.win = opts.App.NewWindow("Hobkin")
	w.win.SetPadded(false)
	w.win.SetIcon(look.AppIcon())
	w.win.SetContent(w.content())
	w.win.Resize(fyne.NewSize(880, 640))
	w.win.SetCloseIntercept(func() {
		w.shown = false
		w.win.Hide()
		opts.Closed()
	})
	return w
}

func (w *Window) content() fyne.CanvasObject {
	w.page = NewServersView(&w.model, Actions{
		Add: w.add, Log: w.log,
		Remove: func(name string) { w.do(name, w.opts.Client.RemoveServer) },
		Retry:  func(name string) { w.do(name, w.opts.Client.RetryServer) },
		Accept: func(name string) { w.do(name, w.opts.Client.AcceptServer) },
		Window: func() fyne.Window { return w.win },
	})
	return framed(w.page)
}

// framed puts a page into the window: in the middle, as wide as it reads well.
func framed(page fyne.CanvasObject) fyne.CanvasObject {
	return container.NewVScroll(look.Pad(0, 28, 0, 28, look.Column(720, page)))
}

// Show brings the window to the front.
func (w *Window) Show() {
	w.win.SetTitle(look.L("Setup") + " · Hobkin")
	w.win.Show()
	w.win.RequestFocus()
	w.look()
}

// Shown reports whether the window is on the screen.
func (w *Window) Shown() bool { return w.shown }

// look asks for the list now and then, until the window is hidden.
func (w *Window) look() {
	w.shown = true
	w.round++
	round := w.round
	w.tasks.Go(func() {
		for {
			list, err := w.opts.Client.Servers(w.ctx)
			goOn := make(chan bool, 1)
			w.opts.Post(func() {
				w.model.Set(list, err)
				w.page.Sync()
				goOn <- w.shown && w.round == round
			})
			select {
			case <-w.ctx.Done():
				return
			case on := <-goOn:
				if !on {
					return
				}
			}
			select {
			case <-w.ctx.Done():
				return
			case <-time.After(refresh):
			}
		}
	})
}

// Wait waits until nothing of the window runs any more, after its context has
// ended.
func (w *Window) Wait() { w.tasks.Wait() }

// do asks the core to do something to a server, and for the list after it.
func (w *Window) do(name string, ask func(context.Context, string) error) {
	w.model.Do(name, true)
	w.page.Sync()
	w.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(w.ctx, callTime)
		defer cancel()
		err := ask(ctx, name)
		list, lerr := w.opts.Client.Servers(ctx)
		w.opts.Post(func() {
			w.model.Do(name, false)
			w.model.Set(list, errors.Join(err, lerr))
			w.page.Sync()
		})
	})
}

// add tries a server and adds it when it works.
func (w *Window) add(f Form, told func(error)) {
	e, err := f.Entry()
	if err != nil {
		told(err)
		return
	}
	w.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(w.ctx, callTime)
		defer cancel()
		err := w.tryAndAdd(ctx, e)
		w.opts.Post(func() { told(err) })
	})
}

func (w *Window) tryAndAdd(ctx context.Context, e control.ServerEntry) error {
	s, err := w.opts.Client.TestServer(ctx, e)
	if err != nil {
		return err
	}
	if s.State != "ready" && s.State != "needs_login" {
		return say.Err("It does not work: {{.Reason}}", "Reason", s.Reason)
	}
	return w.opts.Client.AddServer(ctx, e)
}

func (w *Window) log(name string, show func(string)) {
	w.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(w.ctx, callTime)
		defer cancel()
		text, err := w.opts.Client.ServerLog(ctx, name)
		w.opts.Post(func() {
			if err != nil {
				text = fault(err)
			}
			show(text)
		})
	})
}

// fault is an error in words for a person, with what to do.
func fault(err error) string {
	what, try := say.Sentence(err)
	if try == "" {
		return look.Say(what)
	}
	return look.Say(what) + " — " + try
}
