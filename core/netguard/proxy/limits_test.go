package proxy_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/netguard/netguardtest"
	"github.com/hobkin/hobkin/core/netguard/proxy"
)

// dialer never connects to the host that is stuck, and tells when it is asked to.
func dialer(w *netguardtest.World, dialling chan struct{}) func(context.Context, netip.AddrPort) (net.Conn, error) {
	return func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		if to.Addr().String() == "93.184.216.99" {
			close(dialling)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return w.Dial(ctx, to)
	}
}

// A connection on which nothing moves is closed; one that moves is not.
func TestIdle(t *testing.T) {
	const idle = 300 * time.Millisecond
	w := netguardtest.New(t, site)
	p := start(t, w, proxy.Options{Idle: idle})
	for name, text := range map[string]string{
		"tunnel":  "CONNECT a.example:80 HTTP/1.1\r\nHost: x\r\n",
		"upgrade": "GET http://a.example/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n",
	} {
		conn, a := raw(t, p, text+authorization(p)+"\r\n")
		begin := time.Now()
		if _, err := io.Copy(io.Discard, a.rest); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: still open after %v", name, time.Since(begin))
		}
		if took := time.Since(begin); took < idle/2 {
			t.Errorf("%s: closed after %v already", name, took)
		}
		_ = conn.Close()
	}
	conn, a := raw(t, p, "CONNECT a.example:80 HTTP/1.1\r\nHost: x\r\n"+authorization(p)+"\r\n")
	if _, err := io.WriteString(conn, "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, a.rest); got.code != http.StatusSwitchingProtocols {
		t.Fatal(got.code)
	}
	tick := time.NewTicker(idle / 4)
	defer tick.Stop()
	for i := range 12 { // three times as long as an idle one lives
		<-tick.C
		if _, err := conn.Write([]byte{byte(i)}); err != nil {
			t.Fatalf("after %d: %v", i, err)
		}
		if b, err := a.rest.ReadByte(); err != nil || b != byte(i) {
			t.Fatalf("after %d: %d, %v; a connection in use was closed", i, b, err)
		}
	}
}

// Further connections wait until there is a place.
func TestMost(t *testing.T) {
	w := netguardtest.New(t, site)
	p := start(t, w, proxy.Options{Most: 2})
	open := func() net.Conn {
		conn, _ := raw(t, p, "CONNECT a.example:80 HTTP/1.1\r\nHost: x\r\n"+authorization(p)+"\r\n")
		return conn
	}
	first, second := open(), open()
	defer func() { _ = second.Close() }()
	answered := make(chan error, 1)
	client := through(t, p)
	go func() {
		_, _, err := get(t, client, "http://a.example/")
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Fatalf("the third did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	_ = first.Close()
	select {
	case err := <-answered:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the place of a closed connection is not given free")
	}
}

// One way may end while the other goes on, and much passes unharmed both ways.
func TestHalfClose(t *testing.T) {
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() { // a server that answers only once all has come; ends with the connection
		conn, err := l.Accept()
		if err != nil {
			return
		}
		b, _ := io.ReadAll(conn)
		_, _ = conn.Write(b)
		_ = conn.Close()
	}()
	w := netguardtest.New(t, site)
	cfg := w.Config()
	cfg.Dial = func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", l.Addr().String())
	}
	g := w.Guard(t)
	if err := g.Update(cfg); err != nil {
		t.Fatal(err)
	}
	p := start(t, w, proxy.Options{Guard: g, Idle: 5 * time.Second})
	conn, a := raw(t, p, "CONNECT a.example:80 HTTP/1.1\r\nHost: x\r\n"+authorization(p)+"\r\n")
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<18)
	if _, err := conn.Write(want); err != nil {
		t.Fatal(err)
	}
	if half, ok := conn.(*net.TCPConn); !ok || half.CloseWrite() != nil {
		t.Fatal("the sending side could not be closed")
	}
	if got, err := io.ReadAll(a.rest); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d of %d bytes came back, %v", len(got), len(want), err)
	}
}
