package computeruse

import (
	"context"
	"slices"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/capability"
)

// A goal is the place that an act names, before anything is asked of the
// screen.
type goal struct {
	frame   *Frame
	at      time.Time // of the observation; zero where none is named
	point   *wire.Point
	path    []wire.Point
	element *wire.Element
	owner   string // id of the window of the element
	snap    string
}

// target finds what an act names: one thing, of an observation of the same
// conversation whose layout of displays still holds.
func (s *Session) target(t capability.Turn, a *Act) (*goal, error) {
	if err := a.oneTarget(); err != nil {
		return nil, err
	}
	if !a.named() {
		return &goal{}, nil
	}
	if a.Observation == "" {
		return nil, BadTarget.Becausef("%s: observation_id is missing: it says which picture or list is meant", a.Action)
	}
	o := s.seen.get(t.Session, a.Observation)
	if o == nil {
		return nil, UnknownFrame.Becausef("no picture or list of this conversation has the id %q", capability.CutText(a.Observation, 40))
	}
	g := &goal{frame: o.frame, at: o.at}
	s.mu.Lock()
	layout := s.layout
	s.mu.Unlock()
	if g.frame != nil && layout != "" && layout != g.frame.Layout {
		return nil, StaleFrame.Becausef("the displays have changed since the picture %s", g.frame.ID)
	}
	if a.Element != "" || a.Mark != 0 {
		return g, g.pick(o, a)
	}
	return g, g.place(a, s.model(t).Coordinates)
}

// named reports whether the act names a place or an element at all.
func (a *Act) named() bool {
	return a.X != nil || a.Y != nil || a.Element != "" || a.Mark != 0 || len(a.Path) > 0 || a.ToX != nil || a.ToY != nil
}

// oneTarget refuses two targets at once, half of one, and one that the action
// cannot use.
func (a *Act) oneTarget() error {
	n := 0
	for _, is := range []bool{a.X != nil || a.Y != nil, a.Element != "", a.Mark != 0, len(a.Path) > 0} {
		if is {
			n++
		}
	}
	switch {
	case n > 1:
		return BadTarget.Becausef("%s: two targets at once: name only one of x and y, element, mark, path", a.Action)
	case (a.X == nil) != (a.Y == nil):
		return BadTarget.Becausef("%s: x and y go together", a.Action)
	case a.Mark < 0:
		return BadTarget.Becausef("%s: marks are numbered from 1", a.Action)
	}
	if err := a.dragTarget(n); err != nil {
		return err
	}
	return a.fitTarget(n)
}

// dragTarget checks where a drag ends; n is how many targets are named.
func (a *Act) dragTarget(n int) error {
	drag := a.Action == LeftClickDrag
	switch {
	case (a.ToX == nil) != (a.ToY == nil):
		return BadTarget.Becausef("%s: to_x and to_y go together", a.Action)
	case !drag && (a.ToX != nil || len(a.Path) > 0):
		return BadTarget.Becausef("%s: a path and to_x, to_y are for %s", a.Action, LeftClickDrag)
	case len(a.Path) > 0 && a.ToX != nil:
		return BadTarget.Becausef("%s: name a path, or to_x and to_y", a.Action)
	case drag && len(a.Path) == 0 && (n == 0 || a.ToX == nil):
		return BadTarget.Becausef("%s: name a path of at least two places, or a start with to_x and to_y", a.Action)
	}
	return nil
}

// fitTarget checks the target against what the action is done to.
func (a *Act) fitTarget(n int) error {
	switch kinds[a.Action] {
	case byElement:
		if a.Element == "" && a.Mark == 0 {
			return BadTarget.Becausef("%s: name an element or a mark with its observation_id", a.Action)
		}
	case byFocus, byWindow:
		if n > 0 {
			return BadTarget.Becausef("%s goes to the window with the focus or the one that is named: it takes no place; click there first", a.Action)
		}
	case byPointer:
		if n == 0 && a.Action != LeftMouseDown && a.Action != LeftMouseUp {
			return BadTarget.Becausef("%s: no target: name observation_id with x and y, element or mark", a.Action)
		}
	}
	return nil
}

