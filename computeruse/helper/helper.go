package helper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Started is the name of the event that tells of a helper that has just begun;
// its data is a [wire.HelloResult].
const Started = "started"

// Options say how the helper is run. Find must be set.
type Options struct {
	// Find says where the program is; it is asked at every start. Its error is
	// shown to people.
	Find func(ctx context.Context) (path string, err error)
	// LookOnly reports whether the helper must refuse all acts; nil means that it
	// need not. When the answer changes the helper is started anew.
	LookOnly func() bool
	// NoCorner reports whether a pointer thrown into a corner does not pause; it
	// is asked at every start. Nil means that it does.
	NoCorner func() bool
	// OnEvent is told of what the helper says unasked, and of each start, one
	// after another. It may ask the helper for something. May be nil.
	OnEvent func(name string, data json.RawMessage)
	// Env is the helper's environment; nil is this program's own.
	Env []string

	Times Times
}

// Times bound what the helper may take. A zero field means its default.
type Times struct {
	Start   time.Duration // from its start to its hello; 10 s
	Act     time.Duration // one request; 30 s beyond what it waits by itself
	Capture time.Duration // a picture; 5 s
	Idle    time.Duration // without a request, until it is ended; 5 minutes
	Kill    time.Duration // from the polite signal to the kill; 500 ms
}

func (t Times) withDefaults() Times {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&t.Start, 10*time.Second)
	def(&t.Act, 30*time.Second)
	def(&t.Capture, 5*time.Second)
	def(&t.Idle, 5*time.Minute)
	def(&t.Kill, 500*time.Millisecond)
	return t
}

// A Helper is the supervised program. It is started by the first request that
// needs it. Make one with [New].
type Helper struct {
	o     Options
	times Times

	starting chan struct{} // one slot: held by whoever starts the program

	mu     sync.Mutex
	conn   *conn       // the one that runs; nil when none does
	idle   *time.Timer // ends it when no one has needed it for a while
	asked  int         // requests under way
	fails  int         // ends in a row that no one wanted
	again  time.Time
	closed bool
	ended  sync.WaitGroup // of the goroutines of all conns
}

var _ Caller = (*Helper)(nil)

// New makes a helper; it starts nothing yet.
func New(o Options) *Helper {
	return &Helper{o: o, times: o.Times.withDefaults(), starting: make(chan struct{}, 1)}
}

// Do implements [Caller]. Requests that only matter to a helper that runs, such
// as a pause, do nothing when none does.
func (h *Helper) Do(ctx context.Context, method string, params, result any) error {
	h.busy()
	defer h.rest()
	c, err := h.running(ctx, method)
	if err != nil || c == nil {
		return err
	}
	raw, err := c.ask(ctx, method, params, h.limit(method, params))
	if w, ok := errors.AsType[*wire.Error](err); ok && w.Code == wire.NoDisplay {
		h.drop(c) // the next request looks for a display anew
	}
	if err != nil || result == nil {
		return err
	}
	if err := json.Unmarshal(raw, result); err != nil {
		why := problem(wire.Failed, "the helper answered %s with what is no answer to it", method)
		why.Sent = acts[method]
		c.fail(why)
		return why
	}
	return nil
}

// Stop ends the program, if it runs: it lets go of what it holds down. The next
// request starts it again. It returns when it has ended.
func (h *Helper) Stop() {
	h.mu.Lock()
	c := h.conn
	h.conn = nil
	h.mu.Unlock()
	if c != nil {
		c.close()
	}
}

// drop ends the program if it is still the one that is used.
func (h *Helper) drop(c *conn) {
	h.mu.Lock()
	mine := h.conn == c
	if mine {
		h.conn = nil
	}
	h.mu.Unlock()
	if mine {
		c.close()
	}
}

// Close ends the program for good.
func (h *Helper) Close() {
	h.mu.Lock()
	h.closed = true
	if h.idle != nil {
		h.idle.Stop()
	}
	h.mu.Unlock()
	h.Stop()
	h.ended.Wait()
}

// Running returns what the helper said at its start; ok is false when it does
// not run.
func (h *Helper) Running() (hello wire.HelloResult, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conn == nil || h.conn.gone() {
		return hello, false
	}
	return h.conn.hello, true
}

// PID is the process id of the program; 0 when it does not run.
func (h *Helper) PID() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conn == nil || h.conn.gone() {
		return 0
	}
	return h.conn.p.PID()
}

// quiet are requests that a helper which does not run has met already.
var quiet = map[string]bool{wire.Pause: true, wire.Resume: true, wire.Release: true, wire.Bar: true, wire.Hotkey: true}

// acts are requests that send input: what they did is not known when the helper
// ends before it answers.
var acts = map[string]bool{
	wire.Move: true, wire.Click: true, wire.ButtonDown: true, wire.ButtonUp: true, wire.Drag: true, wire.Scroll: true, wire.Type: true, wire.Paste: true,
	wire.Key: true, wire.HoldKey: true, wire.Press: true, wire.SetValue: true, wire.FocusWindow: true,
}

