package inbound

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Over HTTP mcp-go 1.2.1 has one queue of notifications for all requests of a
// session: what one call tells can go out with the answer of another, or with
// none when the goroutine of a request that has ended takes it. So a call's own
// notifications are written here, straight to its own response.

// A stream is the response to one request. The first notification makes it a
// stream of events; the answer that mcp-go then writes as plain JSON becomes
// the last of them.
type stream struct {
	http.ResponseWriter
	header http.Header // what mcp-go sets, apart from what a notification sets meanwhile

	mu      sync.Mutex
	started bool         // the header went out
	events  bool         // as a stream of events
	plain   bool         // mcp-go answers with plain JSON
	answer  bytes.Buffer // that JSON, where events are sent
	ended   bool
}

type streamKey struct{}

const eventStream = "text/event-stream"

// streamed makes the response one that the request's notifications can reach.
// The caller calls finish when the request is done.
func streamed(w http.ResponseWriter, r *http.Request) (*stream, *http.Request) {
	s := &stream{ResponseWriter: w, header: w.Header().Clone()}
	return s, r.WithContext(context.WithValue(r.Context(), streamKey{}, s))
}

// notify tells the caller of the request in ctx something about that request.
func notify(ctx context.Context, s *server.MCPServer, method string, params map[string]any) error {
	w, ok := ctx.Value(streamKey{}).(*stream)
	if !ok {
		return s.SendNotificationToClient(ctx, method, params)
	}
	text, err := json.Marshal(mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
		Method: method, Params: mcp.NotificationParams{AdditionalFields: params},
	}})
	if err != nil {
		return fmt.Errorf("mcp: writing a notification: %w", err)
	}
	return w.event(text)
}

// event sends one message. After the answer there is nobody to tell.
func (s *stream) event(text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.plain && !s.events {
		return nil
	}
	if !s.started {
		s.start(http.StatusOK, http.Header{"Content-Type": {eventStream}, "Cache-Control": {"no-cache"}})
	}
	return s.send(text)
}

// start sends the header. s.mu is held.
func (s *stream) start(status int, header http.Header) {
	s.started, s.events = true, header.Get("Content-Type") == eventStream
	maps.Copy(s.ResponseWriter.Header(), header)
	s.ResponseWriter.WriteHeader(status)
}

// send writes one event. s.mu is held.
func (s *stream) send(text []byte) error {
	if _, err := fmt.Fprintf(s.ResponseWriter, "event: message\ndata: %s\n\n", bytes.TrimSpace(text)); err != nil {
		return fmt.Errorf("mcp: writing an event: %w", err)
	}
	s.flush()
	return nil
}

// finish sends the answer that was held back.
func (s *stream) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer.Len() > 0 {
		_ = s.send(s.answer.Bytes()) // the caller may have gone
	}
	s.ended = true
}

// Header implements [http.ResponseWriter].
func (s *stream) Header() http.Header { return s.header }

// WriteHeader implements [http.ResponseWriter]: mcp-go begins its answer.
func (s *stream) WriteHeader(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plain = s.header.Get("Content-Type") != eventStream
	if !s.started {
		s.start(status, s.header)
	}
}

// Write implements [http.ResponseWriter].
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plain && s.events {
		return s.answer.Write(p)
	}
	if !s.started {
		s.start(http.StatusOK, s.header)
	}
	return s.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher].
func (s *stream) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
}

func (s *stream) flush() {
	if f, ok := s.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// Unwrap lets [http.ResponseController] reach the connection.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }
