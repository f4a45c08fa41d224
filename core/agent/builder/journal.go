package builder

import (
	"context"
	"slices"
	"sync"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/provider"
)

// memory is a journal that ends with the program.
type memory struct {
	mu       sync.Mutex
	sessions map[string]*talk
}

// talk is one session.
type talk struct {
	turns    []string // in the order of their first message
	messages map[string][]provider.Message
	events   []agent.Event
}

func (m *memory) talk(session string) *talk {
	if m.sessions == nil {
		m.sessions = map[string]*talk{}
	}
	t := m.sessions[session]
	if t == nil {
		t = &talk{messages: map[string][]provider.Message{}}
		m.sessions[session] = t
	}
	return t
}

// AppendMessage implements [agent.Journal].
func (m *memory) AppendMessage(_ context.Context, session, turn string, msg provider.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.talk(session)
	if _, known := t.messages[turn]; !known {
		t.turns = append(t.turns, turn)
	}
	t.messages[turn] = append(t.messages[turn], msg)
	return nil
}

// Messages implements [agent.Journal].
func (m *memory) Messages(_ context.Context, session string) (history []provider.Message, warnings []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.talk(session)
	for _, turn := range t.turns {
		history = append(history, t.messages[turn]...)
	}
	return history, nil, nil
}

// AppendEvent implements [agent.Journal].
func (m *memory) AppendEvent(_ context.Context, e agent.Event) (agent.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.talk(e.Session)
	e.Seq = int64(len(t.events)) + 1
	t.events = append(t.events, e)
	return e, nil
}

// EventsFrom implements [agent.Journal].
func (m *memory) EventsFrom(_ context.Context, session string, from int64, limit int) ([]agent.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.talk(session).events
	start := min(max(from, 1)-1, int64(len(all)))
	return slices.Clone(all[start:min(int(start)+max(limit, 0), len(all))]), nil
}
