package chat

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/ui/look"
)

// A flow is a scrolling column of rows of any height. Only rows near the
// visible part have widgets; the heights of the others are remembered or
// guessed, so that a long conversation costs no more than a short one. It
// follows the end while the end is in view, and else keeps what is in view
// where it is.
type flow struct {
	draw func(*Row) rowWidget // makes the widgets of a row
	end  func(at bool)        // told whether the end is in view

	scroll *container.Scroll
	body   *flowBody
	rows   []flowRow
	width  float32
	total  float32
	busy   bool // laying out: what that causes must not start over
	quiet  bool // a person scrolls: what moves, moves on purpose
}

// A rowWidget is what draws a row.
type rowWidget struct {
	object fyne.CanvasObject
	show   func(*Row) // draws what changed
	moved  func()     // told when it came to stand elsewhere by itself; may be nil
	drawn  func()     // told when it stands on the screen; may be nil
}

type flowRow struct {
	row     *Row
	version int
	height  float32
	exact   bool // height was measured at the present width
	seen    bool // at is where it stood on the screen
	at      float32
	w       rowWidget // its object is nil when it is far from view
}

const (
	columnWidth = 720
	rowGap      = 8
	guessHeight = 60  // of a row that was never drawn
	overscan    = 400 // drawn above and below the visible part
	nearEnd     = 12  // counts as being at the end
)

func newFlow(draw func(*Row) rowWidget, end func(bool)) *flow {
	f := &flow{draw: draw, end: end}
	f.body = &flowBody{flow: f}
	f.body.ExtendBaseWidget(f.body)
	f.scroll = container.NewVScroll(f.body)
	f.scroll.OnScrolled = func(fyne.Position) {
		f.quiet = true
		f.update(false)
		f.quiet = false
	}
	return f
}

// set takes in the rows as they are now and draws what is in view.
func (f *flow) set(rows []*Row) {
	if !slices.EqualFunc(f.rows, rows, func(a flowRow, b *Row) bool { return a.row == b }) {
		f.match(rows)
	}
	f.update(f.atEnd())
}

// match keeps what is known of rows that are still there.
func (f *flow) match(rows []*Row) {
	old := make(map[*Row]flowRow, len(f.rows))
	for _, r := range f.rows {
		old[r.row] = r
	}
	f.rows = make([]flowRow, len(rows))
	for i, row := range rows {
		r, ok := old[row]
		if !ok {
			r = flowRow{row: row, height: guessHeight}
		}
		f.rows[i] = r
	}
}

func (f *flow) atEnd() bool { return f.scroll.Offset.Y >= f.total-f.scroll.Size().Height-nearEnd }

// toEnd shows the end.
func (f *flow) toEnd() { f.update(true) }

// update draws what is in view; with end it shows the end.
func (f *flow) update(end bool) {
	if f.busy || f.width == 0 {
		return
	}
	f.busy = true
	defer func() { f.busy = false }()
	view := f.scroll.Size().Height
	f.settle(view, end)
	f.place(view)
	// The scroll takes its content's size for the truth about where it can go.
	f.body.Resize(fyne.NewSize(f.width, max(f.total, view)))
	f.scroll.Refresh()
	f.end(f.atEnd())
}

// settle measures rows until those in view are all exact. Measuring moves what
// follows, so a few rounds may be needed.
func (f *flow) settle(view float32, end bool) {
	const rounds = 8
	for range rounds {
		f.sum()
		if end {
			f.scroll.Offset.Y = f.total - view
		}
		f.scroll.Offset.Y = max(0, min(f.scroll.Offset.Y, f.total-view))
		if !f.measureVisible(view) {
			break
		}
	}
	f.sum()
	if end {
		f.scroll.Offset.Y = max(0, f.total-view)
	}
}

func (f *flow) sum() {
	f.total = 2 * rowGap
	for _, r := range f.rows {
		f.total += r.height + rowGap
	}
}

