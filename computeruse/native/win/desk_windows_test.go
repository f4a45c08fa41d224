package win

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

var (
	createWindow   = user32.NewProc("CreateWindowExW")
	dispatch       = user32.NewProc("DispatchMessageW")
	translate      = user32.NewProc("TranslateMessage")
	setFocus       = user32.NewProc("SetFocus")
	sendMessage    = user32.NewProc("SendMessageW")
	dpiOfThread    = user32.NewProc("GetThreadDpiAwarenessContext")
	equalAwareness = user32.NewProc("AreDpiAwarenessContextsEqual")
)

// editor is a window of Windows' own class for texts, in a thread of its own.
func editor(t *testing.T) (h uintptr) {
	t.Helper()
	made := make(chan uintptr)
	ended := make(chan struct{})
	var thread uint32
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(ended)
		class, _ := windows.UTF16PtrFromString("EDIT")
		title, _ := windows.UTF16PtrFromString("")
		const overlappedVisibleMultiline = 0x10CF0000 | 0x4 | 0x1000
		thread = windows.GetCurrentThreadId()
		w := call(createWindow, 0, uintptr(unsafe.Pointer(class)), uintptr(unsafe.Pointer(title)), overlappedVisibleMultiline, 100, 80, 500, 300, 0, 0, 0, 0)
		call(setForegroundWindow, w)
		call(setFocus, w)
		made <- w
		var msg [64]byte
		for int32(call(getMessage, uintptr(unsafe.Pointer(&msg)), 0, 0, 0)) > 0 {
			call(translate, uintptr(unsafe.Pointer(&msg)))
			call(dispatch, uintptr(unsafe.Pointer(&msg)))
		}
	}()
	h = <-made
	if h == 0 {
		t.Fatal("no window")
	}
	t.Cleanup(func() {
		const quit = 0x12
		call(postThreadMessage, uintptr(thread), quit, 0, 0)
		<-ended
	})
	return h
}

func content(h uintptr) string {
	const getText = 0x0d
	buf := make([]uint16, 20_000)
	n := call(sendMessage, h, getText, uintptr(len(buf)), uintptr(unsafe.Pointer(&buf[0])))
	return windows.UTF16ToString(buf[:n])
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 500 {
		if ok() {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	t.Errorf("waited for %s", what)
}

func steady() error { return nil }

// TestDesk acts on a window whose own content is the judge.
func TestDesk(t *testing.T) {
	d, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	// -4 is aware of each display, version 2; -3 is version 1, which older ones have.
	if c := call(dpiOfThread); c != 0 && call(equalAwareness, c, ^uintptr(3))+call(equalAwareness, c, ^uintptr(2)) == 0 {
		t.Errorf("the process is not aware of the scale of each display, but %#x", c)
	}
	if err := d.Probe(ctx); err != nil {
		t.Fatal(err)
	}
	h := editor(t)
	ws := NewWindows(d)
	var w wire.Window
	until(t, "the window among the windows", func() bool {
		list, err := ws.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list {
			if o.PID == int(windows.GetCurrentProcessId()) {
				w = o
			}
		}
		return w.ID != ""
	})
	if err := ws.Focus(ctx, w.ID); err != nil {
		t.Fatal(err)
	}
	middle := wire.Point{X: w.Box.X + w.Box.W/2, Y: w.Box.Y + w.Box.H/2}
	at, err := ws.At(ctx, middle)
	if err != nil || at == nil || at.ID != w.ID {
		t.Errorf("in its middle is %+v, %v", at, err)
	}
	for _, p := range []wire.Point{{X: 0, Y: 0}, {X: 1, Y: 1}, {X: 333, Y: 217}, middle} {
		if err := d.Move(ctx, p); err != nil {
			t.Errorf("%v: %v", p, err)
		}
	}
	if err := d.Press(ctx, wire.Left); err != nil {
		t.Fatal(err)
	}
	if err := d.Release(ctx, wire.Left); err != nil {
		t.Fatal(err)
	}
	const text = "Hello ~#{}[] Grüße ÄÖÜß€ Привет 你好，世界 😀✅\r\nok"
	res, err := d.Type(ctx, strings.ReplaceAll(text, "\r\n", "\n"), steady)
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the text", func() bool { return content(h) == text })
	if got := content(h); got != text {
		t.Errorf("the window has %q after %d characters", got, res.Typed)
	}
	for _, chord := range []string{"ctrl+Home", "ctrl+shift+End", "Delete"} {
		release, err := d.Hold(ctx, chord)
		if err != nil {
			t.Fatal(err)
		}
		if err := release(); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "an empty window", func() bool { return content(h) == "" })
	img, err := d.Grab(ctx, w.Box)
	if err != nil {
		t.Fatal(err)
	}
	if c := img.RGBAAt(w.Box.W/2, w.Box.H/2); c.R != 255 || c.G != 255 || c.B != 255 {
		t.Errorf("an empty field is %v", c)
	}
	if _, err := d.Hold(ctx, "shift"); err != nil {
		t.Fatal(err)
	}
	if names := d.ReleaseAll(); len(names) != 1 || names[0] != "shift" {
		t.Errorf("let go of %q", names)
	}
	if p := NewWatcher(d).Person(); p.Known && p.IdleMS < 1000 {
		t.Errorf("our own input is taken for a person's: %+v", p)
	}
	if err := d.Move(ctx, wire.Point{X: 1 << 20}); err == nil {
		t.Error("moved off all displays")
	}
}

func TestHotkey(t *testing.T) {
	d, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := NewWatcher(d)
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan native.Happening, 100)
	ended := make(chan error)
	go func() { ended <- w.Watch(ctx, func(h native.Happening) { told <- h }) }()
	until(t, "the watcher", func() bool { return w.Hotkey(ctx, "ctrl+alt+F9") == nil })
	release, err := d.Hold(ctx, "ctrl+alt+F9")
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	for h := range told {
		if h == native.PressedHotkey {
			break
		}
	}
	for _, chord := range []string{"a", "ctrl", "nonsense"} {
		if err := w.Hotkey(ctx, chord); err == nil {
			t.Errorf("%q became the hotkey", chord)
		}
	}
	if err := w.Hotkey(ctx, ""); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("Watch ended without the error of its context")
	}
	if err := w.Hotkey(t.Context(), "ctrl+alt+F9"); err == nil {
		t.Error("a hotkey that nobody listens for")
	}
}
