//go:build linux

package portal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A stream is a display that the session may reach.
type stream struct {
	id       uint32
	position [2]int32 // in the units of the desktop
	size     [2]int32
	placed   bool // false: the desktop does not tell where it is
}

// control is a session in which we may use pointer and keys.
type control struct {
	path    dbus.ObjectPath
	streams []stream
	paste   bool          // the clipboard may be used
	closed  chan struct{} // by the desktop, or by us
	stop    func()        // ends listening for that
}

// opening is a session that is being opened, or has been.
type opening struct {
	done    chan struct{}
	control *control
	err     error
}

// consentTime is how long the dialog may stand. The call that brought it up may
// have given up long before; the answer counts all the same.
const consentTime = 3 * time.Minute

// session returns the session, and opens one if there is none. While the dialog
// stands unanswered it says so when ctx ends.
func (d *Desk) session(ctx context.Context) (*control, error) {
	d.mu.Lock()
	o := d.opening
	if o == nil {
		o = &opening{done: make(chan struct{})}
		d.opening = o
		life := context.WithoutCancel(ctx)
		d.wg.Go(func() { d.open(life, o) }) // ends in the consent time, or with the connection
	}
	d.mu.Unlock()
	select {
	case <-o.done:
	case <-ctx.Done():
		return nil, &wire.Error{
			Code: wire.Denied, Message: "A dialog of the desktop asks whether Hobkin may control it, and has no answer yet.",
			Fix: "Answer the dialog, then try again.",
		}
	}
	if o.err != nil {
		d.forget(o)
		return nil, o.err
	}
	select {
	case <-o.control.closed:
		d.forget(o)
		d.keepToken("") // who ends it at the desktop wants to be asked before it begins again
		return nil, &wire.Error{
			Code: wire.Denied, Message: "Remote control was ended at the desktop.",
			Fix: "Start computer use again if that was not meant; the desktop will ask.",
		}
	default:
		return o.control, nil
	}
}

// forget makes the next call open a new session.
func (d *Desk) forget(o *opening) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opening == o {
		d.opening = nil
		clear(d.held)
	}
}

func (d *Desk) open(ctx context.Context, o *opening) {
	ctx, cancel := context.WithTimeout(ctx, consentTime)
	defer cancel()
	defer close(o.done)
	o.control, o.err = d.start(ctx)
	var r refusal
	switch {
	case o.err == nil:
	case errors.As(o.err, &r):
		d.keepToken("")
		o.err = denied("to control it", r)
	case missing(o.err):
		o.err = lacks("remote control")
	case errors.Is(o.err, context.DeadlineExceeded):
		o.err = &wire.Error{Code: wire.Denied, Message: "Nobody answered the dialog in which the desktop asks whether Hobkin may control it.", Fix: "Try again and answer it."}
	default:
		o.err = failed("opening a session of remote control", o.err)
	}
}

// What a session is asked for.
const (
	deviceKeyboard = 1
	devicePointer  = 2
	sourceMonitor  = 1
	persistForever = 2 // until the person takes it back
	minPersist     = 2 // the version of RemoteDesktop that can
)

// start opens a session: devices and displays, then the dialog.
func (d *Desk) start(ctx context.Context) (*control, error) {
	version, err := d.version(ctx, remote)
	if err != nil {
		return nil, err
	}
	made, err := d.ask(ctx, remote+".CreateSession", vardict{"session_handle_token": dbus.MakeVariant(token())})
	if err != nil {
		return nil, err
	}
	c := &control{path: handle(made["session_handle"]), closed: make(chan struct{})}
	if !c.path.IsValid() {
		return nil, errors.New("the portal named no session")
	}
	d.watch(context.WithoutCancel(ctx), c)
	started, err := d.consent(ctx, c, version)
	if err != nil {
		d.closeSession(ctx, c)
		return nil, err
	}
	if devices, _ := started["devices"].Value().(uint32); devices&(deviceKeyboard|devicePointer) == 0 {
		d.closeSession(ctx, c)
		return nil, refusal(cancelled)
	}
	next, _ := started["restore_token"].Value().(string)
	d.keepToken(next)
	c.streams = streams(started["streams"])
	c.paste, _ = started["clipboard_enabled"].Value().(bool)
	return c, nil
}

