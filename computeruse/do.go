package computeruse

import (
	"context"
	"slices"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/capability"
)

// Do does an act that was judged, and that a person agreed to where they were
// asked, and looks at what came of it. An error is a refusal that sent nothing;
// what went out is told by the receipt, whatever came of it.
func (s *Session) Do(ctx context.Context, call capability.Call, a Act) (*Receipt, error) {
	cfg := s.config()
	if err := s.mayAct(call.Turn, cfg); err != nil {
		return nil, err
	}
	agreed, ok := s.redeem(callKey(call))
	if !ok {
		return nil, OtherWindow.Becausef("it was not judged what this goes to")
	}
	if !s.acting.TryLock() {
		return nil, Busy.Becausef("another act runs")
	}
	defer s.acting.Unlock()
	before, err := s.take(call.Turn.Session, cfg)
	if err != nil {
		return nil, err
	}
	s.change(func(st *State) {
		st.Acting, st.Session, st.Program, st.Action, st.MaxActs = true, call.Turn.Session, agreed.programs[0].Name, a.Action, cfg.MaxActs
	})
	m, err := s.ready(ctx, call.Turn, &a, agreed)
	var r *Receipt
	if err == nil {
		r, err = s.carryOut(ctx, call.Turn, m, cfg)
	}
	if err != nil { // nothing was sent: who held the mouse before holds it still
		s.change(func(st *State) {
			if st.Acting { // else it was stopped meanwhile
				before.Paused, before.By = st.Paused, st.By
				*st = before
			}
		})
		return nil, err
	}
	s.change(func(st *State) { st.Acting, st.Waiting = false, false })
	s.keep(call.Turn.Session, cfg.Hold)
	return r, nil
}

// ready waits for a person's hands to rest, and judges the act once more.
func (s *Session) ready(ctx context.Context, t capability.Turn, a *Act, agreed agreement) (*aim, error) {
	cfg := s.config()
	s.listen(ctx, cfg) // it may have been changed
	if err := s.courtesy(ctx, cfg); err != nil {
		return nil, err
	}
	if kinds[a.Action] == byFocus {
		s.refocus(ctx, agreed)
	}
	m, err := s.aim(ctx, t, a)
	if err != nil {
		return nil, err
	}
	if err := s.holdsStill(ctx, m, agreed, cfg); err != nil {
		return nil, err
	}
	return m, s.mayAct(t, cfg) // it may have been paused while it waited
}

// refocus gives the focus back to the window that was judged, when a window of
// Hobkin's own has it now: a person has just answered there.
func (s *Session) refocus(ctx context.Context, agreed agreement) {
	list, err := s.desk.Windows(ctx)
	if err != nil {
		return
	}
	want := agreed.programs[0].Window
	i := slices.IndexFunc(list, func(w wire.Window) bool { return w.Active })
	if i < 0 || list[i].ID == want || want == wire.NoWindow || !among([]string{clean(list[i].App), exeName(&list[i])}, forbiddenPrograms[itself]) {
		return
	}
	if s.desk.FocusWindow(ctx, want) != nil {
		return // the act is refused then: another window has the focus
	}
	s.until(ctx, quickTime, func() bool {
		list, err := s.desk.Windows(ctx)
		return err != nil || slices.ContainsFunc(list, func(w wire.Window) bool { return w.Active && w.ID == want })
	})
}

