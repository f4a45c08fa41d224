// Package window is the process that shows Hobkin's windows: the application,
// its theme and language, and the chat in a window that can be hidden and shown
// again at once.
//
// [Run] is the whole of it. The process around it passes orders in through
// [Options.Commands] and hears of what happens through [Options.Notify]; the
// agent's work goes on in the core whether a window is there or not.
package window

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/chat"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/setup"
)

// ID names the application to the desktop.
const ID = "io.github.hobkin.Hobkin"

// ErrNoDisplay is returned where there is no screen to show a window on.
var ErrNoDisplay = errors.New("there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set, so no window can be shown; the command line works without one")

// A Command is an order to the window. The zero Command changes nothing.
type Command struct {
	Show    bool   // bring the window to the front
	Session string // with Show: the session to open; empty keeps what is open
	Setup   bool   // bring the window of the settings to the front
	Hide    bool   // take the window off the screen, ready to be shown again
	Quit    bool   // end [Run]
}

// A Notice is what happened to the window.
type Notice struct {
	Ready   bool   // the window is on the screen, after it was started or shown
	Focused *bool  // it came to the front or left it
	Session string // with Opened: the session that it shows; empty is a new one
	Opened  bool   // another session was opened
	Hidden  bool   // a person closed the last one; it is ready to be shown again
}

// Options say how the window starts and what it is connected to.
type Options struct {
	Session string // to open at first; empty starts a new conversation
	Hidden  bool   // start without a window on the screen, ready for Show
	Theme   string // light or dark; empty follows the system
	Version string // of the program
	// Language is that of the windows, such as de; empty is the system's.
	Language string
	// Commands are orders; when the channel is closed, Run ends. With a nil
	// channel closing the window ends Run, else it only hides.
	Commands <-chan Command
	// Notify is called on the UI goroutine for each notice; it must not block
	// and may be nil.
	Notify func(Notice)
}

// Run shows the chat and returns when the window is closed for good or ctx
// ends. It must be called on the main goroutine, once in a process.
func Run(ctx context.Context, c *control.Client, opts Options) error {
	if err := display(); err != nil {
		return err
	}
	if err := look.AddLanguages(opts.Language); err != nil {
		return fmt.Errorf("window: languages: %w", err)
	}
	if opts.Notify == nil {
		opts.Notify = func(Notice) {}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newShell(opts)
	home, _ := os.UserHomeDir() // without one, paths are shown whole
	view, wait := chat.Start(ctx, chat.Options{
		Client: c, Window: s.win, Post: s.post, Locale: cmp.Or(opts.Language, lang.SystemLocale().String()), Home: home, Session: opts.Session,
		Opened: func(id string) { opts.Notify(Notice{Opened: true, Session: id}) },
		Setup:  s.showSetup,
	})
	s.view = view
	s.setup = setup.NewWindow(ctx, setup.Options{App: s.app, Client: c, Post: s.post, Closed: s.hidden})
	s.app.Settings().AddListener(func(fyne.Settings) { view.Redraw() })
	ended := make(chan struct{})
	go func() { // ends with ctx, which Run cancels; Run waits for it
		defer close(ended)
		s.obey(ctx)
	}()
	if !opts.Hidden {
		s.shown = true
		s.win.Show()
	}
	s.app.Run()
	s.ended.Store(true)
	cancel()
	<-ended
	s.setup.Wait()
	wait()
	return nil
}

// display reports whether there is a screen. The toolkit ends the whole process
// without one.
func display() error {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "" {
		return nil
	}
	return ErrNoDisplay
}

// A shell is the application and its one window.
type shell struct {
	opts Options
	app  fyne.App
	win  fyne.Window
	view *chat.View

	setup *setup.Window
	shown bool // the chat is on the screen

	ended atomic.Bool // the toolkit is gone: nothing of it may be called
}

// post runs a function on the UI goroutine, unless that has ended.
func (s *shell) post(do func()) {
	if s.ended.Load() {
		return
	}
	fyne.Do(func() {
		if !s.ended.Load() {
			do()
		}
	})
}

func newShell(opts Options) *shell {
	app.SetMetadata(fyne.AppMetadata{
		ID: ID, Name: "Hobkin", Version: opts.Version, Icon: look.AppIcon(), Migrations: map[string]bool{"fyneDo": true},
	})
	s := &shell{opts: opts, app: app.NewWithID(ID)}
	s.app.Settings().SetTheme(&look.Theme{Force: variant(opts.Theme)})
	s.win = s.app.NewWindow("Hobkin")
	s.win.SetPadded(false)
	s.win.SetMaster()
	s.win.SetIcon(look.AppIcon())
	s.win.Resize(fyne.NewSize(1080, 720))
	s.win.SetCloseIntercept(s.closed)
	life := s.app.Lifecycle()
	life.SetOnStarted(func() {
		if !opts.Hidden {
			opts.Notify(Notice{Ready: true})
		}
	})
	life.SetOnEnteredForeground(func() { s.focused(true) })
	life.SetOnExitedForeground(func() { s.focused(false) })
	return s
}

func variant(name string) *fyne.ThemeVariant {
	v := theme.VariantDark
	switch name {
	case "light":
		v = theme.VariantLight
	case "dark":
	default:
		return nil
	}
	return &v
}

func (s *shell) focused(is bool) {
	if is && s.view != nil {
		s.view.Front()
	}
	s.opts.Notify(Notice{Focused: &is})
}

// closed is a person closing the window: the agent goes on.
func (s *shell) closed() {
	if s.opts.Commands == nil {
		s.app.Quit()
		return
	}
	s.shown = false
	s.win.Hide()
	s.hidden()
}

// hidden tells when no window is left on the screen.
func (s *shell) hidden() {
	if s.opts.Commands != nil && !s.shown && !s.setup.Shown() {
		s.opts.Notify(Notice{Hidden: true})
	}
}

// showSetup brings the settings to the front.
func (s *shell) showSetup() {
	s.setup.Show()
	s.opts.Notify(Notice{Ready: true})
}

// obey carries out orders until ctx ends. It is not on the UI goroutine.
func (s *shell) obey(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			s.post(s.app.Quit)
			return
		case c, ok := <-s.opts.Commands:
			if !ok || c.Quit {
				s.post(s.app.Quit)
				return
			}
			s.post(func() { s.do(c) })
		}
	}
}

func (s *shell) do(c Command) {
	switch {
	case c.Show:
		if c.Session != "" {
			s.view.Open(c.Session)
		}
		s.shown = true
		s.win.Show()
		s.win.RequestFocus()
		s.view.Front()
		s.opts.Notify(Notice{Ready: true})
	case c.Setup:
		s.showSetup()
	case c.Hide:
		s.shown = false
		s.win.Hide()
	}
}