// measureVisible draws and measures the rows in view and reports whether a
// height changed. What grows above the view pushes the view down with it.
func (f *flow) measureVisible(view float32) (changed bool) {
	y := float32(2 * rowGap)
	for i := range f.rows {
		r := &f.rows[i]
		top, bottom := f.scroll.Offset.Y-overscan, f.scroll.Offset.Y+view+overscan
		if y+r.height < top || y > bottom {
			r.w, r.seen = rowWidget{}, false
			y += r.height + rowGap
			continue
		}
		if !r.exact || r.w.object == nil || r.version != r.row.Version {
			before := r.height
			f.measure(r)
			if r.height != before {
				changed = true
				if y+before < f.scroll.Offset.Y {
					f.scroll.Offset.Y += r.height - before
				}
			}
		}
		y += r.height + rowGap
	}
	return changed
}

func (f *flow) columnWidth() float32 { return max(80, min(columnWidth, f.width-2*look.Gutter)) }

func (f *flow) measure(r *flowRow) {
	switch {
	case r.w.object == nil:
		r.w = f.draw(r.row)
	case r.version != r.row.Version:
		r.w.show(r.row)
	}
	r.version = r.row.Version
	r.height, r.exact = look.Fit(r.w.object, f.columnWidth()), true
}

// place puts the drawn rows where they belong.
func (f *flow) place(view float32) {
	x := (f.width - f.columnWidth()) / 2
	y := float32(2 * rowGap)
	f.body.objects = f.body.objects[:0]
	for i := range f.rows {
		r := &f.rows[i]
		if r.w.object != nil {
			r.w.object.Move(fyne.NewPos(x, y))
			f.body.objects = append(f.body.objects, r.w.object)
			f.tell(r, y-f.scroll.Offset.Y, view)
		}
		y += r.height + rowGap
	}
}

// tell lets a row know that it stands on the screen, or moved there by itself.
func (f *flow) tell(r *flowRow, at, view float32) {
	visible := at < view && at+r.height > 0
	const still = 1
	if r.w.moved != nil && visible && r.seen && !f.quiet && (at-r.at > still || r.at-at > still) {
		r.w.moved()
	}
	if r.w.drawn != nil && visible {
		r.w.drawn()
	}
	r.at, r.seen = at, visible
}

// again measures a row whose widgets changed their height by themselves.
func (f *flow) again(row *Row) {
	end := f.atEnd() // what grows at the end must not push the end out of view
	for i := range f.rows {
		if f.rows[i].row == row {
			f.rows[i].exact = false
		}
	}
	f.update(end)
}

// reset forgets all rows: another session is shown, from its end.
func (f *flow) reset() {
	f.rows, f.total = nil, 0
	f.scroll.Offset.Y = 0
	f.body.objects = nil
	f.body.Refresh()
}

// redraw makes all widgets anew: the theme has changed.
func (f *flow) redraw() {
	for i := range f.rows {
		f.rows[i].w, f.rows[i].exact = rowWidget{}, false
	}
	f.update(f.atEnd())
}

// flowBody holds the rows that are drawn. Its Refresh does not refresh them:
// each row is drawn again when it changed, not when another did.
type flowBody struct {
	widget.BaseWidget

	flow    *flow
	objects []fyne.CanvasObject
}

// CreateRenderer implements [fyne.Widget].
func (b *flowBody) CreateRenderer() fyne.WidgetRenderer { return &flowRenderer{b} }

type flowRenderer struct{ b *flowBody }

func (r *flowRenderer) Layout(size fyne.Size) {
	f := r.b.flow
	if size.Width != f.width {
		atEnd := f.atEnd()
		f.width = size.Width
		for i := range f.rows {
			f.rows[i].exact = false
		}
		f.update(atEnd)
	}
}

func (r *flowRenderer) MinSize() fyne.Size {
	return fyne.NewSize(2*look.Gutter+200, r.b.flow.total)
}

func (r *flowRenderer) Refresh() { canvas.Refresh(r.b) }

func (r *flowRenderer) Objects() []fyne.CanvasObject { return r.b.objects }

func (r *flowRenderer) Destroy() {}

// flowView holds a flow's scroll and tells the flow when its height changed, so
// that the end stays in view.
type flowView struct{ f *flow }

func (l flowView) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	atEnd := l.f.atEnd()
	for _, o := range objects {
		o.Resize(size)
		o.Move(fyne.NewPos(0, 0))
	}
	l.f.update(atEnd)
}

func (l flowView) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(240, 120) }
