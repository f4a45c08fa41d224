package outbound

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
)

// ofSettings is the set of servers that [Manager.Apply] is about.
const ofSettings = ""

// ErrTaken is returned for a server whose name one of another set has.
var ErrTaken = errors.New("a tool server of that name is in use already")

// Apply makes specs the servers of the settings; see [Manager.ApplySet].
func (m *Manager) Apply(ctx context.Context, specs []Spec) {
	if err := m.ApplySet(ctx, ofSettings, specs); err != nil {
		m.told(Status{State: Failed, Reason: err.Error()})
	}
}

// ApplySet makes specs the servers of one source, such as the definition of an
// agent for as long as its session lives: new ones are started, changed ones
// restarted, and those that the source named before are ended. Those of other
// sources stay. An empty list ends the set. It does not wait for the servers.
//
// A name that another source has is not taken from it: the error is [ErrTaken],
// and the others of specs are in use all the same.
func (m *Manager) ApplySet(ctx context.Context, set string, specs []Spec) error {
	want := map[string]Spec{}
	for _, s := range specs {
		want[s.Name] = s
	}
	for _, s := range m.superseded(set, want) { // before the new ones: two of one program may not get along
		s.end()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var taken []error
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch s, ok := m.servers[name]; {
		case ok && s.of != set:
			taken = append(taken, fmt.Errorf("%w: %s", ErrTaken, name))
		case !ok && !m.closed:
			m.servers[name] = m.start(ctx, set, want[name])
		}
	}
	return errors.Join(taken...)
}

// superseded takes out the servers of a set that are not wanted as they are.
func (m *Manager) superseded(set string, want map[string]Spec) []*server {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []*server
	for name, s := range m.servers {
		if spec, ok := want[name]; s.of == set && (!ok || !spec.same(s.spec)) {
			out = append(out, s)
			delete(m.servers, name)
		}
	}
	return out
}

// all are the servers in the order of their names.
func (m *Manager) all() []*server {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []*server
	for _, name := range slices.Sorted(maps.Keys(m.servers)) {
		out = append(out, m.servers[name])
	}
	return out
}

// RootsChanged tells all servers that the folders they are to keep to have
// changed. Those of the newest protocol ask each time, and are told nothing.
func (m *Manager) RootsChanged(ctx context.Context) {
	for _, s := range m.all() {
		s.mu.Lock()
		c := s.conn
		s.mu.Unlock()
		if c == nil || m.offers.Roots == nil || mcp.IsModernProtocol(c.client.ProtocolVersion()) {
			continue
		}
		_ = c.client.RootListChanges(ctx) // one that is gone reads them when it comes back
	}
}
