package x11

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/screensaver"
	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// A Watcher tells a person's input from what is put in by programs: the server
// names the device of each event.
type Watcher struct {
	c      *conn
	screen func() ([]wire.Display, error)

	mu     sync.Mutex
	last   time.Time // a person's last input
	typed  time.Time // the last key that a person pressed
	grabs  []grab
	happen chan native.Happening
	moved  chan rawEvent
	rescan chan struct{}

	dmu     sync.Mutex
	devices map[uint16]device
}

const extSaver = "MIT-SCREEN-SAVER"

func newWatcher(ctx context.Context, display string, screen *Screen) (*Watcher, error) {
	w := &Watcher{
		happen: make(chan native.Happening, 64), moved: make(chan rawEvent, 256), rescan: make(chan struct{}, 1), last: time.Now(),
	}
	w.screen = func() ([]wire.Display, error) { return screen.list() }
	c, err := dial(ctx, display, w.core)
	if err != nil {
		return nil, err
	}
	w.c = c
	if err := w.prepare(); err != nil {
		c.close()
		return nil, err
	}
	return w, nil
}

func (w *Watcher) prepare() (err error) {
	w.c.stream.on(generic, func(_ byte, m []byte) { w.raw(m) })
	w.c.stream.on(extRandR, func(byte, []byte) { w.report(native.ChangedDisplays) })
	if err := w.c.useXI2(); err != nil {
		return err
	}
	if err := w.scan(); err != nil {
		return err
	}
	if w.c.extension(extRandR) == nil {
		randr.SelectInput(w.c.Conn, w.c.root, randr.NotifyMaskScreenChange|randr.NotifyMaskCrtcChange|randr.NotifyMaskOutputChange)
	}
	// What a person did before we watched; what programs put in counts too.
	if w.c.extension(extSaver) == nil {
		if r, err := screensaver.QueryInfo(w.c.Conn, xproto.Drawable(w.c.root)).Reply(); err == nil {
			w.last = time.Now().Add(-time.Duration(r.MsSinceUserInput) * time.Millisecond)
		}
	}
	return w.c.sync()
}

// scan reads which devices there are.
func (w *Watcher) scan() error {
	all, err := w.c.devices()
	if err != nil {
		return err
	}
	w.dmu.Lock()
	defer w.dmu.Unlock()
	w.devices = all
	return nil
}

func (w *Watcher) device(id uint16) device {
	w.dmu.Lock()
	defer w.dmu.Unlock()
	return w.devices[id]
}

// raw is called by the goroutine that reads the connection.
func (w *Watcher) raw(m []byte) {
	e, ok := parseRaw(m)
	switch {
	case !ok:
		return
	case e.kind == xiHierarchyChanged:
		signal(w.rescan)
		return
	case e.kind < xiRawKeyPress || e.kind > xiRawMotion || e.device != e.source:
		return
	}
	if w.device(e.source).fake {
		return
	}
	w.mu.Lock()
	w.last = time.Now()
	if e.kind == xiRawKeyPress {
		w.typed = w.last
	}
	w.mu.Unlock()
	w.report(native.PersonActs)
	if e.kind == xiRawMotion {
		select {
		case w.moved <- e:
		default: // so many at once are more than a throw needs
		}
	}
}

func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default: // one is enough
	}
}

func (w *Watcher) report(h native.Happening) {
	select {
	case w.happen <- h:
	default: // the one who listens is far behind; it asks for the state anyway
	}
}

// fresh is how long a key that a person pressed may lie back when it comes as
// the hotkey.
const fresh = time.Second

// core gets the events of the core protocol: of those only the hotkey's come.
// The agent's own keys are no person's wish; which they are the raw event has
// told, which comes before.
func (w *Watcher) core(e xgb.Event) {
	if k, ok := e.(xproto.KeyPressEvent); ok && w.grabbed(byte(k.Detail)) {
		w.report(native.PressedHotkey)
	}
}

// Person implements native.Watcher.
func (w *Watcher) Person() wire.PersonResult {
	w.mu.Lock()
	defer w.mu.Unlock()
	return wire.PersonResult{Known: true, Exact: true, IdleMS: int(time.Since(w.last).Milliseconds())}
}

// displaysSettle is how long changes of displays are gathered: a new mode is
// told in several events.
const displaysSettle = 150 * time.Millisecond

// Watch implements native.Watcher.
func (w *Watcher) Watch(ctx context.Context, tell func(native.Happening)) error {
	var hand hand
	settled := time.NewTimer(time.Hour)
	settled.Stop()
	defer settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-w.c.closed:
			return errors.New("the display has gone")
		case h := <-w.happen:
			if h == native.ChangedDisplays {
				settled.Reset(displaysSettle)
				continue
			}
			tell(h)
		case <-settled.C:
			tell(native.ChangedDisplays)
		case <-w.rescan:
			_ = w.scan() // the old list is better than none
		case e := <-w.moved:
			if w.slammed(&hand, e) {
				tell(native.SlammedCorner)
			}
		}
	}
}

// slammed reports whether that motion threw the pointer into a corner.
func (w *Watcher) slammed(h *hand, e rawEvent) bool {
	r, err := xproto.QueryPointer(w.c.Conn, w.c.root).Reply()
	if err != nil {
		return false
	}
	displays, err := w.screen()
	if err != nil {
		return false
	}
	return h.moves(e, w.device(e.source), spot{wire.Point{X: int(r.RootX), Y: int(r.RootY)}, displays})
}

func (w *Watcher) close() { w.c.close() }
