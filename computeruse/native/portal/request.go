//go:build linux

package portal

import (
	"context"
	"crypto/rand"
	"maps"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// vardict is a{sv}: options and results of every method.
type vardict = map[string]dbus.Variant

// signals hands what the portal tells to those who wait for it, by its path.
type signals struct {
	conn *dbus.Conn
	in   chan *dbus.Signal

	mu      sync.Mutex
	waiting map[dbus.ObjectPath]chan *dbus.Signal
}

func newSignals(conn *dbus.Conn) *signals {
	s := &signals{conn: conn, in: make(chan *dbus.Signal, 64), waiting: map[dbus.ObjectPath]chan *dbus.Signal{}}
	conn.Signal(s.in)
	return s
}

func (s *signals) match(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	for _, iface := range []string{request, session, clipboard} {
		if err := s.conn.AddMatchSignalContext(ctx, dbus.WithMatchSender(service), dbus.WithMatchInterface(iface)); err != nil {
			return err
		}
	}
	return nil
}

// listen ends when the connection does, which closes the channel.
func (s *signals) listen() {
	for sig := range s.in {
		at := sig.Path
		if strings.HasPrefix(sig.Name, clipboard) && len(sig.Body) > 0 {
			at, _ = sig.Body[0].(dbus.ObjectPath) // these name their session first
		}
		s.mu.Lock()
		ch := s.waiting[at]
		s.mu.Unlock()
		select {
		case ch <- sig: // a nil channel is never ready
		default:
		}
	}
}

// await registers for the signals of a path; stop ends that.
func (s *signals) await(at dbus.ObjectPath) (ch chan *dbus.Signal, stop func()) {
	const room = 8
	ch = make(chan *dbus.Signal, room)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[at] = ch
	return ch, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.waiting[at] == ch {
			delete(s.waiting, at)
		}
	}
}

// token names a request or session, so that its path is known before the call:
// the answer may come sooner than that of the call itself.
func token() string { return "hobkin" + strings.ToLower(rand.Text()) }

// below returns a path as the portal makes it of our name and a token.
func (d *Desk) below(kind, token string) dbus.ObjectPath {
	us := strings.ReplaceAll(strings.TrimPrefix(d.conn.Names()[0], ":"), ".", "_")
	return dbus.ObjectPath(path + "/" + kind + "/" + us + "/" + token)
}

// ask calls a method that asks the person, or might, and waits for the answer.
// Its last argument, the options, is added.
func (d *Desk) ask(ctx context.Context, method string, options vardict, args ...any) (vardict, error) {
	t := token()
	options = maps.Clone(options)
	if options == nil {
		options = vardict{}
	}
	options["handle_token"] = dbus.MakeVariant(t)
	at := d.below("request", t)
	answers, stop := d.signals.await(at)
	defer stop()

	var handle dbus.ObjectPath
	if err := d.call(ctx, method, append(args, options)...).Store(&handle); err != nil {
		return nil, err
	}
	if handle != at { // portals older than version 0.9 choose it themselves
		stop()
		answers, stop = d.signals.await(handle)
		defer stop()
	}
	select {
	case sig := <-answers:
		return response(sig)
	case <-ctx.Done():
		// The dialog goes with the request.
		_ = d.conn.Object(service, handle).Call(request+".Close", dbus.FlagNoReplyExpected).Err
		return nil, ctx.Err()
	case <-d.conn.Context().Done():
		return nil, dbus.ErrClosed
	}
}

// The codes of a response, as the specification has them.
const (
	granted   = 0
	cancelled = 1
)

// refusal is a response other than yes.
type refusal uint32

func (r refusal) Error() string {
	if r == cancelled {
		return "a person said no in the dialog of the desktop"
	}
	return "the desktop ended the request without asking anybody"
}

func response(sig *dbus.Signal) (vardict, error) {
	var code uint32
	var results vardict
	if err := dbus.Store(sig.Body, &code, &results); err != nil {
		return nil, err
	}
	if code != granted {
		return nil, refusal(code)
	}
	return results, nil
}

// denied puts a refusal into words. Code 2 is what GNOME answers to a program
// that is no window of the session, such as a service that started before it.
func denied(what string, r refusal) error {
	if r == cancelled {
		return &wire.Error{
			Code: wire.Denied, Message: "You did not allow Hobkin " + what + ", in the dialog of the desktop.",
			Fix: "Try again and choose Share or Allow in the dialog.",
		}
	}
	return &wire.Error{
		Code: wire.Denied, Message: "The desktop did not allow Hobkin " + what + ", and asked nobody (code 2).",
		Fix: "Start Hobkin from its window or the menu of the desktop, not as a service that starts before you log in; unlock the screen; and see that the portal of your desktop runs.",
	}
}
