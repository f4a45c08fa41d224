package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"time"

	"github.com/hobkin/hobkin/core/agent"
)

// On the socket every request has a connection of its own: one line of JSON
// with the request, then one line with the answer, or a line an event for a
// watch. Hanging up cancels the request.

// MaxLine bounds one line on the socket, in bytes: a message with images is the
// largest there is.
const MaxLine = 64 << 20

// MethodWatch starts a stream of events; it is not asked with Do.
const MethodWatch = "watch"

// WireRequest is the line a client sends.
type WireRequest struct {
	Protocol int             `json:"protocol"`
	Method   string          `json:"method"`
	Params   json.RawMessage `json:"params,omitempty"`
}

// WireAnswer is a line a server sends.
type WireAnswer struct {
	Result json.RawMessage `json:"result,omitempty"`
	Event  *agent.Event    `json:"event,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// ErrNotRunning is returned by [Dial] when no desktop answers.
var ErrNotRunning = errors.New("no Hobkin desktop is running")

// Socket is the transport to a running desktop.
type Socket struct{ path string }

// Dial finds the desktop that listens at path. It asks who is there, so a stale
// socket file, or another program's, is not taken for one.
func Dial(ctx context.Context, path string) (*Client, error) {
	s := &Socket{path}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	c := &Client{s}
	info, err := c.Info(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNotRunning, err)
	case info.Protocol != Protocol:
		return nil, &Error{
			Code:    "other_version",
			Message: fmt.Sprintf("the running desktop speaks protocol %d, this program %d", info.Protocol, Protocol),
			Try:     "quit the desktop from its tray menu and start it again",
		}
	}
	return c, nil
}

// Do implements [Transport].
func (s *Socket) Do(ctx context.Context, method string, params, result any) error {
	conn, stop, err := s.ask(ctx, method, params)
	if err != nil {
		return err
	}
	defer stop()
	var a WireAnswer
	if err := json.NewDecoder(io.LimitReader(conn, MaxLine)).Decode(&a); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("control: %s: the desktop hung up: %w", method, err)
	}
	switch {
	case a.Error != nil:
		return a.Error
	case result == nil || len(a.Result) == 0:
		return nil
	}
	return json.Unmarshal(a.Result, result)
}

// Watch implements [Transport].
func (s *Socket) Watch(ctx context.Context, req WatchRequest) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		conn, stop, err := s.ask(ctx, MethodWatch, req)
		if err != nil {
			yield(agent.Event{}, err)
			return
		}
		defer stop()
		for dec := json.NewDecoder(conn); ; {
			var a WireAnswer
			err := dec.Decode(&a)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				yield(agent.Event{}, fmt.Errorf("control: the desktop hung up: %w", err))
				return
			case a.Error != nil:
				yield(agent.Event{}, a.Error)
				return
			case a.Event != nil && !yield(*a.Event, nil):
				return
			}
		}
	}
}

// ask connects and sends one request. The connection closes when ctx ends or
// stop is called.
func (s *Socket) ask(ctx context.Context, method string, params any) (net.Conn, func(), error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, nil, fmt.Errorf("control: %s: %w", method, err)
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", s.path)
	if err != nil {
		return nil, nil, fmt.Errorf("control: %w", err)
	}
	unhook := context.AfterFunc(ctx, func() { _ = conn.Close() })
	stop := func() { unhook(); _ = conn.Close() }
	if err := json.NewEncoder(conn).Encode(WireRequest{Protocol, method, raw}); err != nil {
		stop()
		return nil, nil, fmt.Errorf("control: %s: %w", method, err)
	}
	return conn, stop, nil
}

// Close implements [Transport]; a socket holds nothing between requests.
func (s *Socket) Close() error { return nil }
