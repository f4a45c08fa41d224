//go:build linux

package portal

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"golang.org/x/sys/unix"

	"github.com/hobkin/hobkin/test/desk"
)

// fake is a portal that behaves as the real ones do: each step in its order,
// answers as signals on the path of the request, consent as a token that can be
// used once, and input only in a session that has started.
type fake struct {
	t       *testing.T
	conn    *dbus.Conn
	address string
	dir     string

	mu      sync.Mutex
	answer  uint32        // of the dialog
	dialog  chan struct{} // the dialog is answered when it is closed; nil: at once
	dialogs int           // shown so far
	tokens  map[string]bool
	step    map[dbus.ObjectPath]string
	streams []streamProps
	picture image.Image
	clip    bool
	paste   bool   // a program with the focus pastes on ctrl+v
	pasted  string // by it
	ctrl    bool
	events  []string
	without string // an interface that it lacks
	current dbus.ObjectPath
}

type streamProps struct {
	ID    uint32
	Props vardict
}

func display(id uint32, x, y, w, h int32) streamProps {
	pair := func(a, b int32) dbus.Variant { return dbus.MakeVariant(struct{ A, B int32 }{a, b}) }
	return streamProps{id, vardict{"position": pair(x, y), "size": pair(w, h), "source_type": dbus.MakeVariant(uint32(1))}}
}

func startFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{
		t: t, address: desk.Bus(t), dir: t.TempDir(), tokens: map[string]bool{}, step: map[dbus.ObjectPath]string{},
		streams: []streamProps{display(7, 0, 0, 160, 100)}, picture: pattern(160, 100), clip: true, paste: true,
	}
	conn, err := dbus.Connect(f.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	f.conn = conn
	for iface, v := range map[string]any{
		remote: fakeRemote{f}, cast: fakeCast{f}, still: fakeStill{f}, clipboard: fakeClip{f},
		"org.freedesktop.DBus.Properties": fakeProps{f}, settings: fakeSettings{},
	} {
		if err := conn.Export(v, path, iface); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.RequestName(service, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	return f
}

// pattern is a picture in which each pixel tells its place.
func pattern(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x), uint8(y), 0x80, 0xff})
		}
	}
	return img
}

func (f *fake) log(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, fmt.Sprintf(format, args...))
}

// done returns what has been put in so far, and forgets it.
func (f *fake) done() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := strings.Join(f.events, " · ")
	f.events = nil
	return all
}

func (f *fake) shown() (n int) { f.with(func() { n = f.dialogs }); return n }

func (f *fake) steps() (m map[dbus.ObjectPath]string) {
	f.with(func() { m = maps.Clone(f.step) })
	return m
}
func (f *fake) now() (s dbus.ObjectPath) { f.with(func() { s = f.current }); return s }
func (f *fake) lacking() (iface string)  { f.with(func() { iface = f.without }); return iface }

func (f *fake) with(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// respond answers a request by a signal, some time after the call.
func (f *fake) respond(sender dbus.Sender, options vardict, code uint32, results vardict) dbus.ObjectPath {
	t, _ := options["handle_token"].Value().(string)
	us := strings.ReplaceAll(strings.TrimPrefix(string(sender), ":"), ".", "_")
	at := dbus.ObjectPath(path + "/request/" + us + "/" + t)
	if results == nil {
		results = vardict{}
	}
	_ = f.conn.Emit(at, request+".Response", code, results)
	return at
}

// next holds a session to its steps.
func (f *fake) next(s dbus.ObjectPath, from, to string) *dbus.Error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.step[s] != from {
		return dbus.NewError("org.freedesktop.DBus.Error.Failed", []any{fmt.Sprintf("Invalid session: %s is %q, not %q", s, f.step[s], from)})
	}
	f.step[s] = to
	return nil
}

func (f *fake) lacks(iface string) *dbus.Error {
	if f.lacking() == iface {
		return dbus.NewError("org.freedesktop.DBus.Error.UnknownMethod", []any{"No such interface “" + iface + "”"})
	}
	return nil
}

