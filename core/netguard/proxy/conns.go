package proxy

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// connections holds every connection of clients, so that there are not too many
// and none stays that nothing moves on.
type connections struct {
	free chan struct{} // a place for each connection more

	mu   sync.Mutex
	open map[*conn]bool
}

func newConnections(most int) *connections {
	return &connections{free: make(chan struct{}, most), open: map[*conn]bool{}}
}

// limit makes l wait while there are too many connections, until ctx ends.
// Those of a trusted listener need no credentials.
func (c *connections) limit(ctx context.Context, l net.Listener, trusted bool) net.Listener {
	return &listener{Listener: l, ctx: ctx, conns: c, trusted: trusted}
}

type listener struct {
	net.Listener
	ctx     context.Context // Accept has none of its own
	conns   *connections
	trusted bool
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case l.conns.free <- struct{}{}:
	case <-l.ctx.Done():
		return nil, net.ErrClosed
	}
	inner, err := l.Listener.Accept()
	if err != nil {
		<-l.conns.free
		return nil, err
	}
	return l.conns.add(&conn{Conn: inner, of: l.conns, trusted: l.trusted}), nil
}

func (c *connections) add(k *conn) *conn {
	k.moved()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[k] = true
	return k
}

func (c *connections) remove(k *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[k] {
		delete(c.open, k)
		<-c.free
	}
}

func (c *connections) list() (list []*conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.open {
		list = append(list, k)
	}
	return list
}

func (c *connections) closeAll() {
	for _, k := range c.list() {
		_ = k.Close()
	}
}

// sweep closes what has been idle too long, until ctx ends.
func (c *connections) sweep(ctx context.Context, idle time.Duration) {
	tick := time.NewTicker(max(idle/4, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, k := range c.list() {
				if now.Sub(time.Unix(0, k.last.Load())) > idle {
					_ = k.Close()
				}
			}
		}
	}
}

// A conn is a connection of a client that remembers when something last moved.
type conn struct {
	net.Conn
	of      *connections
	trusted bool
	last    atomic.Int64 // Unix nanoseconds
}

// trustedKey marks the context of requests that need no credentials.
type trustedKey struct{}

func trust(ctx context.Context, c net.Conn) context.Context {
	if k, ok := c.(*conn); ok && k.trusted {
		return context.WithValue(ctx, trustedKey{}, true)
	}
	return ctx
}

func (k *conn) moved() { k.last.Store(time.Now().UnixNano()) }

func (k *conn) Read(p []byte) (int, error) {
	n, err := k.Conn.Read(p)
	if n > 0 {
		k.moved()
	}
	return n, err
}

func (k *conn) Write(p []byte) (int, error) {
	n, err := k.Conn.Write(p)
	if n > 0 {
		k.moved()
	}
	return n, err
}

// Close gives the place free.
func (k *conn) Close() error {
	err := k.Conn.Close()
	k.of.remove(k)
	return err
}
