package outbound

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/mcp/oauth"
)

// A Manager keeps the connections to all servers and their tools in the
// registry. Make one with [NewManager]; close it.
type Manager struct {
	registry *capability.Registry
	pins     Pins
	offers   Host
	told     func(Status)
	wait     time.Duration // after a first failure; tests shorten it

	mu      sync.Mutex
	servers map[string]*server
	closed  bool
}

// Pins keep the definitions of tools that the owner has seen.
type Pins interface {
	// Pins returns the definitions of a server's tools by name.
	Pins(ctx context.Context, server string) (map[string]Tool, error)
	// Pin keeps definitions, in place of those of the same names.
	Pin(ctx context.Context, server string, tools []Tool) error
}

// NewManager returns a manager without servers. Told may be nil; it is called
// whenever the state of a server changes, and must be quick.
func NewManager(r *capability.Registry, p Pins, h Host, told func(Status)) *Manager {
	if told == nil {
		told = func(Status) {}
	}
	return &Manager{registry: r, pins: p, offers: h, told: told, wait: firstWait, servers: map[string]*server{}}
}

// Close ends all servers.
func (m *Manager) Close() {
	m.mu.Lock()
	m.closed = true
	all := slices.Collect(maps.Values(m.servers))
	m.servers = map[string]*server{}
	m.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range all {
		wg.Go(s.end)
	}
	wg.Wait()
}

// Status tells how all servers are, by name.
func (m *Manager) Status() []Status {
	var out []Status
	for _, s := range m.all() {
		out = append(out, s.snapshot())
	}
	return out
}

// ErrUnknown is returned for a name that no server has.
var ErrUnknown = errors.New("no tool server has that name")

func (m *Manager) find(name string) (*server, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.servers[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	return s, nil
}

// Retry starts a server anew at once, also one that was given up.
func (m *Manager) Retry(name string) error {
	s, err := m.find(name)
	if err != nil {
		return err
	}
	s.retry()
	return nil
}

// Log returns what a server said on standard error, of its last connection.
func (m *Manager) Log(name string) (string, error) {
	s, err := m.find(name)
	if err != nil {
		return "", err
	}
	return s.log(), nil
}

// Accept takes the changed definitions of a server's tools as seen: those that
// were held back are offered.
func (m *Manager) Accept(ctx context.Context, name string) error {
	s, err := m.find(name)
	if err != nil {
		return err
	}
	return s.accept(ctx)
}

// Wait waits until no server is starting, or for at most d: so that the first
// turn after a start sees the tools.
func (m *Manager) Wait(ctx context.Context, d time.Duration) {
	all := m.all()
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for _, s := range all {
		select {
		case <-s.settled:
		case <-ctx.Done():
			return
		}
	}
}

// Test connects to a server as Apply would, lists its tools, and ends it. The
// status tells how that went.
func (m *Manager) Test(ctx context.Context, spec Spec) (Status, []Tool) {
	ctx, cancel := context.WithTimeout(ctx, spec.StartTime)
	defer cancel()
	st := Status{Name: spec.Name, Shown: spec.Shown, State: Failed}
	c, err := connect(ctx, spec, m.offers)
	if err != nil {
		st.Reason = err.Error()
		if errors.Is(err, oauth.ErrLogin) {
			st.State, st.Reason = NeedsLogin, signIn(spec.Name)
		}
		return st, nil
	}
	defer c.close()
	tools, bad, err := c.tools(ctx)
	if err != nil {
		st.Reason, st.Log = err.Error(), c.log()
		return st, nil
	}
	st.State, st.Tools, st.Notes, st.Server, st.Protocol, st.Log = Ready, len(tools), bad, c.about(), c.client.ProtocolVersion(), c.log()
	return st, tools
}
