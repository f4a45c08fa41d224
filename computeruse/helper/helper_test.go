//go:build unix

package helper

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// bench is a helper with a fault.
type bench struct {
	*Helper
	Client
	dir   string
	mu    sync.Mutex
	event []string
}

func newBench(t *testing.T, fault string, change func(*Options)) *bench {
	t.Helper()
	b := &bench{dir: t.TempDir()}
	o := Options{
		Find: func(context.Context) (string, error) { return os.Executable() },
		Env:  append(os.Environ(), faultVar+"="+fault, faultDir+"="+b.dir, "GORACE=atexit_sleep_ms=0"),
		OnEvent: func(name string, data json.RawMessage) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.event = append(b.event, name+" "+string(data))
		},
		Times: Times{Start: 3 * time.Second, Act: 2 * time.Second, Capture: 2 * time.Second, Kill: 50 * time.Millisecond},
	}
	if change != nil {
		change(&o)
	}
	b.Helper = New(o)
	b.Client = Client{Caller: b.Helper}
	t.Cleanup(b.Close)
	return b
}

func (b *bench) notes(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(b.dir, "notes"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

func (b *bench) starts(t *testing.T) (n int) {
	t.Helper()
	for _, line := range b.notes(t) {
		if strings.HasPrefix(line, "start") {
			n++
		}
	}
	return n
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		case <-tick.C:
		}
	}
}

// TestFaults: a helper that goes wrong costs the one request, says why in a
// sentence, is gone, and the next request is answered by a new one.
func TestFaults(t *testing.T) {
	for fault, want := range map[string]struct{ code, message string }{
		"garbage":        {wire.Failed, "what is no answer"},
		"half a line":    {wire.Failed, "the helper ended"},
		"another type":   {wire.Failed, "no answer to it"},
		"huge line":      {wire.Failed, "a line of over 32 MiB"},
		"hangs":          {wire.TimedOut, "did not answer capture"},
		"refuses":        {wire.NoDisplay, "there is no screen"},
		"silent":         {wire.Failed, "said nothing"},
		"deaf":           {wire.Failed, "said nothing"},
		"other version":  {wire.WrongProtocol, "speaks protocol 3, and this program 2"},
		"dies at once":   {wire.Failed, "exit code 7: no screen, said the system"},
		"killed at once": {wire.Failed, "crashed (killed)"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			wait := 20 * time.Second // of what is no question of time
			if want.code == wire.TimedOut || want.message == "said nothing" {
				wait = time.Second
			}
			b := newBench(t, fault, func(o *Options) { o.Times.Start, o.Times.Capture = wait, wait })
			_, err := b.Capture(t.Context(), wire.CaptureParams{})
			w, ok := errors.AsType[*wire.Error](err)
			if !ok || w.Code != want.code || !strings.Contains(w.Message, want.message) || w.Sent {
				t.Fatalf("got %#v, want %s with %q", err, want.code, want.message)
			}
			if fault == "refuses" {
				return
			}
			if _, err := b.Capture(t.Context(), wire.CaptureParams{}); err == nil {
				t.Fatal("the fault went away")
			}
			if n := b.starts(t); n != 2 {
				t.Errorf("started %d times for two requests, want 2", n)
			}
		})
	}
}

// TestCrashInAnAct: what an act did is not known when the helper dies in it.
func TestCrashInAnAct(t *testing.T) {
	for _, fault := range []string{"dies in an act", "hangs in an act"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, fault, nil)
			err := b.Click(t.Context(), wire.ClickParams{})
			if w, ok := errors.AsType[*wire.Error](err); !ok || !w.Sent {
				t.Fatalf("got %v, not an act of which nothing is known", err)
			}
			if _, err := b.Displays(t.Context()); err != nil {
				t.Errorf("the next request: %v", err)
			}
		})
	}
}

