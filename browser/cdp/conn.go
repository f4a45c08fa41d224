package cdp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// ErrClosed is the end of every call once the browser, or the connection to it,
// is gone.
var ErrClosed = errors.New("the browser is gone")

// A Transport carries whole messages. Read is called by one goroutine only, and
// so is Write; Close ends both.
type Transport interface {
	Read(context.Context, *cdproto.Message) error
	Write(context.Context, *cdproto.Message) error
	io.Closer
}

// Pipe is the transport to a browser that was started with
// --remote-debugging-pipe: it writes to r and reads from w.
func Pipe(r io.ReadCloser, w io.WriteCloser) Transport { return chromedp.NewPipeConn(r, w) }

// Dial is the transport to the address of a browser's WebSocket, such as
// ws://127.0.0.1:9222/devtools/browser/ID.
func Dial(ctx context.Context, url string) (Transport, error) {
	t, err := remote.DialContext(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("cdp: %w", err)
	}
	return t, nil
}

// A Conn is a connection to a browser. It is safe for concurrent use. Make one
// with [New] and end it with [Conn.Close].
type Conn struct {
	transport Transport
	root      *Session
	done      chan struct{}
	wake      chan struct{} // of the writer; holds one
	work      sync.WaitGroup

	mu       sync.Mutex
	err      error // why it ended; nil while it lives
	lastID   int64
	pending  map[int64]*call
	sessions map[string]*Session
	out      []*cdproto.Message // what the writer has not sent yet
}

// maxQueue is how many messages may wait for a browser that does not read: it
// hangs, and further calls would only fill our memory.
const maxQueue = 4096

// New makes a connection over t, which is the connection's from then on.
func New(t Transport) *Conn {
	c := &Conn{
		transport: t, done: make(chan struct{}), wake: make(chan struct{}, 1),
		pending: map[int64]*call{}, sessions: map[string]*Session{},
	}
	c.root = newSession(c, nil, Target{Type: "browser"})
	c.sessions[""] = c.root
	c.work.Go(c.read)  // ends when the transport does
	c.work.Go(c.write) // ends with done
	return c
}

// Root is the session of the browser itself.
func (c *Conn) Root() *Session { return c.root }

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Close ends the connection and waits for its goroutines. Calls that wait fail
// with [ErrClosed].
func (c *Conn) Close() error {
	c.end(ErrClosed)
	err := c.transport.Close()
	c.work.Wait()
	return err
}

// read takes in messages until the transport ends.
func (c *Conn) read() {
	for {
		var m cdproto.Message
		if err := c.transport.Read(context.Background(), &m); err != nil {
			if _, syntax := errors.AsType[*jsonv2.SyntacticError](err); syntax {
				continue // one message was damaged; the next begins anew
			}
			c.end(fmt.Errorf("%w (%w)", ErrClosed, err))
			return
		}
		if m.ID != 0 {
			c.reply(&m)
			continue
		}
		c.event(&m)
	}
}

// reply hands an answer to the call that waits for it. One that nobody waits for
// any more is dropped.
func (c *Conn) reply(m *cdproto.Message) {
	c.mu.Lock()
	p := c.pending[m.ID]
	delete(c.pending, m.ID)
	c.mu.Unlock()
	if p == nil {
		return
	}
	if m.Error != nil {
		p.end(nil, &Error{Method: p.method, Code: m.Error.Code, Message: m.Error.Message})
		return
	}
	p.end(m.Result, nil)
}

// event keeps the tree of sessions and tells the handlers.
func (c *Conn) event(m *cdproto.Message) {
	c.mu.Lock()
	s := c.sessions[string(m.SessionID)]
	c.mu.Unlock()
	if s == nil {
		return // of a session that has just ended
	}
	switch m.Method {
	case "Target.attachedToTarget":
		s.attached(m.Params)
	case "Target.detachedFromTarget":
		s.detached(m.Params)
	}
	s.tell(string(m.Method), m.Params)
}

// write sends what is queued.
func (c *Conn) write() {
	for {
		select {
		case <-c.wake:
		case <-c.done:
			return
		}
		c.mu.Lock()
		batch := c.out
		c.out = nil
		c.mu.Unlock()
		for _, m := range batch {
			if err := c.transport.Write(context.Background(), m); err != nil {
				c.end(fmt.Errorf("%w (%w)", ErrClosed, err))
				return
			}
		}
	}
}

// send queues a message of a call. The caller holds mu.
func (c *Conn) sendLocked(p *call, session string, params []byte) error {
	switch {
	case c.err != nil:
		return c.err
	case len(c.out) >= maxQueue:
		return ErrBusy
	}
	c.lastID++
	p.id = c.lastID
	c.pending[p.id] = p
	c.out = append(c.out, &cdproto.Message{ID: p.id, SessionID: target.SessionID(session), Method: cdproto.MethodType(p.method), Params: params})
	select {
	case c.wake <- struct{}{}:
	default: // it is awake already
	}
	return nil
}

// forget drops a call that nobody waits for any more.
func (c *Conn) forget(p *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, p.id)
}

// end fails everything that waits.
func (c *Conn) end(why error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = why
	pending, sessions := c.pending, c.sessions
	c.pending, c.sessions, c.out = map[int64]*call{}, map[string]*Session{}, nil
	c.mu.Unlock()
	for _, p := range pending {
		p.end(nil, why)
	}
	for _, s := range sessions {
		s.close(why)
	}
	close(c.done)
}

// drop ends a session and those below it.
func (c *Conn) drop(s *Session, why error) {
	c.mu.Lock()
	var below []*Session
	for _, one := range c.sessions {
		if one.parent == s {
			below = append(below, one)
		}
	}
	delete(c.sessions, s.id)
	c.mu.Unlock()
	for _, one := range below {
		c.drop(one, why)
	}
	s.close(why)
	c.fail(why, func(p *call) bool { return p.session == s })
}

// fail ends the pending calls that match.
func (c *Conn) fail(why error, match func(*call) bool) {
	c.mu.Lock()
	var hit []*call
	for id, p := range c.pending {
		if match(p) {
			hit = append(hit, p)
			delete(c.pending, id)
		}
	}
	c.mu.Unlock()
	for _, p := range hit {
		p.end(nil, why)
	}
}
