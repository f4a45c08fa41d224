package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hobkin/hobkin/core/process"
)

const (
	mostMessage = 64 << 20         // bytes of one message of a server
	keptStderr  = 64 << 10         // bytes of what it says on standard error
	writeTime   = 30 * time.Second // that it may take to read one message of ours
	closeGrace  = 2 * time.Second  // from the end of its input to its end by force
	mostAsked   = 16               // requests of the server that are answered side by side
)

// A program is a server that we start. It implements mcp-go's transport, both
// directions.
type program struct {
	command process.Command // Output, Input and Keep are set here

	proc  *process.Process
	input *os.File // we write its standard input here
	frame framer   // only the output goroutine uses it
	asked chan struct{}
	tasks sync.WaitGroup // what answers the server

	skipped atomic.Int64  // lines that were no message
	sample  atomic.Value  // string: the first of them
	quiet   chan struct{} // closed by Close: the end is no surprise

	writing sync.Mutex

	mu      sync.Mutex
	waiting map[string]chan *transport.JSONRPCResponse
	ended   error // why it is over
	notify  func(mcp.JSONRPCNotification)
	answer  transport.RequestHandler
	lost    func(error)
	once    sync.Once // of Close
}

func newProgram(c process.Command) *program {
	p := &program{
		command: c, waiting: map[string]chan *transport.JSONRPCResponse{},
		asked: make(chan struct{}, mostAsked), quiet: make(chan struct{}),
	}
	p.frame = framer{most: mostMessage, message: p.take}
	return p
}

// Start starts the program. It lives until Close, whatever becomes of ctx.
func (p *program) Start(ctx context.Context) error {
	if p.proc != nil {
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	defer func() { _ = r.Close() }() // the program has its own
	c := p.command
	c.Input, c.Keep, c.Grace = r, keptStderr, closeGrace
	c.Output = func(s process.Stream, chunk []byte) {
		if s == process.Stdout {
			p.frame.write(chunk)
			p.count()
		}
	}
	proc, err := process.Start(context.WithoutCancel(ctx), c)
	if err != nil {
		_ = w.Close()
		return err
	}
	p.proc, p.input = proc, w
	p.tasks.Go(p.watch)
	return nil
}

// count makes the skipped lines known to other goroutines.
func (p *program) count() {
	if n := int64(p.frame.garbage); n != p.skipped.Load() {
		p.sample.Store(string(p.frame.sample))
		p.skipped.Store(n)
	}
}

// watch waits for the end of the program and tells everyone who waits for it.
func (p *program) watch() {
	result := p.proc.Wait()
	err := p.obituary(result)
	p.mu.Lock()
	p.ended = err
	for id, ch := range p.waiting {
		close(ch)
		delete(p.waiting, id)
	}
	lost := p.lost
	p.mu.Unlock()
	select {
	case <-p.quiet:
	default:
		if lost != nil {
			lost(err)
		}
	}
}

// SendRequest asks the server and waits for the answer, for the end of ctx, or
// for the end of the program.
func (p *program) SendRequest(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	raw, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	id := keyOf(req.ID)
	ch := make(chan *transport.JSONRPCResponse, 1)
	p.mu.Lock()
	if p.ended != nil {
		defer p.mu.Unlock()
		return nil, p.ended
	}
	p.waiting[id] = ch
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waiting, id)
	}()
	if err := p.write(ctx, raw); err != nil {
		return nil, err
	}
	select {
	case res, ok := <-ch:
		if !ok {
			p.mu.Lock()
			defer p.mu.Unlock()
			return nil, p.ended
		}
		return res, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// keyOf is the same for an id however the server writes it back: as a number
// or as text.
func keyOf(id mcp.RequestId) string {
	raw, err := json.Marshal(id)
	if err != nil {
		return ""
	}
	return strings.Trim(string(raw), `"`)
}

// SendNotification tells the server something.
func (p *program) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	return p.write(ctx, raw)
}

// write writes one message. A program that does not read it in time is stuck
// with half of it and cannot be used any more.
func (p *program) write(ctx context.Context, raw []byte) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := p.input.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return p.unwritable(err)
	}
	if _, err := p.input.Write(append(raw, '\n')); err != nil {
		p.proc.Kill()
		return p.unwritable(err)
	}
	return nil
}

