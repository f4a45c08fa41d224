package computeruse

import (
	"context"
	"fmt"
	"time"
)

// courtesy waits until a person's hands have rested for a while, and steps
// aside when they do not. Where the system does not tell, the act goes on.
func (s *Session) courtesy(ctx context.Context, cfg Config) error {
	ctx, cancel := context.WithTimeout(ctx, cfg.CourtesyWait+quickTime)
	defer cancel()
	end := time.Now().Add(cfg.CourtesyWait)
	for {
		p, err := s.desk.Person(ctx)
		idle := time.Duration(p.IdleMS) * time.Millisecond
		if err != nil || !p.Known || idle >= cfg.CourtesyIdle {
			return nil // without a sign of a person it is a courtesy that is missing, which doctor says
		}
		s.change(func(st *State) { st.Waiting = true })
		rest := cfg.CourtesyIdle - idle
		if time.Now().Add(rest).After(end) {
			rest = time.Until(end)
		}
		if rest <= 0 {
			return UserActive.Becausef("a person has been using the mouse or the keyboard for %v; nothing was sent", cfg.CourtesyWait)
		}
		timer := time.NewTimer(rest)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// advice names ways out for a model whose acts change nothing.
func advice(n int) string {
	return fmt.Sprintf("%d acts in a row changed nothing on this display. Do not repeat them: look at the picture with a zoom (screenshot with region) to see whether the place is right, "+
		"take a screenshot with marks or list the elements and use press or set_value, bring the window to the front with focus_window, wait_for_change if the program is slow, "+
		"use a key instead of the pointer, or tell the user what is in the way.", n)
}
