// Package bar is the strip on an X11 screen that says what the agent does, with
// a button that pauses it.
//
// The strip is a window of which window managers know nothing: it takes no
// focus, and all but its button lets clicks through to what lies under it. It
// is drawn once for each change of its text; the server keeps the picture, so
// that an idle strip costs nothing. It is taken off the screen for the moment
// of a picture, and before a click of the agent under it.
package bar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jezek/xgb"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Displays tells where the screens are, and their scale.
type Displays interface {
	Displays(ctx context.Context) (wire.DisplaysResult, error)
}

// Options are what the strip needs of others.
type Options struct {
	// Dial connects to the display; nil: to the one that DISPLAY names.
	Dial     func(ctx context.Context) (*xgb.Conn, error)
	Displays Displays
	// Clicked is called when a person presses the button; it must not wait for
	// the strip to close.
	Clicked func()
	// Dark reports whether the desktop prefers dark colours; nil: it does not.
	Dark func(ctx context.Context) bool
}

// A Bar is the strip. Its methods may be called at the same time.
type Bar struct {
	o    Options
	done chan struct{} // closed when the events have ended

	mu     sync.Mutex
	win    *window
	shows  wire.BarParams // empty: nothing is to be seen
	hidden int            // calls of Hide that have not ended
}

// Open connects to the display. Nothing is to be seen until [Bar.Set].
func Open(ctx context.Context, o Options) (*Bar, error) {
	if o.Dial == nil {
		o.Dial = func(context.Context) (*xgb.Conn, error) { return xgb.NewConn() }
	}
	conn, err := o.Dial(ctx)
	if err != nil {
		return nil, &wire.Error{Code: wire.NoDisplay, Message: "The display cannot be reached: " + err.Error() + ".", Fix: "Start Hobkin within a desktop session."}
	}
	win, err := newWindow(conn)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("bar: %w", err)
	}
	b := &Bar{o: o, done: make(chan struct{}), win: win}
	go b.listen(context.WithoutCancel(ctx), conn) // until Close, or until the server ends
	return b, nil
}

// Close takes the strip away and ends the connection.
func (b *Bar) Close() {
	b.win.conn.Close()
	<-b.done
}

// errGone is what every method says once the X server has ended.
var errGone = &wire.Error{Code: wire.NoDisplay, Message: "The display has gone.", Fix: "Start Hobkin again on a display."}

// The bounds of what is said on the strip, in bytes.
const (
	maxText   = 500
	maxButton = 60
)