// pick finds an element or a mark of an observation.
func (g *goal) pick(o *observation, a *Act) error {
	if a.Mark != 0 {
		if o.frame == nil || len(o.frame.Marks) == 0 {
			return UnknownElement.Becausef("%s has no marks: take a screenshot with marks", a.Observation)
		}
		m, ok := o.frame.Marks[a.Mark]
		if !ok {
			return UnknownElement.Becausef("%s has no mark %d: they go from 1 to %d", a.Observation, a.Mark, len(o.frame.Marks))
		}
		g.element, g.snap, g.owner = &m.Element, m.Snapshot, m.Window
		return g.drag(a)
	}
	if o.elements == nil {
		return UnknownElement.Becausef("%s is a picture: elements belong to a list of elements, by its observation_id", a.Observation)
	}
	i := slices.IndexFunc(o.elements.Elements, func(e wire.Element) bool { return e.Ref == a.Element })
	if i < 0 {
		return UnknownElement.Becausef("%s has no element %q", a.Observation, capability.CutText(a.Element, 20))
	}
	g.element, g.snap, g.owner = &o.elements.Elements[i], o.elements.Snapshot, o.elements.Window.ID
	return g.drag(a)
}

// drag refuses to drag from an element to a place that no picture says.
func (g *goal) drag(a *Act) error {
	if a.ToX != nil && g.frame == nil {
		return BadTarget.Becausef("%s: to_x and to_y need a picture: use marks of a screenshot, or x and y", a.Action)
	}
	return nil
}

// place takes the places of an act to the desktop.
func (g *goal) place(a *Act, c Coordinates) error {
	if g.frame == nil {
		return BadTarget.Becausef("%s is a list of elements: x and y belong to a picture", a.Observation)
	}
	on := func(x, y float64) (wire.Point, error) {
		spot, err := g.frame.Spot(x, y, c)
		return g.frame.Desktop(spot), err
	}
	if len(a.Path) > 0 {
		if len(a.Path) < 2 || len(a.Path) > maxPath {
			return BadTarget.Becausef("%s: a path has 2 to %d places, this one %d", a.Action, maxPath, len(a.Path))
		}
		for _, xy := range a.Path {
			p, err := on(xy[0], xy[1])
			if err != nil {
				return err
			}
			g.path = append(g.path, p)
		}
		g.point = &g.path[0]
		return nil
	}
	p, err := on(*a.X, *a.Y)
	if err != nil {
		return err
	}
	g.point = &p
	return nil
}

// maxPath is how many places a drag leads through.
const maxPath = 100

// aim is an act made ready: what it is done to, judged now.
type aim struct {
	act      *Act
	goal     *goal
	point    *wire.Point // where the pointer is to be; nil: it stays
	path     []wire.Point
	display  *place
	programs []Program // that it is done to: one, or two of a drag
}

// aim finds what lies where an act is to be done, at this moment.
func (s *Session) aim(ctx context.Context, t capability.Turn, a *Act) (*aim, error) {
	g, err := s.target(t, a)
	if err != nil {
		return nil, err
	}
	m := &aim{act: a, goal: g, point: g.point, path: g.path}
	if err := m.onElement(); err != nil {
		return nil, err
	}
	if a.ToX != nil && len(m.path) == 0 {
		spot, err := g.frame.Spot(*a.ToX, *a.ToY, s.model(t).Coordinates)
		if err != nil {
			return nil, err
		}
		m.path = []wire.Point{*m.point, g.frame.Desktop(spot)}
	}
	switch kinds[a.Action] {
	case byPointer:
		err = s.underPointer(ctx, m)
	case byFocus:
		err = s.withFocus(ctx, m)
	case byElement, byWindow:
		err = s.ofWindow(ctx, m)
	}
	return m, err
}