type fakeProps struct{ f *fake }

func (p fakeProps) Get(iface, name string) (dbus.Variant, *dbus.Error) {
	if p.f.lacking() == iface || name != "version" {
		return dbus.Variant{}, dbus.NewError("org.freedesktop.DBus.Error.InvalidArgs", []any{"No such interface “" + iface + "”"})
	}
	return dbus.MakeVariant(uint32(2)), nil
}

type fakeSettings struct{}

func (fakeSettings) Read(space, key string) (dbus.Variant, *dbus.Error) {
	if space != "org.freedesktop.appearance" || key != "color-scheme" {
		return dbus.Variant{}, dbus.NewError(prefix+"Error.NotFound", nil)
	}
	return dbus.MakeVariant(dbus.MakeVariant(uint32(1))), nil
}

type fakeRemote struct{ f *fake }

func (r fakeRemote) CreateSession(sender dbus.Sender, options vardict) (dbus.ObjectPath, *dbus.Error) {
	f := r.f
	if err := f.lacks(remote); err != nil {
		return "", err
	}
	t, _ := options["session_handle_token"].Value().(string)
	s := dbus.ObjectPath(path + "/session/" + strings.ReplaceAll(strings.TrimPrefix(string(sender), ":"), ".", "_") + "/" + t)
	f.with(func() { f.step[s] = "created"; f.current = s })
	_ = f.conn.Export(fakeSession{f, s}, s, session)
	return f.respond(sender, options, 0, vardict{"session_handle": dbus.MakeVariant(string(s))}), nil // a string, as GNOME gives it
}

func (r fakeRemote) SelectDevices(sender dbus.Sender, s dbus.ObjectPath, options vardict) (dbus.ObjectPath, *dbus.Error) {
	if err := r.f.next(s, "created", "devices"); err != nil {
		return "", err
	}
	t, _ := options["restore_token"].Value().(string)
	r.f.with(func() {
		if r.f.tokens[t] {
			delete(r.f.tokens, t) // each can be used once
			r.f.step[s] = "devices, known"
		}
	})
	return r.f.respond(sender, options, 0, nil), nil
}

func (r fakeRemote) Start(sender dbus.Sender, s dbus.ObjectPath, _ string, options vardict) (dbus.ObjectPath, *dbus.Error) {
	f := r.f
	known := f.next(s, "sources, known", "started") == nil
	if !known {
		if err := f.next(s, "sources", "started"); err != nil {
			return "", err
		}
	}
	f.mu.Lock()
	dialog, answer := f.dialog, f.answer
	if known {
		dialog, answer = nil, granted
	} else {
		f.dialogs++
	}
	token := fmt.Sprintf("token-%d", len(f.step))
	f.tokens[token] = true
	results := vardict{
		"devices": dbus.MakeVariant(uint32(3)), "streams": dbus.MakeVariant(f.streams),
		"restore_token": dbus.MakeVariant(token), "clipboard_enabled": dbus.MakeVariant(f.clip),
	}
	f.mu.Unlock()
	if dialog == nil {
		return f.respond(sender, options, answer, results), nil
	}
	go func() { <-dialog; f.respond(sender, options, answer, results) }()
	return dbus.ObjectPath(path + "/request/" + strings.ReplaceAll(strings.TrimPrefix(string(sender), ":"), ".", "_") + "/" + options["handle_token"].Value().(string)), nil
}

// started refuses input to a session that is none.
func (r fakeRemote) started(s dbus.ObjectPath) *dbus.Error { return r.f.next(s, "started", "started") }

func (r fakeRemote) NotifyPointerMotionAbsolute(s dbus.ObjectPath, _ vardict, stream uint32, x, y float64) *dbus.Error {
	r.f.log("move %d %.1f,%.1f", stream, x, y)
	return r.started(s)
}