// unwritable prefers the reason of the program's end to that of the pipe's.
func (p *program) unwritable(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("it did not read a message in %v and was stopped", writeTime)
	}
	wait := time.NewTimer(closeGrace)
	defer wait.Stop()
	select {
	case <-p.proc.Done():
		return p.obituary(p.proc.Wait())
	case <-wait.C:
		return fmt.Errorf("mcp: writing: %w", err)
	}
}

// take takes in one message. It runs on the goroutine that reads the output.
func (p *program) take(raw json.RawMessage) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return
	}
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method != "" && hasID:
		p.request(raw)
	case m.Method != "":
		p.notification(raw)
	case hasID:
		p.response(strings.Trim(string(m.ID), `"`), raw)
	}
}

func (p *program) response(id string, raw json.RawMessage) {
	var res transport.JSONRPCResponse
	if err := json.Unmarshal(raw, &res); err != nil {
		slog.Debug("mcp: an answer that is none", "error", err)
		return
	}
	p.mu.Lock()
	ch := p.waiting[id]
	delete(p.waiting, id) // a second answer to it is dropped
	p.mu.Unlock()
	if ch != nil {
		ch <- &res
	}
}

func (p *program) notification(raw json.RawMessage) {
	var n mcp.JSONRPCNotification
	if err := json.Unmarshal(raw, &n); err != nil {
		return
	}
	p.mu.Lock()
	notify := p.notify
	p.mu.Unlock()
	if notify != nil {
		notify(n)
	}
}

// request answers a request of the server. Where too many are open the reading
// waits, and so does the server.
func (p *program) request(raw json.RawMessage) {
	var req transport.JSONRPCRequest
	if err := json.Unmarshal(raw, &req); err != nil {
		return
	}
	p.mu.Lock()
	answer := p.answer
	p.mu.Unlock()
	select {
	case p.asked <- struct{}{}:
	case <-p.quiet:
		return
	}
	p.tasks.Go(func() {
		defer func() { <-p.asked }()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() { // ends with the answer
			select {
			case <-p.quiet:
				cancel()
			case <-p.proc.Done():
				cancel()
			case <-ctx.Done():
			}
		}()
		p.reply(ctx, req, answer)
	})
}

func (p *program) reply(ctx context.Context, req transport.JSONRPCRequest, answer transport.RequestHandler) {
	res := transport.NewJSONRPCErrorResponse(req.ID, mcp.METHOD_NOT_FOUND, "this client does not know the method "+req.Method, nil)
	if answer != nil {
		got, err := answer(ctx, req)
		switch {
		case err != nil:
			res = transport.NewJSONRPCErrorResponse(req.ID, mcp.INTERNAL_ERROR, err.Error(), nil)
		case got != nil:
			res = got
		}
	}
	raw, err := json.Marshal(res)
	if err == nil {
		err = p.write(ctx, raw)
	}
	if err != nil && ctx.Err() == nil {
		slog.Debug("mcp: answering a server", "method", req.Method, "error", err)
	}
}

// SetNotificationHandler implements mcp-go's transport. The handler must not
// block: it runs where the output is read.
func (p *program) SetNotificationHandler(h func(mcp.JSONRPCNotification)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notify = h
}

// SetRequestHandler implements mcp-go's transport.
func (p *program) SetRequestHandler(h transport.RequestHandler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = h
}

// SetConnectionLostHandler is told when the program ends though nobody closed
// it.
func (p *program) SetConnectionLostHandler(h func(error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = h
}

// GetSessionId implements mcp-go's transport: a program has one session.
func (*program) GetSessionId() string { return "" } //nolint:staticcheck // mcp-go names it

// Close ends the input, which asks the program to end, then the program and all
// that it started.
func (p *program) Close() error {
	p.once.Do(func() {
		close(p.quiet)
		if p.proc == nil {
			return
		}
		_ = p.input.Close()
		wait := time.NewTimer(closeGrace)
		defer wait.Stop()
		select {
		case <-p.proc.Done():
		case <-wait.C:
			p.proc.Kill()
			<-p.proc.Done()
		}
		p.tasks.Wait()
	})
	return nil
}