// until waits until ok, at most so long.
func (s *Session) until(ctx context.Context, limit time.Duration, ok func() bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	t := time.NewTicker(pollTime)
	defer t.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

const pollTime = 50 * time.Millisecond

// carryOut sends an act and finds out what came of it.
func (s *Session) carryOut(ctx context.Context, t capability.Turn, m *aim, cfg Config) (*Receipt, error) {
	before := s.hash(ctx, m.display.ID, nil)
	r := &Receipt{Action: m.act.Action, Program: m.programs[0], MaxActs: cfg.MaxActs}
	err := s.send(ctx, m, r)
	switch {
	case ctx.Err() != nil:
		s.count(t, r) // some of it may have gone out
		_, _ = s.halt(ctx)
		if !s.State().Paused {
			_ = s.desk.Resume(context.WithoutCancel(ctx)) // bounded by the helper
		}
		return nil, ctx.Err()
	case err != nil && !sent(err):
		return nil, refusal(err)
	case err != nil:
		r.Status, r.Detail = Unknown, refusal(err).Error()
	}
	s.count(t, r)
	s.check(ctx, t, m, before, r)
	s.tally(t, m, r)
	return r, nil
}

// count counts an act that went out.
func (s *Session) count(t capability.Turn, r *Receipt) {
	s.mu.Lock()
	turn := s.turn(t)
	turn.acts++
	r.Acts = turn.acts
	s.mu.Unlock()
	s.change(func(st *State) { st.Acts = r.Acts })
}

// send sends the request of an act.
func (s *Session) send(ctx context.Context, m *aim, r *Receipt) (err error) {
	if kinds[m.act.Action] == byPointer {
		return s.sendPointer(ctx, m)
	}
	a, window := m.act, m.programs[0].Window
	switch a.Action {
	case Type:
		r.Text, err = s.desk.Type(ctx, wire.TypeParams{Text: a.Text, Window: window})
	case Paste:
		r.Text, err = s.desk.Paste(ctx, wire.TypeParams{Text: a.Text, Window: window})
	case Key:
		err = s.desk.Key(ctx, wire.KeyParams{Chord: a.Chord, Repeat: a.Repeat, Window: window})
	case HoldKey:
		err = s.desk.HoldKey(ctx, wire.HoldKeyParams{Chord: a.Chord, Duration: int(a.Duration.Milliseconds()), Window: window})
	case Press:
		err = s.desk.Press(ctx, wire.PressParams{Snapshot: m.goal.snap, Ref: m.goal.element.Ref, Action: a.Does})
	case SetValue:
		err = s.desk.SetValue(ctx, wire.SetValueParams{Snapshot: m.goal.snap, Ref: m.goal.element.Ref, Value: a.Value})
	case FocusWindow:
		err = s.desk.FocusWindow(ctx, window)
	}
	return err
}

func (s *Session) sendPointer(ctx context.Context, m *aim) error {
	a, window, layout := m.act, m.programs[0].Window, m.display.layout
	switch a.Action {
	case MouseMove:
		return s.desk.Move(ctx, wire.MoveParams{Point: *m.point, Layout: layout})
	case LeftMouseDown:
		return s.desk.ButtonDown(ctx, wire.ButtonParams{Point: m.point, Button: wire.Left, Layout: layout, Window: window})
	case LeftMouseUp:
		return s.desk.ButtonUp(ctx, wire.ButtonParams{Point: m.point, Button: wire.Left, Layout: layout, Window: window})
	case LeftClickDrag:
		return s.desk.Drag(ctx, wire.DragParams{
			Path: m.path, Button: wire.Left, Modifiers: a.Modifiers, Duration: int(a.Duration.Milliseconds()), Layout: layout,
			Window: window, EndWindow: m.programs[len(m.programs)-1].Window,
		})
	case Scroll:
		p := wire.ScrollParams{Point: m.point, Modifiers: a.Modifiers, Layout: layout, Window: window}
		n := a.Amount
		if n == 0 {
			n = usualNotches
		}
		switch a.Direction {
		case "up":
			p.DY = -n
		case "left":
			p.DX = -n
		case "right":
			p.DX = n
		default:
			p.DY = n
		}
		return s.desk.Scroll(ctx, p)
	}
	b := clicks[a.Action]
	return s.desk.Click(ctx, wire.ClickParams{Point: m.point, Button: b.name, Count: b.count, Modifiers: a.Modifiers, Layout: layout, Window: window})
}

// usualNotches is how far a scroll goes that does not say.
const usualNotches = 3
