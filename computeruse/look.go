package computeruse

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/capability"
)

// A Shot is a picture that a model is sent.
type Shot struct {
	Frame *Frame
	MIME  string // image/png or image/jpeg
	Data  []byte
	Note  string // a sentence on what is missing in it; empty when nothing is
}

// A View says what a picture shall show.
type View struct {
	Display     string      // id; empty is the primary one, or that of Observation
	Observation string      // picture that Region is in; empty is [Last]
	Region      *[4]float64 // left, top, right and bottom, in the model's coordinates; nil is all of the display
	Marks       bool        // number what can be pressed
	Window      string      // of the marks; empty is the active one
	JPEG        bool        // smaller, and not as sharp
}

// maxMarks is how many things a picture numbers: more would cover each other.
const maxMarks = 99

// Screenshot takes a picture of one display or of a part of it. Several
// displays never share a picture.
func (s *Session) Screenshot(ctx context.Context, t capability.Turn, v View) (*Shot, error) {
	if err := s.mayLook(t); err != nil {
		return nil, err
	}
	d, crop, err := s.crop(ctx, t, v)
	if err != nil {
		return nil, err
	}
	p := wire.CaptureParams{Display: d.ID, Format: "png"}
	if v.JPEG {
		p.Format = "jpeg"
	}
	marks, note := map[int]Mark(nil), ""
	if v.Marks {
		marks, note = s.marks(ctx, v.Window, crop)
		p.Marks = drawn(marks)
	}
	shot, err := s.capture(ctx, t, view{display: d, crop: crop, params: p})
	if err != nil {
		return nil, err
	}
	shot.Note, shot.Frame.Marks = note, marks
	return shot, nil
}

// A place is a display with the layout it is part of.
type place struct {
	wire.Display
	layout string
}

// view is a picture to be taken.
type view struct {
	display *place
	crop    wire.Box
	params  wire.CaptureParams
}

// display finds a display; empty is the primary one.
func (s *Session) display(ctx context.Context, id string) (*place, error) {
	r, err := s.desk.Displays(ctx)
	if err != nil {
		return nil, refusal(err)
	}
	s.setLayout(r.Layout)
	for _, d := range r.Displays {
		if d.ID == id || id == "" && d.Primary {
			return sized(&place{d, r.Layout})
		}
	}
	switch {
	case len(r.Displays) == 0:
		return nil, NoScreen.Becausef("the system names no display")
	case id == "":
		return sized(&place{r.Displays[0], r.Layout})
	}
	return nil, UnknownDisplay.Becausef("there is no display %q", capability.CutText(id, 40))
}

// sized refuses a display that is none: systems name such while they change.
func sized(d *place) (*place, error) {
	if d.Box.W <= 0 || d.Box.H <= 0 {
		return nil, NoScreen.Becausef("the display %s has no size now", d.ID)
	}
	return d, nil
}

// crop is the display and the part of it that a view is of.
func (s *Session) crop(ctx context.Context, t capability.Turn, v View) (*place, wire.Box, error) {
	if v.Region == nil {
		d, err := s.display(ctx, v.Display)
		if err != nil {
			return nil, wire.Box{}, err
		}
		return d, d.Box, nil
	}
	if v.Observation == "" {
		v.Observation = Last
	}
	o := s.seen.get(t.Session, v.Observation)
	if o == nil || o.frame == nil {
		return nil, wire.Box{}, UnknownFrame.Becausef("no picture of this conversation has the id %q, so that it is not known what region is meant", capability.CutText(v.Observation, 40))
	}
	f := o.frame
	d, err := s.display(ctx, f.Display)
	switch {
	case err != nil:
		return nil, wire.Box{}, err
	case d.layout != f.Layout:
		return nil, wire.Box{}, StaleFrame.Becausef("the displays have changed since the picture %s", f.ID)
	case v.Display != "" && v.Display != f.Display:
		return nil, wire.Box{}, BadTarget.Becausef("the picture %s is of display %s, not of %s", f.ID, f.Display, capability.CutText(v.Display, 40))
	}
	box, err := f.region(*v.Region, s.model(t).Coordinates)
	return d, box, err
}

// region is the part of the desktop between two corners in a picture, whose
// edge belongs to it.
func (f *Frame) region(r [4]float64, c Coordinates) (wire.Box, error) {
	w, h := float64(f.Sent.W), float64(f.Sent.H)
	if c == Thousandths {
		w, h = thousand, thousand
	}
	switch {
	case !(r[0] < r[2] && r[1] < r[3]): // no number is neither
		return wire.Box{}, OutOfBounds.Becausef("the region %v must be left, top, right, bottom, with left before right and top above bottom", r)
	case r[0] < 0 || r[1] < 0 || r[2] > w || r[3] > h:
		return wire.Box{}, OutOfBounds.Becausef("the region %v lies outside the picture %s, which has %g×%g", r, f.ID, w, h)
	}
	kx, ky := float64(f.Crop.W)/w, float64(f.Crop.H)/h
	left, top := int(math.Floor(r[0]*kx)), int(math.Floor(r[1]*ky))
	box := wire.Box{X: f.Crop.X + left, Y: f.Crop.Y + top, W: int(math.Ceil(r[2]*kx)) - left, H: int(math.Ceil(r[3]*ky)) - top}
	box = meet(box, f.Crop)
	if box.W < minRegion || box.H < minRegion {
		return box, OutOfBounds.Becausef("the region is %d×%d pixels of the screen; %d each way are the least", box.W, box.H, minRegion)
	}
	return box, nil
}

