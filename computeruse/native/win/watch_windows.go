package win

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sys/windows"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// A Watcher tells when a person uses mouse or keyboard. Windows tells one time
// for all input; what we sent ourselves is taken off.
type Watcher struct {
	desk *Desk

	mu     sync.Mutex
	person uint32 // when a person was last seen to act, in ticks of Windows
	known  bool
	hot    *hotkeys // while Watch runs
}

// NewWatcher watches beside a desk.
func NewWatcher(d *Desk) *Watcher { return &Watcher{desk: d} }

type lastInput struct{ Size, Time uint32 }

// echo is how long after we sent an input Windows may still tell it as new, in
// milliseconds.
const echo = 40

// look notes whether the last input was a person's, and reports whether that is
// news.
func (w *Watcher) look() bool {
	info := lastInput{Size: 8}
	if call(getLastInputInfo, ptr(&info)) == 0 {
		return false
	}
	from, to := w.desk.sent.span()
	if info.Time-from <= to-from+echo { // wraps round as the ticks do
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	news := !w.known || info.Time != w.person
	w.person, w.known = info.Time, true
	return news
}

// Person implements native.Watcher.
func (w *Watcher) Person() wire.PersonResult {
	w.look()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.known {
		return wire.PersonResult{}
	}
	return wire.PersonResult{Known: true, IdleMS: int(ticks() - w.person)}
}

func ticks() uint32 { return uint32(windows.DurationSinceBoot().Milliseconds()) } //nolint:gosec // it goes round, as the ticks do

// sentSpan is when we sent input last.
type sentSpan struct {
	mu       sync.Mutex
	from, to uint32
}

func (s *sentSpan) span() (from, to uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from, s.to
}

// mark notes a sending. Inputs that follow each other closely are one span.
func (s *sentSpan) mark(from, to uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if from-s.to > echo {
		s.from = from
	}
	s.to = to
}

const (
	watchPause  = 250 * time.Millisecond
	layoutEvery = 8 // looks at the displays, in pauses
)

// Watch implements native.Watcher.
func (w *Watcher) Watch(ctx context.Context, tell func(native.Happening)) error {
	hot := newHotkeys(func() { tell(native.PressedHotkey) })
	defer hot.close()
	w.setHot(hot)
	defer w.setHot(nil)
	tick := time.NewTicker(watchPause)
	defer tick.Stop()
	layout, cornered := "", false
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if w.look() {
			tell(native.PersonActs)
			in := w.corner(ctx)
			if in && !cornered {
				tell(native.SlammedCorner)
			}
			cornered = in
		}
		if i%layoutEvery != 0 {
			continue
		}
		if all, err := w.desk.Displays(ctx); err == nil && all.Layout != layout {
			if layout != "" {
				tell(native.ChangedDisplays)
			}
			layout = all.Layout
		}
	}
}

// corner reports whether the pointer is in the upper left corner of everything.
func (w *Watcher) corner(ctx context.Context) bool {
	p, err := w.desk.Where(ctx)
	return err == nil && p.X == metric(metricX) && p.Y == metric(metricY)
}
