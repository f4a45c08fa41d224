package chat

import (
	"context"
	"sync"
	"time"

	"fyne.io/fyne/v2"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/approve"
	"github.com/hobkin/hobkin/ui/say"
	"github.com/hobkin/hobkin/ui/sessions"
)

// Options are what the chat window needs.
type Options struct {
	Client *control.Client
	Window fyne.Window
	// Post runs a function on the UI goroutine, later. It is the only way by
	// which another goroutine reaches the models and the widgets.
	Post    func(func())
	Now     func() time.Time // nil is the clock
	Locale  string           // of the person, such as de-DE
	Home    string           // the person's home folder
	Session string           // to open at first; empty starts a new conversation
	Opened  func(session string)
	Setup   func() // opens the settings; nil hides the button
}

// A Glue connects the window with the core. Each request runs on a goroutine of
// its own, started with [Glue.ask], and comes back through Post; a watch of the
// open session and one of all sessions run until the window's context ends.
type Glue struct {
	opts Options
	ctx  context.Context // of the window; ends all that was started. It is stored since widgets call without one
	view *View
	wg   sync.WaitGroup

	leave    context.CancelFunc // ends the watch of the open session
	deleted  int                // counts deletions, so that only the last one's time ends it
	searched int                // the same for searches
	listing  bool               // the list of commands is being asked for
}

// Start builds the window's content and begins to follow the core. The returned
// function waits until all that was started has ended; call it after ctx ended.
func Start(ctx context.Context, opts Options) (*View, func()) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Opened == nil {
		opts.Opened = func(string) {}
	}
	g := &Glue{opts: opts, ctx: ctx, leave: func() {}}
	v := newView(g, opts.Window)
	v.win.Home = opts.Home
	v.sync()
	opts.Window.SetContent(v.content)
	opts.Window.SetOnDropped(func(_ fyne.Position, files []fyne.URI) { g.dropped(files) })
	v.wake()
	v.focusInput()
	g.load()
	g.wg.Go(g.watchAll)
	g.wg.Go(g.everyMinute)
	if opts.Session != "" {
		v.Open(opts.Session)
	}
	return v, g.wg.Wait
}

// Open shows a session; "" starts a new conversation.
func (v *View) Open(session string) { v.glue.open(session) }

// Front says that the window came to the front: clicks that were meant for
// what was in front before must not answer anything.
func (v *View) Front() {
	now := v.glue.now()
	for _, r := range v.model.Rows {
		if r.Kind == KindAsk {
			r.Ask.Appeared(now)
			r.Version++
		}
	}
	v.sync()
	if v.canvas().Focused() == nil {
		v.focusInput()
	}
}

// Redraw makes all rows anew, when the theme has changed.
func (v *View) Redraw() {
	v.flow.redraw()
	v.sync()
	v.syncSide()
}

func (g *Glue) now() time.Time { return g.opts.Now() }

// later runs a function on the UI goroutine after a time.
func (g *Glue) later(d time.Duration, do func()) {
	g.wg.Go(func() {
		select {
		case <-time.After(d):
			g.opts.Post(do)
		case <-g.ctx.Done():
		}
	})
}

// requestTime bounds a request: the window never waits for ever.
const requestTime = 30 * time.Second

// ask runs a request on a goroutine of its own and what follows it on the UI
// goroutine. What fails is shown, unless then handles it.
func ask[R any](g *Glue, do func(context.Context) (R, error), then func(R, error)) {
	g.wg.Go(func() {
		ctx, cancel := context.WithTimeout(g.ctx, requestTime)
		defer cancel()
		r, err := do(ctx)
		if g.ctx.Err() != nil {
			return
		}
		g.opts.Post(func() { then(r, err) })
	})
}

// orFail shows an error and runs then without one.
func orFail[R any](g *Glue, then func(R)) func(R, error) {
	return func(r R, err error) {
		if err != nil {
			g.fail(err)
			return
		}
		then(r)
	}
}

func (g *Glue) fail(err error) {
	g.view.win.Fail(err)
	g.view.sync()
}

// load asks for what stands around the conversation.
func (g *Glue) load() {
	ask(g, g.opts.Client.Info, func(info control.Info, err error) {
		g.view.win.Offline = err != nil
		if err == nil {
			g.view.win.Info = info
		}
		g.view.sync()
	})
	ask(g, g.opts.Client.Models, func(models []control.Model, err error) {
		if err == nil { // else the status bar says that the core is gone
			g.view.win.Models = models
			g.view.sync()
		}
	})
	g.loadCommands()
	g.refreshList()
}

