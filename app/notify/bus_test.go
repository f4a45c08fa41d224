//go:build linux || freebsd || openbsd || netbsd

package notify_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/app/notify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	busVar   = "DBUS_SESSION_BUS_ADDRESS"
	patience = 30 * time.Second // on a busy machine
	name     = "org.freedesktop.Notifications"
	path     = dbus.ObjectPath("/org/freedesktop/Notifications")
)

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func open(t *testing.T) notify.Server {
	t.Helper()
	s, err := notify.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// bus starts a session bus that starts no service by itself, and makes it
// ours. It returns a function that ends it.
func bus(t *testing.T) (end func()) {
	t.Helper()
	dir, err := os.MkdirTemp("", "bus") //nolint:usetesting // its own would be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	conf := filepath.Join(dir, "bus.conf")
	err = os.WriteFile(conf, []byte(`<busconfig><type>session</type><listen>unix:path=`+dir+`/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "dbus-daemon", "--nofork", "--nopidfile", "--config-file="+conf, "--print-address=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	t.Cleanup(end)
	line := make([]byte, 256) // it is printed once the bus listens
	n, err := out.Read(line)
	if err != nil {
		t.Fatalf("dbus-daemon: %v", err)
	}
	t.Setenv(busVar, strings.TrimSpace(string(line[:n])))
	return end
}

func connect(t *testing.T) *dbus.Conn {
	t.Helper()
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// A robot is a notification server without a screen.
type robot struct {
	conn   *dbus.Conn
	caps   []string
	hold   chan struct{} // when set, a notification is answered after it closes
	shown  chan []any    // title, body, replaced id
	closed chan uint32
}

// start puts the server on our bus.
func (r *robot) start(t *testing.T) *robot {
	t.Helper()
	r.conn, r.shown, r.closed = connect(t), make(chan []any, 10), make(chan uint32, 10)
	if err := r.conn.Export(r, path, name); err != nil {
		t.Fatal(err)
	}
	if got, err := r.conn.RequestName(name, dbus.NameFlagDoNotQueue); err != nil || got != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("RequestName = %v, %v", got, err)
	}
	return r
}

// GetCapabilities is part of the specification.
func (r *robot) GetCapabilities() ([]string, *dbus.Error) { return r.caps, nil }

// CloseNotification is part of the specification.
func (r *robot) CloseNotification(id uint32) *dbus.Error {
	r.closed <- id
	return nil
}

// Notify is part of the specification. Every notification is number 7.
func (r *robot) Notify(_ string, replaces uint32, _, title, body string, _ []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	r.shown <- []any{title, body, replaces}
	if r.hold != nil {
		<-r.hold
	}
	return 7, nil
}

func take[T any](t *testing.T, what string, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		t.Fatalf("waited %v for %s", patience, what)
		panic("unreachable")
	}
}

func TestNoBus(t *testing.T) {
	for name, addr := range map[string]string{
		"not set":  "",
		"not here": "unix:path=" + filepath.Join(t.TempDir(), "missing"),
		"no sense": "nowhere",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(busVar, addr)
			s, err := notify.Open(t.Context())
			if s != nil || !errors.Is(err, notify.ErrUnavailable) {
				t.Errorf("Open = %v, %v; want %v", s, err, notify.ErrUnavailable)
			}
		})
	}
}

// A bus that takes connections and says nothing must not hold up the start.
func TestBusHangs(t *testing.T) {
	dir, err := os.MkdirTemp("", "bus") //nolint:usetesting // its own would be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	l, err := net.Listen("unix", dir+"/bus") //nolint:noctx // at once
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	t.Setenv(busVar, "unix:path="+dir+"/bus")
	if s, err := notify.Open(t.Context()); s != nil || !errors.Is(err, notify.ErrUnavailable) {
		t.Errorf("Open = %v, %v; want %v", s, err, notify.ErrUnavailable)
	}
}

func TestNoServer(t *testing.T) {
	end := bus(t)
	s := open(t)
	want := func(when string) {
		t.Helper()
		if id, err := s.Show(t.Context(), notify.Notification{Title: "x"}); id != 0 || !errors.Is(err, notify.ErrUnavailable) {
			t.Errorf("%s: Show = %d, %v; want %v", when, id, err, notify.ErrUnavailable)
		}
		if s.Actions() {
			t.Errorf("%s: there are buttons", when)
		}
	}
	want("no server")
	r := (&robot{}).start(t) // it may start later
	if id, err := s.Show(t.Context(), notify.Notification{Title: "x"}); id == 0 || err != nil {
		t.Errorf("with a server: Show = %d, %v", id, err)
	}
	_ = r.conn.Close()
	end()
	want("no bus any more")
}

// The bus hangs up on whoever sends what is no text, and a server that knows
// markup would read it out of a body.
func TestText(t *testing.T) {
	for name, tt := range map[string]struct {
		caps []string
		body string
		want string
	}{
		"plain":   {nil, "a <b> & c\n\td", "a <b> & c\n\td"},
		"markup":  {[]string{"body-markup"}, "a <b> & c", "a &lt;b&gt; &amp; c"},
		"no text": {nil, "a\x00b\x1b[1mc\xff\u0085d", "ab[1mc\ufffdd"},
	} {
		t.Run(name, func(t *testing.T) {
			bus(t)
			r, s := (&robot{caps: tt.caps}).start(t), open(t)
			for range 2 { // the second shows that the connection still stands
				if _, err := s.Show(t.Context(), notify.Notification{Title: tt.body, Body: tt.body}); err != nil {
					t.Fatal(err)
				}
				got := take(t, "the notification", r.shown)
				if d := cmp.Diff(tt.want, got[1]); d != "" {
					t.Errorf("body (-want +got):\n%s", d)
				}
			}
		})
	}
}

func TestSignals(t *testing.T) {
	bus(t)
	r, s, stranger := (&robot{}).start(t), open(t), connect(t)
	pressed := make(chan string, 10)
	_, err := s.Show(t.Context(), notify.Notification{
		Session: "s", Actions: []notify.Action{{Key: "deny", Label: "Deny"}}, Do: func(key string) { pressed <- key },
	})
	if err != nil {
		t.Fatal(err)
	}
	emit := func(conn *dbus.Conn, signal string, args ...any) {
		t.Helper()
		if err := conn.Emit(path, name+"."+signal, args...); err != nil {
			t.Fatal(err)
		}
	}
	// A program that is not the server, straight to us.
	us := stranger.Names()[0]
	for _, c := range names(t, stranger) {
		if c == us || c == r.conn.Names()[0] {
			continue
		}
		forged := &dbus.Message{Type: dbus.TypeSignal, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldDestination: dbus.MakeVariant(c), dbus.FieldPath: dbus.MakeVariant(path),
			dbus.FieldInterface: dbus.MakeVariant(name), dbus.FieldMember: dbus.MakeVariant("ActionInvoked"),
			dbus.FieldSignature: dbus.MakeVariant(dbus.SignatureOf(uint32(0), "")),
		}, Body: []any{uint32(7), "deny"}}
		if call := stranger.Send(forged, nil); call.Err != nil {
			t.Fatal(call.Err)
		}
	}
	if err := stranger.BusObject().Call("org.freedesktop.DBus.GetId", 0).Err; err != nil { // all of it is on its way
		t.Fatal(err)
	}
	emit(stranger, "ActionInvoked", uint32(7), "deny")
	emit(r.conn, "ActionInvoked", uint32(7), "once") // a button that it has not
	emit(r.conn, "ActionInvoked", uint32(8), "deny") // another program's notification
	emit(r.conn, "ActionInvoked", "7", "deny")       // not as specified
	emit(r.conn, "ActionInvoked")
	emit(r.conn, "NotificationClosed", "7", true)
	emit(r.conn, "ActionInvoked", uint32(7), notify.ActionOpen)
	if got := take(t, "the click", pressed); got != notify.ActionOpen {
		t.Errorf("%q was taken for a press; want only the click", got)
	}
	emit(r.conn, "ActionInvoked", uint32(7), "deny")
	if got := take(t, "the button", pressed); got != "deny" {
		t.Errorf("pressed %q; want deny", got)
	}
	if len(pressed) > 0 {
		t.Errorf("pressed also %q", <-pressed)
	}
}

// names are the connections on the bus.
func names(t *testing.T, conn *dbus.Conn) (unique []string) {
	t.Helper()
	var all []string
	if err := conn.BusObject().Call("org.freedesktop.DBus.ListNames", 0).Store(&all); err != nil {
		t.Fatal(err)
	}
	for _, n := range all {
		if strings.HasPrefix(n, ":") {
			unique = append(unique, n)
		}
	}
	return unique
}

func TestReplaces(t *testing.T) {
	bus(t)
	r, s := (&robot{}).start(t), open(t)
	show := func(session, title string) uint32 {
		t.Helper()
		id, err := s.Show(t.Context(), notify.Notification{Session: session, Title: title})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	older, newer := show("s", "a"), show("s", "b")
	s.Withdraw(older)
	s.Withdraw(newer)
	s.Withdraw(newer)
	show("s", "c")
	show("", "d")
	show("", "e")
	want := [][]any{{"a", "", uint32(0)}, {"b", "", uint32(7)}, {"c", "", uint32(0)}, {"d", "", uint32(0)}, {"e", "", uint32(0)}}
	for _, w := range want {
		if d := cmp.Diff(w, take(t, "a notification", r.shown)); d != "" {
			t.Errorf("shown (-want +got):\n%s", d)
		}
	}
	if got := take(t, "the withdrawal", r.closed); got != 7 || len(r.closed) > 0 {
		t.Errorf("closed %d and %d more; want 7 alone", got, len(r.closed))
	}
}

// A server that hangs holds up no one, and what it shows afterwards goes away.
func TestServerHangs(t *testing.T) {
	bus(t)
	r := (&robot{hold: make(chan struct{})}).start(t)
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := s.Show(ctx, notify.Notification{Session: "s"})
		failed <- err
	}()
	take(t, "the notification", r.shown)
	cancel()
	if err := take(t, "Show to give up", failed); !errors.Is(err, context.Canceled) {
		t.Errorf("Show = %v; want %v", err, context.Canceled)
	}
	if _, err := s.Show(t.Context(), notify.Notification{Session: "s"}); !errors.Is(err, notify.ErrUnavailable) {
		t.Errorf("Show = %v; want %v", err, notify.ErrUnavailable)
	}
	close(r.hold)
	for range 2 {
		if got := take(t, "the withdrawal", r.closed); got != 7 {
			t.Errorf("closed %d; want 7", got)
		}
	}
}
