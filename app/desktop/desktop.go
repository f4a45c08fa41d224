// Package desktop is Hobkin's background process: the tray, the notifications
// and the window's process, around a core that it is given.
//
//	events of the core ──► status ──► tray
//	                  └──► alerts ──► notifications
//	clicks, second start ──► window process (child.go)
//
// It decides nothing about the agent's work: it shows what happens and passes
// on what a person wants.
package desktop

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/app/notify"
	"github.com/hobkin/hobkin/app/tray"
	"github.com/hobkin/hobkin/app/words"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

// Options are what the desktop needs.
type Options struct {
	Client  *control.Client
	Server  Registrar
	Icon    func(control.State) []byte // PNG for the tray
	Program string                     // absolute path of this program, run again for the window
	Hidden  bool                       // start without the window
	Session string                     // shown first; empty shows what the window likes
	Notify  notify.Server              // nil where there is none
	Words   words.Words                // of the tray and the notifications
}

// A Registrar knows which processes are windows; the socket server is one.
type Registrar interface{ Window(pid int, is bool) }

// A Desktop is the running background process.
type Desktop struct {
	opts   Options
	window *window
	alerts *alerts
	life   context.Context //nolint:containedctx // until Run ends; clicks and crashes come without one
	quit   context.CancelFunc

	drawing sync.Mutex // so that an older view does not follow a newer one

	mu     sync.Mutex
	status status
	tray   *tray.Tray
	info   control.Info
}

// New prepares a desktop; [Desktop.Run] starts it.
func New(opts Options) *Desktop {
	d := &Desktop{opts: opts}
	d.life, d.quit = context.WithCancel(context.Background())
	command := func() *exec.Cmd { return WindowCommand(context.Background(), opts.Program) }
	d.window = newWindow(command, opts.Server.Window, d.windowFailed)
	d.alerts = newAlerts(opts.Words, opts.Notify, opts.Client, d.window.inFront, d.Show)
	return d
}

// Run shows the tray and, unless hidden, the window, until ctx ends or a person
// quits. It must be called on the main goroutine: some systems demand it.
func (d *Desktop) Run(ctx context.Context) error {
	defer d.window.close() // it may be shown already: others know d before it runs
	defer d.quit()
	defer context.AfterFunc(ctx, d.quit)()
	ctx = d.life //nolint:contextcheck // it ends with ctx, or when a person quits
	info, err := d.opts.Client.Info(ctx)
	if err != nil {
		return fmt.Errorf("desktop: %w", err)
	}
	d.info = info
	var wg sync.WaitGroup
	wg.Go(func() { d.follow(ctx) })
	if !d.opts.Hidden {
		d.Show(d.opts.Session)
	}
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		tray.Run(ctx, d.opts.Words, d.opts.Icon, func(c tray.Click, session string) { d.clicked(ctx, c, session) }, d.trayReady)
	} else {
		slog.Warn("desktop: there is no session bus, so there is no tray; the window and the command line work")
		d.Show("")
		<-ctx.Done()
	}
	d.quit()
	wg.Wait()
	return nil
}

// Show brings the window to the front, at a session when one is named.
func (d *Desktop) Show(session string) {
	if err := d.window.show(session); err != nil {
		d.windowFailed(err)
	}
}

// ShowSetup brings the window of the settings to the front.
func (d *Desktop) ShowSetup() {
	if err := d.window.showSetup(); err != nil {
		d.windowFailed(err)
	}
}

// Quit ends [Desktop.Run], also one that has not begun.
func (d *Desktop) Quit() { d.quit() }

func (d *Desktop) windowFailed(err error) {
	slog.Error("desktop: window", "error", err)
	if d.opts.Notify == nil {
		return
	}
	_, err = d.opts.Notify.Show(d.life, notify.Notification{Title: d.opts.Words.L("Hobkin’s window does not open"), Body: err.Error(), Urgency: notify.Normal})
	if err != nil {
		slog.Warn("desktop: telling about the window", "error", err)
	}
}

func (d *Desktop) trayReady(t *tray.Tray) {
	d.mu.Lock()
	d.tray = t
	d.mu.Unlock()
	d.draw(d.life)
}

func (d *Desktop) clicked(ctx context.Context, c tray.Click, session string) {
	switch c {
	case tray.OpenChat:
		d.Show("")
	case tray.OpenSession:
		d.Show(session)
	case tray.Stop:
		d.stopAll(ctx)
	case tray.Pause:
		d.computer(d.opts.Words.L("Computer use could not be paused"), func() error { _, err := d.opts.Client.PauseComputer(ctx, "tray"); return err })
	case tray.Resume:
		d.computer(d.opts.Words.L("Computer use could not be resumed"), func() error { return d.opts.Client.ResumeComputer(ctx) })
	case tray.StopUse:
		d.computer(d.opts.Words.L("Computer use could not be stopped"), func() error { return d.opts.Client.StopComputer(ctx) })
	case tray.Setup:
		d.ShowSetup()
	case tray.Doctor:
		d.doctor(ctx)
	case tray.Quit:
		d.quit()
	}
}

