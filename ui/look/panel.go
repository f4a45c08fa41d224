package look

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// A Frame is what stands around the content of a panel.
type Frame struct {
	Fill   fyne.ThemeColorName // empty draws no ground
	Stroke fyne.ThemeColorName // empty draws no line
	Radius float32
	PadX   float32 // left and right of the content
	PadY   float32 // above and below
}

// A Panel is content on a coloured ground, with an optional line around it.
type Panel struct {
	widget.BaseWidget

	frame   Frame
	content fyne.CanvasObject
}

// NewPanel makes a panel.
func NewPanel(f Frame, content fyne.CanvasObject) *Panel {
	p := &Panel{frame: f, content: content}
	p.ExtendBaseWidget(p)
	return p
}

// Card is a panel with a card's ground, line and corners.
func Card(content fyne.CanvasObject) *Panel {
	return NewPanel(Frame{Fill: ColorCard, Stroke: ColorLine, Radius: Radius, PadX: 3 * Step, PadY: 2 * Step}, content)
}

// Set changes ground and line.
func (p *Panel) Set(fill, stroke fyne.ThemeColorName) {
	if p.frame.Fill != fill || p.frame.Stroke != stroke {
		p.frame.Fill, p.frame.Stroke = fill, stroke
		p.Refresh()
	}
}

// CreateRenderer implements [fyne.Widget].
func (p *Panel) CreateRenderer() fyne.WidgetRenderer {
	r := &panelRenderer{p: p, back: canvas.NewRectangle(nil)}
	r.paint()
	return r
}

type panelRenderer struct {
	p    *Panel
	back *canvas.Rectangle
}

func (r *panelRenderer) Layout(size fyne.Size) {
	r.back.Resize(size)
	r.p.content.Move(fyne.NewPos(r.p.frame.PadX, r.p.frame.PadY))
	r.p.content.Resize(size.SubtractWidthHeight(2*r.p.frame.PadX, 2*r.p.frame.PadY))
}

func (r *panelRenderer) MinSize() fyne.Size {
	return r.p.content.MinSize().AddWidthHeight(2*r.p.frame.PadX, 2*r.p.frame.PadY)
}

func (r *panelRenderer) Refresh() {
	r.paint()
	r.back.Refresh()
	r.p.content.Refresh()
}

func (r *panelRenderer) paint() {
	r.back.CornerRadius = r.p.frame.Radius
	r.back.FillColor, r.back.StrokeColor, r.back.StrokeWidth = nil, nil, 0
	if r.p.frame.Fill != "" {
		r.back.FillColor = Color(r.p.frame.Fill)
	}
	if r.p.frame.Stroke != "" {
		r.back.StrokeColor, r.back.StrokeWidth = Color(r.p.frame.Stroke), 1
	}
}

func (r *panelRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.back, r.p.content}
}

func (r *panelRenderer) Destroy() {}

// A Dot is a small disc in a colour of the theme. Words always stand beside it:
// state is never told by colour alone.
type Dot struct {
	widget.BaseWidget

	colour fyne.ThemeColorName
	hollow bool
}

// NewDot makes a dot.
func NewDot(colour fyne.ThemeColorName) *Dot {
	d := &Dot{colour: colour}
	d.ExtendBaseWidget(d)
	return d
}

// Set changes the colour; a hollow dot is a ring.
func (d *Dot) Set(colour fyne.ThemeColorName, hollow bool) {
	if d.colour != colour || d.hollow != hollow {
		d.colour, d.hollow = colour, hollow
		d.Refresh()
	}
}

// CreateRenderer implements [fyne.Widget].
func (d *Dot) CreateRenderer() fyne.WidgetRenderer {
	r := &dotRenderer{d: d, disc: canvas.NewCircle(nil)}
	r.paint()
	return r
}

type dotRenderer struct {
	d    *Dot
	disc *canvas.Circle
}

const dotSize = 8

func (r *dotRenderer) Layout(size fyne.Size) {
	r.disc.Move(fyne.NewPos((size.Width-dotSize)/2, (size.Height-dotSize)/2))
	r.disc.Resize(fyne.NewSquareSize(dotSize))
}

func (r *dotRenderer) MinSize() fyne.Size { return fyne.NewSquareSize(dotSize) }

func (r *dotRenderer) Refresh() {
	r.paint()
	r.disc.Refresh()
}

func (r *dotRenderer) paint() {
	c := Color(r.d.colour)
	r.disc.FillColor, r.disc.StrokeColor, r.disc.StrokeWidth = c, nil, 0
	if r.d.hollow {
		r.disc.FillColor, r.disc.StrokeColor, r.disc.StrokeWidth = nil, c, 2
	}
}

func (r *dotRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.disc} }

func (r *dotRenderer) Destroy() {}
