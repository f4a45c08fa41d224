package look

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// A Tap makes content react to a click, and to Space and Enter when it has the
// focus.
type Tap struct {
	widget.BaseWidget

	Name      string // what it does, for those who cannot see it
	Do        func()
	Secondary func(at fyne.Position) // right click; may be nil
	Keys      func(*fyne.KeyEvent)   // other keys while it has the focus; may be nil

	content        fyne.CanvasObject
	radius         float32
	hover, focused bool
}

var (
	_ fyne.Focusable         = (*Tap)(nil)
	_ fyne.SecondaryTappable = (*Tap)(nil)
	_ desktop.Hoverable      = (*Tap)(nil)
	_ desktop.Cursorable     = (*Tap)(nil)
	_ fyne.Accessible        = (*Tap)(nil)
)

// NewTap makes content call do when it is clicked. The radius is that of the
// ground drawn below a pointer.
func NewTap(name string, radius float32, content fyne.CanvasObject, do func()) *Tap {
	t := &Tap{Name: name, Do: do, content: content, radius: radius}
	t.ExtendBaseWidget(t)
	return t
}

// Tapped implements [fyne.Tappable].
func (t *Tap) Tapped(*fyne.PointEvent) {
	if t.Do != nil {
		t.Do()
	}
}

// TappedSecondary implements [fyne.SecondaryTappable].
func (t *Tap) TappedSecondary(e *fyne.PointEvent) {
	if t.Secondary != nil {
		t.Secondary(e.AbsolutePosition)
	}
}

// FocusGained implements [fyne.Focusable].
func (t *Tap) FocusGained() { t.focused = true; t.Refresh() }

// FocusLost implements [fyne.Focusable].
func (t *Tap) FocusLost() { t.focused = false; t.Refresh() }

// TypedRune implements [fyne.Focusable].
func (t *Tap) TypedRune(rune) {}

// TypedKey implements [fyne.Focusable].
func (t *Tap) TypedKey(k *fyne.KeyEvent) {
	switch k.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		t.Tapped(nil)
	default:
		if t.Keys != nil {
			t.Keys(k)
		}
	}
}

// MouseIn implements [desktop.Hoverable].
func (t *Tap) MouseIn(*desktop.MouseEvent) { t.hover = true; t.Refresh() }

// MouseMoved implements [desktop.Hoverable].
func (t *Tap) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements [desktop.Hoverable].
func (t *Tap) MouseOut() { t.hover = false; t.Refresh() }

// Cursor implements [desktop.Cursorable].
func (t *Tap) Cursor() desktop.Cursor { return desktop.PointerCursor }

// AccessibilityLabel implements [fyne.Accessible].
func (t *Tap) AccessibilityLabel() string { return t.Name }

// AccessibilityRole implements [fyne.Accessible].
func (t *Tap) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

// CreateRenderer implements [fyne.Widget].
func (t *Tap) CreateRenderer() fyne.WidgetRenderer {
	r := &tapRenderer{t: t, over: canvas.NewRectangle(nil)}
	r.over.CornerRadius = t.radius
	r.paint()
	return r
}

type tapRenderer struct {
	t    *Tap
	over *canvas.Rectangle
}

func (r *tapRenderer) Layout(size fyne.Size) {
	r.over.Resize(size)
	r.t.content.Resize(size)
}

func (r *tapRenderer) MinSize() fyne.Size { return r.t.content.MinSize() }

func (r *tapRenderer) Refresh() {
	r.paint()
	r.over.Refresh()
}

func (r *tapRenderer) paint() {
	r.over.FillColor, r.over.StrokeColor, r.over.StrokeWidth = nil, nil, 0
	if r.t.hover {
		r.over.FillColor = Color("hover")
	}
	if r.t.focused {
		r.over.StrokeColor, r.over.StrokeWidth = Color("primary"), 2
	}
}

func (r *tapRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.t.content, r.over}
}

func (r *tapRenderer) Destroy() {}
