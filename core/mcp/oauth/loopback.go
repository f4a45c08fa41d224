package oauth

import (
	"context"
	"crypto/subtle"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// A loopback waits on this machine for the browser to come back from signing in.
type loopback struct {
	port   int
	server *http.Server
	done   chan struct{} // closed when the server has ended
	answer chan url.Values

	mu    sync.Mutex
	state string // that the answer must carry; empty takes none
}

const callback = "/callback"

// listen listens on a port, or where that is taken or 0, on any.
func listen(port int) (*loopback, error) {
	at := func(p int) (net.Listener, error) {
		return net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: p})
	}
	l, err := at(port)
	if err != nil && port != 0 {
		l, err = at(0)
	}
	if err != nil {
		return nil, fmt.Errorf("oauth: listening for the browser: %w", err)
	}
	b := &loopback{port: l.Addr().(*net.TCPAddr).Port, done: make(chan struct{}), answer: make(chan url.Values, 1)}
	b.server = &http.Server{Handler: b, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() { // ended by close
		defer close(b.done)
		_ = b.server.Serve(l) // it always ends with an error
	}()
	return b, nil
}

func (b *loopback) address() string { return fmt.Sprintf("http://127.0.0.1:%d%s", b.port, callback) }

// expect makes answers with a state be taken.
func (b *loopback) expect(state string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state = state
}

// ServeHTTP takes the answer. What does not carry the state comes from someone
// else and changes nothing.
func (b *loopback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	b.mu.Lock()
	want := b.state
	b.mu.Unlock()
	q := r.URL.Query()
	ours := want != "" && subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(want)) == 1
	if r.Method != http.MethodGet || r.URL.Path != callback || !ours {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "There is nothing here.\n") // who asks knows why it broke
		return
	}
	select {
	case b.answer <- q:
	default: // it came twice
	}
	_, _ = io.WriteString(w, "Hobkin has the answer. You can close this page.\n")
}

func (b *loopback) wait(ctx context.Context) (url.Values, error) {
	select {
	case q := <-b.answer:
		return q, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("signing in: %w", context.Cause(ctx))
	}
}

// close ends the server, after the page was sent.
func (b *loopback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if b.server.Shutdown(ctx) != nil {
		_ = b.server.Close()
	}
	<-b.done
}
