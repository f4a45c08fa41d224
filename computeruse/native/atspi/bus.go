package atspi

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/hobkin/hobkin/computeruse/native/desktop"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// A bus is our connection to the accessibility bus, made when it is needed.
type bus struct {
	session string // address of the session bus; empty: from the environment

	mu   sync.Mutex // held while connecting too: one connection is enough
	conn *dbus.Conn
	born time.Time // of conn
}

// connectTime is for finding the bus and for the services that the session
// starts for it.
const connectTime = 5 * time.Second

func (b *bus) get(ctx context.Context) (*dbus.Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn != nil && b.conn.Connected() {
		return b.conn, nil
	}
	b.drop()
	address, err := b.accessibility(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, address)
	if err != nil {
		return nil, &wire.Error{
			Code:    wire.Unsupported,
			Message: "The accessibility bus cannot be reached: " + err.Error() + ".",
			Fix:     "Start the session again; a sandbox around Hobkin must let its socket through.",
		}
	}
	b.conn, b.born = conn, time.Now()
	return conn, nil
}

// accessibility asks the session bus for the address of the other one.
func (b *bus) accessibility(ctx context.Context) (address string, err error) {
	session := b.session
	if session == "" {
		session = desktop.BusAddress()
	}
	none := &wire.Error{
		Code: wire.Unsupported, Message: "There is no session bus, so no program can show its elements.",
		Fix: "Start Hobkin within a desktop session.",
	}
	if session == "" {
		return "", none
	}
	conn, err := dial(ctx, session)
	if err != nil {
		none.Message = "The session bus cannot be reached, so no program can show its elements: " + err.Error() + "."
		return "", none
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	err = conn.Object("org.a11y.Bus", "/org/a11y/bus").CallWithContext(ctx, "org.a11y.Bus.GetAddress", 0).Store(&address)
	if err != nil || address == "" {
		return "", &wire.Error{
			Code:    wire.Unsupported,
			Message: "The accessibility service of this desktop does not run, so no program can show its elements.",
			Fix:     "Install the package at-spi2-core and log in again.",
		}
	}
	return address, nil
}

// dial connects to a bus, within the time. Closing the connection ends it.
func dial(ctx context.Context, address string) (*dbus.Conn, error) {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, end)
	slow := time.AfterFunc(connectTime, end) // a bus that takes the connection and says nothing
	conn, err := dbus.Connect(address, dbus.WithContext(life))
	if !slow.Stop() || !stop() {
		err = errors.Join(err, context.DeadlineExceeded)
	}
	if err != nil {
		end() // closes a connection
		return nil, err
	}
	return conn, nil
}

// young reports whether programs may not have noticed yet that we are there.
func (b *bus) young() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.conn != nil && time.Since(b.born) < youth
}

const youth = 1500 * time.Millisecond

func (b *bus) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop()
}

func (b *bus) drop() {
	if b.conn != nil {
		_ = b.conn.Close()
	}
	b.conn = nil
}
