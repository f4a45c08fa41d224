package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hobkin/hobkin/computeruse"
	"github.com/hobkin/hobkin/computeruse/helper"
	"github.com/hobkin/hobkin/computeruse/tool"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/sandbox"
)

// A screen is the use of the screen, the mouse and the keyboard: the session
// that decides about it, and the helper that does it.
type screen struct {
	c       *Core
	desk    screenDesk
	session *computeruse.Session
	release helper.Release // where the helper can be fetched

	life context.Context //nolint:containedctx // of what follows events and tries the helper
	end  context.CancelFunc
	runs sync.WaitGroup

	trying sync.Mutex // held while the helper is tried

	mu      sync.Mutex
	asks    map[string]string // names of the models of turns, by session
	path    string            // of the helper in the settings
	corner  bool              // as the settings have it
	tried   time.Time
	display wire.Size // of the primary one, as it was last seen
	fault   error     // why the helper cannot be used; nil: it can
}

// A screenDesk is what a screen needs of the helper: *[helper.Helper] is one.
type screenDesk interface {
	computeruse.Desk
	Running() (wire.HelloResult, bool)
	Close()
}

// joinScreen makes the session. Nothing is started before the settings ask for
// it and a turn could use it.
func (c *Core) joinScreen() {
	s := &screen{c: c, release: helper.Baked(), asks: map[string]string{}, path: c.cfg.Load().ComputerUse.Helper, corner: c.cfg.Load().ComputerUse.Corner}
	s.life, s.end = context.WithCancel(context.Background())
	s.desk = helper.New(helper.Options{Find: s.find, Env: helperEnv(), LookOnly: s.lookOnly, NoCorner: func() bool { return !s.settings().Corner }, OnEvent: func(name string, data json.RawMessage) { s.session.Event(name, data) }})
	s.session = computeruse.New(computeruse.Options{
		Desk: s.desk, Config: s.config, Model: s.model, LookOnly: s.lookOnly, Changed: s.changed, Words: c.barWords,
	})
	c.computer = s
	c.followers = append(c.followers, s.follow)
	s.runs.Go(s.watch)
}

// helperEnv is what the helper is given: where the screen is and how to reach the
// programs on it. What else stands in this program's environment, such as keys,
// is not for it.
func helperEnv() []string {
	return sandbox.Env(sandbox.EnvConfig{Allow: []string{
		"LOGNAME", "LANGUAGE", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS",
		"SWAYSOCK", "DESKTOP_SESSION", "XDG_*", "HOBKIN_*",
	}})
}

// close ends the helper, which lets go of all that it holds down.
func (s *screen) close() {
	if s == nil {
		return // the core was not joined so far
	}
	s.end()
	s.session.Close()
	s.desk.Close()
	s.runs.Wait()
}

func (s *screen) settings() config.ComputerUse { return s.c.cfg.Load().ComputerUse }

// find says where the helper is: that of the settings, beside this program, or
// what was fetched.
func (s *screen) find(ctx context.Context) (string, error) { return s.places().Find(ctx) }

func (s *screen) places() helper.Places {
	p := helper.Places{Configured: s.settings().Helper, Cache: s.c.opts.Paths.Data, Release: s.release}
	if self, err := os.Executable(); err == nil {
		p.Beside = filepath.Dir(self)
	}
	return p
}

// lookOnly reports whether the sandbox is strict: then nothing is clicked or
// typed, which the helper is told at its start too.
func (s *screen) lookOnly() bool {
	return sandbox.Mode(s.c.cfg.Load().Sandbox.Mode) == sandbox.Strict
}

func (s *screen) config() computeruse.Config {
	cu := s.settings()
	courtesy := time.Duration(cu.CourtesyIdleMS) * time.Millisecond
	if courtesy == 0 {
		courtesy = time.Nanosecond // none is wanted, and not the usual
	}
	return computeruse.Config{
		Enabled: cu.Enabled, CourtesyIdle: courtesy, MaxActs: cu.MaxActions, Hotkey: cu.Hotkey, Forbidden: cu.DeniedApps, NoBar: !cu.Bar,
	}
}

// changed tells every surface how the use of the screen stands.
func (s *screen) changed(st computeruse.State) {
	err := s.c.publishAll(st.Session, s.event(st))
	if err != nil {
		slog.Warn("app: telling of the use of the screen", "error", err)
	}
}

