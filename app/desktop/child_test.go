package desktop

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// patience is how long a test waits for something on a busy machine.
const patience = 30 * time.Second

// until waits until ok.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited %v for %s", patience, what)
		case <-tick.C:
		}
	}
}

// A stage is a window whose processes are played by this test program.
type stage struct {
	*window

	mu     sync.Mutex
	role   string
	pids   []int // every process that was started, in order
	alive  map[int]bool
	wrong  []string // calls of started that do not pair
	errors chan error
}

func newStage(t *testing.T, role string) *stage {
	t.Helper()
	s := &stage{role: role, alive: map[int]bool{}, errors: make(chan error, 10)}
	s.window = newWindow(s.play, s.pair, func(err error) { s.errors <- err })
	t.Cleanup(func() {
		s.close()
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.wrong) > 0 || len(s.alive) > 0 {
			t.Errorf("processes told wrongly: %v; told as alive at the end: %v", s.wrong, s.alive)
		}
	})
	return s
}

func (s *stage) play() *exec.Cmd {
	s.mu.Lock()
	defer s.mu.Unlock()
	return play(s.role)
}

// as makes the processes that start from now on play another role.
func (s *stage) as(role string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.role = role
}

func (s *stage) pair(pid int, alive bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alive[pid] == alive {
		s.wrong = append(s.wrong, fmt.Sprint(pid, alive))
	}
	if !alive {
		delete(s.alive, pid)
		return
	}
	s.alive[pid] = true
	s.pids = append(s.pids, pid)
}

// counts is how many processes were started, and how many of them live.
func (s *stage) counts() (started, living int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pids), len(s.alive)
}

func (s *stage) open(t *testing.T, session string) {
	t.Helper()
	if err := s.show(session); err != nil {
		t.Fatal(err)
	}
}

// atFront waits until the window says that it shows a session at the front.
func (s *stage) atFront(t *testing.T, session string) {
	t.Helper()
	until(t, "the window at "+session, func() bool {
		front, at := s.inFront()
		return front && at == session
	})
}

func (s *stage) ends(t *testing.T) {
	t.Helper()
	until(t, "the end of the window's process", func() bool { _, n := s.counts(); return n == 0 })
}

func (s *stage) wantStarted(t *testing.T, want int) {
	t.Helper()
	if got, _ := s.counts(); got != want {
		t.Errorf("%d processes were started; want %d", got, want)
	}
}

func TestWindowShowsAndEnds(t *testing.T) {
	s := newStage(t, roleWindow)
	if front, _ := s.inFront(); front {
		t.Error("a window that was never shown is in front")
	}
	s.open(t, "one")
	s.atFront(t, "one")
	s.open(t, "two")
	s.atFront(t, "two")
	s.wantStarted(t, 1)
	s.close()
	if _, n := s.counts(); n != 0 {
		t.Errorf("close returned while %d processes live", n)
	}
	if front, _ := s.inFront(); front {
		t.Error("a closed window is in front")
	}
	s.open(t, "three")
	s.wantStarted(t, 1)
}

func TestWindowSurvivesNoise(t *testing.T) {
	s := newStage(t, roleWindow)
	s.open(t, "noise")
	s.atFront(t, "noise")
	s.open(t, "after")
	s.atFront(t, "after")
	s.wantStarted(t, 1)
}

func TestWindowStaysWarm(t *testing.T) {
	s := newStage(t, roleWindow)
	s.open(t, "closed")
	until(t, "the person's closing", func() bool { front, at := s.inFront(); return !front && at == "closed" })
	s.open(t, "again")
	s.atFront(t, "again")
	s.wantStarted(t, 1)
}

func TestWindowWarmEnds(t *testing.T) {
	s := newStage(t, roleWindow)
	s.warmFor = time.Millisecond
	s.open(t, "closed")
	s.ends(t)
	s.wantStarted(t, 1)
	s.open(t, "again")
	s.atFront(t, "again")
	s.wantStarted(t, 2)
	if len(s.errors) > 0 {
		t.Errorf("failed was called: %v", <-s.errors)
	}
}

// A click while the warm process is on its way out must not get lost.
func TestWindowShownWhileEnding(t *testing.T) {
	s := newStage(t, roleHang)
	s.endGrace = 300 * time.Millisecond
	s.open(t, "")
	s.as(roleWindow)
	s.window.mu.Lock()
	s.quitLocked()
	s.window.mu.Unlock()
	s.open(t, "new")
	s.atFront(t, "new")
	s.wantStarted(t, 2)
	until(t, "the end of the old process", func() bool { _, n := s.counts(); return n == 1 })
	s.atFront(t, "new") // the old one's end is not the new one's
}

// A click that crosses with the news of the closing must keep the window.
func TestWindowReadyKeepsIt(t *testing.T) {
	s := newStage(t, roleWindow)
	s.warmFor = time.Hour
	s.open(t, "one")
	s.atFront(t, "one")
	s.window.mu.Lock()
	c := s.child
	s.window.mu.Unlock()
	s.heard(c, []byte(`{"hidden":true}`))
	s.heard(c, []byte(`{"ready":true}`))
	s.window.mu.Lock()
	defer s.window.mu.Unlock()
	if !c.shown || c.warm != nil {
		t.Errorf("shown = %v, its end is set = %v; want a window that stays", c.shown, c.warm != nil)
	}
}