func (d *Desk) consent(ctx context.Context, c *control, version uint32) (vardict, error) {
	devices := vardict{"types": dbus.MakeVariant(uint32(deviceKeyboard | devicePointer))}
	if version >= minPersist && d.o.TokenFile != "" {
		devices["persist_mode"] = dbus.MakeVariant(uint32(persistForever))
		if t := d.token(); t != "" {
			devices["restore_token"] = dbus.MakeVariant(t)
		}
	}
	if _, err := d.ask(ctx, remote+".SelectDevices", devices, c.path); err != nil {
		return nil, err
	}
	sources := vardict{"types": dbus.MakeVariant(uint32(sourceMonitor)), "multiple": dbus.MakeVariant(true)}
	if _, err := d.ask(ctx, cast+".SelectSources", sources, c.path); err != nil {
		return nil, err
	}
	// Older portals have no clipboard; then there is none.
	_ = d.call(ctx, clipboard+".RequestClipboard", c.path, vardict{}).Err
	return d.ask(ctx, remote+".Start", nil, c.path, "")
}

// handle reads a path that some portals give as a string.
func handle(v dbus.Variant) dbus.ObjectPath {
	switch p := v.Value().(type) {
	case dbus.ObjectPath:
		return p
	case string:
		return dbus.ObjectPath(p)
	}
	return ""
}

// streams reads a(ua{sv}).
func streams(v dbus.Variant) (out []stream) {
	var raw []struct {
		ID    uint32
		Props vardict
	}
	if v.Value() == nil || v.Store(&raw) != nil {
		return nil
	}
	for _, r := range raw {
		s := stream{id: r.ID}
		pair := func(name string, into *[2]int32) bool {
			var p struct{ A, B int32 }
			if r.Props[name].Value() == nil || r.Props[name].Store(&p) != nil {
				return false
			}
			*into = [2]int32{p.A, p.B}
			return true
		}
		s.placed = pair("position", &s.position)
		if pair("size", &s.size) && s.size[0] > 0 && s.size[1] > 0 {
			out = append(out, s)
		}
	}
	return out
}

// watch notices when the desktop ends the session, and serves the clipboard.
func (d *Desk) watch(ctx context.Context, c *control) {
	told, stop := d.signals.await(c.path)
	quit := make(chan struct{})
	c.stop = func() { stop(); close(quit) }
	d.wg.Go(func() { // ends with the session or the connection
		for {
			select {
			case sig := <-told:
				if sig.Name == session+".Closed" {
					close(c.closed)
					return
				}
				d.transfer(ctx, c, sig)
			case <-quit:
				return
			case <-d.conn.Context().Done():
				return
			}
		}
	})
}

// closeSession ends a session that we opened.
func (d *Desk) closeSession(ctx context.Context, c *control) {
	c.stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	defer cancel()
	_ = d.conn.Object(service, c.path).CallWithContext(ctx, session+".Close", 0).Err
}

func (d *Desk) endSession(ctx context.Context) {
	d.mu.Lock()
	o := d.opening
	d.opening = nil
	d.mu.Unlock()
	if o == nil {
		return
	}
	select {
	case <-o.done:
		if o.control != nil {
			d.closeSession(ctx, o.control)
		}
	default: // the dialog stands; it goes with the connection
	}
}

// token is the consent of an earlier time.
func (d *Desk) token() string {
	raw, err := os.ReadFile(d.o.TokenFile)
	if err != nil || len(raw) > maxToken {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

const maxToken = 4096 // bytes; those seen are 36

// keepToken stores the consent for the next time, since each can be used once;
// an empty one forgets it. What cannot be kept is asked for again, no more.
func (d *Desk) keepToken(t string) {
	file := d.o.TokenFile
	switch {
	case file == "":
	case t == "":
		_ = os.Remove(file)
	case os.MkdirAll(filepath.Dir(file), 0o700) == nil:
		temporary := file + ".new"
		if os.WriteFile(temporary, []byte(t+"\n"), 0o600) == nil {
			_ = os.Rename(temporary, file)
		}
	}
}
