//go:build linux || freebsd || openbsd || netbsd

package notify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/app/notify"
	"github.com/hobkin/hobkin/test/desk"
)

// A board is a desktop with a notification server, and our connection to it.
type board struct {
	*desk.Desk
	notify.Server

	pressed chan string // title and key of what a person pressed
}

func newBoard(t *testing.T) *board {
	t.Helper()
	b := &board{Desk: desk.Start(t), pressed: make(chan string, 10)}
	for _, v := range b.Env() {
		if addr, ok := strings.CutPrefix(v, busVar+"="); ok {
			t.Setenv(busVar, addr)
		}
	}
	b.Server = open(t)
	return b
}

func (b *board) show(t *testing.T, session, title string, actions ...notify.Action) uint32 {
	t.Helper()
	id, err := b.Show(t.Context(), notify.Notification{
		Session: session, Title: title, Body: "ls <b>a</b> & \"b\"\nin /home", Urgency: notify.Critical, Actions: actions,
		Do: func(key string) { b.pressed <- title + ": " + key },
	})
	if err != nil {
		t.Fatalf("Show(%q): %v", title, err)
	}
	return id
}

// windows are the server's windows on the screen, one a notification.
func (b *board) windows() []string {
	out, err := b.Run("xdotool", "search", "--onlyvisible", "--class", "xfce4-notifyd")
	if err != nil {
		return nil // xdotool's way to say none
	}
	return strings.Fields(out)
}

func (b *board) wantWindows(t *testing.T, n int) {
	t.Helper()
	b.Until("the notifications on the screen", func() bool { return len(b.windows()) == n })
}

// press presses the last button of the only notification by pointer. The
// server puts the buttons in a row at the lower edge, as wide as one another.
func (b *board) press(t *testing.T) {
	t.Helper()
	b.wantWindows(t, 1)
	const steady = 3 // it moves and grows while it comes
	var last, now string
	same := 0
	b.Until("the notification to stand still", func() bool {
		last = now
		now, _ = b.Run("xdotool", "getwindowgeometry", "--shell", b.windows()[0])
		if same++; now != last || now == "" {
			same = 0
		}
		return same >= steady
	})
	at := map[string]int{}
	for line := range strings.Lines(now) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		at[name] = number(t, value)
	}
	b.Click(at["X"]+at["WIDTH"]-57, at["Y"]+at["HEIGHT"]-31)
}

func (b *board) wantPressed(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-b.pressed:
		if got != want {
			t.Errorf("pressed %q; want %q", got, want)
		}
	case <-time.After(patience):
		t.Fatalf("the button was pressed, but %q was not called", want)
	}
}

func TestDesk(t *testing.T) {
	b := newBoard(t)
	if !b.Actions() {
		t.Error("the server shows no buttons; want some")
	}
	allow, deny := notify.Action{Key: "once", Label: "Allow once"}, notify.Action{Key: "deny", Label: "Deny"}

	b.show(t, "one", "Run a command?", allow, deny)
	b.press(t)
	b.wantPressed(t, "Run a command?: deny")
	b.wantWindows(t, 0)

	b.show(t, "one", "Older", deny, allow)
	b.wantWindows(t, 1)
	b.show(t, "one", "Newer", allow, deny)
	b.press(t)
	b.wantPressed(t, "Newer: deny") // also: there is one window, and it is the newer's
	b.wantWindows(t, 0)

	older := b.show(t, "one", "Older again")
	newer := b.show(t, "one", "Newer again")
	other := b.show(t, "two", "Another session's")
	b.wantWindows(t, 2)
	b.Withdraw(other)
	b.wantWindows(t, 1)
	b.Withdraw(older) // its place is taken: nothing happens
	b.show(t, "three", "To see that the calls before are done")
	b.wantWindows(t, 2)
	b.Withdraw(newer)
	b.wantWindows(t, 1)
}
