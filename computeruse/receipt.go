package computeruse

import (
	"context"
	"slices"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/capability"
)

// A Status is what is known of an act that went out.
type Status string

// The statuses. What was refused is an error, not a receipt.
const (
	Delivered Status = "delivered" // the input went out, and the screen changed where that is to be expected
	NoEffect  Status = "no_effect" // the input went out, and nothing on the display changed
	Unknown   Status = "unknown"   // some or all of the input went out, and what it did is not known
)

// A Receipt tells what came of an act.
type Receipt struct {
	Action  string
	Status  Status
	Detail  string // a sentence; empty when the status says all
	Program Program
	Text    wire.TypeResult // of type and paste
	Boxes   []wire.Box      // where the display differs from before, if it is known
	Shot    *Shot           // the display after the act, with the executed point marked; nil when there is none
	Point   *Spot           // of that point in Shot; nil for acts without one
	Advice  string          // ways out, when acts change nothing again and again
	Acts    int             // of the turn so far
	MaxActs int
}

const (
	stillTime  = 250  // ms without a change: the picture is still
	settleTime = 2000 // ms, at most, that a still picture is waited for
	lateTime   = 800  // ms that a program may take to begin to show something
)

// check waits until the picture is still, compares it with that of before the
// act and takes the check image.
func (s *Session) check(ctx context.Context, t capability.Turn, m *aim, before string, r *Receipt) {
	point := m.point
	if n := len(m.path); n > 0 {
		point = &m.path[n-1]
	}
	changed := s.settle(ctx, m, before, r)
	if r.Status == "" {
		r.Status = Delivered
		if !changed && !m.act.still() {
			r.Status = NoEffect
		}
	}
	if point != nil && kinds[m.act.Action] == byPointer {
		s.checkPointer(ctx, *point, r)
	}
	shot, err := s.capture(ctx, t, view{display: m.display, crop: m.display.Box, params: wire.CaptureParams{Display: m.display.ID, Format: "png", Point: point}})
	if err != nil { // the displays may have changed, or the screen stalls: that is no failure of the act
		r.say("No picture of what came of it could be taken: " + err.Error())
		return
	}
	r.Shot = shot
	if point != nil {
		if at, ok := shot.Frame.Picture(*point); ok {
			r.Point = &at
		}
	}
}

// settle waits until the picture is still, and reports whether it changed since
// before.
func (s *Session) settle(ctx context.Context, m *aim, before string, r *Receipt) (changed bool) {
	p := wire.WaitChangeParams{Display: m.display.ID, Still: stillTime, Timeout: settleTime, Since: before}
	c, err := s.desk.WaitChange(ctx, p)
	if err != nil {
		return s.differs(ctx, m, before)
	}
	if !s.changedSince(ctx, m, before, c) && !m.act.still() {
		late := p
		late.Still, late.Timeout = 0, lateTime
		if c, err = s.desk.WaitChange(ctx, late); err == nil && c.Changed {
			if again, err := s.desk.WaitChange(ctx, p); err == nil && again.Since {
				c = again
			}
		}
	}
	if c.TimedOut && c.Changed {
		r.say("The picture still moves.")
	}
	if !s.changedSince(ctx, m, before, c) || s.blinks(ctx, m, before, c.Boxes) {
		return false
	}
	r.Boxes = c.Boxes
	return true
}

const (
	caretWide = 20                      // pixels: nothing that changed is wider than a caret
	blinkTime = 1300 * time.Millisecond // a caret is there and gone again in less
)

// blinks reports whether all that changed is a caret that blinks: a change of
// its size, after which the display comes to look as before all the same. What
// is typed never does.
func (s *Session) blinks(ctx context.Context, m *aim, before string, boxes []wire.Box) bool {
	wide := slices.ContainsFunc(boxes, func(b wire.Box) bool { return b.W > caretWide })
	if len(boxes) == 0 || len(boxes) > 2 || wide || before == "" || m.act.Action == Type || m.act.Action == Paste {
		return false
	}
	back := false
	s.until(ctx, blinkTime, func() bool {
		back = s.hash(ctx, m.display.ID, nil) == before
		return back
	})
	return back
}

// changedSince reports whether the display differs from before: the helper says
// so where it still had that picture, else the hashes do.
func (s *Session) changedSince(ctx context.Context, m *aim, before string, c wire.ChangeResult) bool {
	if c.Since || before == "" {
		return c.Changed
	}
	return c.Changed || s.differs(ctx, m, before)
}

func (s *Session) differs(ctx context.Context, m *aim, before string) bool {
	now := s.hash(ctx, m.display.ID, nil)
	return now != "" && before != "" && now != before
}

// checkPointer says so when the pointer is not where it was sent.
func (s *Session) checkPointer(ctx context.Context, want wire.Point, r *Receipt) {
	c, err := s.desk.Cursor(ctx)
	if err != nil {
		return
	}
	if dx, dy := c.Point.X-want.X, c.Point.Y-want.Y; dx < -1 || dx > 1 || dy < -1 || dy > 1 {
		if r.Action == MouseMove {
			r.Status = NoEffect
		}
		r.say("The pointer is not where it was sent: a person or a program moved it since.")
	}
}

// say adds a sentence.
func (r *Receipt) say(sentence string) {
	if r.Detail != "" {
		r.Detail += " "
	}
	r.Detail += sentence
}

// adviceAfter is how many acts in a row may change nothing before ways out are
// named.
const adviceAfter = 3

// tally counts acts in a row that changed nothing.
func (s *Session) tally(t capability.Turn, m *aim, r *Receipt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	turn := s.turn(t)
	switch {
	case m.act.still(), r.Status == Unknown:
	case r.Status == NoEffect:
		turn.unchanged++
	default:
		turn.unchanged = 0
	}
	if turn.unchanged >= adviceAfter && r.Status == NoEffect {
		r.Advice = advice(turn.unchanged)
	}
}
