package computeruse

import (
	"github.com/hobkin/hobkin/core/capability"
)

// Attended reports whether a person takes part in a turn: only then is the
// screen used at all. Jobs, subagents, other programs and the skills of plugins
// never use it.
func Attended(t capability.Turn) bool {
	if !t.Attended || t.Trust != capability.Operator {
		return false
	}
	switch t.Provenance {
	case capability.FromSchedule, capability.FromWeb, capability.FromTool, capability.FromSubagent:
		return false
	case capability.FromPerson:
	}
	switch t.Channel {
	case "", "desktop", "cli", "voice", "notification":
		return true
	}
	return false
}

// Offered reports whether a turn can use the screen at all.
func (s *Session) Offered(t capability.Turn) bool { return s.o.Config().Enabled && Attended(t) }

// mayLook reports why a turn may not even look.
func (s *Session) mayLook(t capability.Turn) error {
	switch {
	case !s.o.Config().Enabled:
		return Off.Becausef("computer use is switched off in the settings")
	case !Attended(t):
		return NotAttended.Becausef("no person takes part in this turn")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Off.Becausef("Hobkin is closing")
	}
	if s.turn(t).stopped {
		return Stopped.Becausef("a person stopped computer use in this turn")
	}
	return nil
}

// mayAct reports why a turn may look and do nothing more.
func (s *Session) mayAct(t capability.Turn, cfg Config) error {
	if err := s.mayLook(t); err != nil {
		return err
	}
	if s.o.LookOnly != nil && s.o.LookOnly() {
		return LookOnly.Becausef("the sandbox is strict, so that nothing is clicked or typed")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch turn := s.turn(t); {
	case s.now.Paused:
		return Paused.Becausef("a person paused computer use%s", byWhom(s.now.By))
	case turn.acts >= cfg.MaxActs:
		return TooManyActs.Becausef("this turn has acted %d times, which is the most", turn.acts)
	}
	return nil
}

func byWhom(by string) string {
	switch by {
	case "hotkey":
		return " with the keys for that"
	case "corner":
		return " by moving the mouse into a corner"
	case "bar":
		return " on the strip on the screen"
	}
	return ""
}

// maxTurns is how many turns are remembered.
const maxTurns = 64

// turn is what is counted of a turn. The lock is held.
func (s *Session) turn(t capability.Turn) *turn {
	id := t.Session + "\x00" + t.ID
	one := s.turns[id]
	if one == nil {
		one = &turn{}
		s.turns[id] = one
		s.order = append(s.order, id)
		for len(s.order) > maxTurns {
			delete(s.turns, s.order[0])
			s.order = s.order[1:]
		}
	}
	return one
}
