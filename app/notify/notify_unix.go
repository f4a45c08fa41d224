//go:build linux || freebsd || openbsd || netbsd

package notify

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/esiqveland/notify"
	"github.com/godbus/dbus/v5"
)

// Open connects to the session bus. It returns [ErrUnavailable] where there is
// none; a server may start later, so its absence is told by [Server.Show].
func Open(ctx context.Context) (Server, error) {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return nil, fmt.Errorf("%w (there is no session bus)", ErrUnavailable)
	}
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(context.WithoutCancel(ctx)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s := &server{conn: conn, shown: map[uint32]Notification{}, latest: map[string]uint32{}}
	s.notifier, err = notify.New(conn, notify.WithOnAction(s.acted), notify.WithOnClosed(s.closed))
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("notify: %w", err)
	}
	return s, nil
}

type server struct {
	conn     *dbus.Conn
	notifier notify.Notifier

	mu     sync.Mutex
	shown  map[uint32]Notification
	latest map[string]uint32 // by session
}

// answerTime is how long the notification server may take for a call.
const answerTime = 3 * time.Second

// Show implements [Server].
func (s *server) Show(ctx context.Context, n Notification) (uint32, error) {
	actions := []notify.Action{notify.NewDefaultAction("Open")}
	for _, a := range n.Actions {
		actions = append(actions, notify.Action{Key: a.Key, Label: a.Label})
	}
	s.mu.Lock()
	replaces := s.latest[n.Session]
	s.mu.Unlock()
	msg := notify.Notification{
		AppName: "Hobkin", AppIcon: "io.github.hobkin.Hobkin", ReplacesID: replaces,
		Summary: n.Title, Body: html.EscapeString(n.Body), Actions: actions,
		ExpireTimeout: notify.ExpireTimeoutSetByNotificationServer,
	}
	msg.SetUrgency(notify.Urgency(n.Urgency))
	id, err := s.send(ctx, msg)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if replaces != 0 && replaces != id {
		delete(s.shown, replaces)
	}
	s.shown[id] = n
	if n.Session != "" {
		s.latest[n.Session] = id
	}
	return id, nil
}

// send gives up after a while: the library's call has no context.
func (s *server) send(ctx context.Context, msg notify.Notification) (uint32, error) {
	type answer struct {
		id  uint32
		err error
	}
	done := make(chan answer, 1)
	go func() { // ends with the bus's own answer or the connection
		id, err := s.notifier.SendNotification(msg)
		done <- answer{id, err}
	}()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	select {
	case <-ctx.Done():
		return 0, fmt.Errorf("%w (it did not answer in %v)", ErrUnavailable, answerTime)
	case a := <-done:
		var gone dbus.Error
		if errors.As(a.err, &gone) && gone.Name == "org.freedesktop.DBus.Error.ServiceUnknown" {
			return 0, ErrUnavailable
		}
		return a.id, a.err
	}
}

// Withdraw implements [Server].
func (s *server) Withdraw(id uint32) {
	if s.forget(id) {
		_, _ = s.notifier.CloseNotification(id) // it may be gone already
	}
}

// Actions implements [Server].
func (s *server) Actions() bool {
	caps, err := s.notifier.GetCapabilities()
	return err == nil && slices.Contains(caps, "actions")
}

// Close implements [Server].
func (s *server) Close() error { return errors.Join(s.notifier.Close(), s.conn.Close()) }

func (s *server) acted(sig *notify.ActionInvokedSignal) {
	s.mu.Lock()
	n, ok := s.shown[sig.ID]
	s.mu.Unlock()
	if ok && n.Do != nil {
		go n.Do(sig.ActionKey) // the library calls from its read loop
	}
}

func (s *server) closed(sig *notify.NotificationClosedSignal) { s.forget(sig.ID) }

func (s *server) forget(id uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.shown[id]
	delete(s.shown, id)
	if ok && s.latest[n.Session] == id {
		delete(s.latest, n.Session)
	}
	return ok
}
