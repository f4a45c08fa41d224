package computeruse

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// haltTime is how long a helper may take to confirm that nothing moves; one
// that does not is ended, which lets go of all it held.
const haltTime = time.Second

// Pause stops what moves, lets go of all that is held, and refuses acts until
// [Session.Resume]. By says who wanted it. It returns once nothing moves any
// more: a helper that does not confirm that in a second is ended.
func (s *Session) Pause(ctx context.Context, by string) (wire.PauseResult, error) {
	s.change(func(st *State) {
		if !st.Paused {
			st.Paused, st.By = true, by
		}
	})
	return s.halt(ctx)
}

// halt stops what moves, also when ctx ends meanwhile.
func (s *Session) halt(ctx context.Context) (wire.PauseResult, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), haltTime)
	defer cancel()
	r, err := s.desk.Pause(ctx)
	if err != nil {
		s.o.Desk.Stop()
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil // it is halted: the helper is gone
		}
	}
	return r, err
}

// Resume lets acts through again.
func (s *Session) Resume(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, quickTime)
	defer cancel()
	if err := s.desk.Resume(ctx); err != nil {
		return refusal(err)
	}
	s.change(func(st *State) { st.Paused, st.By = false, "" })
	return nil
}

// Stop ends what is done with the screen: what moves is halted, what is held is
// let go of, the turns so far may not act any more, and no conversation holds
// the mouse. It ends a pause too: what a later turn does is asked for anew.
func (s *Session) Stop(ctx context.Context) error {
	s.mu.Lock()
	for _, t := range s.turns {
		t.stopped = true
	}
	clear(s.agreed)
	s.calls = nil
	s.mu.Unlock()
	_, err := s.halt(ctx)
	s.o.Desk.Stop()
	s.seen.forget()
	s.change(func(st *State) { *st = State{} })
	return err
}

// TurnEnded lets go of the mouse, and of what is held down, when the turn of a
// conversation has ended.
func (s *Session) TurnEnded(session string) {
	s.mu.Lock()
	mine := s.now.Session == session
	s.mu.Unlock()
	if !mine {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), quickTime)
	defer cancel()
	if _, err := s.desk.Release(ctx); err != nil {
		slog.Warn("computeruse: letting go of keys and buttons", "error", err)
	}
	s.letGo(session)
}

// letGo ends the hold of a conversation.
func (s *Session) letGo(session string) {
	s.change(func(st *State) {
		if st.Session == session && !st.Acting {
			*st = State{Paused: st.Paused, By: st.By}
		}
	})
}

// take says whether a conversation may have the mouse, and the state of before.
func (s *Session) take(session string, cfg Config) (before State, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.Session != "" && s.now.Session != session && time.Since(s.last) < cfg.Hold {
		return s.now, Busy.Becausef("another conversation holds the mouse; it lets go when its turn ends, or %v after its last act", cfg.Hold)
	}
	return s.now, nil
}

// keep holds the mouse for a while after an act.
func (s *Session) keep(session string, hold time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
	if s.lapse != nil {
		s.lapse.Stop()
	}
	if !s.closed {
		s.lapse = time.AfterFunc(hold, func() { s.letGo(session) })
	}
}
