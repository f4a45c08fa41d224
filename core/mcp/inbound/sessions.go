package inbound

import (
	"crypto/rand"
	"errors"
	"sync"
	"time"
)

// sessions knows the sessions of clients of older protocols; newer ones have
// none. It implements mcp-go's SessionIdManager.
type sessions struct {
	most int
	idle time.Duration

	mu   sync.Mutex
	used map[string]time.Time // when each was last used
}

func newSessions(most int, idle time.Duration) *sessions {
	return &sessions{most: most, idle: idle, used: map[string]time.Time{}}
}

var errNoSession = errors.New("mcp: no such session")

// Generate makes an id. Where there are too many sessions, the one that was
// idle longest ends.
func (s *sessions) Generate() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	oldest, at := "", now
	for id, used := range s.used {
		switch {
		case now.Sub(used) > s.idle:
			delete(s.used, id)
		case used.Before(at):
			oldest, at = id, used
		}
	}
	if len(s.used) >= s.most {
		delete(s.used, oldest)
	}
	id := rand.Text()
	s.used[id] = now
	return id
}

// Validate reports an error for a session that is not, or no longer, there:
// the client then starts a new one.
func (s *sessions) Validate(id string) (terminated bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	used, ok := s.used[id]
	if !ok || time.Since(used) > s.idle {
		delete(s.used, id)
		return false, errNoSession
	}
	s.used[id] = time.Now()
	return false, nil
}

// Terminate ends a session.
func (s *sessions) Terminate(id string) (notAllowed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.used, id)
	return false, nil
}
