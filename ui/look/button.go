package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// ButtonKind says how much a button calls for a click.
type ButtonKind uint8

// The kinds. A view has one accent button, for what most people want.
const (
	ButtonPlain  ButtonKind = iota
	ButtonAccent            // the one
	ButtonQuiet             // set apart: Deny, Remove, Turn off
)

// A Button is a button with a line around it, or none.
type Button struct {
	widget.DisableableWidget

	Text string
	Icon fyne.Resource // left of the text, or alone
	Name string        // for those who cannot see the icon, where Text is empty
	Kind ButtonKind
	Do   func()

	small          bool
	trail          bool // the icon stands right of the text
	hover, focused bool
}

var (
	_ fyne.Focusable    = (*Button)(nil)
	_ desktop.Hoverable = (*Button)(nil)
	_ fyne.Accessible   = (*Button)(nil)
)

// NewButton makes a button.
func NewButton(text string, kind ButtonKind, do func()) *Button {
	b := &Button{Text: text, Kind: kind, Do: do}
	b.ExtendBaseWidget(b)
	return b
}

// NewSmall makes a small quiet button, with an icon where that is not nil.
func NewSmall(text string, icon fyne.Resource, do func()) *Button {
	b := &Button{Text: text, Icon: icon, Kind: ButtonQuiet, Do: do, small: true}
	b.ExtendBaseWidget(b)
	return b
}

// NewPicker makes a small button that opens a list.
func NewPicker(text string, do func()) *Button {
	b := NewSmall(text, theme.MenuDropDownIcon(), do)
	b.trail = true
	return b
}

// Named sets the name of a button without text and returns the button.
func (b *Button) Named(name string) *Button {
	b.Name = name
	return b
}

// Set changes the text.
func (b *Button) Set(text string) {
	if b.Text != text {
		b.Text = text
		b.Refresh()
	}
}

// Tapped implements [fyne.Tappable].
func (b *Button) Tapped(*fyne.PointEvent) {
	if !b.Disabled() && b.Do != nil {
		b.Do()
	}
}

// FocusGained implements [fyne.Focusable].
func (b *Button) FocusGained() { b.focused = true; b.Refresh() }

// FocusLost implements [fyne.Focusable].
func (b *Button) FocusLost() { b.focused = false; b.Refresh() }

// TypedRune implements [fyne.Focusable].
func (b *Button) TypedRune(rune) {}

// TypedKey implements [fyne.Focusable].
func (b *Button) TypedKey(k *fyne.KeyEvent) {
	switch k.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		b.Tapped(nil)
	}
}

// MouseIn implements [desktop.Hoverable].
func (b *Button) MouseIn(*desktop.MouseEvent) { b.hover = true; b.Refresh() }

// MouseMoved implements [desktop.Hoverable].
func (b *Button) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements [desktop.Hoverable].
func (b *Button) MouseOut() { b.hover = false; b.Refresh() }

// AccessibilityLabel implements [fyne.Accessible].
func (b *Button) AccessibilityLabel() string {
	if b.Text == "" {
		return b.Name
	}
	return b.Text
}

// AccessibilityRole implements [fyne.Accessible].
func (b *Button) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

// CreateRenderer implements [fyne.Widget].
func (b *Button) CreateRenderer() fyne.WidgetRenderer {
	r := &buttonRenderer{b: b, back: canvas.NewRectangle(nil), over: canvas.NewRectangle(nil), text: canvas.NewText("", nil), icon: canvas.NewImageFromResource(b.Icon), drawn: Color("foreground")}
	r.icon.FillMode = canvas.ImageFillContain
	r.paint()
	return r
}

type buttonRenderer struct {
	b          *Button
	back, over *canvas.Rectangle
	text       *canvas.Text
	icon       *canvas.Image
	drawn      color.Color // of the text when the icon was drawn: it tells the theme
}

const iconSize = 16

func (r *buttonRenderer) pads() (x, y float32) {
	switch {
	case r.b.small && r.b.Text == "":
		return 5, 5
	case r.b.small:
		return 6, 3
	}
	return 12, 6
}

func (r *buttonRenderer) MinSize() fyne.Size {
	x, y := r.pads()
	var m fyne.Size
	if r.b.Text != "" {
		m = r.text.MinSize()
	}
	if r.b.Icon != nil {
		if m.Width > 0 {
			m.Width += Step
		}
		m.Width, m.Height = m.Width+iconSize, max(m.Height, iconSize)
	}
	return m.AddWidthHeight(2*x, 2*y)
}

func (r *buttonRenderer) Layout(size fyne.Size) {
	r.back.Resize(size)
	r.over.Resize(size)
	x, _ := r.pads()
	if r.b.Text == "" {
		x = (size.Width - iconSize) / 2
	}
	m := r.text.MinSize()
	switch r.icon.Resize(fyne.NewSquareSize(iconSize)); {
	case r.b.Icon == nil:
		x = (size.Width - m.Width) / 2
	case r.b.trail:
		r.icon.Move(fyne.NewPos(x+m.Width+Step, (size.Height-iconSize)/2))
	default:
		r.icon.Move(fyne.NewPos(x, (size.Height-iconSize)/2))
		x += iconSize + Step
	}
	r.text.Resize(m)
	r.text.Move(fyne.NewPos(x, (size.Height-m.Height)/2))
}

func (r *buttonRenderer) Refresh() {
	r.paint()
	r.Layout(r.b.Size())
	r.back.Refresh()
	r.over.Refresh()
	r.text.Refresh()
	if now := Color("foreground"); r.icon.Resource != r.b.Icon || r.drawn != now { // drawing an icon is slow
		r.icon.Resource, r.drawn = r.b.Icon, now
		r.icon.Refresh()
	}
}

func (r *buttonRenderer) paint() {
	fill, stroke, ink := ColorCard, ColorLine, fyne.ThemeColorName("foreground")
	switch r.b.Kind {
	case ButtonAccent:
		fill, stroke, ink = "primary", "primary", "foregroundOnPrimary"
	case ButtonQuiet:
		fill, stroke, ink = "", "", ColorQuiet
	}
	if r.b.Disabled() {
		ink = ColorQuiet
		if fill != "" {
			fill, stroke = ColorPanel, ColorLine
		}
	}
	r.back.CornerRadius, r.over.CornerRadius = 8, 8
	r.back.FillColor, r.back.StrokeColor, r.back.StrokeWidth = nil, nil, 0
	if fill != "" {
		r.back.FillColor, r.back.StrokeColor, r.back.StrokeWidth = Color(fill), Color(stroke), 1
	}
	r.over.FillColor, r.over.StrokeColor, r.over.StrokeWidth = nil, nil, 0
	if r.b.hover && !r.b.Disabled() {
		r.over.FillColor = Color("hover")
	}
	if r.b.focused {
		r.over.StrokeColor, r.over.StrokeWidth = Color("primary"), 2
		if r.b.Kind == ButtonAccent {
			r.over.StrokeColor = Color("foreground")
		}
	}
	r.text.Text, r.text.Color, r.text.TextSize = r.b.Text, Color(ink), TextSize
	if r.b.small {
		r.text.TextSize = MonoSize
	}
	r.icon.Hidden = r.b.Icon == nil
	r.text.Hidden = r.b.Text == ""
}

func (r *buttonRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.back, r.over, r.icon, r.text}
}

func (r *buttonRenderer) Destroy() {}
