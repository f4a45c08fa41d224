package computeruse

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobkin/hobkin/computeruse/helper"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/capability"
)

var nan = math.NaN()

// TestCourtesy: an act waits until a person's hands have rested, and steps aside
// when they do not.
func TestCourtesy(t *testing.T) {
	for name, c := range map[string]struct {
		idle  time.Duration   // at first
		hands []time.Duration // after the start, at which the person moves again
		want  *capability.Failure
		waits time.Duration
	}{
		"away":               {time.Hour, nil, nil, 0},
		"not known":          {-1, nil, nil, 0},
		"just rested":        {1500 * time.Millisecond, nil, nil, 0},
		"rests":              {0, nil, nil, 1500 * time.Millisecond},
		"moves once more":    {0, []time.Duration{time.Second}, nil, 2500 * time.Millisecond},
		"keeps moving":       {0, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}, UserActive, 3 * time.Second},
		"moves at the end":   {0, []time.Duration{1400 * time.Millisecond, 2700 * time.Millisecond}, UserActive, 3 * time.Second},
		"rests late but not": {700 * time.Millisecond, []time.Duration{700 * time.Millisecond, 1600 * time.Millisecond}, UserActive, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				start := time.Now()
				r.desk.during[wire.Person] = func(context.Context) {
					last := -c.idle
					for _, h := range c.hands {
						if h <= time.Since(start) {
							last = h
						}
					}
					r.desk.mu.Lock()
					defer r.desk.mu.Unlock()
					if r.desk.idle = time.Since(start) - last; c.idle < 0 {
						r.desk.idle = -1
					}
				}
				_, err := r.do(t, owner, Act{Action: Key, Chord: "a"}, nil)
				is(t, name, err, c.want)
				if got := time.Since(start); got < c.waits || got > c.waits+300*time.Millisecond {
					t.Errorf("it took %v, want %v", got, c.waits)
				}
				if sent := len(r.desk.sent()); sent != map[bool]int{true: 1}[c.want == nil] {
					t.Errorf("%d acts were sent", sent)
				}
			})
		})
	}
}

// TestHold: one conversation holds the mouse; it lets go when its turn ends or
// after a minute.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		other := owner
		other.Session, other.ID = "other", "t9"
		act := Act{Action: Key, Chord: "a"}
		_, err := r.do(t, owner, act, nil)
		is(t, "the first", err, nil)
		_, err = r.do(t, other, act, nil)
		is(t, "another, meanwhile", err, Busy)
		r.TurnEnded("s")
		_, err = r.do(t, other, act, func() { r.desk.windows[0].Active, r.desk.windows[2].Active = false, true })
		is(t, "another, refused", err, OtherWindow)
		r.desk.windows[0].Active, r.desk.windows[2].Active = true, false
		_, err = r.do(t, owner, act, nil)
		is(t, "the first: what was refused takes nothing", err, nil)
		if _, err := r.Screenshot(t.Context(), other, View{}); err != nil {
			t.Errorf("it may not even look: %v", err)
		}
		r.TurnEnded("other")
		if r.State().Session != "s" {
			t.Errorf("got %+v", r.State())
		}
		pass(59 * time.Second)
		_, err = r.do(t, other, act, nil)
		is(t, "another, before the minute is over", err, Busy)
		pass(1100 * time.Millisecond)
		if r.State().Session != "" {
			t.Errorf("held after a minute: %+v", r.State())
		}
		_, err = r.do(t, other, act, nil)
		is(t, "another, after a minute", err, nil)
		r.TurnEnded("other")
		_, err = r.do(t, owner, act, nil)
		is(t, "the first, after the other's turn", err, nil)
	})
}

// TestBusy: a second act while one runs is refused, not queued.
func TestBusy(t *testing.T) {
	r := newRig(t)
	running, end := make(chan struct{}), make(chan struct{})
	r.desk.during[wire.Key] = func(context.Context) { close(running); <-end }
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := r.do(t, owner, Act{Action: Key, Chord: "a"}, nil)
		is(t, "the first", err, nil)
	})
	<-running
	if s := r.State(); !s.Acting || s.Program != "gedit" || s.Action != Key {
		t.Errorf("got %+v", s)
	}
	_, err := r.do(t, owner, Act{Action: Type, Text: "x"}, nil)
	is(t, "the second", err, Busy)
	close(end)
	wg.Wait()
	if r.State().Acting {
		t.Error("it still acts")
	}
}

