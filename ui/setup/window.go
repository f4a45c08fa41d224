package setup

import (
	"context"
	"image/color"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
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

// A page is one subject of the settings.
type page interface {
	// title is the page's name in the list; a key of the languages.
	title() say.Phrase
	// object is what is drawn.
	object() fyne.CanvasObject
	// ask asks the core how things are, on a goroutine of its own, and returns
	// what draws the answer, on the UI goroutine.
	ask(ctx context.Context) (draw func())
}

// A Window is the window of the settings. Its methods are for the UI goroutine.
type Window struct {
	opts  Options
	ctx   context.Context
	win   fyne.Window
	pages []page
	open  int // number of the page that is shown
	body  *fyne.Container
	list  *fyne.Container
	shown bool
	round int // counts how often a page was shown: what asks for an earlier one ends

	tasks sync.WaitGroup
}

// refresh is how often the page that is shown is asked for.
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
	w.pages = []page{newServersPage(w), newJobsPage(w), newMemoryPage(w), newBrowserPage(w), newComputerPage(w)}
	w.win.SetContent(w.content())
	w.win.Resize(fyne.NewSize(980, 680))
	w.win.SetCloseIntercept(func() {
		w.shown = false
		w.win.Hide()
		opts.Closed()
	})
	return w
}

// listWidth is the width of the list of pages, in pixels.
const listWidth = 200

// content is the list of pages beside the page that is open.
func (w *Window) content() fyne.CanvasObject {
	w.body, w.list = container.NewStack(), look.Stack(2)
	w.turnTo(0)
	if len(w.pages) == 1 {
		return w.body
	}
	side := look.NewPanel(look.Frame{Fill: look.ColorPanel}, look.Pad(10, 14, 10, 10, w.list))
	wide := canvas.NewRectangle(color.Transparent) // it is as high as the window, whatever the list needs
	wide.SetMinSize(fyne.NewSize(listWidth, 0))
	return container.NewBorder(nil, nil, container.NewStack(wide, side), nil, w.body)
}

// turnTo opens a page.
func (w *Window) turnTo(n int) {
	w.open = n
	w.body.Objects = []fyne.CanvasObject{framed(w.pages[n].object())}
	w.body.Refresh()
	rows := make([]fyne.CanvasObject, len(w.pages))
	for i, p := range w.pages {
		title := look.Say(p.title())
		row := look.NewPanel(look.Frame{Radius: 8, PadX: 10, PadY: 8}, look.NewText(title, look.Plain))
		if i == n {
			row.Set(look.ColorCard, look.ColorLine)
		}
		rows[i] = look.NewTap(title, 8, row, func() { w.turnTo(i) })
	}
	w.list.Objects = rows
	w.list.Refresh()
	if w.shown {
		w.look()
	}
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

// look asks for the open page now and then, until the window is hidden or
// another page is opened.
func (w *Window) look() {
	w.shown = true
	w.round++
	round, p := w.round, w.pages[w.open]
	w.tasks.Go(func() {
		for {
			draw := p.ask(w.ctx)
			goOn := make(chan bool, 1)
			w.opts.Post(func() {
				draw()
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

// run asks the core for something that a person wants, and draws what became
// of it.
func (w *Window) run(ask func(context.Context) error, draw func(error)) {
	w.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(w.ctx, callTime)
		defer cancel()
		err := ask(ctx)
		w.opts.Post(func() { draw(err) })
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
