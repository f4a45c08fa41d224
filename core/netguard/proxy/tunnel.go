package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// tunnel copies both ways until both have ended or ctx does, and closes both
// connections. The end of one way is passed on, the other goes on. The kernel
// copies by itself where it can, so it is asked now and then whether anything
// moved; 0 never asks.
func tunnel(ctx context.Context, near, far net.Conn, ask time.Duration) {
	stop := context.AfterFunc(ctx, func() { _, _ = near.Close(), far.Close() })
	var ways sync.WaitGroup
	moved, inner := func() {}, near
	if k, ok := near.(*conn); ok {
		moved, inner = k.moved, k.Conn // the kernel copies only between connections it knows
	}
	ways.Go(func() { oneWay(far, inner, ask, moved) })
	ways.Go(func() { oneWay(inner, far, ask, moved) })
	ways.Wait()
	stop()
	_, _ = near.Close(), far.Close()
}

// oneWay copies until the end of from. A failure ends both ways, since what was
// lost cannot be told otherwise.
func oneWay(to, from net.Conn, ask time.Duration, moved func()) {
	for {
		var until time.Time
		if ask > 0 {
			until = time.Now().Add(ask)
		}
		if from.SetReadDeadline(until) != nil {
			break // closed
		}
		n, err := io.Copy(to, from)
		if n > 0 {
			moved()
		}
		if err == nil {
			if half, ok := to.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
				return
			}
			break
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
	}
	_, _ = to.Close(), from.Close()
}

// Forward passes every connection that l accepts on to a Unix socket, such as
// that of a [Proxy], until ctx ends; then it closes l and all connections. It
// is for a child in a network namespace of its own, where our loopback is not.
func Forward(ctx context.Context, l net.Listener, socket string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	var work sync.WaitGroup
	defer work.Wait()
	for {
		near, err := l.Accept()
		if err != nil {
			cancel()
			if ctx.Err() != nil && errors.Is(err, net.ErrClosed) {
				return nil
			}
			return err
		}
		work.Go(func() {
			var d net.Dialer
			far, err := d.DialContext(ctx, "unix", socket)
			if err != nil {
				_ = near.Close()
				return
			}
			tunnel(ctx, near, far, 0)
		})
	}
}
