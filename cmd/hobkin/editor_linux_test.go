package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/xpty"
	"golang.org/x/sys/unix"
)

// A desk is a chat on a terminal of its own.
type desk struct {
	t    *testing.T
	keys *os.File
	code chan int
	tty  *os.File
	at   int // of the screen, up to where it was looked at

	mu   sync.Mutex
	seen bytes.Buffer
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("TERM", "xterm")
	home := filepath.Join(t.TempDir(), "home")
	t.Setenv("HOBKIN_HOME", home)
	folder := filepath.Join(home, "data", "commands")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "review.md"), []byte("---\ndescription: Look over a file\nargument-hint: FILE\n---\nread $1"), 0o600); err != nil {
		t.Fatal(err)
	}
	pty, err := xpty.NewUnixPty(100, 40)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, keys: pty.Master(), tty: pty.Slave(), code: make(chan int, 1)}
	go func() { // ends when the terminal is closed
		_, _ = io.Copy(d, d.keys)
	}()
	go func() {
		d.code <- run(t.Context(), []string{"chat"}, streams{in: d.tty, out: d.tty, err: onScreen(d.tty), attended: true})
	}()
	t.Cleanup(func() { _ = pty.Close() })
	return d
}

func (d *desk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seen.Write(p)
}

func (d *desk) screen() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seen.String()
}

// press types keys when the screen has shown a text, behind the one that was
// waited for before.
func (d *desk) press(after, keys string) {
	d.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(20 * time.Second)
	for {
		fresh := d.screen()[d.at:]
		if i := strings.Index(fresh, after); i >= 0 {
			d.at += i + len(after)
			break
		}
		select {
		case <-tick.C:
		case <-late:
			d.t.Fatalf("the terminal does not show %q, but %q", after, fresh)
		}
	}
	if _, err := d.keys.WriteString(keys); err != nil {
		d.t.Fatal(err)
	}
}

// TestTerminalCompletion types as a person does: Tab completes what can be only
// one, goes as far as several agree, and lists them with what they do.
func TestTerminalCompletion(t *testing.T) {
	d := newDesk(t)
	before, err := unix.IoctlGetTermios(int(d.tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	d.press("> ", "/wh\t")
	d.press("/whoami ", "\r")
	d.press("operator", "")
	d.press("> ", "/sess\t")
	d.press("/sessions", "\x15/re\t") // revoke, resume-session, review: no more in common
	d.press("Look over a file", "v\t")
	d.press("rev", "o\t")
	d.press("/revoke ", "\x15/nothing\tx\r")
	d.press("there is no command /nothingx", "")
	d.press("> ", "don't\tgo /wh\t\r") // a tab within a message completes nothing
	d.press("\n", "")
	d.press("> ", "\x1b[A\x15/quit\r")
	select {
	case code := <-d.code:
		if code != exitOK {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("the chat does not end; the terminal shows %q", d.screen())
	}
	after, err := unix.IoctlGetTermios(int(d.tty.Fd()), unix.TCGETS)
	if err != nil || *after != *before {
		t.Errorf("the terminal was left in another state: %+v, before %+v, %v", after, before, err)
	}
}

// TestTerminalLeaves holds that Ctrl+C at the prompt leaves the chat.
func TestTerminalLeaves(t *testing.T) {
	d := newDesk(t)
	d.press("> ", "half a line\x03")
	select {
	case code := <-d.code:
		if code != exitOK {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("the chat does not end; the terminal shows %q", d.screen())
	}
}