// onElement puts the point of a pointer act into the middle of its element.
func (m *aim) onElement() error {
	e := m.goal.element
	if e == nil {
		return nil
	}
	if slices.Contains(e.States, "disabled") && m.act.Action != MouseMove {
		return NotActionable.Becausef("%s %q is disabled", e.Role, capability.CutText(e.Name, 80))
	}
	if kinds[m.act.Action] != byPointer {
		return nil
	}
	if e.Box == nil || e.Box.W <= 0 || e.Box.H <= 0 {
		return NotActionable.Becausef("%s %q lies on no screen", e.Role, capability.CutText(e.Name, 80))
	}
	p := middle(*e.Box)
	m.point = &p
	return nil
}

// underPointer judges by the windows under the places of an act.
func (s *Session) underPointer(ctx context.Context, m *aim) error {
	at := m.point
	if at == nil {
		r, err := s.desk.Cursor(ctx)
		if err != nil {
			return refusal(err)
		}
		at = &r.Point
	}
	ends := []wire.Point{*at}
	if n := len(m.path); n > 0 {
		ends = []wire.Point{m.path[0], m.path[n-1]}
	}
	for _, p := range ends {
		w, err := s.desk.WindowAt(ctx, p)
		if err != nil {
			return refusal(err)
		}
		if err := s.judge(m, w); err != nil {
			return err
		}
	}
	return s.onDisplay(ctx, m, *at)
}

// onDisplay finds the display that the check image is to show.
func (s *Session) onDisplay(ctx context.Context, m *aim, p wire.Point) error {
	r, err := s.desk.Displays(ctx)
	if err != nil {
		return refusal(err)
	}
	s.setLayout(r.Layout)
	if f := m.goal.frame; f != nil && f.Layout != r.Layout {
		return StaleFrame.Becausef("the displays have changed since the picture %s", f.ID)
	}
	for _, d := range r.Displays {
		if d.Box.Contains(p) {
			m.display = &place{d, r.Layout}
			return nil
		}
	}
	return OutOfBounds.Becausef("the point %d,%d of the desktop is on no display", p.X, p.Y)
}

// withFocus judges by the window that has the focus; the chords of the desktop
// are acts on that.
func (s *Session) withFocus(ctx context.Context, m *aim) error {
	desktop := false
	if m.act.Action == Key || m.act.Action == HoldKey {
		var never string
		if never, desktop = judgeChord(m.act.Chord); never != "" {
			return Forbidden.Becausef("the keys %s are never sent: %s", capability.CutText(m.act.Chord, 40), never)
		}
	}
	list, err := s.desk.Windows(ctx)
	if err != nil {
		return refusal(err)
	}
	var active *wire.Window
	if i := slices.IndexFunc(list, func(w wire.Window) bool { return w.Active }); i >= 0 {
		active = &list[i]
	}
	if err := s.judge(m, active); err != nil {
		return err
	}
	if desktop { // the window with the focus is judged, and the desktop is agreed to
		m.programs[0].Name = desktopName
	}
	id := ""
	if active != nil {
		id = active.Display
	}
	m.display, err = s.display(ctx, id)
	return err
}

// ofWindow judges by the window that is named, or that an element is of.
func (s *Session) ofWindow(ctx context.Context, m *aim) error {
	id := m.act.Window
	if kinds[m.act.Action] == byElement {
		id = m.goal.owner
	}
	list, err := s.desk.Windows(ctx)
	if err != nil {
		return refusal(err)
	}
	i := slices.IndexFunc(list, func(w wire.Window) bool { return w.ID == id })
	if i < 0 {
		return UnknownWindow.Becausef("there is no window %q now", capability.CutText(id, 40))
	}
	if err := s.judge(m, &list[i]); err != nil {
		return err
	}
	m.display, err = s.display(ctx, list[i].Display)
	return err
}

// judge adds the program of a window to those that an act is done to, unless it
// is one that is never used.
func (s *Session) judge(m *aim, w *wire.Window) error {
	if why := s.Forbidden(w); why != "" && m.act.Action != MouseMove {
		return Forbidden.Becausef("%s would go to %s, which is %s", m.act.Action, quoted(w), why)
	}
	m.programs = append(m.programs, program(w))
	return nil
}

// quoted names a window for a sentence.
func quoted(w *wire.Window) string {
	name := programName(w)
	if name == "" {
		name = "a program without a name"
	}
	return "“" + name + "”"
}
