package native

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A Server answers the requests of one agent.
type Server struct {
	parts Parts
	log   *slog.Logger

	out  sync.Mutex // held while a line is written
	w    io.Writer
	gone context.CancelCauseFunc // ends Serve

	gate   gate   // what may act, see gate.go
	hands  hands  // buttons that an act left pressed, see hands.go
	prints prints // of the last captures, see wait.go

	mu     sync.Mutex
	hello  bool // it was said, with our protocol
	strip  int  // pictures being taken that want the strip gone
	show   func()
	stripM sync.Mutex
	slow   time.Duration // how long a stuck act may outlast its end
}

// NewServer serves parts. With lookOnly every act is refused.
func NewServer(parts Parts, lookOnly bool, log *slog.Logger) *Server {
	s := &Server{parts: parts, log: log, slow: stuckAfter, gone: func(error) {}}
	s.gate.lookOnly = lookOnly
	return s
}

// stuckAfter is how long an act may go on when it should have ended: then the
// display does not answer any more, and only a new process can help.
const stuckAfter = 5 * time.Second

// maxAtOnce bounds the looks that run at once.
const maxAtOnce = 16

// errStuck ends Serve when an act does not end.
var errStuck = errors.New("an act does not end; the display does not answer")

// Serve answers the requests that r has, until it ends, ctx does or an act is
// stuck. Then it lets go of all that is held down. It leaves a goroutine that
// reads r, if that still blocks.
func (s *Server) Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	s.w, s.gone = w, cancel
	var work sync.WaitGroup
	defer s.letGo()
	defer work.Wait()
	defer cancel(nil)

	if s.parts.Watcher != nil {
		work.Go(func() { s.watch(ctx) })
	}
	lines := make(chan line)
	go read(ctx, r, lines)
	slots := make(chan struct{}, maxAtOnce)
	for {
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errStuck) {
				return errStuck // it cannot be waited for
			}
			return nil
		case l, ok := <-lines:
			if !ok || errors.Is(l.err, io.EOF) {
				return nil
			}
			if l.err != nil {
				s.refuse(0, wire.BadRequest, l.err.Error())
				continue
			}
			s.start(ctx, l.text, slots, &work)
		}
	}
}

// A line of the input, or why there is none.
type line struct {
	text []byte
	err  error
}