func TestWindowCrashes(t *testing.T) {
	s := newStage(t, roleCrash)
	s.open(t, "one")
	select {
	case err := <-s.errors:
		if !errors.Is(err, errCrashed) {
			t.Errorf("failed with %v; want %v", err, errCrashed)
		}
	case <-time.After(patience):
		t.Fatal("no one was told that the window crashes")
	}
	s.wantStarted(t, 1+maxRestarts)
	if len(s.errors) > 0 {
		t.Error("it was told more than once")
	}
	s.as(roleWindow)
	s.open(t, "by hand")
	s.atFront(t, "by hand")
}

func TestWindowCrashBringsItBack(t *testing.T) {
	s := newStage(t, roleWindow)
	s.restartIn = time.Nanosecond // a crash is forgotten at once
	for _, session := range []string{"one", "two", "three", "four", "five"} {
		s.open(t, session)
		s.atFront(t, session)
		before, _ := s.counts()
		s.kill(t)
		until(t, "another process", func() bool { n, _ := s.counts(); return n == before+1 })
		s.atFront(t, session)
	}
	if len(s.errors) > 0 {
		t.Errorf("failed was called: %v", <-s.errors)
	}
}

func (s *stage) kill(t *testing.T) {
	t.Helper()
	s.window.mu.Lock()
	defer s.window.mu.Unlock()
	if err := s.child.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
}

func TestWindowCrashUnseen(t *testing.T) {
	s := newStage(t, roleWindow)
	s.open(t, "closed")
	until(t, "the person's closing", func() bool { front, at := s.inFront(); return !front && at == "closed" })
	s.kill(t)
	s.ends(t)
	s.close() // after it, no restart can be under way
	s.wantStarted(t, 1)
	if len(s.errors) > 0 {
		t.Errorf("failed was called: %v", <-s.errors)
	}
}

// A process that ends by itself while it is asked to show something is started
// again for that, but not for ever.
func TestWindowOrderMissed(t *testing.T) {
	s := newStage(t, roleHang)
	s.orderTime = time.Millisecond
	s.open(t, "lost")
	s.as(roleWindow)
	s.window.mu.Lock()
	for s.child.missed == nil { // fill the pipe that no one reads
		s.orderLocked(s.child, Order{Show: true, Session: "wanted"})
	}
	s.window.mu.Unlock()
	s.atFront(t, "wanted")
	s.wantStarted(t, 2)
}

func TestWindowCannotStart(t *testing.T) {
	s := newStage(t, roleWindow)
	s.command = func() *exec.Cmd {
		return WindowCommand(context.Background(), filepath.Join(t.TempDir(), "missing"))
	}
	if err := s.show(""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("show = %v; want that the program does not exist", err)
	}
	s.wantStarted(t, 0)
}

func TestWindowEndsQuietly(t *testing.T) {
	s := newStage(t, roleWindow)
	s.open(t, "one")
	s.atFront(t, "one")
	s.window.mu.Lock()
	_ = s.child.in.Close() // as if the child had decided to go
	s.window.mu.Unlock()
	s.ends(t)
	s.close()
	s.wantStarted(t, 1)
}

func TestWindowHangs(t *testing.T) {
	s := newStage(t, roleHang)
	s.endGrace = 50 * time.Millisecond
	s.open(t, "")
	closed := make(chan struct{})
	go func() { s.close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(patience):
		t.Fatal("close waits for a process that hangs")
	}
	if _, n := s.counts(); n != 0 {
		t.Errorf("%d processes live", n)
	}
}

// Something that the window started, such as a browser, may outlive it and
// hold its output open.
func TestWindowOutputHeld(t *testing.T) {
	s := newStage(t, roleHold)
	s.endGrace = 100 * time.Millisecond
	r, stderr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	keep := os.Stderr
	os.Stderr = stderr // the child says there whom it started
	s.open(t, "one")
	os.Stderr = keep
	_ = stderr.Close()
	var held int
	if _, err := fmt.Fscan(r, &held); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	p, err := os.FindProcess(held)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Kill() }()
	s.atFront(t, "one")
	s.close()
	if _, n := s.counts(); n != 0 {
		t.Errorf("%d processes live", n)
	}
	if len(s.errors) > 0 {
		t.Errorf("failed was called: %v", <-s.errors)
	}
}

func TestWindowEndsWithParent(t *testing.T) {
	parent := play(roleParent)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe() // the window inherits the writing end
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	parent.Stderr = w
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	pid, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.TrimSpace(pid) == "" {
		t.Fatalf("the parent said %q, %v; want the window's process id", pid, err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // killed
	_ = r.SetReadDeadline(time.Now().Add(patience))
	if said, err := io.ReadAll(r); err != nil {
		t.Errorf("the window lives after its parent: %v; it said %s", err, said)
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for name, tt := range map[string]struct {
		writes []string
		want   []string
	}{
		"nothing":        {nil, nil},
		"one":            {[]string{"a\n"}, []string{"a"}},
		"split":          {[]string{"a", "b", "c\nd", "\n"}, []string{"abc", "d"}},
		"several":        {[]string{"a\n\nb\nc"}, []string{"a", "", "b"}},
		"longest":        {[]string{long, "\nb\n"}, []string{long, "b"}},
		"too long":       {[]string{long + "y", "yy", "y\nb\n"}, []string{long, "b"}},
		"without ends":   {[]string{long, long, long}, nil},
		"end on its own": {[]string{long, long, "\n"}, []string{long}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			l := &lines{each: func(line []byte) { got = append(got, string(line)) }}
			for _, w := range tt.writes {
				if n, err := l.Write([]byte(w)); n != len(w) || err != nil {
					t.Fatalf("Write = %d, %v; want %d", n, err, len(w))
				}
				if len(l.part) > maxLine {
					t.Fatalf("%d bytes are kept", len(l.part))
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("lines (-want +got):\n%s", d)
			}
		})
	}
}