// TestPause: a pause stops what moves, and acts are refused until a person goes
// on; looking is not. What ran is not said to have failed.
func TestPause(t *testing.T) {
	r := newRig(t)
	f := r.shot(t, owner, View{}).Frame
	running, end := make(chan struct{}), make(chan struct{})
	r.desk.during[wire.Drag] = func(context.Context) { close(running); <-end }
	r.desk.during[wire.Pause] = func(context.Context) { close(end) }
	r.desk.fail[wire.Drag] = &wire.Error{Code: wire.IsPaused, Message: "it was paused midway", Sent: true}
	var wg sync.WaitGroup
	wg.Go(func() {
		x, y, tx := 100.0, 150.0, 400.0
		got, err := r.do(t, owner, Act{Action: LeftClickDrag, Observation: f.ID, X: &x, Y: &y, ToX: &tx, ToY: &y}, nil)
		if err != nil || got.Status != Unknown || !strings.Contains(got.Detail, "midway") {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	<-running
	if _, err := r.Pause(t.Context(), "tray"); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	delete(r.desk.during, wire.Pause)
	_, err := r.do(t, owner, Act{Action: Key, Chord: "a"}, nil)
	is(t, "while paused", err, Paused)
	if _, err := r.Screenshot(t.Context(), owner, View{}); err != nil {
		t.Errorf("looking: %v", err)
	}
	if err := r.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = r.do(t, owner, Act{Action: Key, Chord: "a"}, nil)
	is(t, "after it", err, nil)
	r.Event(wire.Paused, []byte(`{"by":"corner"}`))
	_, err = r.do(t, owner, Act{Action: Key, Chord: "a"}, nil)
	is(t, "after a corner slam", err, Paused)
	if s := r.State(); !s.Paused || s.By != wire.ByCorner || !strings.Contains(err.Error(), "corner") {
		t.Errorf("got %+v, %v", s, err)
	}
}

// TestPauseWhileItWaits: a pause that comes while a person is asked, or while
// their hands are waited for, holds.
func TestPauseWhileItWaits(t *testing.T) {
	r := newRig(t)
	_, err := r.do(t, owner, Act{Action: Key, Chord: "a"}, func() { r.Event(wire.Paused, []byte(`{"by":"hotkey"}`)) })
	is(t, "paused while asked", err, Paused)
	if err := r.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.desk.during[wire.Person] = func(context.Context) { r.Event(wire.Paused, []byte(`{"by":"bar"}`)) } //nolint:contextcheck // events have none
	_, err = r.do(t, owner, Act{Action: Key, Chord: "a"}, nil)
	is(t, "paused during the courtesy", err, Paused)
	if sent := r.desk.sent(); len(sent) != 1 || sent[0] != wire.Resume {
		t.Errorf("sent %q", sent)
	}
}

// TestDeafHelper: a helper that does not confirm a pause in a second is ended.
func TestDeafHelper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.desk.during[wire.Pause] = func(ctx context.Context) { <-ctx.Done() }
		start := time.Now()
		if _, err := r.Pause(t.Context(), "tray"); err != nil || r.desk.stops != 1 || time.Since(start) > 1100*time.Millisecond {
			t.Errorf("%v, %d stops after %v", err, r.desk.stops, time.Since(start))
		}
	})
}

