package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

var (
	// ErrDetached is the end of a session whose page, frame or worker is gone.
	ErrDetached = errors.New("the page or frame is gone")
	// ErrBusy refuses calls to a browser that has stopped reading.
	ErrBusy = errors.New("the browser takes no more commands")
)

// CallTimeout bounds a call whose context has no deadline of its own.
const CallTimeout = 60 * time.Second

// An Error is the browser's own answer to a call it could not do.
type Error struct {
	Method  string
	Code    int64 // of JSON-RPC; -32000 is most often "not now", -32601 an unknown method
	Message string
}

// Error is the browser's message, with the method.
func (e *Error) Error() string { return e.Method + ": " + e.Message }

// A Target is what a session is attached to.
type Target struct {
	ID       string `json:"targetId"`
	Type     string `json:"type"` // page, iframe, worker, service_worker, …; browser for the root
	URL      string `json:"url"`
	Title    string `json:"title"`
	OpenerID string `json:"openerId"` // of a popup
	// ParentFrameID is the frame that holds an iframe.
	ParentFrameID string `json:"parentFrameId"`
	// BrowserContextID tells profiles within one browser apart.
	BrowserContextID string `json:"browserContextId"`
}

// A Session is attached to one target. It ends when the target does.
type Session struct {
	conn   *Conn
	parent *Session
	id     string
	target Target
	done   chan struct{}

	mu       sync.Mutex
	err      error // why it ended
	held     error // why it cannot answer now
	handlers map[string][]*handler
	onAttach func(child *Session, waiting bool)
}

type handler struct{ f func(params []byte) }

// A call waits for its answer.
type call struct {
	id      int64
	method  string
	session *Session
	always  bool // not interrupted
	answer  chan answer
}

type answer struct {
	result []byte
	err    error
}

func (p *call) end(result []byte, err error) { p.answer <- answer{result, err} } // holds one, and one comes

func newSession(c *Conn, parent *Session, t Target) *Session {
	return &Session{conn: c, parent: parent, target: t, done: make(chan struct{}), handlers: map[string][]*handler{}}
}

// ID is the session's id; empty for the root.
func (s *Session) ID() string { return s.id }

// Target is what the session was attached to; its URL and title are those of
// that moment.
func (s *Session) Target() Target { return s.target }

// Parent is the session that this one was attached through; nil for the root.
func (s *Session) Parent() *Session { return s.parent }

// Conn is the connection that the session is on.
func (s *Session) Conn() *Conn { return s.conn }

// Done is closed when the session has ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err is why the session has ended, [ErrDetached] or [ErrClosed]; nil while it
// lives.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Call sends a command and waits for its answer, which is decoded into result;
// params and result may be nil. It fails with an [*Error] of the browser, with
// [ErrDetached] or [ErrClosed] when the target or browser goes, with the reason
// of an [Session.Interrupt], or with the end of ctx.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	return s.Start(method, params)(ctx, result)
}

// Start sends the command of a [Session.Call] now; the function that it returns is
// the waiting for its answer, to be called once at most. Commands that do not need
// each other's answers are on their way together so.
func (s *Session) Start(method string, params any) (wait func(ctx context.Context, result any) error) {
	return s.begin(method, params, false)
}

// CallAlways is Call for what a session can answer while it is interrupted, such
// as the command that closes a dialog.
func (s *Session) CallAlways(ctx context.Context, method string, params, result any) error {
	return s.begin(method, params, true)(ctx, result)
}

// Post sends a command now and returns at once. The answer is waited for by the
// function that it returns, if the caller wants it at all. Commands reach the
// browser in the order in which they were posted and called.
func (s *Session) Post(method string, params any) (wait func(ctx context.Context, result any) error) {
	return s.begin(method, params, true)
}

func (s *Session) begin(method string, params any, always bool) (wait func(ctx context.Context, result any) error) {
	p, err := s.send(method, params, always)
	return func(ctx context.Context, result any) error {
		if err != nil {
			return err
		}
		return s.await(ctx, p, result)
	}
}