func (s *screen) event(st computeruse.State) agent.ComputerState {
	cu := s.settings()
	return agent.ComputerState{
		On: cu.Enabled, Bar: cu.Bar && s.shows(), Acting: st.Acting, Waiting: st.Waiting, Paused: st.Paused, By: st.By, Held: st.Session != "",
		Program: st.Program, Action: st.Action, Acts: st.Acts, MaxActs: st.MaxActs,
	}
}

// shows reports whether the helper that runs can show the bar.
func (s *screen) shows() bool {
	hello, ok := s.desk.Running()
	return ok && slices.ContainsFunc(hello.Capabilities, func(c wire.Capability) bool { return c.Name == wire.CanBar && c.Works })
}

// publishAll tells of something that is of no session, or of one that need not
// exist; it is not kept.
func (c *Core) publishAll(session string, p agent.Payload) error {
	_, err := c.hub.Publish(context.Background(), session, "", p)
	return err
}

// watch lets go of the mouse when a turn has ended.
func (s *screen) watch() {
	for e, err := range s.c.hub.Watch(s.life, "", 0) {
		if err != nil {
			return
		}
		if agent.EndsTurn(e.Payload) {
			s.session.TurnEnded(e.Session)
			s.forget(e.Session)
		}
	}
}

// follow takes in changed settings: what runs while it is switched off ends.
func (s *screen) follow(cfg *config.Config) error {
	s.mu.Lock()
	moved := s.path != cfg.ComputerUse.Helper
	anew := moved || s.corner != cfg.ComputerUse.Corner // what a helper is told at its start
	s.path, s.corner = cfg.ComputerUse.Helper, cfg.ComputerUse.Corner
	if moved {
		s.tried = time.Time{} // another path may lead to another helper
	}
	s.mu.Unlock()
	if anew || !cfg.ComputerUse.Enabled {
		s.desk.Stop()
	}
	s.changed(s.session.State())
	return nil
}

// How often a helper that could not be used is tried again by itself, and one
// that could is asked anew how large the screen is.
const tryAgain = 30 * time.Second

// need tries the helper when that was not done lately, so that what is offered
// in a turn works. It returns at once where the screen is not used at all.
func (s *screen) need(turn capability.Turn) {
	if s.session.Offered(turn) && !s.fresh() {
		s.first()
	}
}

// first tries the helper, unless another has just done that.
func (s *screen) first() {
	s.trying.Lock()
	defer s.trying.Unlock()
	if s.fresh() {
		return
	}
	ctx, cancel := context.WithTimeout(s.life, startTime)
	defer cancel()
	s.try(ctx)
}

// untried reports whether nothing is known of the helper yet.
func (s *screen) untried() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tried.IsZero()
}

// startTime bounds the start of the helper before a turn.
const startTime = 10 * time.Second

func (s *screen) fresh() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.tried.IsZero() && time.Since(s.tried) < tryAgain
}

// try starts the helper, if it does not run, and asks for the displays.
func (s *screen) try(ctx context.Context) {
	list, err := helper.Client{Caller: s.desk}.Displays(ctx)
	var size wire.Size
	for i, d := range list.Displays {
		if d.Primary || i == 0 {
			size = wire.Size{W: d.Box.W, H: d.Box.H}
		}
	}
	if err == nil && size.W == 0 {
		err = errors.New("the system names no display")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried, s.fault, s.display = time.Now(), err, size
	if err != nil {
		slog.WarnContext(ctx, "app: computer use is not offered", "error", err)
	}
}

// ready reports whether the helper answered when it was last tried, and why not.
func (s *screen) ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tried.IsZero() {
		return errors.New("the helper was not tried yet")
	}
	return s.fault
}

// answers reports whether the tool can be offered. It is quick: every listing
// asks it.
func (s *screen) answers() bool { return s.ready() == nil }

// holds reports whether a conversation holds the mouse.
func (s *screen) holds(session string) bool { return s.session.State().Session == session }

// stop ends what is done with the screen, when its conversation is stopped.
func (s *screen) stop(ctx context.Context) {
	if err := s.session.Stop(ctx); err != nil {
		slog.WarnContext(ctx, "app: stopping the use of the screen", "error", err)
	}
}

// screenHost is what the tool works with; without a session it is only told
// about.
func (c *Core) screenHost() *tool.Host {
	if c.computer == nil {
		return &tool.Host{}
	}
	return &tool.Host{Session: c.computer.session, Answers: c.computer.answers}
}
