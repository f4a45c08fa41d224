package look

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// A Working is a thin line along which a piece moves while something works. It
// stands still where the system asks for less motion, and draws nothing and
// costs nothing when all is done.
type Working struct {
	widget.BaseWidget

	on   bool
	at   float32 // of the piece, from 0 to 1
	anim *fyne.Animation
}

// NewWorking makes a line that rests.
func NewWorking() *Working {
	w := &Working{}
	w.ExtendBaseWidget(w)
	return w
}

const (
	workingRound = 1600 * time.Millisecond // the piece's way from end to end
	workingSteps = 16                      // each step paints the window anew, so there are few
)

// Set starts or ends the motion.
func (w *Working) Set(on bool) {
	if w.on == on {
		return
	}
	w.on = on
	switch {
	case !on && w.anim != nil:
		w.anim.Stop()
		w.anim = nil
	case on && fyne.CurrentApp().Settings().ShowAnimations():
		w.anim = fyne.NewAnimation(workingRound, w.step)
		w.anim.Curve, w.anim.RepeatCount = fyne.AnimationLinear, fyne.AnimationRepeatForever
		w.anim.Start()
	}
	w.Refresh()
}

func (w *Working) step(done float32) {
	at := float32(int(done*workingSteps)) / workingSteps
	if at != w.at {
		w.at = at
		w.Refresh()
	}
}

// CreateRenderer implements [fyne.Widget].
func (w *Working) CreateRenderer() fyne.WidgetRenderer {
	r := &workingRenderer{w: w, line: canvas.NewRectangle(nil), piece: canvas.NewRectangle(nil)}
	r.Refresh()
	return r
}

type workingRenderer struct {
	w           *Working
	line, piece *canvas.Rectangle
}

func (r *workingRenderer) Layout(size fyne.Size) {
	r.line.Resize(fyne.NewSize(size.Width, 1))
	r.line.Move(fyne.NewPos(0, 1))
	const part = 5 // the piece is a fifth of the line
	r.piece.Resize(fyne.NewSize(size.Width/part, 2))
	r.piece.Move(fyne.NewPos(r.w.at*size.Width*(part-1)/part, 0))
}

func (r *workingRenderer) MinSize() fyne.Size { return fyne.NewSize(0, 2) }

func (r *workingRenderer) Refresh() {
	r.line.FillColor, r.piece.FillColor = Color(ColorLine), Color("primary")
	r.piece.Hidden = !r.w.on
	r.Layout(r.w.Size())
	r.line.Refresh()
	r.piece.Refresh()
}

func (r *workingRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.line, r.piece}
}

func (r *workingRenderer) Destroy() {}