// running is the connection to a helper that runs, started if it has to be; nil
// for a quiet request when none does.
func (h *Helper) running(ctx context.Context, method string) (*conn, error) {
	if c := h.current(); c != nil || quiet[method] {
		return c, nil
	}
	select {
	case h.starting <- struct{}{}:
		defer func() { <-h.starting }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c := h.current(); c != nil { // another request started it meanwhile
		return c, nil
	}
	if err := h.backOff(ctx); err != nil {
		return nil, err
	}
	c, err := h.start(ctx)
	if err != nil {
		if ctx.Err() == nil {
			h.failed()
		}
		return nil, err
	}
	return c, h.adopt(c)
}

// current is the connection, when it is usable as it is.
func (h *Helper) current() *conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conn == nil || h.conn.gone() || h.conn.lookOnly != h.lookOnly() {
		return nil
	}
	return h.conn
}

func (h *Helper) lookOnly() bool { return h.o.LookOnly != nil && h.o.LookOnly() }

// adopt makes a connection the one that is used.
func (h *Helper) adopt(c *conn) error {
	h.mu.Lock()
	closed, before := h.closed, h.conn
	if !closed {
		c.use(true)
		h.conn = c
	}
	h.mu.Unlock()
	if before != nil {
		before.close()
	}
	if closed {
		c.close()
		return problem(wire.Failed, "the helper is closed")
	}
	data, err := json.Marshal(c.hello)
	if err == nil {
		c.tell(wire.Message{Event: Started, Data: data})
	}
	return nil
}

// busy begins a request.
func (h *Helper) busy() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	if h.idle != nil {
		h.idle.Stop()
	}
}

// rest ends a request: a helper that no one needs for a while is ended.
func (h *Helper) rest() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asked--; h.asked > 0 || h.closed {
		return
	}
	if h.idle != nil {
		h.idle.Stop()
	}
	h.idle = time.AfterFunc(h.times.Idle, func() {
		h.mu.Lock()
		busy := h.asked > 0
		h.mu.Unlock()
		if !busy {
			h.Stop()
		}
	})
}

// limit is how long a request may take.
func (h *Helper) limit(method string, params any) time.Duration {
	wait := 0
	switch p := params.(type) {
	case wire.CaptureParams:
		return h.times.Capture
	case wire.WaitChangeParams:
		return time.Duration(p.Timeout)*time.Millisecond + h.times.Capture
	case wire.HoldKeyParams:
		wait = p.Duration
	case wire.DragParams:
		wait = p.Duration
	}
	if method == wire.Capture {
		return h.times.Capture
	}
	return h.times.Act + time.Duration(wait)*time.Millisecond
}

const (
	// lived is how long a helper must have run for its end not to count with
	// those before.
	lived = 30 * time.Second
	// firstPause and longestPause are between starts that fail one after another;
	// the first is made at once.
	firstPause   = 250 * time.Millisecond
	longestPause = 15 * time.Second
	// patience is how long a request waits for such a pause to pass.
	patience = 2 * time.Second
)

// failed counts an end that no one wanted, and sets when the next start may be.
func (h *Helper) failed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fails++
	if h.fails > 1 {
		h.again = time.Now().Add(min(firstPause<<min(h.fails-2, 10), longestPause))
	}
}

// outlived forgets earlier ends after a helper that ran for a while.
func (h *Helper) outlived() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fails, h.again = 0, time.Time{}
}

// backOff waits until the helper may be started again.
func (h *Helper) backOff(ctx context.Context) error {
	h.mu.Lock()
	pause, fails, closed := time.Until(h.again), h.fails, h.closed
	h.mu.Unlock()
	switch {
	case closed:
		return problem(wire.Failed, "the helper is closed")
	case pause <= 0:
		return nil
	case pause > patience:
		return problem(wire.Failed, "the helper has ended %d times in a row; it is started again in %d seconds", fails, int(pause.Seconds())+1)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// problem is an error about the helper, in a sentence.
func problem(code, format string, args ...any) *wire.Error {
	return &wire.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// start finds the program, starts it and greets it.
func (h *Helper) start(ctx context.Context) (*conn, error) {
	path, err := h.o.Find(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &wire.Error{Code: wire.Failed, Message: err.Error(), Fix: "look at hobkin doctor, which says how the helper is installed"}
	}
	c, err := h.launch(path) //nolint:contextcheck // it outlives the request that started it
	if err != nil {
		return nil, err
	}
	err = c.greet(ctx, wire.HelloParams{Protocol: wire.Protocol, LookOnly: c.lookOnly, NoCorner: h.o.NoCorner != nil && h.o.NoCorner()}, h.times.Start)
	if err == nil {
		slog.Debug("computeruse: the helper has started", "path", path, "backend", c.hello.Backend, "version", c.hello.Version)
		return c, nil
	}
	c.kill()
	if w, ok := errors.AsType[*wire.Error](err); ok && w.Code == wire.TimedOut {
		return nil, problem(wire.Failed, "the helper said nothing for %v after its start", h.times.Start)
	}
	return nil, err
}
