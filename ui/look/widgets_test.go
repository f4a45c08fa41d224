package look

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
)

func TestButton(t *testing.T) {
	test.NewTempApp(t)
	clicks := 0
	b := NewButton("Go", ButtonAccent, func() { clicks++ })
	w := test.NewTempWindow(t, b)
	test.Tap(b)
	w.Canvas().Focus(b)
	for _, k := range []fyne.KeyName{fyne.KeySpace, fyne.KeyReturn, fyne.KeyA} {
		b.TypedKey(&fyne.KeyEvent{Name: k})
	}
	if clicks != 3 {
		t.Errorf("%d clicks, want one by the pointer and two by keys", clicks)
	}
	b.Disable()
	test.Tap(b)
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	if clicks != 3 {
		t.Error("a button that is off was pressed")
	}
	if got := NewSmall("", nil, nil).Named("Copy").AccessibilityLabel(); got != "Copy" {
		t.Errorf("a button without words is called %q", got)
	}
}

func TestWrap(t *testing.T) {
	test.NewTempApp(t)
	box := func(w float32) fyne.CanvasObject {
		r := canvas.NewRectangle(nil)
		r.SetMinSize(fyne.NewSize(w, 20))
		return r
	}
	parts := []fyne.CanvasObject{box(100), box(100), box(50)}
	c := Wrap(10, parts...)
	if h := Fit(c, 400); h != 20 || parts[2].Position() != fyne.NewPos(350, 0) {
		t.Errorf("wide: height %v, the last at %v; want it at the right end", h, parts[2].Position())
	}
	if h := Fit(c, 215); h != 50 || parts[2].Position() != fyne.NewPos(165, 30) || parts[1].Position() != fyne.NewPos(110, 0) {
		t.Errorf("narrow: height %v, parts at %v and %v", h, parts[1].Position(), parts[2].Position())
	}
	if h := Fit(c, 90); h != 80 {
		t.Errorf("very narrow: height %v, want three lines", h)
	}
}

func TestTextWrapsInItsWidth(t *testing.T) {
	test.NewTempApp(t)
	text := NewText("some words that do not fit into one narrow line", Plain)
	test.NewTempWindow(t, text)
	one, many := Fit(text, 1000), Fit(text, 120)
	if many < 3*one {
		t.Errorf("height %v at 120, %v at 1000", many, one)
	}
	line := NewLine("some words that do not fit into one narrow line", Plain)
	if h := Fit(line, 120); h != one || line.NeverCut() || !NewLabel("a", Plain).NeverCut() {
		t.Errorf("a line has height %v, want %v", h, one)
	}
}

// TestWorkingRests holds that what does not work costs nothing.
func TestWorkingRests(t *testing.T) {
	test.NewTempApp(t)
	w := NewWorking()
	test.NewTempWindow(t, w)
	w.Set(true)
	w.Set(true)
	if w.anim == nil {
		t.Error("nothing moves while it works")
	}
	if w.Set(false); w.anim != nil {
		t.Error("it moves after the work")
	}
}
