// Package socket serves a core to other processes of the same person: the
// windows, the command line, tests.
//
// The socket file is only the owner's, each peer's user is checked, and a
// process that the agent itself started is known by its ancestry: it may look,
// but never agree to anything.
package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/control"
)

// A Server answers on a control socket.
type Server struct {
	handler control.Handler
	ln      net.Listener
	wg      sync.WaitGroup
	cancel  context.CancelFunc

	mu      sync.Mutex
	windows map[int]bool // process ids of our own windows
}

// Listen takes the socket at path, which must not have a live owner: hold the
// single-instance lock first. It serves until [Server.Close].
func Listen(ctx context.Context, path string, h control.Handler) (*Server, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	if err := os.Chmod(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("socket: the folder is not ours: %w", err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("socket: removing a stale one: %w", err)
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = ln.Close()
		return nil, fmt.Errorf("socket: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &Server{handler: h, ln: ln, cancel: cancel, windows: map[int]bool{}}
	s.wg.Go(func() { s.accept(ctx) })
	return s, nil
}

// Close ends every connection and waits for them.
func (s *Server) Close() error {
	s.cancel()
	err := s.ln.Close()
	s.wg.Wait()
	return err
}

// Window says whether the process is a window of ours: it was started by us,
// yet a person sits before it.
func (s *Server) Window(pid int, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if is {
		s.windows[pid] = true
	} else {
		delete(s.windows, pid)
	}
}

func (s *Server) isWindow(pid int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.windows[pid]
}

func (s *Server) accept(ctx context.Context) {
	for {
		conn, err := s.ln.Accept()
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, net.ErrClosed) {
				slog.Error("socket: accepting", "error", err)
			}
			return
		}
		s.wg.Go(func() { s.serve(ctx, conn) })
	}
}

// requestTimeout is how long a peer may take to send its one line.
const requestTimeout = 10 * time.Second

func (s *Server) serve(ctx context.Context, conn net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()

	peer, err := s.identify(conn)
	if err != nil {
		slog.Warn("socket: a peer was refused", "error", err)
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(requestTimeout))
	dec := json.NewDecoder(io.LimitReader(conn, control.MaxLine))
	var req control.WireRequest
	enc := json.NewEncoder(conn)
	if err := dec.Decode(&req); err != nil {
		_ = enc.Encode(control.WireAnswer{Error: &control.Error{Code: "bad_request", Message: "the request is not one line of JSON"}})
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	go func() { // ends when the peer hangs up or serve returns
		_, _ = io.Copy(io.Discard, conn)
		cancel()
	}()
	if req.Method == control.MethodWatch {
		s.watch(ctx, peer, req, enc)
		return
	}
	_ = enc.Encode(s.answer(ctx, peer, req))
}

func (s *Server) answer(ctx context.Context, peer control.Peer, req control.WireRequest) control.WireAnswer {
	if req.Protocol != control.Protocol && req.Method != control.MethodInfo {
		return control.WireAnswer{Error: &control.Error{
			Code:    "other_version",
			Message: fmt.Sprintf("this desktop speaks protocol %d, the program that asks %d", control.Protocol, req.Protocol),
			Try:     "update both to one version and start the desktop again",
		}}
	}
	out, err := s.handler.Handle(ctx, peer, req.Method, req.Params)
	if err != nil {
		return control.WireAnswer{Error: control.AsError(err)}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return control.WireAnswer{Error: control.AsError(fmt.Errorf("socket: answering %s: %w", req.Method, err))}
	}
	return control.WireAnswer{Result: raw}
}

func (s *Server) watch(ctx context.Context, peer control.Peer, req control.WireRequest, enc *json.Encoder) {
	var w control.WatchRequest
	if err := json.Unmarshal(req.Params, &w); err != nil || peer.Agents {
		_ = enc.Encode(control.WireAnswer{Error: &control.Error{Code: "bad_request", Message: "this process may not watch, or asked wrongly"}})
		return
	}
	for e, err := range s.handler.Events(ctx, w) {
		a := control.WireAnswer{Event: &e}
		if err != nil {
			a = control.WireAnswer{Error: control.AsError(err)}
		}
		if enc.Encode(a) != nil || err != nil {
			return
		}
	}
}
