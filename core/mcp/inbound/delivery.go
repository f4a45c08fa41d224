package inbound

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

// Over HTTP mcp-go 1.2.1 hands the notifications of a call to a goroutine and
// writes the answer when the handler returns; a notification that the goroutine
// has just taken is then lost. So a handler here returns only when as many
// events were written to the response as notifications were sent.

// A delivery counts both for one request.
type delivery struct {
	sent, written atomic.Int64
	flushed       chan struct{} // holds one when written has grown
}

type deliveryKey struct{}

// deliveryTime bounds the wait: a caller that went away takes no event.
const deliveryTime = time.Second

// counted makes the events of a response countable.
func counted(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, *http.Request) {
	d := &delivery{flushed: make(chan struct{}, 1)}
	return &countingWriter{w, d}, r.WithContext(context.WithValue(r.Context(), deliveryKey{}, d))
}

// sent notes that a notification was handed over.
func sent(ctx context.Context) {
	if d, ok := ctx.Value(deliveryKey{}).(*delivery); ok {
		d.sent.Add(1)
	}
}

// delivered waits until what was handed over has been written.
func delivered(ctx context.Context) {
	d, ok := ctx.Value(deliveryKey{}).(*delivery)
	if !ok {
		return
	}
	late := time.NewTimer(deliveryTime)
	defer late.Stop()
	for d.written.Load() < d.sent.Load() {
		select {
		case <-d.flushed:
		case <-ctx.Done():
			return
		case <-late.C:
			return
		}
	}
}

// A countingWriter counts the flushes of a response: one follows each event.
type countingWriter struct {
	http.ResponseWriter
	*delivery
}

// Flush implements [http.Flusher].
func (w *countingWriter) Flush() {
	if f, ok := w.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
	w.written.Add(1)
	select {
	case w.flushed <- struct{}{}:
	default:
	}
}

// Unwrap lets [http.ResponseController] reach the connection.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
