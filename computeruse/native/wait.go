package native

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hobkin/hobkin/computeruse/native/picture"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// Prints are those of the last captures, so that a later picture can be
// compared with them. The pictures themselves would be 33 MB each at 4K.
type prints struct {
	mu   sync.Mutex
	list []keptPrint
}

type keptPrint struct {
	box   wire.Box
	print picture.Print
}

const maxPrints = 8

func (p *prints) keep(sh shot, of picture.Print) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, keptPrint{sh.box, of})
	if n := len(p.list) - maxPrints; n > 0 {
		p.list = p.list[n:]
	}
}

// find returns the print of a capture of that box by its hash.
func (p *prints) find(box wire.Box, hash string) (picture.Print, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.list {
		if hash != "" && k.box == box && k.print.Hash() == hash {
			return k.print, true
		}
	}
	return picture.Print{}, false
}

// The bounds of a wait, in ms, and how often it looks.
const (
	maxWait   = 25_000
	lookEvery = 50 * time.Millisecond
	maxBoxes  = 8
)

// waitChange waits until the picture differs from what it was, or holds still.
func (s *Server) waitChange(ctx context.Context, p wire.WaitChangeParams) (wire.ChangeResult, error) {
	if p.Timeout < 1 || p.Timeout > maxWait || p.Still < 0 || p.Still > p.Timeout {
		return wire.ChangeResult{}, badRequest(fmt.Sprintf("timeout_ms is 1 to %d and still_ms at most that, not %d and %d", maxWait, p.Timeout, p.Still))
	}
	_, layout, box, err := s.aim(ctx, p.Display, p.Region)
	if err != nil {
		return wire.ChangeResult{}, err
	}
	w := watchBox{s: s, layout: layout, box: box}
	if w.last, err = w.look(ctx); err != nil {
		return wire.ChangeResult{}, err
	}
	before, since := s.prints.find(box, p.Since)
	if !since {
		before = w.last
	}
	r, err := w.until(ctx, before, p)
	r.Since = since
	return r, err
}

// A watchBox looks at a box of the desktop again and again.
type watchBox struct {
	s      *Server
	layout string
	box    wire.Box
	last   picture.Print
}

// look takes the print of the box as it is now, without what the strip covers.
func (w *watchBox) look(ctx context.Context) (picture.Print, error) {
	pix, err := w.s.parts.Screen.Grab(ctx, w.box)
	if err != nil {
		return picture.Print{}, err
	}
	now := picture.PrintOf(pix)
	if w.s.parts.Strip != nil {
		if at, on := w.s.parts.Strip.Box(); on {
			at.X, at.Y = at.X-w.box.X, at.Y-w.box.Y
			now.Ignore(at)
		}
	}
	return now, nil
}

func (w *watchBox) until(ctx context.Context, before picture.Print, p wire.WaitChangeParams) (r wire.ChangeResult, err error) {
	end := time.Now().Add(time.Duration(p.Timeout) * time.Millisecond)
	still := time.Now()
	for {
		boxes := before.Diff(w.last, maxBoxes)
		done := len(boxes) > 0
		if p.Still > 0 {
			done = time.Since(still) >= time.Duration(p.Still)*time.Millisecond
		}
		if late := time.Now().After(end); done || late {
			for i := range boxes {
				boxes[i].X, boxes[i].Y = boxes[i].X+w.box.X, boxes[i].Y+w.box.Y
			}
			return wire.ChangeResult{Changed: len(boxes) > 0, TimedOut: !done, Boxes: boxes}, nil
		}
		if err := Pause(ctx, min(lookEvery, max(time.Until(end), time.Millisecond))); err != nil {
			return r, err
		}
		now, err := w.look(ctx)
		if err != nil {
			return r, w.gone(ctx, err)
		}
		if len(w.last.Diff(now, 1)) > 0 {
			still = time.Now()
		}
		w.last = now
	}
}

// gone says that the displays changed, if that is why a look failed.
func (w *watchBox) gone(ctx context.Context, err error) error {
	if all, derr := w.s.displays(ctx, none{}); derr == nil && all.Layout != w.layout {
		return &wire.Error{Code: wire.DisplayReplaced, Message: "the displays changed while waiting", Fix: "take a new screenshot"}
	}
	return err
}
