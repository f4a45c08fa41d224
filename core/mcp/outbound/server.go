package outbound

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/mcp/oauth"
)

const (
	tries     = 5                      // to connect, before a server is given up
	firstWait = 500 * time.Millisecond // after a failure; each further one twice as long
	stable    = 10 * time.Second       // ready for so long, a crash does not count as a failed try
	calm      = 100 * time.Millisecond // from the notice of a change to the new list: notices come in storms
)

// A server is one server under supervision.
type server struct {
	*Manager
	of      string // the source that named it
	spec    Spec
	cancel  context.CancelFunc
	done    chan struct{}
	again   chan struct{} // holds one when the owner wants a new try
	settled chan struct{} // closed when the first start has ended, well or not
	first   sync.Once

	mu      sync.Mutex
	status  Status
	conn    *conn         // nil while there is none
	ready   chan struct{} // closed when conn is there; replaced when it is lost
	known   []Tool        // of the connection, all
	prompts []Prompt      // of the connection
	last    string        // log of the last connection
	gone    chan struct{} // closed while only the owner can bring it back
}

// start begins the supervision of a server.
func (m *Manager) start(ctx context.Context, set string, spec Spec) *server {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &server{
		Manager: m, of: set, spec: spec, cancel: cancel, done: make(chan struct{}), again: make(chan struct{}, 1),
		settled: make(chan struct{}), ready: make(chan struct{}), gone: make(chan struct{}),
		status: Status{Name: spec.Name, Shown: spec.Shown, State: Starting, Since: time.Now()},
	}
	if spec.Disabled {
		s.status.State = Disabled
		close(s.settled)
		close(s.done)
		return s
	}
	go s.supervise(ctx)
	return s
}

// end ends the server and takes its tools away. It waits.
func (s *server) end() {
	s.cancel()
	<-s.done
}

// supervise keeps the server connected until ctx ends.
func (s *server) supervise(ctx context.Context) {
	defer close(s.done)
	defer s.settle()
	failures := 0
	for ctx.Err() == nil {
		began := time.Now()
		err := s.live(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > stable {
			failures = 0
		}
		failures++
		if !s.pause(ctx, failures, err) {
			failures = 0 // the owner said so: all tries anew
		}
	}
}

func (s *server) settle() { s.first.Do(func() { close(s.settled) }) }

// pause waits before the next try, and reports false when the owner cut it
// short. After the last try only the owner ends it.
func (s *server) pause(ctx context.Context, failures int, err error) (waited bool) {
	state, wait := Failed, s.wait<<(failures-1)
	var timer <-chan time.Time
	switch {
	case errors.Is(err, oauth.ErrLogin):
		state, err = NeedsLogin, errors.New(signIn(s.spec.Name))
	case failures >= tries:
		state = Quarantined
	default:
		t := time.NewTimer(wait)
		defer t.Stop()
		timer = t.C
	}
	s.set(func(st *Status) {
		st.Lost = st.State == Ready && !errors.Is(err, errAnew)
		st.State, st.Reason, st.Tries, st.Tools = state, err.Error(), failures, 0
	})
	if state != Failed {
		slog.WarnContext(ctx, "mcp: a tool server was given up", "server", s.spec.Name, "error", err)
		s.settle()
		s.giveUp()
		defer s.hope()
	}
	select {
	case <-timer:
		return true
	case <-s.again:
		return false
	case <-ctx.Done():
		return true
	}
}

// giveUp tells those who wait for a connection that there will be none soon.
func (s *server) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.gone)
}

func (s *server) hope() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = make(chan struct{})
}

// errAnew ends a connection that the owner wants to be made anew.
var errAnew = errors.New("it is started anew")

// signIn is what the owner has to do.
func signIn(server string) string { return "sign in with: hobkin mcp login " + server }

// live connects, offers the tools, and stays until the connection ends. It
// always returns a reason.
func (s *server) live(ctx context.Context) error {
	start, cancel := context.WithTimeoutCause(ctx, s.spec.StartTime, context.DeadlineExceeded)
	defer cancel()
	c, err := connect(start, s.spec, s.offers)
	if err != nil {
		return err
	}
	defer s.drop(c)
	if err := s.discover(start, c); err != nil {
		return err
	}
	s.settle()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-c.lost:
			return err
		case <-s.again:
			return errAnew
		case <-c.changed:
			if err := s.rediscover(ctx, c); err != nil {
				return err
			}
		}
	}
}

// rediscover lists the tools again, once the storm of notices is over.
func (s *server) rediscover(ctx context.Context, c *conn) error {
	timer := time.NewTimer(calm)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-c.changed: // what came meanwhile is in the new list
	default:
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.spec.StartTime, context.DeadlineExceeded)
	defer cancel()
	return s.discover(ctx, c)
}

