package agent

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/provider"
)

// session is what is known of a session while something happens in it.
type session struct {
	id      string
	users   int        // guarded by Agent.mu; at 0 it is idle
	sending sync.Mutex // held by one Send at a time

	loaded  bool               // guarded by sending
	asked   []string           // tools that the model asked for, see deferral.go; the worker's
	history []provider.Message // of ended turns, as it is sent; read and written by the worker once it runs
	compact policy.Compactor   // whether shortening it helped; the worker's as well
	held    bool               // history is of before the session was idle
	mark    int64              // messages that were stored when history was read
	written atomic.Int64       // messages that were stored since

	mu      sync.Mutex
	queue   []*job
	current *job
	busy    bool // a worker runs
	closed  bool
}

// job is a message whose turn is due.
type job struct {
	Input
	turn        string
	message     provider.Message
	onlyCompact bool            // the turn shortens the conversation and asks nothing
	ctx         context.Context //nolint:containedctx // bounds this very turn; the queue carries it to the worker
	cancel      context.CancelCauseFunc
}

// Why a turn was cancelled; the texts stand in [TurnCancelled].
var (
	errStopped     = errors.New("stopped")
	errInterrupted = errors.New(interrupted)
)

// interrupted is the reason of a turn that ended with the program. Its message
// still waits for an answer, see [Agent.Resume].
const interrupted = "interrupted"

func (a *Agent) acquire(id string) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, ErrClosed
	}
	s := a.sessions[id]
	if s == nil {
		if a.sessions == nil {
			a.sessions = map[string]*session{}
		}
		if s = a.idle.take(id); s == nil {
			s = &session{id: id}
		}
		a.sessions[id] = s
	}
	s.users++
	return s, nil
}

func (a *Agent) release(s *session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.users--; s.users > 0 {
		return
	}
	delete(a.sessions, s.id)
	if s.loaded && a.Compactions != nil {
		a.idle.put(s)
	}
}

// enqueue adds j and starts a worker when none runs. After Close it adds
// nothing: the message is stored, and found again by [Agent.Recover].
func (a *Agent) enqueue(s *session, j *job) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.closed || s.closed {
		j.cancel(errInterrupted)
		return
	}
	s.queue = append(s.queue, j)
	if s.busy {
		return
	}
	s.busy = true
	s.users++
	a.workers.Add(1)
	go a.work(s) // ends when the queue is empty; Close waits for it
}

// work plays the turns of a session until none is queued.
func (a *Agent) work(s *session) {
	defer a.workers.Done()
	defer a.release(s)
	for {
		j := s.next()
		if j == nil {
			return
		}
		a.play(j.ctx, s, j)
		j.cancel(nil)
	}
}

func (s *session) next() *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.queue) == 0 {
		s.current, s.busy = nil, false
		return nil
	}
	s.current, s.queue = s.queue[0], s.queue[1:]
	return s.current
}

// Stop ends the running turn of a session, and never a later one; what is
// queued goes on. It reports whether a turn was running.
func (a *Agent) Stop(session string) bool { return a.stop(session, "") }

// StopTurn ends a turn if it is the one that runs: a turn that ended meanwhile
// does not take the next one with it.
func (a *Agent) StopTurn(session, turn string) bool { return a.stop(session, turn) }

func (a *Agent) stop(session, turn string) bool {
	a.mu.Lock()
	s := a.sessions[session]
	a.mu.Unlock()
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || turn != "" && s.current.turn != turn {
		return false
	}
	s.current.cancel(errStopped)
	return true
}

// Running returns the turn that runs in each session that has one.
func (a *Agent) Running() map[string]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := map[string]string{}
	for id, s := range a.sessions {
		s.mu.Lock()
		if s.current != nil {
			out[id] = s.current.turn
		}
		s.mu.Unlock()
	}
	return out
}

// Close cancels all turns and waits until they have ended, at most until ctx
// does. Queued messages stay in the journal, see [Agent.Recover].
func (a *Agent) Close(ctx context.Context) error {
	a.mu.Lock()
	a.closed = true
	for _, s := range a.sessions {
		s.close()
	}
	a.mu.Unlock()
	done := make(chan struct{})
	go func() { // ends with the workers
		a.workers.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.current != nil {
		s.current.cancel(errInterrupted)
	}
	for _, j := range s.queue {
		j.cancel(errInterrupted)
	}
	s.queue = nil
}