// TestStop: it ends what is done, for the turns so far; the next turn begins
// anew.
func TestStop(t *testing.T) {
	r := newRig(t)
	f := r.shot(t, owner, View{}).Frame
	_, err := r.do(t, owner, click(f, 300, 300), func() {
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
	is(t, "an act that was agreed to", err, Stopped)
	_, err = r.Screenshot(t.Context(), owner, View{})
	is(t, "a look of the same turn", err, Stopped)
	next := owner
	next.ID = "t2"
	_, err = r.do(t, next, click(f, 300, 300), nil)
	is(t, "a picture of before", err, UnknownFrame)
	f = r.shot(t, next, View{}).Frame
	_, err = r.do(t, next, click(f, 300, 300), nil)
	is(t, "the next turn", err, nil)
	if r.desk.stops != 1 {
		t.Errorf("the helper was ended %d times", r.desk.stops)
	}
}

// TestCancelled: an act whose turn is stopped is halted, and the helper is ready
// for the next.
func TestCancelled(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	r.desk.during[wire.HoldKey] = func(ctx context.Context) { cancel(); <-ctx.Done() }
	call := r.call(owner)
	a := Act{Action: HoldKey, Chord: "a", Duration: time.Second}
	if _, err := r.Judge(ctx, call, a); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Do(ctx, call, a); err == nil {
		t.Fatal("it went on")
	}
	if got := strings.Join(r.desk.sent(), " "); got != "hold_key pause resume" {
		t.Errorf("sent %s", got)
	}
	r.Event(wire.Paused, []byte(`{"by":"agent"}`)) // the halt, told late
	if r.State().Paused || r.State().Acting {
		t.Errorf("got %+v", r.State())
	}
}

// TestBudget: a turn has so many acts; refused ones do not count.
func TestBudget(t *testing.T) {
	r := newRig(t)
	r.cfg.MaxActs = 3
	for i := range 3 {
		got, err := r.do(t, owner, Act{Action: Key, Chord: "a"}, nil)
		if err != nil || got.Acts != i+1 || got.MaxActs != 3 {
			t.Fatalf("got %+v, %v", got, err)
		}
		_, err = r.do(t, owner, Act{Action: Key, Chord: "alt+F2"}, nil)
		is(t, "a refused one", err, map[bool]*capability.Failure{true: TooManyActs, false: Forbidden}[i == 2])
	}
	_, err := r.do(t, owner, Act{Action: Key, Chord: "a"}, nil)
	is(t, "the fourth", err, TooManyActs)
	next := owner
	next.ID = "t2"
	_, err = r.do(t, next, Act{Action: Key, Chord: "a"}, nil)
	is(t, "the next turn", err, nil)
}

// TestReceipts: what went out is never said to have failed, and what changed
// nothing never to have worked (row 5); after three such acts ways out are
// named.
func TestReceipts(t *testing.T) {
	r := newRig(t)
	r.desk.dull = true
	act := Act{Action: Key, Chord: "a"}
	for i := 1; i <= 4; i++ {
		got, err := r.do(t, owner, act, nil)
		if err != nil || got.Status != NoEffect || (got.Advice != "") != (i >= 3) {
			t.Errorf("dull act %d: %+v, %v", i, got, err)
		}
	}
	f := r.shot(t, owner, View{}).Frame
	x, y := 200.0, 150.0
	if got, err := r.do(t, owner, Act{Action: MouseMove, Observation: f.ID, X: &x, Y: &y}, nil); err != nil || got.Status != Delivered || got.Advice != "" {
		t.Errorf("a move: %+v, %v", got, err)
	}
	r.desk.dull = false
	if got, err := r.do(t, owner, act, nil); err != nil || got.Status != Delivered || got.Shot == nil || got.Advice != "" {
		t.Errorf("an act that changes something: %+v, %v", got, err)
	}
	r.desk.dull = true
	if got, err := r.do(t, owner, act, nil); err != nil || got.Advice != "" {
		t.Errorf("the count begins anew: %+v, %v", got, err)
	}
	r.desk.fail[wire.Key] = &wire.Error{Code: wire.Failed, Message: "the helper crashed", Sent: true}
	if got, err := r.do(t, owner, act, nil); err != nil || got.Status != Unknown || !strings.Contains(got.Detail, "crashed") {
		t.Errorf("a crash in the act: %+v, %v", got, err)
	}
	for code, want := range map[string]*capability.Failure{
		wire.Failed: HelperFailed, wire.Busy: Busy, wire.NoDisplay: NoScreen, wire.UnknownWindow: OtherWindow, wire.UnknownKey: UnknownKey, wire.LookOnly: LookOnly,
		wire.Denied: Unsupported, wire.DisplayReplaced: StaleFrame, "new code": HelperFailed,
	} {
		r.desk.fail[wire.Key] = &wire.Error{Code: code, Message: "it says why"}
		_, err := r.do(t, owner, act, nil)
		is(t, code, err, want)
		if err != nil && !strings.Contains(err.Error(), "it says why") {
			t.Errorf("%s: got %v", code, err)
		}
	}
	delete(r.desk.fail, wire.Key)
	r.desk.during[wire.Key] = func(context.Context) {
		r.desk.fail[wire.Capture] = &wire.Error{Code: wire.TimedOut, Message: "stalled"}
	}
	got, err := r.do(t, owner, act, nil)
	if err != nil || got.Shot != nil || !strings.Contains(got.Detail, "No picture") {
		t.Errorf("no check image: %+v, %v", got, err)
	}
	_, err = r.Screenshot(t.Context(), owner, View{})
	is(t, "a capture that stalls", err, CaptureStalled)
}

// TestCaret: a caret that blinks is no effect of an act; a letter is, and so is
// what is larger.
func TestCaret(t *testing.T) {
	for name, c := range map[string]struct {
		box   wire.Box
		goes  bool // the display comes to look as before
		kind  string
		want  Status
		takes time.Duration
	}{
		"a caret":          {wire.Box{X: 64, Y: 64, W: 16, H: 32}, true, Key, NoEffect, 600 * time.Millisecond},
		"a letter":         {wire.Box{X: 64, Y: 64, W: 16, H: 32}, false, Key, Delivered, blinkTime},
		"a typed letter":   {wire.Box{X: 64, Y: 64, W: 16, H: 32}, false, Type, Delivered, 0},
		"a menu that goes": {wire.Box{X: 64, Y: 64, W: 200, H: 300}, true, Key, Delivered, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.desk.boxes = []wire.Box{c.box}
				var changed time.Time
				r.desk.during[c.kind] = func(context.Context) { changed = time.Now() }
				r.desk.during[wire.Capture] = func(context.Context) {
					if c.goes && !changed.IsZero() && time.Since(changed) >= 600*time.Millisecond {
						r.desk.frame = 0
					}
				}
				start := time.Now()
				got, err := r.do(t, owner, Act{Action: c.kind, Chord: "a", Text: "a"}, nil)
				if err != nil || got.Status != c.want || (len(got.Boxes) > 0) != (c.want == Delivered) {
					t.Errorf("got %+v, %v", got, err)
				}
				if took := time.Since(start); took < c.takes || took > c.takes+100*time.Millisecond {
					t.Errorf("it took %v, want %v", took, c.takes)
				}
			})
		})
	}
}