// discover lists the tools and swaps them in the registry.
func (s *server) discover(ctx context.Context, c *conn) error {
	tools, bad, err := c.tools(ctx)
	if err != nil {
		return err
	}
	prompts, err := c.prompts(ctx)
	if err != nil { // its tools are of use all the same
		bad = append(bad, err.Error())
	}
	offered, held, err := s.sift(ctx, tools)
	if err != nil {
		return err
	}
	err = s.registry.Replace(capability.KindMCP, s.spec.meta(), capabilities(s.spec, offered, s)...)
	if err != nil {
		return fmt.Errorf("its tools cannot be offered: %w", err)
	}
	s.mu.Lock()
	if s.conn != c {
		s.conn = c
		close(s.ready)
	}
	s.known = tools
	fresh := !reflect.DeepEqual(s.prompts, prompts)
	s.prompts = prompts
	s.mu.Unlock()
	if fresh && s.offers.Prompts != nil {
		s.offers.Prompts(s.spec.Name)
	}
	s.set(func(st *Status) {
		st.State, st.Reason, st.Tries = Ready, "", 0
		st.Tools, st.Held, st.Notes = len(offered), held, bad
		st.Server, st.Protocol = c.about(), c.client.ProtocolVersion()
		if len(tools) == 0 {
			st.Reason = "it offers no tools"
		}
	})
	return nil
}

// sift parts the tools from those whose definition has changed since the owner
// saw it. A tool that is met for the first time counts as seen from then on.
func (s *server) sift(ctx context.Context, tools []Tool) (offered []Tool, held []Change, err error) {
	seen, err := s.pins.Pins(ctx, s.spec.Name)
	if err != nil {
		return nil, nil, fmt.Errorf("the definitions that were seen cannot be read: %w", err)
	}
	var fresh []Tool
	for _, t := range tools {
		was, ok := seen[t.Name]
		switch {
		case !ok:
			fresh = append(fresh, t)
		case was.Fingerprint() != t.Fingerprint():
			held = append(held, Change{Tool: t.Name, Was: was, Now: t})
			continue
		}
		offered = append(offered, t)
	}
	if len(fresh) == 0 {
		return offered, held, nil
	}
	return offered, held, s.pins.Pin(ctx, s.spec.Name, fresh)
}

// accept takes the definitions of now as seen, and offers them.
func (s *server) accept(ctx context.Context) error {
	s.mu.Lock()
	known, c := s.known, s.conn
	s.mu.Unlock()
	if c == nil {
		return errors.New("it is not connected")
	}
	if err := s.pins.Pin(ctx, s.spec.Name, known); err != nil {
		return err
	}
	c.note()
	return nil
}

// drop ends a connection and takes the tools away.
func (s *server) drop(c *conn) {
	s.mu.Lock()
	if s.conn == c {
		s.conn, s.known, s.prompts = nil, nil, nil
		s.ready = make(chan struct{})
	}
	s.mu.Unlock()
	s.registry.UnregisterWhere(capability.KindMCP, s.spec.meta())
	c.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = c.log()
}

// use returns the connection, and waits for a new one when it was just lost.
func (s *server) use(ctx context.Context) (*conn, error) {
	s.mu.Lock()
	c, ready, gone := s.conn, s.ready, s.gone
	s.mu.Unlock()
	if c != nil {
		return c, nil
	}
	select {
	case <-ready:
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.conn == nil {
			return nil, errors.New("it ended again right after its start")
		}
		return s.conn, nil
	case <-gone:
		return nil, errors.New(s.snapshot().Reason)
	case <-s.done:
		return nil, errors.New("it is not in use any more")
	case <-ctx.Done():
		return nil, fmt.Errorf("it is not connected: %s", or(s.snapshot().Reason, "it is starting"))
	}
}

// broken tells that a connection does not work any more. It returns when no one
// is given it any more.
func (s *server) broken(c *conn, err error) {
	c.end(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == c {
		s.conn = nil
		s.ready = make(chan struct{})
	}
}

func (s *server) host() Host { return s.offers }

// retry makes the supervision try at once.
func (s *server) retry() {
	select {
	case s.again <- struct{}{}:
	default:
	}
}

func (s *server) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		return s.conn.log()
	}
	return s.last
}

// set changes the status and tells of it.
func (s *server) set(change func(*Status)) {
	s.mu.Lock()
	was := s.status.State
	change(&s.status)
	if s.status.State != was {
		s.status.Since = time.Now()
	}
	now := s.status
	s.mu.Unlock()
	s.told(now)
}

func (s *server) snapshot() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.status
	st.Log = s.last
	if s.conn != nil {
		st.Log = s.conn.log()
	}
	return st
}

// about is what a server calls itself.
func (c *conn) about() string {
	return strings.TrimSpace(c.server.Name + " " + c.server.Version)
}
