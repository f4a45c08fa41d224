package native

import (
	"context"
	"sync"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Hands are the buttons that an act left pressed on purpose.
type hands struct {
	mu     sync.Mutex
	timers map[string]*time.Timer
}

// longestHold is how long a button may stay pressed: an agent that forgets it
// must not leave a person with a mouse that drags.
const longestHold = 60 * time.Second

// hold calls late when the button was not opened in time.
func (h *hands) hold(button string, late func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.timers == nil {
		h.timers = map[string]*time.Timer{}
	}
	if t := h.timers[button]; t != nil {
		t.Stop()
	}
	h.timers[button] = time.AfterFunc(longestHold, late)
}

// open forgets a button, or all of them.
func (h *hands) open(buttons ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, t := range h.timers {
		if len(buttons) == 0 || name == buttons[0] {
			t.Stop()
			delete(h.timers, name)
		}
	}
}

// releaseTime bounds letting go: a display that does not answer must not keep
// the helper from ending.
const releaseTime = 2 * time.Second

// letGo releases all that is held down and says what it was.
func (s *Server) letGo() (names []string) {
	s.hands.open()
	if s.parts.Held == nil {
		return nil
	}
	done := make(chan []string, 1)
	go func() { done <- s.parts.Held.ReleaseAll() }()
	select {
	case names = <-done:
	case <-time.After(releaseTime):
		s.log.Error("keys could not be released; the display does not answer")
	}
	return names
}

// Stop pauses as a person asked for it, by one of the ways of package wire.
func (s *Server) Stop(by string) {
	ctx, cancel := context.WithTimeout(context.Background(), quick)
	defer cancel()
	if _, err := s.gate.close(ctx, by); err != nil {
		s.log.Error("pausing", "by", by, "err", err)
	}
	s.tell(wire.Paused, wire.PausedData{By: by, Released: s.letGo()})
}

func (s *Server) pause(ctx context.Context, _ none) (wire.PauseResult, error) {
	stopped, err := s.gate.close(ctx, wire.ByAgent)
	return wire.PauseResult{Released: s.letGo(), Stopped: stopped}, err
}

func (s *Server) resume(context.Context, none) (none, error) {
	s.gate.open()
	return none{}, nil
}

func (s *Server) release(context.Context, none) (wire.PauseResult, error) {
	return wire.PauseResult{Released: s.letGo()}, nil
}

func (s *Server) bar(ctx context.Context, p wire.BarParams) (none, error) {
	if s.parts.Strip == nil {
		return none{}, s.unsupported(wire.CanBar)
	}
	return none{}, s.parts.Strip.Set(ctx, p)
}

func (s *Server) hotkey(ctx context.Context, p wire.HotkeyParams) (none, error) {
	if s.parts.Watcher == nil {
		return none{}, s.unsupported(wire.CanHotkey)
	}
	return none{}, s.parts.Watcher.Hotkey(ctx, p.Chord)
}

// The pace of events.
const (
	personEvery = 500 * time.Millisecond
	slamWithin  = 30 * time.Second // so long after an act a corner still pauses
)

// watch turns what a person does into pauses and events.
func (s *Server) watch(ctx context.Context) {
	var mu sync.Mutex
	var told time.Time
	err := s.parts.Watcher.Watch(ctx, func(h Happening) {
		switch h {
		case PressedHotkey:
			s.Stop(wire.ByHotkey) //nolint:contextcheck // it is done also while the helper ends
		case SlammedCorner:
			if s.gate.slammable() {
				s.Stop(wire.ByCorner) //nolint:contextcheck // as above
			}
		case ChangedDisplays:
			if all, err := s.displays(ctx, none{}); err == nil {
				s.tell(wire.DisplaysChanged, all)
			}
		case PersonActs:
			mu.Lock()
			defer mu.Unlock()
			if time.Since(told) >= personEvery {
				told = time.Now()
				s.tell(wire.PersonActive, s.parts.Watcher.Person())
			}
		}
	})
	if err != nil && ctx.Err() == nil {
		s.log.Warn("nobody watches for a person's input any more", "err", err)
	}
}