func (s *Session) send(method string, params any, always bool) (*call, error) {
	var raw []byte
	if params != nil {
		var err error
		if raw, err = json.Marshal(params); err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
	}
	p := &call{method: method, session: s, always: always, answer: make(chan answer, 1)}
	s.mu.Lock()
	err, held := s.err, s.held
	s.mu.Unlock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", method, err)
	case held != nil && !always:
		return nil, fmt.Errorf("%s: %w", method, held)
	}
	s.conn.mu.Lock()
	err = s.conn.sendLocked(p, s.id, raw)
	s.conn.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	if why := s.unable(always); why != nil { // it ended or was interrupted meanwhile, and may have missed this call
		s.conn.forget(p)
		return nil, fmt.Errorf("%s: %w", method, why)
	}
	return p, nil
}

func (s *Session) unable(always bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || always {
		return s.err
	}
	return s.held
}

func (s *Session) await(ctx context.Context, p *call, result any) error {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, CallTimeout)
		defer cancel()
	}
	select {
	case a := <-p.answer:
		return a.decode(p.method, result)
	case <-ctx.Done():
		s.conn.forget(p)
		return fmt.Errorf("%s: %w", p.method, context.Cause(ctx))
	}
}

func (a answer) decode(method string, result any) error {
	if _, own := errors.AsType[*Error](a.err); own {
		return a.err
	}
	if a.err != nil {
		return fmt.Errorf("%s: %w", method, a.err)
	}
	if result == nil || len(a.result) == 0 {
		return nil
	}
	if err := json.Unmarshal(a.result, result); err != nil {
		return fmt.Errorf("reading the answer of %s: %w", method, err)
	}
	return nil
}

// On tells f of an event of the session, with its params. f runs on the reader's
// goroutine: it must return at once and may not [Session.Call]. The params are
// only valid during the call. The returned function ends it.
func (s *Session) On(method string, f func(params []byte)) (off func()) {
	h := &handler{f}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[method] = append(slices.Clip(s.handlers[method]), h) // a new slice: the old one may be in use
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.handlers[method] = slices.DeleteFunc(slices.Clone(s.handlers[method]), func(one *handler) bool { return one == h })
	}
}

// OnAttach tells f of every session that is attached through this one, before
// any of its events; waiting says that its target stands still until
// Runtime.runIfWaitingForDebugger. The rules of [Session.On] hold for f.
func (s *Session) OnAttach(f func(child *Session, waiting bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onAttach = f
}

// On decodes the params of an event into a T before f is told. Events that do
// not decode are passed over: a newer browser may say things in other ways.
func On[T any](s *Session, method string, f func(T)) (off func()) {
	return s.On(method, func(params []byte) {
		var v T
		if json.Unmarshal(params, &v) == nil {
			f(v)
		}
	})
}

// Interrupt fails every call that waits on the session, and until [Session.Resume]
// every further one, with why: it could not be answered. CallAlways and Post are
// left alone.
func (s *Session) Interrupt(why error) {
	s.mu.Lock()
	s.held = why
	s.mu.Unlock()
	s.conn.fail(why, func(p *call) bool { return p.session == s && !p.always })
}

// Resume ends an interruption.
func (s *Session) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = nil
}

// tell runs the handlers of an event.
func (s *Session) tell(method string, params []byte) {
	s.mu.Lock()
	list := s.handlers[method]
	s.mu.Unlock()
	for _, h := range list {
		h.f(params)
	}
}

func (s *Session) attached(params []byte) {
	var e struct {
		SessionID string `json:"sessionId"`
		Target    Target `json:"targetInfo"`
		Waiting   bool   `json:"waitingForDebugger"`
	}
	if json.Unmarshal(params, &e) != nil || e.SessionID == "" {
		return
	}
	child := newSession(s.conn, s, e.Target)
	child.id = e.SessionID
	s.conn.mu.Lock()
	over := s.conn.err
	if over == nil {
		s.conn.sessions[child.id] = child
	}
	s.conn.mu.Unlock()
	if over != nil {
		child.close(over)
	}
	s.mu.Lock()
	f := s.onAttach
	s.mu.Unlock()
	if f != nil {
		f(child, e.Waiting)
	}
}

func (s *Session) detached(params []byte) {
	var e struct {
		SessionID string `json:"sessionId"`
	}
	if json.Unmarshal(params, &e) != nil || e.SessionID == "" {
		return
	}
	s.conn.mu.Lock()
	child := s.conn.sessions[e.SessionID]
	s.conn.mu.Unlock()
	if child != nil {
		s.conn.drop(child, ErrDetached)
	}
}

func (s *Session) close(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = why
		close(s.done)
	}
}
