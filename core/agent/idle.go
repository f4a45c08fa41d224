package agent

import (
	"slices"

	"github.com/hobkin/hobkin/core/agent/policy"
)

// Bounds of what is kept at hand of sessions in which nothing happens.
const (
	idleSessions = 8
	idleBytes    = 16 << 20
)

// idle holds the sessions that had a turn last, so that the next one need not
// read its history again. It is guarded by Agent.mu.
type idle struct {
	list []held // the oldest first
}

type held struct {
	*session
	bytes int
}

// take returns the session and forgets it, or nil.
func (i *idle) take(id string) *session {
	at := slices.IndexFunc(i.list, func(h held) bool { return h.id == id })
	if at < 0 {
		return nil
	}
	s := i.list[at].session
	i.list = slices.Delete(i.list, at, at+1)
	return s
}

// put keeps a session that no one uses, and lets go of the oldest ones where
// they are too many or too large.
func (i *idle) put(s *session) {
	s.loaded, s.held = false, true
	i.list = append(i.list, held{s, policy.Bytes(s.history)})
	total := 0
	for _, h := range i.list {
		total += h.bytes
	}
	for len(i.list) > 0 && (len(i.list) > idleSessions || total > idleBytes) {
		total -= i.list[0].bytes
		i.list = slices.Delete(i.list, 0, 1)
	}
}
