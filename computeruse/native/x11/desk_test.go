//go:build unix

package x11

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

func TestMain(m *testing.M) {
	xgb.Logger = log.New(io.Discard, "", 0)
	goleak.VerifyTestMain(m)
}

// A fixture is a window that tells what it got.
type fixture struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser

	mu    sync.Mutex
	told  []told
	fresh chan struct{}
}

// told is a line of the fixture.
type told struct {
	Answer string

	Event  string
	Button int
	X, Y   int
	Mods   []string
	Way    string
	Name   string
	Down   bool

	Text, Sum  string
	Area, View wire.Box
	Active     bool
}

// startFixture starts the window and waits until it is on the screen and has
// the focus.
func startFixture(t testing.TB, d *desk.Desk, title string) *fixture {
	t.Helper()
	cmd := exec.Command("/usr/bin/python3", "testdata/fixture.py", title) //nolint:noctx // ends in Cleanup
	cmd.Env = append(d.Env(), "LANG=C.UTF-8", "GTK_IM_MODULE=gtk-im-context-simple", "GTK_THEME=Adwaita")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, cmd: cmd, in: in, fresh: make(chan struct{}, 1)}
	read := make(chan struct{})
	go func() { defer close(read); f.read(out) }()
	t.Cleanup(func() {
		_ = in.Close()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-read
		_ = cmd.Wait()
	})
	f.until("ready", func(l told) bool { return l.Answer == "ready" })
	d.Until("the fixture's focus", func() bool { return f.ask("place").Active })
	return f
}

func (f *fixture) read(out io.Reader) {
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var l told
		if json.Unmarshal(sc.Bytes(), &l) == nil {
			f.mu.Lock()
			f.told = append(f.told, l)
			f.mu.Unlock()
			signal(f.fresh)
		}
	}
}

// until waits for a line, and drops all before it.
func (f *fixture) until(what string, ok func(told) bool) told {
	f.t.Helper()
	late := time.After(10 * time.Second)
	for {
		f.mu.Lock()
		for i, l := range f.told {
			if ok(l) {
				f.told = f.told[i+1:]
				f.mu.Unlock()
				return l
			}
		}
		f.mu.Unlock()
		select {
		case <-f.fresh:
		case <-late:
			f.t.Fatalf("the fixture did not tell %s; it told %+v", what, f.all())
		}
	}
}

func (f *fixture) all() []told {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]told{}, f.told...)
}

func (f *fixture) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.told = nil
}

// ask sends a command and waits for its answer.
func (f *fixture) ask(command string) told {
	f.t.Helper()
	if _, err := io.WriteString(f.in, command+"\n"); err != nil {
		f.t.Fatal(err)
	}
	word := command
	for i, r := range command {
		if r == ' ' {
			word = command[:i]
			break
		}
	}
	return f.until("an answer to "+command, func(l told) bool { return l.Answer == word })
}

// textIs waits until the text view holds want.
func (f *fixture) textIs(want string) {
	f.t.Helper()
	var got string
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		if got = f.ask("text").Text; got == want {
			return
		}
	}
	f.t.Errorf("the window has %.300q, want %.300q", got, want)
}
