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
// moved.
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
		if from.SetReadDeadline(time.Now().Add(ask)) != nil {
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
