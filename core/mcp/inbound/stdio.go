package inbound

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const (
	mostLine  = 32 << 20        // bytes of one message; a longer one is answered with an error
	mostCalls = 64              // requests that run side by side; the reading waits for more
	queued    = 256             // notifications that wait to be written
	mostKept  = 256 << 10       // bytes of the buffer that is kept for the next answers
	lastTime  = 2 * time.Second // that requests may go on after the end of the input
)

// ServeStdio talks to one client, a message a line, until its input ends or
// ctx does. Calls that still run then are cancelled, after the end of the input
// a little later. It closes nothing.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	c := &stdioClient{server: s, out: out, notes: make(chan mcp.JSONRPCNotification, queued)}
	if err := s.mcp.RegisterSession(ctx, c); err != nil {
		cancel()
		return fmt.Errorf("mcp: %w", err)
	}
	defer s.mcp.UnregisterSession(context.WithoutCancel(ctx), c.SessionID())
	ctx = s.mcp.WithContext(ctx, c)
	var running, forwarding sync.WaitGroup
	forwarding.Go(func() { c.forward(ctx) })
	err := c.read(ctx, in, &running)
	late := time.AfterFunc(lastTime, cancel)
	running.Wait()
	late.Stop()
	cancel()
	forwarding.Wait()
	return errors.Join(err, c.failure())
}

// A stdioClient is the one client of standard input and output. It implements
// [server.ClientSession].
type stdioClient struct {
	server  *Server
	notes   chan mcp.JSONRPCNotification
	ready   atomic.Bool // initialize was answered
	running sync.Map    // id → context.CancelFunc: the calls that are answered directly

	mu   sync.Mutex
	out  io.Writer
	next bytes.Buffer // what is written next, a message a line
	err  error        // the first failure of writing
}

// SessionID implements [server.ClientSession].
func (*stdioClient) SessionID() string { return "stdio" }

// NotificationChannel implements [server.ClientSession].
func (c *stdioClient) NotificationChannel() chan<- mcp.JSONRPCNotification { return c.notes }

// Initialize implements [server.ClientSession].
func (c *stdioClient) Initialize() { c.ready.Store(true) }

// Initialized implements [server.ClientSession].
func (c *stdioClient) Initialized() bool { return c.ready.Load() }

// read takes in messages. Requests run side by side; notifications are quick
// and keep their order.
func (c *stdioClient) read(ctx context.Context, in io.Reader, running *sync.WaitGroup) error {
	lines := make(chan line)
	go readLines(ctx, in, lines) // ends with the input, or with the process: a read cannot be stopped
	requests := make(chan incoming)
	defer close(requests)
	for workers := 0; ; {
		var l line
		select {
		case <-ctx.Done():
			return nil
		case l = <-lines:
		}
		switch {
		case errors.Is(l.err, io.EOF):
			return nil
		case errors.Is(l.err, errLong):
			c.write(failed(nil, mcp.INVALID_REQUEST, fmt.Sprintf("the message is longer than %d MB", mostLine>>20)))
			continue
		case l.err != nil:
			return fmt.Errorf("mcp: reading: %w", l.err)
		case len(bytes.TrimSpace(l.text)) == 0:
			continue
		}
		m := read(l.text)
		if m.ID == nil || m.Method == string(mcp.MethodInitialize) { // which comes before all else
			c.answer(ctx, m)
			continue
		}
		select {
		case requests <- m: // one of the workers waits
			continue
		default:
		}
		if workers == mostCalls {
			requests <- m
			continue
		}
		workers++
		running.Go(func() { c.work(ctx, m, requests) })
	}
}

// work handles a request and those after it. A worker stays, since one whose
// stack has grown is a third quicker than a new one.
func (c *stdioClient) work(ctx context.Context, first incoming, more <-chan incoming) {
	c.answer(ctx, first)
	for m := range more {
		c.answer(ctx, m)
	}
}