// TestPointerThatWasMoved: a pointer that is elsewhere after the act is said so.
func TestPointerThatWasMoved(t *testing.T) {
	r := newRig(t)
	f := r.shot(t, owner, View{}).Frame
	r.desk.during[wire.Cursor] = func(context.Context) { r.desk.cursor = wire.Point{X: 5, Y: 5} }
	got, err := r.do(t, owner, click(f, 300, 300), nil)
	if err != nil || !strings.Contains(got.Detail, "not where it was sent") || got.Point == nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestBar: the strip says what happens while the mouse is held, and is gone
// after.
func TestBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.cfg.NoBar = false
		var mu sync.Mutex
		var shown []wire.BarParams
		r.desk.bar = func(p wire.BarParams) {
			mu.Lock()
			defer mu.Unlock()
			shown = append(shown, p)
		}
		want := func(what string, p wire.BarParams) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if len(shown) == 0 || shown[len(shown)-1] != p {
				t.Errorf("%s: it shows %+v, want %+v", what, shown, p)
			}
		}
		_, err := r.do(t, owner, Act{Action: Key, Chord: "a"}, nil)
		is(t, "an act", err, nil)
		want("after an act", wire.BarParams{Text: "Hobkin is using gedit", Button: "Pause", Tone: "working"})
		if _, err := r.Pause(t.Context(), "bar"); err != nil {
			t.Fatal(err)
		}
		want("paused", wire.BarParams{Text: "Hobkin is paused", Tone: "paused"})
		r.Event(helper.Started, nil)
		want("to a new helper", wire.BarParams{Text: "Hobkin is paused", Tone: "paused"})
		pass(61 * time.Second)
		want("let go of", wire.BarParams{})
	})
}
