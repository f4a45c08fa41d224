// Package proxy is the guard's local HTTP proxy: programs that do not use the
// guard themselves, such as a browser or the commands of a shell, reach the
// network only through it.
//
//	program ─► loopback or Unix socket ─► credentials ─► Allow ─► netguard.Guard ─► host
//
// It takes CONNECT, requests with a whole address ("GET http://host/ HTTP/1.1")
// and WebSockets through both. It looks names up itself, follows no redirects
// and keeps no contents. What is refused is answered with a sentence.
package proxy

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/netguard"
)

// Options say what a proxy lets through and to whom.
type Options struct {
	Guard *netguard.Guard // judges every connection; needed

	// Allow is asked before the guard, with the host in its plain form. An error
	// refuses, and its text is shown. Nil allows all that the guard does.
	Allow func(host string, port int) error

	OnRefuse func(Refusal) // told of what was refused; may be nil; called from many goroutines

	// Socket is the path of a Unix socket to listen on too, for programs without
	// our loopback; it may be empty. Its folder should be the owner's alone.
	Socket string

	// NoCredentials lets every program of this machine use the proxy. It is for
	// browsers, which take no credentials for a proxy.
	NoCredentials bool

	Most int           // connections at a time, further ones wait; 0 is 256
	Idle time.Duration // a connection on which nothing moves for so long is closed; 0 is 5 min
}

// A Refusal is a request that was not let through.
type Refusal struct {
	Method string // CONNECT, or of the request
	Host   string // in its plain form where it has one
	Port   int
	Err    error // why
}

// A Proxy serves until it is closed. Make one with [New] or [Start].
type Proxy struct {
	opts     Options
	password string // new with every proxy
	server   *http.Server
	addr     net.Addr // of loopback; nil without
	forward  *httputil.ReverseProxy
	onward   *netguard.Transport // of forward
	conns    *connections

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	mu     sync.Mutex     // nothing begins once Close has
	work   sync.WaitGroup // listeners, requests and the sweeper
}

// New makes a proxy that listens nowhere yet; see [Proxy.Serve]. Close ends it.
func New(o Options) *Proxy {
	if o.Most == 0 {
		o.Most = 256
	}
	if o.Idle == 0 {
		o.Idle = 5 * time.Minute
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &Proxy{opts: o, password: rand.Text(), onward: o.Guard.Transport(-1), conns: newConnections(o.Most), ctx: ctx, cancel: cancel}
	p.forward = p.newForward()
	quiet := slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug) // clients that hang up are no news
	p.server = &http.Server{
		Handler:           p,
		ReadHeaderTimeout: 15 * time.Second,
		IdleTimeout:       o.Idle,
		MaxHeaderBytes:    128 << 10,
		ConnState:         p.track,
		ConnContext:       trust,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          quiet,
	}
	p.forward.ErrorLog = quiet
	p.begin(func() { p.conns.sweep(ctx, o.Idle) })
	return p
}

// Start makes a proxy that listens on a free port of loopback, and on the Unix
// socket if one is asked for.
func Start(o Options) (*Proxy, error) {
	p := New(o)
	listeners, err := p.listen()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("netguard: proxy: %w", err), p.Close())
	}
	for _, l := range listeners {
		p.begin(func() { p.serve(l, false) })
	}
	return p, nil
}

// Serve takes the connections of a listener that only those can reach who may
// use the proxy, so that no credentials are needed; it is for a command in a
// network of its own. It returns when the listener or the proxy is closed; then
// the listener is closed in any case.
func (p *Proxy) Serve(l net.Listener) {
	done := make(chan struct{})
	if !p.begin(func() { defer close(done); p.serve(l, true) }) {
		_ = l.Close()
		return
	}
	<-done
}

func (p *Proxy) serve(l net.Listener, trusted bool) {
	_ = p.server.Serve(p.conns.limit(p.ctx, l, trusted)) // always ends with an error: that of closing
}

// begin starts work that Close waits for, unless Close has begun.
func (p *Proxy) begin(work func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return false
	}
	p.work.Go(work)
	return true
}

func (p *Proxy) listen() ([]net.Listener, error) {
	var lc net.ListenConfig
	tcp, err := lc.Listen(p.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p.addr = tcp.Addr()
	if p.opts.Socket == "" {
		return []net.Listener{tcp}, nil
	}
	unix, err := listenUnix(p.ctx, p.opts.Socket)
	if err != nil {
		return nil, errors.Join(err, tcp.Close())
	}
	return []net.Listener{tcp, unix}, nil
}

// listenUnix takes the place of a socket that a killed proxy left.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		var d net.Dialer
		if conn, err := d.DialContext(ctx, "unix", path); err == nil {
			return nil, errors.Join(fmt.Errorf("%s is in use", path), conn.Close())
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Addr is where a proxy of [Start] listens, such as "127.0.0.1:40123".
func (p *Proxy) Addr() string { return p.addr.String() }

// URL is what HTTP_PROXY and HTTPS_PROXY are set to. It holds the credentials,
// so it is a secret of those who may use the proxy.
func (p *Proxy) URL() *url.URL {
	u := &url.URL{Scheme: "http", Host: p.Addr()}
	if !p.opts.NoCredentials {
		u.User = url.UserPassword(user, p.password)
	}
	return u
}

// track counts connections as work from before their listener can end, so that
// Close waits for all that was begun.
func (p *Proxy) track(_ net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		p.work.Add(1)
	case http.StateHijacked, http.StateClosed:
		p.work.Done()
	}
}

// Close ends the listeners and every connection, and returns when all have
// ended.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.cancel()
	p.mu.Unlock()
	err := p.server.Close()
	p.conns.closeAll()
	p.onward.Close()
	p.work.Wait()
	return err
}
