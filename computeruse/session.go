package computeruse

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/computeruse/helper"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/capability"
)

// A Config is what the owner set. A zero field means its default.
type Config struct {
	Enabled      bool
	CourtesyIdle time.Duration // a person's hands must have rested for so long; 1.5 s
	CourtesyWait time.Duration // how long such a rest is waited for; 3 s
	Hold         time.Duration // how long a conversation keeps the mouse after its last act; 60 s
	MaxAge       time.Duration // of a picture that is pointed into; 30 s
	MaxActs      int           // of one turn; 80
	Hotkey       string        // chord that pauses from anywhere; empty takes none
	Forbidden    []string      // further programs that are never used, * at an end stands for the rest
	NoBar        bool          // show no strip on the screen
}

func (c Config) withDefaults() Config {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&c.CourtesyIdle, 1500*time.Millisecond)
	def(&c.CourtesyWait, 3*time.Second)
	def(&c.Hold, time.Minute)
	def(&c.MaxAge, 30*time.Second)
	if c.MaxActs <= 0 {
		c.MaxActs = 80
	}
	return c
}

// A Desk is the helper as a session uses it: *[helper.Helper] is one.
type Desk interface {
	helper.Caller
	// Stop ends the program; it is started again when it is next asked for
	// something.
	Stop()
}

// Options say what a session works with. Desk and Config must be set.
type Options struct {
	Desk   Desk
	Config func() Config // asked again and again: changes count at once

	// Model says how the model of a turn takes pictures and points into them;
	// nil means the defaults.
	Model func(turn capability.Turn) Model
	// LookOnly reports whether the sandbox is strict, so that acts are refused;
	// nil means that it is not. The helper is told by its own options.
	LookOnly func() bool
	// Changed is told whenever what [Session.State] says has changed. It is
	// called without locks held, must not block, and may be nil.
	Changed func(State)
	// Words are those of the strip on the screen, in the person's language; nil
	// means English.
	Words func() Words
}

// A Session is the one use of the screen, mouse and keyboard that there is.
// Conversations share it: one at a time holds the mouse. Make one with [New].
type Session struct {
	o    Options
	desk helper.Client

	acting sync.Mutex // held while an act runs
	seen   observations
	bar    bar

	mu     sync.Mutex
	now    State
	layout string               // of the displays, as far as it is known
	chord  string               // that the helper has taken to pause
	last   time.Time            // of the last act
	lapse  *time.Timer          // ends the hold
	turns  map[string]*turn     // by turn id; the latest
	order  []string             // their ids
	agreed map[string]agreement // by call, see [Session.Judge]
	calls  []string             // their ids
	closed bool
}

// A turn is what is counted of one turn of a conversation.
type turn struct {
	acts      int
	unchanged int // acts in a row that changed nothing
	stopped   bool
}

// A State is what a session does now, for people.
type State struct {
	Acting  bool   // an act runs
	Waiting bool   // for a person's hands to rest
	Paused  bool   // until [Session.Resume]
	By      string // who paused, see the wire package: agent, hotkey, corner, bar; or what Pause was given
	Session string // conversation that holds the mouse; empty when none does
	Program string // what it last acted on
	Action  string // what it last did
	Acts    int    // in its turn
	MaxActs int
}

// New makes a session. [Session.Event] must be told of the helper's events.
func New(o Options) *Session {
	s := &Session{o: o, desk: helper.Client{Caller: o.Desk}, turns: map[string]*turn{}, agreed: map[string]agreement{}}
	s.seen.prefix = "o" + strings.ToLower(rand.Text()[:4])
	s.bar.desk = s.desk
	return s
}

// config is the owner's, with the defaults filled in.
func (s *Session) config() Config { return s.o.Config().withDefaults() }

// model is how the model of a turn sees.
func (s *Session) model(t capability.Turn) Model {
	if s.o.Model == nil {
		return Model{}
	}
	return s.o.Model(t)
}

// State tells what the session does now.
func (s *Session) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// change changes the state and tells of it.
func (s *Session) change(do func(*State)) {
	s.mu.Lock()
	before := s.now
	do(&s.now)
	after := s.now
	s.mu.Unlock()
	if before == after {
		return
	}
	s.bar.follow(after, s.config(), s.words())
	if s.o.Changed != nil {
		s.o.Changed(after)
	}
}

// Event takes in what the helper tells unasked, see package wire, and
// [helper.Started].
func (s *Session) Event(name string, data json.RawMessage) {
	switch name {
	case wire.Paused:
		var p wire.PausedData
		if json.Unmarshal(data, &p) == nil && p.By != wire.ByAgent { // of that its caller knows
			s.change(func(st *State) {
				if !st.Paused {
					st.Paused, st.By = true, p.By
				}
			})
		}
	case wire.DisplaysChanged:
		var d wire.DisplaysResult
		if json.Unmarshal(data, &d) == nil {
			s.setLayout(d.Layout)
		}
	case helper.Started:
		s.setLayout("")
		s.started()
	}
}

// started tells a helper that has just begun what the one before it knew.
func (s *Session) started() {
	ctx, cancel := context.WithTimeout(context.Background(), quickTime)
	defer cancel()
	cfg := s.config()
	s.mu.Lock()
	s.chord = "" // it has taken none yet
	s.mu.Unlock()
	s.listen(ctx, cfg)
	s.bar.again(s.State(), cfg, s.words())
}

// listen has the helper take the chord of the settings, when it has another.
func (s *Session) listen(ctx context.Context, cfg Config) {
	s.mu.Lock()
	same := s.chord == cfg.Hotkey
	s.chord = cfg.Hotkey
	s.mu.Unlock()
	if same {
		return
	}
	if err := s.desk.Hotkey(ctx, cfg.Hotkey); err != nil {
		slog.WarnContext(ctx, "computeruse: the chord that pauses is not taken", "chord", cfg.Hotkey, "error", err)
	}
}

// quickTime bounds requests that the helper answers at once.
const quickTime = 3 * time.Second

func (s *Session) setLayout(layout string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.layout = layout
}

// Close ends the helper, and with it all that is held down.
func (s *Session) Close() {
	s.mu.Lock()
	s.closed = true
	if s.lapse != nil {
		s.lapse.Stop()
	}
	s.mu.Unlock()
	s.bar.close()
	s.o.Desk.Stop()
}
