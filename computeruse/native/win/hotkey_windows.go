package win

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/windows"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// hotkeys is a thread that has a hotkey: Windows tells of it only there.
type hotkeys struct {
	thread  uint32
	want    chan [2]uintptr // modifiers and key; no key: none
	answers chan bool
	ended   chan struct{}
}

// Messages and flags of Windows.
const (
	messageQuit   = 0x0012
	messageHotkey = 0x0312
	messageApp    = 0x8000
	noRepeat      = 0x4000
)

// message is MSG.
type message struct {
	Window  uintptr
	Message uint32
	W, L    uintptr
	Time    uint32
	At      point
}

// newHotkeys starts the thread; close ends it.
func newHotkeys(pressed func()) *hotkeys {
	h := &hotkeys{want: make(chan [2]uintptr, 1), answers: make(chan bool, 1), ended: make(chan struct{})}
	started := make(chan struct{})
	go func() {
		defer close(h.ended)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		h.thread = windows.GetCurrentThreadId()
		var m message
		call(peekMessage, ptr(&m), 0, 0, 0, 0) // makes the queue
		close(started)
		h.listen(pressed)
	}()
	<-started
	return h
}

func (h *hotkeys) listen(pressed func()) {
	const id = 1
	var m message
	for int32(call(getMessage, ptr(&m), 0, 0, 0)) > 0 { //nolint:gosec // a BOOL of three values
		switch m.Message {
		case messageHotkey:
			pressed()
		case messageApp:
			call(unregisterHotKey, 0, id)
			want := <-h.want
			h.answers <- want[1] == 0 || call(registerHotKey, 0, id, want[0]|noRepeat, want[1]) != 0
		}
	}
	call(unregisterHotKey, 0, id)
}

func (h *hotkeys) close() {
	call(postThreadMessage, uintptr(h.thread), messageQuit, 0, 0)
	<-h.ended
}

func (w *Watcher) setHot(h *hotkeys) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hot = h
}

// hotModifiers are the flags of RegisterHotKey.
var hotModifiers = map[uint16]uintptr{vkMenu: 1, vkControl: 2, vkShift: 4, vkLWin: 8}

// Hotkey sets the chord that pauses; empty takes it away.
func (w *Watcher) Hotkey(ctx context.Context, chord string) error {
	var want [2]uintptr
	if chord != "" {
		keys, err := parse(chord, layoutKey)
		if err != nil {
			return err
		}
		last := len(keys) - 1
		for _, k := range keys[:last] {
			want[0] |= hotModifiers[k]
		}
		if want[1] = uintptr(keys[last]); want[0] == 0 || hotModifiers[keys[last]] != 0 {
			return &wire.Error{Code: wire.BadRequest, Message: fmt.Sprintf("the hotkey %q must be a key with ctrl, alt, shift or win", chord)}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hot == nil {
		return &wire.Error{Code: wire.Failed, Message: "The hotkey cannot be set: nothing listens for it."}
	}
	w.hot.want <- want
	call(postThreadMessage, uintptr(w.hot.thread), messageApp, 0, 0)
	select {
	case ok := <-w.hot.answers:
		if !ok {
			return &wire.Error{Code: wire.Failed, Message: fmt.Sprintf("Another program has the hotkey %q.", chord), Fix: "Choose another one in the settings."}
		}
		return nil
	case <-time.After(2 * time.Second):
		return &wire.Error{Code: wire.TimedOut, Message: "The hotkey was not set in time."}
	case <-ctx.Done():
		return ctx.Err()
	}
}