// read cuts r into lines. One that is too long is skipped and told.
func read(ctx context.Context, r io.Reader, lines chan<- line) {
	defer close(lines)
	in := bufio.NewReaderSize(r, 64<<10)
	var text []byte
	for skip := false; ; {
		part, err := in.ReadSlice('\n')
		if !skip {
			text = append(text, part...)
		}
		if len(text) > wire.MaxLine {
			text, skip = nil, true
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		l := line{text: text}
		if skip {
			l = line{err: fmt.Errorf("a request is longer than %d MiB", wire.MaxLine>>20)}
		}
		if skip || len(bytes.TrimSpace(text)) > 0 {
			select {
			case lines <- l:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return // the end, or as good as it
		}
		text, skip = nil, false
	}
}

// start answers a line in a goroutine of work.
func (s *Server) start(ctx context.Context, text []byte, slots chan struct{}, work *sync.WaitGroup) {
	var req wire.Request
	if err := strict(text, &req); err != nil {
		s.refuse(req.ID, wire.BadRequest, "the request is not understood: "+err.Error())
		return
	}
	m, known := methods[req.Method]
	switch {
	case req.ID <= 0:
		s.refuse(0, wire.BadRequest, "a request needs an id above 0")
		return
	case !known:
		s.refuse(req.ID, wire.BadRequest, fmt.Sprintf("this helper does not know %q", req.Method))
		return
	case req.Method != wire.Hello && !s.greeted():
		s.refuse(req.ID, wire.BadRequest, "the first request must be hello")
		return
	}
	if req.Method == wire.Hello { // what comes after it counts on it
		s.answer(ctx, req, m)
		return
	}
	if m.kind == control { // must get through however much is under way
		work.Go(func() { s.answer(ctx, req, m) })
		return
	}
	select {
	case slots <- struct{}{}:
	default:
		s.refuse(req.ID, wire.Busy, fmt.Sprintf("%d requests are under way; wait for one of them", maxAtOnce))
		return
	}
	work.Go(func() {
		defer func() { <-slots }()
		s.answer(ctx, req, m)
	})
}

func (s *Server) greeted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hello
}

// answer runs a request within its time and writes its answer.
func (s *Server) answer(ctx context.Context, req wire.Request, m method) {
	ctx, cancel := context.WithTimeout(ctx, m.limit)
	defer cancel()
	type outcome struct {
		result any
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := s.run(ctx, m, req)
		done <- outcome{result, err}
	}()
	var o outcome
	select {
	case o = <-done:
	case <-s.overdue(ctx):
		o.err = &wire.Error{Code: wire.TimedOut, Message: fmt.Sprintf("%s did not end within %v", req.Method, m.limit), Sent: m.kind == act}
		if m.kind == act {
			defer s.gone(errStuck)
		}
	}
	if o.err != nil {
		s.write(wire.Message{ID: req.ID, Error: wireError(ctx, o.err, req.Method)})
		return
	}
	if o.result == nil {
		o.result = struct{}{}
	}
	raw, err := json.Marshal(o.result)
	switch {
	case err != nil:
		s.refuse(req.ID, wire.Failed, err.Error())
	case len(raw) > wire.MaxLine-lineRoom:
		s.refuse(req.ID, wire.BadRequest, fmt.Sprintf("the answer has more than %d MiB; ask for a smaller size, or for jpeg", wire.MaxLine>>20))
	default:
		s.writeLine(fmt.Appendf(nil, `{"id":%d,"result":%s}`, req.ID, raw)) // once more through the encoder takes as long as a picture
	}
}

// lineRoom is what a message has beside its result, at most.
const lineRoom = 1 << 10

// overdue fires when what ran under ctx should have ended a while ago.
func (s *Server) overdue(ctx context.Context) <-chan struct{} {
	late := make(chan struct{})
	context.AfterFunc(ctx, func() { time.AfterFunc(s.slow, func() { close(late) }) })
	return late
}

// run calls the method. A panic is the request's failure alone, but nothing
// may stay pressed after it.
func (s *Server) run(ctx context.Context, m method, req wire.Request) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", "method", req.Method, "panic", p, "stack", string(debug.Stack()))
			result, err = nil, &wire.Error{Code: wire.Failed, Message: fmt.Sprintf("%s failed within the helper: %v", req.Method, p), Sent: m.kind == act}
			s.letGo()
		}
	}()
	return m.run(ctx, s, req.Params)
}

// wireError is err as the agent gets it.
func wireError(ctx context.Context, err error, method string) *wire.Error {
	var e *wire.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &wire.Error{Code: wire.TimedOut, Message: method + " took too long: " + err.Error()}
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		// What a part is connected to is the desktop; a request finds out before
		// anything else that it has ended.
		return &wire.Error{Code: wire.NoDisplay, Message: "the display has gone"}
	}
	return &wire.Error{Code: wire.Failed, Message: err.Error()}
}

func (s *Server) refuse(id int64, code, message string) {
	s.write(wire.Message{ID: id, Error: &wire.Error{Code: code, Message: message}})
}

// tell sends an event.
func (s *Server) tell(event string, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		s.log.Error("an event cannot be written", "event", event, "err", err)
		return
	}
	s.write(wire.Message{Event: event, Data: raw})
}

// write sends a line. When nobody reads any more, the helper ends.
func (s *Server) write(m wire.Message) {
	raw, err := json.Marshal(m)
	if err != nil {
		s.log.Error("a message cannot be written", "err", err)
		return
	}
	s.writeLine(raw)
}

func (s *Server) writeLine(line []byte) {
	s.out.Lock()
	defer s.out.Unlock()
	if _, err := s.w.Write(append(line, '\n')); err != nil {
		s.gone(err)
	}
}
