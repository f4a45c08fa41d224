//go:build linux || freebsd || openbsd || netbsd

package notify

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/esiqveland/notify"
	"github.com/godbus/dbus/v5"
)

// The notification server on the bus, as the desktop specification names it.
const (
	busName = "org.freedesktop.Notifications"
	busPath = "/org/freedesktop/Notifications"
)

// Open connects to the session bus. It returns [ErrUnavailable] where there is
// none; a server may start later, so its absence is told by [Server.Show].
func Open(ctx context.Context) (Server, error) {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return nil, fmt.Errorf("%w (there is no session bus)", ErrUnavailable)
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	slow := time.AfterFunc(answerTime, end) // connecting waits for the bus however long it takes
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(life))
	if err == nil {
		err = conn.AddMatchSignalContext(life, dbus.WithMatchSender(busName), dbus.WithMatchInterface(busName), dbus.WithMatchObjectPath(busPath))
	}
	if !slow.Stop() && err == nil {
		err = context.DeadlineExceeded
	}
	if err != nil {
		end() // closes a connection
		return nil, fmt.Errorf("%w: the session bus: %w", ErrUnavailable, err)
	}
	s := &server{conn: conn, end: end, shown: map[uint32]shown{}, latest: map[string]uint32{}, ended: make(chan struct{})}
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	go s.listen(life, signals) // until Close, which closes the channel and waits
	return s, nil
}

type server struct {
	conn  *dbus.Conn
	end   context.CancelFunc // of the connection's life
	ended chan struct{}      // closed when no signal is read any more

	sending sync.Mutex // one at a time, so that the newer takes the older's place

	mu     sync.Mutex
	count  uint32            // our own ids: the server gives one that replaces the old one's
	shown  map[uint32]shown  // by the server's id
	latest map[string]uint32 // by session: the server's id
}

type shown struct {
	id uint32
	n  Notification
}

// answerTime is how long the notification server may take for a call.
const answerTime = 3 * time.Second

// Show implements [Server].
func (s *server) Show(ctx context.Context, n Notification) (uint32, error) {
	s.sending.Lock()
	defer s.sending.Unlock()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	caps, err := s.capabilities(ctx)
	if err != nil {
		return 0, unavailable(err)
	}
	msg := message(n, slices.Contains(caps, "body-markup"))
	if n.Session != "" {
		s.mu.Lock()
		msg.ReplacesID = s.latest[n.Session]
		s.mu.Unlock()
	}
	id, err := s.send(ctx, msg)
	if err != nil {
		return 0, unavailable(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.shown, msg.ReplacesID)
	s.count++
	s.shown[id] = shown{s.count, n}
	if n.Session != "" {
		s.latest[n.Session] = id
	}
	return s.count, nil
}

// message is n for the bus.
func message(n Notification, markup bool) notify.Notification {
	actions := []notify.Action{notify.NewDefaultAction("Open")}
	for _, a := range n.Actions {
		actions = append(actions, notify.Action{Key: a.Key, Label: clean(a.Label)})
	}
	msg := notify.Notification{
		AppName: "Hobkin", AppIcon: "io.github.hobkin.Hobkin",
		Summary: clean(n.Title), Body: clean(n.Body), Actions: actions,
		ExpireTimeout: notify.ExpireTimeoutSetByNotificationServer,
	}
	if markup {
		msg.Body = html.EscapeString(msg.Body)
	}
	msg.SetUrgency(notify.Urgency(n.Urgency))
	return msg
}

// clean takes out what the bus does not carry: it hangs up on whoever sends a
// string that is no text.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

// send gives up when ctx ends: the library's call has no context. What is
// shown after that is taken away again, for no one could answer for it.
func (s *server) send(ctx context.Context, msg notify.Notification) (uint32, error) {
	type answer struct {
		id  uint32
		err error
	}
	done := make(chan answer) // nobody listens once ctx has ended
	go func() {               // ends with the server's answer or the connection
		id, err := notify.SendNotification(s.conn, msg)
		select {
		case done <- answer{id, err}:
		case <-ctx.Done():
			if err == nil {
				s.take(context.WithoutCancel(ctx), id)
			}
		}
	}()
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case a := <-done:
		return a.id, a.err
	}
}

// unavailable tells the lack of a server from other failures.
func unavailable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w (it did not answer in %v)", ErrUnavailable, answerTime)
	}
	var broken *net.OpError
	if errors.Is(err, dbus.ErrClosed) || errors.Is(err, io.EOF) || errors.As(err, &broken) {
		return fmt.Errorf("%w (the session bus has ended)", ErrUnavailable)
	}
	var e dbus.Error
	if errors.As(err, &e) && (e.Name == "org.freedesktop.DBus.Error.ServiceUnknown" ||
		e.Name == "org.freedesktop.DBus.Error.NameHasNoOwner" || strings.HasPrefix(e.Name, "org.freedesktop.DBus.Error.Spawn.")) {
		return ErrUnavailable
	}
	return fmt.Errorf("notify: %w", err)
}

// Withdraw implements [Server].
func (s *server) Withdraw(id uint32) {
	s.mu.Lock()
	var on uint32
	for busID, sh := range s.shown {
		if sh.id == id {
			on = busID
		}
	}
	s.mu.Unlock()
	if on != 0 && s.forget(on) {
		s.take(context.Background(), on)
	}
}

// take takes a notification off the screen; it may be gone already.
func (s *server) take(ctx context.Context, busID uint32) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	_ = s.object().CallWithContext(ctx, busName+".CloseNotification", 0, busID).Err
}

// Actions implements [Server].
func (s *server) Actions() bool {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	caps, err := s.capabilities(ctx)
	return err == nil && slices.Contains(caps, "actions")
}

func (s *server) capabilities(ctx context.Context) (caps []string, err error) {
	err = s.object().CallWithContext(ctx, busName+".GetCapabilities", 0).Store(&caps)
	return caps, err
}

func (s *server) object() dbus.BusObject { return s.conn.Object(busName, busPath) }

// Close implements [Server].
func (s *server) Close() error {
	defer s.end()
	err := s.conn.Close()
	<-s.ended
	return err
}

// listen reads the server's signals. The library's own reader would take them
// from any program on the bus, and so a pressed button too.
func (s *server) listen(ctx context.Context, signals <-chan *dbus.Signal) {
	defer close(s.ended)
	for sig := range signals {
		var id, reason uint32
		var key string
		switch {
		case sig.Path != busPath || !s.fromServer(ctx, sig.Sender):
		case sig.Name == busName+".ActionInvoked" && dbus.Store(sig.Body, &id, &key) == nil:
			s.acted(id, key)
		case sig.Name == busName+".NotificationClosed" && dbus.Store(sig.Body, &id, &reason) == nil:
			s.forget(id)
		}
	}
}

// fromServer reports whether sender is the notification server.
func (s *server) fromServer(ctx context.Context, sender string) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var owner string
	err := s.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, busName).Store(&owner)
	return err == nil && owner == sender
}

// acted passes on a pressed button, if the notification has it.
func (s *server) acted(busID uint32, key string) {
	s.mu.Lock()
	n := s.shown[busID].n
	s.mu.Unlock()
	has := key == ActionOpen || slices.ContainsFunc(n.Actions, func(a Action) bool { return a.Key == key })
	if n.Do != nil && has {
		go n.Do(key) // as promised; it ends by itself
	}
}

// forget reports whether the notification was known until now.
func (s *server) forget(busID uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh, ok := s.shown[busID]
	delete(s.shown, busID)
	if ok && s.latest[sh.n.Session] == busID {
		delete(s.latest, sh.n.Session)
	}
	return ok
}