// minRegion is the least that is worth a picture, in pixels of the screen.
const minRegion = 4

// capture takes the picture of a view, remembers it and checks that it is what
// was asked for.
func (s *Session) capture(ctx context.Context, t capability.Turn, v view) (*Shot, error) {
	whole := v.crop == v.display.Box
	size := s.model(t).Limits.Fit(wire.Size{W: v.crop.W, H: v.crop.H}, !whole)
	v.params.Size = &size
	if !whole {
		v.params.Region = &v.crop
	}
	at := time.Now()
	r, err := s.desk.Capture(ctx, v.params)
	switch {
	case err != nil:
		return nil, captureFailure(err)
	case len(r.Image) == 0 || r.Sent != size || r.Box != v.crop:
		return nil, NoScreen.Becausef("the system gave a picture of %d×%d pixels where %d×%d were asked for; it may not allow this program to see the screen", r.Sent.W, r.Sent.H, size.W, size.H)
	case r.Layout != v.display.layout:
		return nil, StaleFrame.Becausef("the displays changed while the picture was taken").Trying("take the screenshot again")
	}
	f := &Frame{
		Display: v.display.ID, Layout: r.Layout, Origin: wire.Point{X: v.display.Box.X, Y: v.display.Box.Y},
		Physical: wire.Size{W: v.display.Box.W, H: v.display.Box.H}, Logical: v.display.Logical, Crop: r.Box, Sent: r.Sent, TakenAt: at, Hash: r.Hash,
	}
	s.seen.add(&observation{session: t.Session, frame: f, at: at})
	return &Shot{Frame: f, MIME: "image/" + v.params.Format, Data: r.Image}, nil
}

// marks numbers what can be pressed of a window. The note says why there are
// none, or not all.
func (s *Session) marks(ctx context.Context, window string, within wire.Box) (map[int]Mark, string) {
	r, err := s.desk.Elements(ctx, wire.ElementsParams{Window: window, Interactive: true})
	if err != nil {
		return nil, "Nothing is numbered: " + refusal(err).Error() + "."
	}
	marks, left := map[int]Mark{}, r.More
	for _, e := range r.Elements {
		switch {
		case e.Box == nil:
			continue
		case meet(*e.Box, within).W < 2 || meet(*e.Box, within).H < 2:
			continue
		case len(marks) == maxMarks:
			left++
			continue
		}
		marks[len(marks)+1] = Mark{Snapshot: r.Snapshot, Window: r.Window.ID, Element: e}
	}
	switch {
	case len(marks) == 0:
		return nil, "Nothing is numbered: the window tells of nothing that can be pressed."
	case left > 0:
		return marks, fmt.Sprintf("%d further things are not numbered.", left)
	}
	return marks, ""
}

// drawn are the marks as the helper draws them.
func drawn(marks map[int]Mark) []wire.Mark {
	out := make([]wire.Mark, 0, len(marks))
	for n := 1; n <= len(marks); n++ {
		out = append(out, wire.Mark{Box: *marks[n].Element.Box, Label: strconv.Itoa(n)})
	}
	return out
}

// A Change says what became different while it was waited for.
type Change struct {
	wire.ChangeResult
	Shot *Shot
}

// WaitForChange waits until the picture of a view changes, at most so long, and
// takes it then. A zero limit means 10 s, and 25 s is the most.
func (s *Session) WaitForChange(ctx context.Context, t capability.Turn, v View, limit time.Duration) (*Change, error) {
	if err := s.mayLook(t); err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = 10 * time.Second
	}
	d, crop, err := s.crop(ctx, t, v)
	if err != nil {
		return nil, err
	}
	p := wire.WaitChangeParams{Display: d.ID, Timeout: int(min(limit, maxChangeWait).Milliseconds())}
	if crop != d.Box {
		p.Region = &crop
	}
	if f := s.seen.lastFrame(t.Session, d.ID); f != nil && p.Region == nil && f.Layout == d.layout {
		p.Since = f.Hash // what changed since the model last looked counts too
	}
	c := &Change{}
	if c.ChangeResult, err = s.desk.WaitChange(ctx, p); err != nil {
		return nil, captureFailure(err)
	}
	if c.Shot, err = s.capture(ctx, t, view{display: d, crop: crop, params: wire.CaptureParams{Display: d.ID, Format: "png"}}); err != nil {
		return nil, err
	}
	return c, nil
}

// maxChangeWait is the longest wait for a change that the helper takes.
const maxChangeWait = 25 * time.Second

// captureFailure names a capture that took too long.
func captureFailure(err error) error {
	if w, ok := wireError(err); ok && w.Code == wire.TimedOut {
		return CaptureStalled.Becausef("%s", w.Message)
	}
	return refusal(err)
}