// TestWatchdog: a capture that hangs ends the helper in its time, however deaf
// that is.
func TestWatchdog(t *testing.T) {
	b := newBench(t, "hangs", func(o *Options) { o.Times.Capture = 300 * time.Millisecond })
	if _, err := b.Displays(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid := b.PID()
	_, err := b.Capture(t.Context(), wire.CaptureParams{})
	if w, ok := errors.AsType[*wire.Error](err); !ok || w.Code != wire.TimedOut {
		t.Fatalf("got %v", err)
	}
	eventually(t, "the end of the helper", func() bool { return syscall.Kill(pid, 0) != nil })
	if _, err := b.Displays(t.Context()); err != nil || b.PID() == pid {
		t.Errorf("the next request: %v, of process %d after %d", err, b.PID(), pid)
	}
}

// TestAnswersInAnotherOrder: each request gets its own answer.
func TestAnswersInAnotherOrder(t *testing.T) {
	b := newBench(t, "turned around", nil)
	if _, err := b.Displays(t.Context()); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	got := map[string]bool{}
	for range 2 {
		wg.Go(func() {
			r, err := b.Capture(t.Context(), wire.CaptureParams{})
			mu.Lock()
			defer mu.Unlock()
			if err != nil || got[r.Display] {
				t.Errorf("got %q, %v", r.Display, err)
			}
			got[r.Display] = true
		})
	}
	wg.Wait()
}

// TestCancelled: a request that is given up on returns at once; its answer,
// which comes late, goes to no one else.
func TestCancelled(t *testing.T) {
	b := newBench(t, "late", nil)
	if _, err := b.Displays(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.Capture(ctx, wire.CaptureParams{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	r, err := b.Capture(t.Context(), wire.CaptureParams{})
	if err != nil || r.Display != "late" || b.starts(t) != 1 {
		t.Errorf("got %q, %v after %d starts", r.Display, err, b.starts(t))
	}
}

// TestEvents: what comes unasked is told, each start first.
func TestEvents(t *testing.T) {
	b := newBench(t, "events", nil)
	if _, err := b.Capture(t.Context(), wire.CaptureParams{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "two events", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.event) == 2
	})
	if !strings.HasPrefix(b.event[0], Started+` {"protocol":2`) || b.event[1] != `paused {"by":"corner"}` {
		t.Errorf("got %q", b.event)
	}
}

// TestLookOnly: the program is started so, and one that does not agree is not
// used; a change starts it anew.
func TestLookOnly(t *testing.T) {
	var strict bool
	var mu sync.Mutex
	look := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strict
	}
	b := newBench(t, "none", func(o *Options) { o.LookOnly = look })
	if _, err := b.Displays(t.Context()); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	strict = true
	mu.Unlock()
	if _, err := b.Displays(t.Context()); err != nil {
		t.Fatal(err)
	}
	if notes := b.notes(t); !slices.Contains(notes, "start --look-only") || !slices.Contains(notes, "end of input") {
		t.Errorf("got %q", notes)
	}
	b = newBench(t, "looks and acts", func(o *Options) { o.LookOnly = look })
	if _, err := b.Displays(t.Context()); err == nil || !strings.Contains(err.Error(), "did not agree only to look") {
		t.Errorf("got %v", err)
	}
}

// TestNothingIsStartedInVain: a pause, and what else only matters to a helper
// that runs, starts none; one that no one needs ends.
func TestNothingIsStartedInVain(t *testing.T) {
	b := newBench(t, "none", func(o *Options) { o.Times.Idle = 100 * time.Millisecond })
	if _, err := b.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.Bar(t.Context(), wire.BarParams{}); err != nil || b.starts(t) != 0 {
		t.Fatalf("%v, %d starts", err, b.starts(t))
	}
	if _, err := b.Displays(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of what no one needs", func() bool { _, ok := b.Running(); return !ok })
	if _, err := b.Displays(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if n := b.starts(t); n != 2 {
		t.Errorf("started %d times, want 2", n)
	}
}

// TestBackOff: a helper that ends again and again is not started in a tight
// circle, and the request says when it is tried next.
func TestBackOff(t *testing.T) {
	b := newBench(t, "dies at once", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var err error
	for range 30 {
		if _, err = b.Displays(ctx); err != nil && strings.Contains(err.Error(), "in a row") {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "times in a row; it is started again in") {
		t.Fatalf("got %v", err)
	}
	if n := b.starts(t); n > 8 {
		t.Errorf("it was started %d times", n)
	}
}

// TestNoise: what the helper says on stderr is neither taken for an answer nor
// in its way.
func TestNoise(t *testing.T) {
	b := newBench(t, "chatty", nil)
	if r, err := b.Capture(t.Context(), wire.CaptureParams{}); err != nil || r.Display != "1" {
		t.Errorf("got %q, %v", r.Display, err)
	}
}

// TestLarge: a text of the largest size arrives, and a program that ended is
// not asked.
func TestLarge(t *testing.T) {
	b := newBench(t, "none", nil)
	if _, err := b.Type(t.Context(), wire.TypeParams{Text: strings.Repeat("\U0001f600", wire.MaxText/4)}); err != nil {
		t.Error(err)
	}
	err := b.Do(t.Context(), wire.Type, wire.TypeParams{Text: strings.Repeat("x", wire.MaxLine)}, nil)
	if w, ok := errors.AsType[*wire.Error](err); !ok || w.Code != wire.BadRequest {
		t.Errorf("a request over the limit: %v", err)
	}
	b.Close()
	if _, err := b.Displays(t.Context()); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("after the end: %v", err)
	}
}

// TestNotFound: where there is no program the request says what Find says.
func TestNotFound(t *testing.T) {
	b := newBench(t, "none", func(o *Options) {
		o.Find = func(context.Context) (string, error) { return "", errors.New("it is not installed") }
	})
	if _, err := b.Displays(t.Context()); err == nil || err.Error() != "it is not installed" {
		t.Errorf("got %v", err)
	}
	b = newBench(t, "none", func(o *Options) {
		o.Find = func(context.Context) (string, error) { return "/nonexistent/hobkin-helper", nil }
	})
	if _, err := b.Displays(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot be started") {
		t.Errorf("got %v", err)
	}
}

// FuzzLines: however its output is cut into pieces, every line is taken whole.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbc\n\n{\"id\":1}\nrest"), uint8(3))
	f.Add([]byte("\n"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		var got []string
		l := lines{take: func(line []byte) { got = append(got, string(line)) }}
		for rest := data; len(rest) > 0; {
			n := min(int(size)+1, len(rest))
			if !l.write(rest[:n]) {
				t.Fatal("refused")
			}
			rest = rest[n:]
		}
		want := strings.Split(string(data), "\n")
		if !slices.Equal(got, want[:len(want)-1]) || string(l.part) != want[len(want)-1] {
			t.Errorf("got %q and %q of %q", got, l.part, data)
		}
	})
}

// FuzzMessage: no line panics, whatever it is.
func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"id":1,"result":{}}`))
	f.Add([]byte(`{"event":"paused","data":{"by":"corner"}}`))
	f.Add([]byte(`{"id":-9,"error":{"code":"x","message":"y"}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(_ *testing.T, line []byte) {
		c := &conn{told: make(chan wire.Message, 4), dead: make(chan struct{}), waiting: map[int64]chan wire.Message{1: make(chan wire.Message, 1)}}
		c.lines.take = c.line
		var m wire.Message
		if json.Unmarshal(line, &m) != nil {
			return // it ends the program, of which there is none here
		}
		if m.ID == 0 && m.Event == "" && m.Error == nil {
			return
		}
		c.line(line)
	})
}

// TestAskedWhileItCloses: a request that meets the end of the helper is told so.
func TestAskedWhileItCloses(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	_ = w.Close()
	c := &conn{in: w, dead: make(chan struct{}), waiting: map[int64]chan wire.Message{}}
	if _, err := c.ask(t.Context(), wire.Release, nil, time.Second); err == nil || err.Error() != "the helper was ended" {
		t.Errorf("it is told %v", err)
	}
}
