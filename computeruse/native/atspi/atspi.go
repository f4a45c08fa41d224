// Package atspi reads the elements of programs on Linux from their
// accessibility tree, and acts on them: it presses buttons and sets values
// without the pointer. AT-SPI is a set of D-Bus interfaces that GTK, Qt,
// Chromium, Firefox and LibreOffice speak on a bus of their own.
//
//	session bus ── org.a11y.Bus ──► address of the accessibility bus
//	                                   │
//	                        registry ──┴──► programs ──► windows ──► elements
//
// Three ideas hold it together. Questions go out many at once, level by level
// of the tree, so that a window of some hundred elements takes a few round
// trips. Every question has a limit of time, so that a program that hangs costs
// only that. And an element is named by a reference that is bound to the
// snapshot it was seen in: a press on something that has become something else
// is refused.
//
// What programs say of themselves is untrusted: it is cut to a length and made
// valid UTF-8, no more.
package atspi

import (
	"context"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Displays tells where the screens are, so that what lies on none is not told
// as if it could be clicked.
type Displays interface {
	Displays(ctx context.Context) (wire.DisplaysResult, error)
}

// Options say where to look.
type Options struct {
	Displays Displays      // nil: what is off the screens is not told apart
	Address  string        // of the session bus; empty: the one of this session
	Patience time.Duration // with one program that does not answer; 0 is 2 s
}

// A Tree is the accessibility tree of the desktop. Its methods may be called
// at the same time.
type Tree struct {
	displays Displays
	bus      *bus
	patience time.Duration
	shots    snapshots
}

// usualPatience is far above what a busy program takes for an answer, some
// milliseconds, and still what a person would wait for.
const usualPatience = 2 * time.Second

// New returns the tree. It connects when first asked for something, and again
// when the bus has gone.
func New(o Options) *Tree {
	if o.Patience <= 0 {
		o.Patience = usualPatience
	}
	return &Tree{displays: o.Displays, bus: &bus{session: o.Address}, patience: o.Patience}
}

// Close leaves the bus.
func (t *Tree) Close() { t.bus.close() }

// Probe tells whether there is an accessibility bus here, by connecting.
func (t *Tree) Probe(ctx context.Context) error {
	conn, err := t.bus.get(ctx)
	if err == nil {
		_, err = (&reader{conn: conn, patience: t.patience, program: registryName}).apps(ctx)
	}
	return wrap(err)
}

// The bounds of a look, as the protocol says them.
const (
	usualMax     = 300
	mostElements = 2000
	usualDepth   = 30
	mostDepth    = 100
	usualTime    = 4 * time.Second
	mostTime     = 25 * time.Second
)

// Elements returns the elements of a window as a new snapshot. Where time or
// number run out it returns what it has, and says that more was left out.
func (t *Tree) Elements(ctx context.Context, of wire.Window, p wire.ElementsParams) (wire.ElementsResult, error) {
	var none wire.ElementsResult
	switch {
	case p.Max < 0 || p.Max > mostElements:
		return none, bad("max is %d, but must be 1 to %d", p.Max, mostElements)
	case p.Depth < 0 || p.Depth > mostDepth:
		return none, bad("depth is %d, but must be 1 to %d", p.Depth, mostDepth)
	case p.Timeout < 0 || p.Timeout > int(mostTime/time.Millisecond):
		return none, bad("timeout_ms is %d, but must be 1 to %d", p.Timeout, mostTime/time.Millisecond)
	}
	limit := bounds{max: or(p.Max, usualMax), depth: or(p.Depth, usualDepth), interactive: p.Interactive}
	ctx, cancel := context.WithTimeout(ctx, or(time.Duration(p.Timeout)*time.Millisecond, usualTime))
	defer cancel()

	place, err := t.find(ctx, of)
	if err != nil {
		return none, asWire(err)
	}
	seen, err := place.walk(ctx, limit)
	if err != nil {
		return none, asWire(err)
	}
	shot := t.shots.add(of, place.program, seen.order)
	return wire.ElementsResult{Snapshot: shot.id, Window: of, Elements: shot.elements(), More: seen.more}, nil
}

// or returns v, or usual where v is nothing.
func or[T int | time.Duration](v, usual T) T {
	if v == 0 {
		return usual
	}
	return v
}
