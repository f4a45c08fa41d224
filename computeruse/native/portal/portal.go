//go:build linux

// Package portal is computer use on Wayland by the portals of the desktop:
// D-Bus services that ask the person, once, whether a program may see the screen
// and control it.
//
//	RemoteDesktop ── session: dialog, then pointer and keys ─┐
//	ScreenCast ───── which displays, and where they are ─────┴─► Desk
//	Screenshot ───── a picture of all displays, as a file ───────► Desk
//	Clipboard ────── texts that no key of the layout types ──────► Desk
//
// The consent is kept as a token that the desktop gives, so that the dialog does
// not come again; taking it back there ends the session, and is obeyed.
//
// Points are pixels of the picture of all displays. Their scale is what the
// picture shows: its width beside the width that the desktop tells.
package portal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/hobkin/hobkin/computeruse/native/desktop"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// Keys are the meanings of keys, as X11 numbers them; portals use them too.
type Keys interface {
	// Chord returns the keysyms of a chord such as ctrl+shift+t, modifiers first.
	Chord(text string) ([]uint32, error)
	// Sym returns the keysym of a character.
	Sym(r rune) uint32
}

// Options say where to look and what to keep.
type Options struct {
	Address   string // of the session bus; empty: the one of this session
	TokenFile string // where the consent is kept; empty: it is asked for each time
	Keys      Keys
}

// A Desk is the desktop as the portals let us see and control it. Its methods
// may be called at the same time.
type Desk struct {
	o    Options
	conn *dbus.Conn
	end  context.CancelFunc // of the connection's life

	signals *signals
	shots   shots

	mu      sync.Mutex
	opening *opening // under way or done; nil: none
	held    map[heldKey]string
	last    *wire.Point // where the pointer was put
	wg      sync.WaitGroup
}

// Where the portals are.
const (
	service   = "org.freedesktop.portal.Desktop"
	path      = "/org/freedesktop/portal/desktop"
	prefix    = "org.freedesktop.portal."
	remote    = prefix + "RemoteDesktop"
	cast      = prefix + "ScreenCast"
	still     = prefix + "Screenshot"
	clipboard = prefix + "Clipboard"
	settings  = prefix + "Settings"
	session   = prefix + "Session"
	request   = prefix + "Request"
)

const (
	connectTime = 5 * time.Second
	callTime    = 3 * time.Second  // of a call that asks nobody anything
	startTime   = 12 * time.Second // of the first call, which starts the portals and what they need
)

// Open connects to the session bus and to the portals on it. It asks the person
// nothing yet.
func Open(ctx context.Context, o Options) (*Desk, error) {
	conn, end, err := connect(ctx, o.Address)
	if err != nil {
		return nil, err
	}
	d := &Desk{o: o, conn: conn, end: end, held: map[heldKey]string{}}
	d.signals = newSignals(conn)
	d.wg.Go(d.signals.listen) // ends with the connection
	if err := d.signals.match(ctx); err != nil {
		d.hangUp()
		return nil, unusable(err)
	}
	if _, err := d.version(ctx, still); err != nil {
		d.hangUp()
		if missing(err) {
			return nil, lacks("screenshots")
		}
		return nil, unusable(err)
	}
	return d, nil
}

// connect dials the session bus, within the time.
func connect(ctx context.Context, address string) (*dbus.Conn, context.CancelFunc, error) {
	if address == "" {
		address = desktop.BusAddress()
	}
	if address == "" {
		return nil, nil, &wire.Error{
			Code: wire.Unsupported, Message: "There is no session bus, and so no portal of the desktop.",
			Fix: "Start Hobkin within the desktop session.",
		}
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, end)
	slow := time.AfterFunc(connectTime, end)
	conn, err := dbus.Connect(address, dbus.WithContext(life))
	if !slow.Stop() || !stop() {
		err = errors.Join(err, context.DeadlineExceeded)
	}
	if err != nil {
		end()
		return nil, nil, &wire.Error{
			Code: wire.Unsupported, Message: "The session bus cannot be reached: " + err.Error() + ".",
			Fix: "Start Hobkin within the desktop session.",
		}
	}
	return conn, end, nil
}

// Close lets go of all that is held, ends the session and the connection.
func (d *Desk) Close() {
	d.ReleaseAll()
	d.endSession(context.Background())
	d.hangUp()
}

func (d *Desk) hangUp() {
	_ = d.conn.Close()
	d.end()
	d.wg.Wait()
}

// version is that of an interface, an error where the portal has not got it.
func (d *Desk) version(ctx context.Context, iface string) (v uint32, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	err = d.conn.Object(service, path).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, iface, "version").Store(&v)
	return v, err
}

// call calls a method of the portal that answers at once.
func (d *Desk) call(ctx context.Context, method string, args ...any) *dbus.Call {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return d.conn.Object(service, path).CallWithContext(ctx, method, 0, args...)
}

// unusable says why the portals cannot be used at all.
func unusable(err error) error {
	var e dbus.Error
	if errors.As(err, &e) && e.Name == "org.freedesktop.DBus.Error.ServiceUnknown" {
		return &wire.Error{
			Code: wire.Unsupported, Message: "This desktop has no portals, without which no program may see or control it.",
			Fix: "Install xdg-desktop-portal and the backend of your desktop, such as xdg-desktop-portal-gnome or -kde, and log in again; or use a session with X11.",
		}
	}
	return failed("the portals of the desktop do not answer", err)
}

// lacks says that the portal has not got an interface.
func lacks(what string) error {
	return &wire.Error{
		Code: wire.Unsupported, Message: fmt.Sprintf("The portal of this desktop offers no %s.", what),
		Fix: "GNOME from version 43 and KDE Plasma from 5.27 do; or use a session with X11.",
	}
}

func failed(what string, err error) error {
	return &wire.Error{Code: wire.Failed, Message: fmt.Sprintf("%s: %v", what, err)}
}

// missing reports whether err says that the portal has not got what was called.
func missing(err error) bool {
	var e dbus.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Name {
	case "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownInterface",
		"org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownProperty", "org.freedesktop.DBus.Error.InvalidArgs":
		return true
	}
	return false
}