// computer does something about the use of the screen that a person clicked, and
// tells them when it failed.
func (d *Desktop) computer(failed string, do func() error) {
	if err := do(); err != nil {
		slog.Warn("desktop: the use of the screen", "told", failed, "error", err)
		d.alerts.trouble(d.life, failed, err)
	}
}

func (d *Desktop) stopAll(ctx context.Context) {
	d.mu.Lock()
	running := d.status.running()
	d.mu.Unlock()
	for _, id := range running {
		if err := d.opts.Client.Stop(ctx, id); err != nil {
			slog.Warn("desktop: stopping", "session", id, "error", err)
		}
	}
}

// doctor tries every part and tells what needs attention.
func (d *Desktop) doctor(ctx context.Context) {
	checks, err := d.opts.Client.Doctor(ctx)
	if err != nil {
		slog.Warn("desktop: doctor", "error", err)
		return
	}
	title, body := diagnosis(d.opts.Words, checks)
	slog.Info("desktop: doctor", "result", title, "rows", body)
	if d.opts.Notify == nil {
		return
	}
	if _, err := d.opts.Notify.Show(ctx, notify.Notification{Title: title, Body: body, Urgency: notify.Normal}); err != nil {
		slog.Warn("desktop: telling what the doctor found", "error", err)
	}
}

// diagnosis is what the doctor found, for a notification: what is well is only
// counted.
func diagnosis(w words.Words, checks []control.Check) (title, body string) {
	var rows []string
	for _, c := range checks {
		if c.Status != "failed" && c.Status != "warning" {
			continue
		}
		row := c.Name + ": " + c.Detail
		if c.Fix != "" {
			row += " → " + c.Fix
		}
		rows = append(rows, brief(row, bodyRunes))
	}
	if len(rows) == 0 {
		return w.L("All is well"), w.L("{{.N}} parts were tried.", "N", strconv.Itoa(len(checks)))
	}
	return w.L("{{.N}} of {{.All}} parts need attention", "N", strconv.Itoa(len(rows)), "All", strconv.Itoa(len(checks))), strings.Join(rows, "\n")
}

// retry is how long follow waits before it asks for events again.
const retry = time.Second

// follow keeps the status, the alerts and the tray up to date.
func (d *Desktop) follow(ctx context.Context) {
	for ctx.Err() == nil {
		screen := d.screen(ctx)
		d.mu.Lock()
		d.status = status{words: d.opts.Words, computer: screen} // what happened before is not known
		d.mu.Unlock()
		for e, err := range d.opts.Client.Watch(ctx, control.WatchRequest{}) {
			if err != nil {
				slog.Warn("desktop: events", "error", err)
				break
			}
			d.mu.Lock()
			before := d.status.view(d.info.Degraded)
			d.status.apply(e)
			changed := d.status.view(d.info.Degraded)
			d.mu.Unlock()
			d.alerts.apply(ctx, e)
			if !before.Same(changed) {
				d.draw(ctx)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(retry):
		}
	}
}

// screen is how the use of the screen stands now.
func (d *Desktop) screen(ctx context.Context) agent.ComputerState {
	c, err := d.opts.Client.Computer(ctx)
	if err != nil {
		return agent.ComputerState{} // its events tell, as soon as there are some
	}
	return agent.ComputerState{On: c.Enabled, Acting: c.Acting, Waiting: c.Waiting, Paused: c.Paused, By: c.By, Held: c.Session != "", Program: c.Program, Acts: c.Acts, MaxActs: c.MaxActs}
}

// draw shows the state and the newest sessions in the tray.
func (d *Desktop) draw(ctx context.Context) {
	d.drawing.Lock()
	defer d.drawing.Unlock()
	sessions, err := d.opts.Client.Sessions(ctx, control.SessionQuery{Limit: tray.MaxRecent})
	if err != nil && ctx.Err() == nil {
		slog.Warn("desktop: recent sessions", "error", err)
	}
	d.mu.Lock()
	v, t := d.status.view(d.info.Degraded), d.tray
	d.mu.Unlock()
	for _, s := range sessions {
		v.Recent = append(v.Recent, tray.Recent{ID: s.ID, Title: brief(s.Title, saidRunes)})
	}
	if t != nil {
		t.Show(v)
	}
}
