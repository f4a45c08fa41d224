package computeruse

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/capability"
)

// An agreement is what a call was judged to be done to, before anyone was asked:
// only that may be done once they agreed.
type agreement struct {
	programs []Program
	patch    *patch
}

// A patch is how the screen looked around a place when it was judged. A person
// takes their time to agree: a picture that has grown old meanwhile still holds
// where this has not changed.
type patch struct {
	display string
	box     wire.Box
	hash    string
}

const (
	patchSize = 160 // pixels each way
	maxAgreed = 64  // calls that are remembered
	// maxPatience bounds how old a picture may be, whatever has not changed.
	maxPatience = 10 * time.Minute
)

// A Judgement is what an act would be done to, for the person who is asked.
type Judgement struct {
	Programs []Program // one, or two of a drag between programs
	Element  *wire.Element
	Point    *wire.Point // on the desktop; nil for acts without one
}

// Judge finds what an act would be done to, at this moment, and remembers it
// for the call: [Session.Do] does nothing else than this. It sends nothing.
// What is refused is one of the [Failures].
func (s *Session) Judge(ctx context.Context, call capability.Call, a Act) (*Judgement, error) {
	cfg := s.config()
	if err := s.mayAct(call.Turn, cfg); err != nil {
		return nil, err
	}
	m, err := s.aim(ctx, call.Turn, &a)
	if err != nil {
		return nil, err
	}
	if why := m.tooOld(cfg); why != nil {
		return nil, why
	}
	agreed := agreement{programs: m.programs}
	if m.point != nil {
		agreed.patch = s.look(ctx, m)
	}
	s.remember(callKey(call), agreed)
	return &Judgement{Programs: m.programs, Element: m.goal.element, Point: m.point}, nil
}

// tooOld refuses a picture that was taken too long ago.
func (m *aim) tooOld(cfg Config) error {
	if m.goal.at.IsZero() || kinds[m.act.Action] != byPointer {
		return nil // the helper judges references by itself
	}
	if age := time.Since(m.goal.at); age > cfg.MaxAge {
		return StaleFrame.Becausef("%s is %d seconds old; %d are the most", m.act.Observation, int(age.Seconds()), int(cfg.MaxAge.Seconds()))
	}
	return nil
}

// look takes a hash of the screen around the place of an act; nil when there is
// none to be had.
func (s *Session) look(ctx context.Context, m *aim) *patch {
	at := *m.point
	box := meet(wire.Box{X: at.X - patchSize/2, Y: at.Y - patchSize/2, W: patchSize, H: patchSize}, m.display.Box)
	hash := s.hash(ctx, m.display.ID, &box)
	if hash == "" {
		return nil
	}
	return &patch{display: m.display.ID, box: box, hash: hash}
}

// tiny is the size of a picture of which only the hash is wanted.
var tiny = wire.Size{W: 8, H: 8}

// hash is that of the pixels of a display, or of a part of it; empty when the
// screen gives none.
func (s *Session) hash(ctx context.Context, display string, box *wire.Box) string {
	r, err := s.desk.Capture(ctx, wire.CaptureParams{Display: display, Region: box, Size: &tiny, Format: "png"})
	if err != nil {
		return ""
	}
	return r.Hash
}

// callKey names a call: ids of calls are unique within a session.
func callKey(call capability.Call) string { return call.Turn.Session + "\x00" + call.ID }

func (s *Session) remember(key string, a agreement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agreed[key] = a
	s.calls = append(s.calls, key)
	for len(s.calls) > maxAgreed {
		delete(s.agreed, s.calls[0])
		s.calls = s.calls[1:]
	}
}

// redeem is what was remembered for a call; it counts once.
func (s *Session) redeem(key string) (agreement, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.agreed[key]
	delete(s.agreed, key)
	s.calls = slices.DeleteFunc(s.calls, func(k string) bool { return k == key })
	return a, ok
}

// holdsStill reports an error when an act is not what was judged, or when its
// picture is too old and the screen around its place has changed.
func (s *Session) holdsStill(ctx context.Context, m *aim, agreed agreement, cfg Config) error {
	same := slices.EqualFunc(m.programs, agreed.programs, func(a, b Program) bool { return a.Name == b.Name && a.Window == b.Window })
	if !same {
		return OtherWindow.Becausef("when this was judged it went to %s; now it would go to %s", names(agreed.programs), names(m.programs))
	}
	old := m.tooOld(cfg)
	if old == nil {
		return nil
	}
	p := agreed.patch
	if p == nil || time.Since(m.goal.at) > maxPatience || s.hash(ctx, p.display, &p.box) != p.hash {
		return old
	}
	return nil
}

// names lists programs for a sentence.
func names(list []Program) string {
	out := make([]string, len(list))
	for i, p := range list {
		switch {
		case p.Window == wire.NoWindow:
			out[i] = "the bare desktop"
		case p.Name == "":
			out[i] = "a program without a name"
		default:
			out[i] = "“" + p.Name + "”"
		}
		if p.Title != "" {
			out[i] += " (" + capability.CutText(p.Title, 60) + ")"
		}
	}
	return strings.Join(out, " and ")
}