// Set shows, changes or hides the strip.
func (b *Bar) Set(ctx context.Context, p wire.BarParams) error {
	switch {
	case len(p.Text) > maxText:
		return &wire.Error{Code: wire.BadRequest, Message: fmt.Sprintf("the text of the bar is %d bytes long, but may be %d", len(p.Text), maxText)}
	case len(p.Button) > maxButton:
		return &wire.Error{Code: wire.BadRequest, Message: fmt.Sprintf("the button of the bar is %d bytes long, but may be %d", len(p.Button), maxButton)}
	case p.Tone != "" && !toned(p.Tone):
		return &wire.Error{Code: wire.BadRequest, Message: fmt.Sprintf("the bar has no tone %q; use working, waiting or paused", p.Tone)}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shows = p
	return b.refresh(ctx)
}

// refresh makes the screen as b says.
func (b *Bar) refresh(ctx context.Context) error {
	if b.shows.Text == "" {
		return b.gone(b.win.rest())
	}
	place, err := b.place(ctx)
	if err != nil {
		return err
	}
	dark := b.o.Dark != nil && b.o.Dark(ctx)
	pic := paint(ctx, b.shows, place.width(), place.scale, dark)
	if err := b.win.put(pic, place); err != nil {
		return b.gone(err)
	}
	if b.hidden > 0 {
		return nil
	}
	return b.gone(b.win.show())
}

// gone says what an error means when the server has ended.
func (b *Bar) gone(err error) error {
	select {
	case <-b.done:
		return errGone
	default:
	}
	if err != nil {
		return fmt.Errorf("bar: %w", err)
	}
	return nil
}

// Box is where the strip is, false while nothing is to be seen.
func (b *Bar) Box() (wire.Box, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.win.box, b.win.mapped
}

const (
	// redrawMost bounds the wait for a compositing manager, which draws the screen
	// in its own time: two frames at 60 Hz on an idle machine, much longer on a busy one.
	redrawMost = time.Second
	// redrawRest is how long the screen may go on to change once it has begun to: a
	// film under the strip never ends.
	redrawRest = 50 * time.Millisecond
	redrawTick = 8 * time.Millisecond // half a frame
)

// Hide takes the strip off the screen, and returns when what lay under it is to
// be seen. The function that it returns brings it back, and must be called.
func (b *Bar) Hide(ctx context.Context) (show func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var with []byte
	redrawn := b.win.mapped && !b.win.instant
	if redrawn {
		with = b.win.look()
	}
	if err := b.gone(b.win.hide()); err != nil {
		return nil, err
	}
	b.hidden++
	if redrawn {
		b.awaitRedraw(ctx, with)
	}
	var once sync.Once
	return func() { once.Do(b.unhide) }, nil
}

// awaitRedraw waits until the place of the strip looks other than it did with it,
// and stands still.
func (b *Bar) awaitRedraw(ctx context.Context, with []byte) {
	end := time.Now().Add(redrawMost)
	tick := time.NewTicker(redrawTick)
	defer tick.Stop()
	begun, last := with == nil, with // a screen that cannot be read is not waited for
	for time.Now().Before(end) {
		now := b.win.look()
		switch {
		case begun && bytes.Equal(now, last):
			return
		case !begun && !bytes.Equal(now, with):
			begun, end = true, time.Now().Add(redrawRest)
		}
		last = now
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (b *Bar) unhide() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hidden--
	if b.hidden == 0 && b.shows.Text != "" {
		_ = b.win.show() // fails only with the display, as the next call will say
	}
}

// place is where the strip goes: the middle of the upper edge of the primary
// display.
func (b *Bar) place(ctx context.Context) (place, error) {
	all, err := b.o.Displays.Displays(ctx)
	if err != nil {
		return place{}, err
	}
	if len(all.Displays) == 0 {
		return place{}, errGone
	}
	d := all.Displays[0]
	for _, other := range all.Displays {
		if other.Primary {
			d = other
		}
	}
	return place{display: d.Box, scale: min(max(d.Scale, 1), mostScale)}, nil
}

const mostScale = 4.0 // no display needs larger letters

// A place is a display and its scale.
type place struct {
	display wire.Box
	scale   float64
}

// width is the most that the strip may take.
func (p place) width() int { return min(p.display.W, int(maxWidth*p.scale)) }

// listen handles what the server tells, until the connection ends.
func (b *Bar) listen(ctx context.Context, conn *xgb.Conn) {
	defer close(b.done)
	for {
		ev, err := conn.WaitForEvent()
		if ev == nil && err == nil {
			return
		}
		if ev != nil {
			b.handle(ctx, ev)
		}
	}
}

// handle is apart from the rest of b but for what it locks itself.
func (b *Bar) handle(ctx context.Context, ev xgb.Event) {
	switch b.win.judge(ev) {
	case clicked:
		if b.o.Clicked != nil {
			b.o.Clicked()
		}
	case covered:
		b.mu.Lock()
		b.win.raise()
		b.mu.Unlock()
	case resized:
		ctx, cancel := context.WithTimeout(ctx, replaceTime)
		defer cancel()
		b.mu.Lock()
		defer b.mu.Unlock()
		if err := b.refresh(ctx); err != nil && !errors.Is(err, errGone) {
			_ = b.win.rest() // better none than one in the wrong place; the next Set tries again
		}
	case nothing:
	}
}

const replaceTime = 5 * time.Second // for asking where the displays are now