// refreshList asks for the list of sessions.
func (g *Glue) refreshList() {
	search := g.view.list.Search
	ask(g, func(ctx context.Context) ([]control.Session, error) {
		return g.opts.Client.Sessions(ctx, control.SessionQuery{Search: search, Limit: 200})
	}, func(list []control.Session, err error) {
		if err != nil || search != g.view.list.Search {
			return // the watch of all sessions says when the core is gone
		}
		g.view.list.Set(list)
		if s, ok := g.view.list.Get(g.view.win.Session.ID); ok {
			g.view.win.Session = s
		}
		g.view.syncSide()
	})
}

// everyMinute keeps the times in the list true.
func (g *Glue) everyMinute() {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			g.opts.Post(g.view.syncSide)
		case <-g.ctx.Done():
			return
		}
	}
}

// open shows a session from its start.
func (g *Glue) open(id string) {
	if id == g.view.list.Open && (id != "" || len(g.view.model.Rows) == 0) {
		g.view.focusInput()
		return
	}
	g.follow(id, 1)
	g.view.sync()
	g.view.syncSide()
	g.view.focusInput()
}

// follow makes a session the open one and watches it.
func (g *Glue) follow(id string, from int64) {
	g.leave()
	v := g.view
	v.model = &Model{}
	v.flow.reset()
	v.list.Open = id
	v.win.Dismiss()
	s, _ := v.list.Get(id)
	s.ID = id
	v.win.Session = s
	g.opts.Opened(id)
	if id == "" {
		g.leave = func() {}
		return
	}
	ctx, cancel := context.WithCancel(g.ctx)
	g.leave = cancel
	m := v.model
	g.wg.Go(func() { g.watch(ctx, id, from, m) })
	g.refreshSession(id)
}

// refreshSession asks for what the list shows of a session.
func (g *Glue) refreshSession(id string) {
	ask(g, func(ctx context.Context) (control.Session, error) { return g.opts.Client.Session(ctx, id) }, func(s control.Session, err error) {
		if err != nil {
			return
		}
		g.setSession(s)
	})
}

// setSession takes in a session as it is now.
func (g *Glue) setSession(s control.Session) {
	v := g.view
	if _, listed := v.list.Get(s.ID); listed || v.list.Search == "" {
		v.list.Put(s)
	}
	if v.win.Session.ID == s.ID {
		v.win.Session = s
		v.sync()
	}
	v.syncSide()
}

// apply takes in events of the open session, on the UI goroutine.
func (g *Glue) apply(m *Model, events []agent.Event) {
	if m != g.view.model {
		return // another session was opened meanwhile
	}
	g.view.win.Offline = false
	for _, e := range events {
		m.Apply(e)
	}
	g.view.sync()
}

// answer sends a person's answer to an approval.
func (g *Glue) answer(a *approve.Model, answer control.ApprovalAnswer) {
	ask(g, func(ctx context.Context) (struct{}, error) { return struct{}{}, g.opts.Client.Answer(ctx, answer) }, func(_ struct{}, err error) {
		if err == nil {
			return // the core says that it is resolved, and the card goes
		}
		what, _ := say.Sentence(err)
		a.Failed(sayText(what), g.now())
		g.touch(func(r *Row) bool { return r.Ask == a })
	})
}

// answerForm sends the answers of a form.
func (g *Glue) answerForm(r *Row, a control.QuestionAnswer) {
	ask(g, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, g.opts.Client.AnswerQuestion(ctx, a)
	}, func(_ struct{}, err error) {
		if err == nil {
			return
		}
		what, _ := say.Sentence(err)
		r.Form.Failed(sayText(what))
		g.touch(func(x *Row) bool { return x == r })
	})
}

// touch draws rows again.
func (g *Glue) touch(which func(*Row) bool) {
	for _, r := range g.view.model.Rows {
		if which(r) {
			r.Version++
		}
	}
	g.view.sync()
}

// sessionActions are what the list of sessions can do.
func (g *Glue) sessionActions() sessions.Actions {
	return sessions.Actions{
		Open: g.open, Search: g.search, Rename: g.rename, Pin: g.pin, Delete: g.remove, Restore: g.restore, Export: g.export, Setup: g.opts.Setup,
		Now: g.now, Window: func() fyne.Window { return g.opts.Window },
	}
}
