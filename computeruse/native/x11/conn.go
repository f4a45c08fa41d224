// Package x11 is computer use on X11, without cgo: pictures through shared
// memory, pointer and keys through XTEST, text by keys that are lent for it or
// by the clipboard, windows as window managers keep them (EWMH), and what a
// person does as XInput2 tells it.
//
// Each concern has a connection of its own, so that a picture of a large
// screen does not hold up a key, nor a slow program that owns the clipboard a
// pause.
package x11

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A conn is a connection to the X server.
type conn struct {
	*xgb.Conn

	root   xproto.Window
	screen *xproto.ScreenInfo
	setup  *xproto.SetupInfo
	stream *stream
	atoms  atoms
	closed chan struct{} // once the connection has ended
}

// dial connects to a display such as :0. Events of the core protocol go to
// event, which may be nil; those of extensions to conn.stream.
func dial(ctx context.Context, display string, event func(xgb.Event)) (*conn, error) {
	a, err := parseDisplay(display)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	raw, err := d.DialContext(ctx, a.network, a.address)
	if err != nil {
		return nil, noDisplay(fmt.Errorf("the display %s cannot be reached: %w", display, err))
	}
	st := newStream(raw)
	x, err := connect(st, cookieOf(a))
	if err != nil {
		_ = raw.Close()
		return nil, noDisplay(fmt.Errorf("the display %s does not let us in: %w", display, err))
	}
	setup := xproto.Setup(x)
	screen := setup.DefaultScreen(x)
	c := &conn{Conn: x, root: screen.Root, screen: screen, setup: setup, stream: st, closed: make(chan struct{})}
	c.atoms.c = c
	go c.drain(event)
	return c, nil
}

func connect(st *stream, cookie []byte) (*xgb.Conn, error) {
	if cookie == nil {
		return xgb.NewConnNet(st)
	}
	return xgb.NewConnNetWithCookieHex(st, hex.EncodeToString(cookie))
}

// drain takes what xgb read, until the connection ends.
func (c *conn) drain(event func(xgb.Event)) {
	defer close(c.closed)
	for {
		e, err := c.WaitForEvent()
		if e == nil && err == nil {
			return
		}
		if e != nil && event != nil {
			event(e)
		}
	}
}

// closeTime is how long a server may take for what was sent before the end.
const closeTime = time.Second

// close ends the connection, once the server has done what was sent, and waits
// for its goroutines.
func (c *conn) close() {
	end := time.AfterFunc(closeTime, func() { _ = c.stream.Close() })
	defer end.Stop()
	c.Close()
	<-c.closed
}

// noDisplay is err as the agent is told of it.
func noDisplay(err error) error {
	return &wire.Error{Code: wire.NoDisplay, Message: err.Error(), Fix: "start Hobkin within the graphical session, where DISPLAY is set"}
}

// extension makes an extension usable. What xgb has for it is not used: that
// registers with variables of the whole process, which race between
// connections; the stream takes its place.
func (c *conn) extension(name string) error {
	r, err := xproto.QueryExtension(c.Conn, uint16(len(name)), name).Reply()
	if err != nil {
		return err
	}
	if !r.Present {
		return fmt.Errorf("the X server has no %s", name)
	}
	c.ExtLock.Lock()
	defer c.ExtLock.Unlock()
	c.Extensions[name] = r.MajorOpcode
	c.stream.learn(name, r.FirstEvent, r.FirstError)
	return nil
}

func (c *conn) opcode(name string) byte {
	c.ExtLock.RLock()
	defer c.ExtLock.RUnlock()
	return c.Extensions[name]
}

// sync returns when the server has done all that was sent.
func (c *conn) sync() error {
	_, err := xproto.GetInputFocus(c.Conn).Reply()
	return c.check(err)
}

// check turns the error of a connection that has ended into one that says so.
func (c *conn) check(err error) error {
	if err == nil {
		return nil
	}
	select {
	case <-c.closed:
		return noDisplay(errors.New("the display has gone"))
	default:
		return err
	}
}

// An address is where an X server listens.
type address struct {
	network, address string
	host             string // empty: this machine
	number           string
}

// parseDisplay reads the value of DISPLAY: ":0", "host:10.0" or a socket.
func parseDisplay(display string) (address, error) {
	if display == "" {
		return address{}, noDisplay(errors.New("DISPLAY is empty: there is no X display"))
	}
	i := strings.LastIndexByte(display, ':')
	if i < 0 {
		return address{}, noDisplay(fmt.Errorf("DISPLAY is %q, which names no display", display))
	}
	host := display[:i]
	number, _, _ := strings.Cut(display[i+1:], ".")
	port := 0
	if _, err := fmt.Sscanf(number+"!", "%d!", &port); err != nil || port < 0 || port > 59535 {
		return address{}, noDisplay(fmt.Errorf("DISPLAY is %q, which names no display", display))
	}
	switch {
	case strings.HasPrefix(host, "/"):
		return address{"unix", host + ":" + number, "", number}, nil
	case host == "" || host == "unix" || strings.HasPrefix(host, "unix/"):
		return address{"unix", "/tmp/.X11-unix/X" + number, "", number}, nil
	}
	host = strings.TrimPrefix(host, "tcp/")
	return address{"tcp", net.JoinHostPort(host, strconv.Itoa(6000+port)), host, number}, nil
}

// cookieOf finds the key to a display in the file that XAUTHORITY names.
func cookieOf(a address) []byte {
	path := os.Getenv("XAUTHORITY")
	if path == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil
		}
		path = home + "/.Xauthority"
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil // many displays need none
	}
	host := a.host
	if host == "" || host == "localhost" {
		host, _ = os.Hostname() // without a name the entries for any host remain
	}
	return findCookie(raw, host, a.number)
}

// atoms are names that the server has numbers for.
type atoms struct {
	c     *conn
	mu    sync.Mutex
	byNum map[xproto.Atom]string
	num   map[string]xproto.Atom
}

// of is the number of a name; 0 when the connection has ended.
func (a *atoms) of(name string) xproto.Atom {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n, ok := a.num[name]; ok {
		return n
	}
	r, err := xproto.InternAtom(a.c.Conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0
	}
	if a.num == nil {
		a.num, a.byNum = map[string]xproto.Atom{}, map[xproto.Atom]string{}
	}
	a.num[name], a.byNum[r.Atom] = r.Atom, name
	return r.Atom
}

// name is the name of a number; empty when the server knows none.
func (a *atoms) name(n xproto.Atom) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s, ok := a.byNum[n]; ok {
		return s
	}
	r, err := xproto.GetAtomName(a.c.Conn, n).Reply()
	if err != nil {
		return ""
	}
	if a.num == nil {
		a.num, a.byNum = map[string]xproto.Atom{}, map[xproto.Atom]string{}
	}
	a.num[r.Name], a.byNum[n] = n, r.Name
	return r.Name
}
