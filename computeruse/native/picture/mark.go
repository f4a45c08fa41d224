package picture

import (
	"image"
	"image/color"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// The colours of what is drawn in: each with a rim of the other kind, to be
// seen on any ground.
var (
	markColour  = color.RGBA{0xd0, 0x20, 0x70, 0xff}
	pointColour = color.RGBA{0xff, 0x30, 0x20, 0xff}
	rim         = color.RGBA{0xff, 0xff, 0xff, 0xff}
)

// Draw draws marks and an executed point into a picture of box.
func Draw(pix *image.RGBA, box wire.Box, marks []wire.Mark, point *wire.Point) {
	sent := wire.Size{W: pix.Bounds().Dx(), H: pix.Bounds().Dy()}
	for _, m := range marks {
		drawMark(pix, rectOf(m.Box, box, sent), m.Label)
	}
	if point != nil {
		at := box.Pixel(*point, sent)
		drawRing(pix, image.Pt(at.X, at.Y))
	}
}

// rectOf is where a box of the desktop is seen in a picture of box.
func rectOf(b, box wire.Box, sent wire.Size) image.Rectangle {
	first := box.Pixel(wire.Point{X: b.X, Y: b.Y}, sent)
	last := box.Pixel(wire.Point{X: b.X + b.W - 1, Y: b.Y + b.H - 1}, sent)
	return image.Rect(first.X, first.Y, last.X+1, last.Y+1)
}

func fill(pix *image.RGBA, r image.Rectangle, c color.Color) {
	draw.Draw(pix, r, image.NewUniform(c), image.Point{}, draw.Src)
}

func drawMark(pix *image.RGBA, r image.Rectangle, label string) {
	for i, c := range []color.Color{rim, markColour} { // the rim outside
		f := r.Inset(i - 1)
		fill(pix, image.Rect(f.Min.X, f.Min.Y, f.Max.X, f.Min.Y+1), c)
		fill(pix, image.Rect(f.Min.X, f.Max.Y-1, f.Max.X, f.Max.Y), c)
		fill(pix, image.Rect(f.Min.X, f.Min.Y, f.Min.X+1, f.Max.Y), c)
		fill(pix, image.Rect(f.Max.X-1, f.Min.Y, f.Max.X, f.Max.Y), c)
	}
	if label != "" {
		drawLabel(pix, r, label)
	}
}

// drawLabel writes above the upper left corner of a mark, or within it where
// there is no room above.
func drawLabel(pix *image.RGBA, r image.Rectangle, label string) {
	face := basicfont.Face7x13
	w := font.MeasureString(face, label).Ceil() + 2
	at := image.Rect(r.Min.X, r.Min.Y-face.Height, r.Min.X+w, r.Min.Y)
	if b := pix.Bounds(); at.Min.Y < b.Min.Y {
		at = at.Add(image.Pt(0, face.Height))
	}
	if over := at.Max.X - pix.Bounds().Max.X; over > 0 {
		at = at.Sub(image.Pt(over, 0))
	}
	fill(pix, at, markColour)
	d := font.Drawer{Dst: pix, Src: image.NewUniform(rim), Face: face, Dot: fixed.P(at.Min.X+1, at.Min.Y+face.Ascent)}
	d.DrawString(label)
}

// The ring leaves its middle free: what was clicked stays to be seen.
const (
	ringInner = 9
	ringOuter = 12
)

func drawRing(pix *image.RGBA, at image.Point) {
	for y := -ringOuter - 1; y <= ringOuter+1; y++ {
		for x := -ringOuter - 1; x <= ringOuter+1; x++ {
			d := x*x + y*y
			switch p := at.Add(image.Pt(x, y)); {
			case !p.In(pix.Bounds()):
			case d >= ringInner*ringInner && d <= ringOuter*ringOuter:
				pix.SetRGBA(p.X, p.Y, pointColour)
			case d > ringOuter*ringOuter && d <= (ringOuter+1)*(ringOuter+1), d < ringInner*ringInner && d >= (ringInner-1)*(ringInner-1):
				pix.SetRGBA(p.X, p.Y, rim)
			}
		}
	}
	fill(pix, image.Rectangle{at, at.Add(image.Pt(1, 1))}, pointColour)
}