// answer handles one message. A fault of ours is an answer too.
func (c *stdioClient) answer(ctx context.Context, m incoming) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "mcp: panic in a request", "error", fmt.Sprint(p))
			c.write(failed(m.ID, mcp.INTERNAL_ERROR, "internal error"))
		}
	}()
	if m.Method == "" && !json.Valid(m.text) {
		c.write(failed(nil, mcp.PARSE_ERROR, "this line is not JSON"))
		return
	}
	c.cancelled(m)
	if c.direct(ctx, m) {
		return
	}
	if answer := c.server.mcp.HandleMessage(ctx, m.text); answer != nil && ctx.Err() == nil {
		c.write(answer)
	}
}

// forward writes notifications until ctx ends.
func (c *stdioClient) forward(ctx context.Context) {
	for {
		select {
		case n := <-c.notes:
			c.write(n)
		case <-ctx.Done():
			return
		}
	}
}

// write writes one message. What was notified before an answer comes before it.
func (c *stdioClient) write(m mcp.JSONRPCMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, note := m.(mcp.JSONRPCNotification); !note {
		for more := true; more; {
			select {
			case n := <-c.notes:
				c.put(n)
			default:
				more = false
			}
		}
	}
	c.put(m)
	_, err := c.out.Write(c.next.Bytes())
	c.keep(err)
	if c.next.Reset(); c.next.Cap() > mostKept {
		c.next = bytes.Buffer{}
	}
}

// put encodes m behind what is written next. The caller holds mu.
func (c *stdioClient) put(m mcp.JSONRPCMessage) {
	line := json.NewEncoder(&c.next)
	if err := line.Encode(plain(m)); err != nil { // then nothing was put
		slog.Error("mcp: encoding an answer", "error", err)
		_ = line.Encode(failed(nil, mcp.INTERNAL_ERROR, "the answer could not be encoded")) // plain text always can
	}
}

// keep keeps the first failure. The caller holds mu.
func (c *stdioClient) keep(err error) {
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("mcp: writing: %w", err)
	}
}

func (c *stdioClient) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// A line is one line of input, or why there is none.
type line struct {
	text []byte
	err  error
}

var errLong = errors.New("the line is too long")

// readLines sends lines until the input ends. A line that is too long is read
// to its end and dropped.
func readLines(ctx context.Context, in io.Reader, to chan<- line) {
	r := bufio.NewReaderSize(in, 16<<10)
	for {
		text, err := readLine(r)
		if errors.Is(err, io.EOF) && len(text) > 0 {
			err = nil // a last line without its end
		}
		select {
		case to <- line{text, err}:
		case <-ctx.Done():
			return
		}
		if err != nil && !errors.Is(err, errLong) {
			return
		}
	}
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(text)+len(part) > mostLine; !long {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return nil, errLong
		}
		return text, err
	}
}

// An incoming is a line of input with what it is.
type incoming struct {
	text    []byte
	Version json.RawMessage `json:"jsonrpc"`
	Method  string          `json:"method"` // empty for what is no request and no notification, such as no JSON
	ID      any             `json:"id"`     // nil for what asks for no answer
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
}

func read(text []byte) incoming {
	m := incoming{text: text}
	if json.Unmarshal(text, &m) != nil || m.Method == "" {
		return incoming{text: text}
	}
	return m
}

func failed(id any, code int, message string) mcp.JSONRPCError {
	return mcp.JSONRPCError{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id), Error: mcp.NewJSONRPCErrorDetails(code, message, nil)}
}

// initializedFirst refuses requests of a client that has not introduced
// itself. Clients of protocol 2026-07-28 do so with every request.
func initializedFirst(ctx context.Context, _, message any) error {
	c, ok := server.ClientSessionFromContext(ctx).(*stdioClient)
	if !ok || c.Initialized() {
		return nil
	}
	raw, _ := message.(json.RawMessage) // else nil, which has no method
	var m struct {
		Method string `json:"method"`
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil //nolint:nilerr // the server itself says what is wrong with the message
	}
	_, modern := m.Params.Meta[mcp.MetaKeyProtocolVersion]
	if modern || m.Method == string(mcp.MethodInitialize) || m.Method == string(mcp.MethodPing) || m.Method == string(mcp.MethodServerDiscover) {
		return nil
	}
	return fmt.Errorf("send initialize before %s", m.Method)
}