func (r fakeRemote) NotifyPointerButton(s dbus.ObjectPath, _ vardict, button int32, state uint32) *dbus.Error {
	r.f.log("button %#x %d", button, state)
	return r.started(s)
}

func (r fakeRemote) NotifyPointerAxisDiscrete(s dbus.ObjectPath, _ vardict, axis uint32, steps int32) *dbus.Error {
	r.f.log("axis %d %d", axis, steps)
	return r.started(s)
}

func (r fakeRemote) NotifyKeyboardKeysym(s dbus.ObjectPath, _ vardict, sym int32, state uint32) *dbus.Error {
	r.f.log("key %#x %d", sym, state)
	if err := r.started(s); err != nil {
		return err
	}
	var pastes bool
	r.f.with(func() {
		if sym == 0xffe3 {
			r.f.ctrl = state == 1
		}
		pastes = r.f.ctrl && r.f.paste && sym == 'v' && state == 1
	})
	if pastes {
		_ = r.f.conn.Emit(path, clipboard+".SelectionTransfer", s, "text/plain;charset=utf-8", uint32(5))
	}
	return nil
}

type fakeCast struct{ f *fake }

func (c fakeCast) SelectSources(sender dbus.Sender, s dbus.ObjectPath, options vardict) (dbus.ObjectPath, *dbus.Error) {
	if _, ok := options["persist_mode"]; ok {
		return "", dbus.NewError("org.freedesktop.DBus.Error.InvalidArgs", []any{"Remote desktop sessions cannot persist"})
	}
	if c.f.next(s, "devices, known", "sources, known") != nil {
		if err := c.f.next(s, "devices", "sources"); err != nil {
			return "", err
		}
	}
	return c.f.respond(sender, options, 0, nil), nil
}

type fakeStill struct{ f *fake }

func (s fakeStill) Screenshot(sender dbus.Sender, _ string, options vardict) (dbus.ObjectPath, *dbus.Error) {
	s.f.mu.Lock()
	answer, img := s.f.answer, s.f.picture
	s.f.mu.Unlock()
	file := filepath.Join(s.f.dir, fmt.Sprintf("shot %d ü.png", time.Now().UnixNano()))
	w, err := os.Create(file)
	if err == nil {
		err = png.Encode(w, img)
		_ = w.Close()
	}
	if err != nil {
		return "", dbus.MakeFailedError(err)
	}
	uri := "file://" + strings.NewReplacer(" ", "%20", "ü", "%C3%BC").Replace(file)
	return s.f.respond(sender, options, answer, vardict{"uri": dbus.MakeVariant(uri)}), nil
}

type fakeClip struct{ f *fake }

func (c fakeClip) RequestClipboard(_ dbus.ObjectPath, _ vardict) *dbus.Error { return nil }

func (c fakeClip) SetSelection(s dbus.ObjectPath, _ vardict) *dbus.Error {
	return c.f.next(s, "started", "started")
}

func (c fakeClip) SelectionWrite(dbus.ObjectPath, uint32) (dbus.UnixFD, *dbus.Error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return 0, dbus.MakeFailedError(err)
	}
	go func() {
		r := os.NewFile(uintptr(p[0]), "paste")
		raw, _ := io.ReadAll(r)
		_ = r.Close()
		c.f.with(func() { c.f.pasted = string(raw) })
	}()
	time.AfterFunc(time.Second, func() { _ = unix.Close(p[1]) }) // once it has been sent
	return dbus.UnixFD(p[1]), nil
}

func (c fakeClip) SelectionWriteDone(_ dbus.ObjectPath, serial uint32, ok bool) *dbus.Error {
	c.f.log("pasted %d %v", serial, ok)
	return nil
}

type fakeSession struct {
	f  *fake
	at dbus.ObjectPath
}

func (s fakeSession) Close() *dbus.Error {
	s.f.with(func() { s.f.step[s.at] = "closed" })
	return nil
}
