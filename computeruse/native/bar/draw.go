package bar

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Sizes in pixels at 100 %. The letters are as large as those of panels and
// title bars.
const (
	height   = 34
	maxWidth = 900
	letters  = 14 // the em of the font
	pad      = 14 // between the parts
	dot      = 10 // the round mark
	corner   = 8
	inset    = 5 // of the button within the strip
)

// A palette is the colours of one theme. Text and ground differ by at least
// 7:1, as WCAG asks of text that all must read; the tests measure it.
type palette struct {
	ground, ink, line, button, onButton color.RGBA
	tones                               map[string]color.RGBA
}

func rgb(v uint32) color.RGBA {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff} //nolint:gosec // the bytes of a colour
}

// colours are those of the windows, see ui/look.
func colours(dark bool) palette {
	if dark {
		return palette{
			ground: rgb(0x1d1c1a), ink: rgb(0xece8e1), line: rgb(0x5a5651), button: rgb(0x7cc4af), onButton: rgb(0x10201b),
			tones: map[string]color.RGBA{"working": rgb(0x67b39d), "waiting": rgb(0xe2a04a), "paused": rgb(0xe0766d)},
		}
	}
	return palette{
		ground: rgb(0xf7f6f3), ink: rgb(0x23211e), line: rgb(0xa9a49c), button: rgb(0x24564a), onButton: rgb(0xffffff),
		tones: map[string]color.RGBA{"working": rgb(0x2f6f5e), "waiting": rgb(0xb4690e), "paused": rgb(0xb3372f)},
	}
}

func toned(tone string) bool { _, ok := colours(false).tones[tone]; return ok }

// A picture is what the strip shows.
type picture struct {
	img    *image.RGBA
	button image.Rectangle // empty: it has none
	corner int
}

// paint draws the strip, at most as wide as most: a longer text is cut.
func paint(ctx context.Context, p wire.BarParams, most int, scale float64, dark bool) picture {
	px := func(v float64) int { return int(math.Round(v * scale)) }
	c := colours(dark)
	button := line(p.Button)
	f := fontFor(ctx, line(p.Text)+button, letters*scale)
	defer f.close()

	bw := 0
	if button = f.cut(button, most/3); button != "" { // more is for the text
		bw = f.width(button) + 2*px(pad)
	}
	fixedWidth := px(pad) + px(dot) + px(pad) + px(pad)
	if bw > 0 {
		fixedWidth += bw + px(inset)
	}
	text := f.cut(line(p.Text), most-fixedWidth)
	w, h := min(fixedWidth+f.width(text), most), px(height)

	img := image.NewRGBA(image.Rect(0, 0, w, h))
	pic := picture{img: img, corner: px(corner)}
	draw.Draw(img, img.Bounds(), image.NewUniform(c.line), image.Point{}, draw.Src)
	for _, r := range spans(image.Rect(1, 0, w-1, h-1), pic.corner-1) {
		draw.Draw(img, r, image.NewUniform(c.ground), image.Point{}, draw.Src)
	}
	tone, ok := c.tones[p.Tone]
	if !ok {
		tone = c.tones["working"]
	}
	disc(img, image.Pt(px(pad)+px(dot)/2, h/2), float64(px(dot))/2, tone) // the middle
	f.draw(img, text, px(pad)+px(dot)+px(pad), h, c.ink)
	if bw > 0 {
		pic.button = image.Rect(w-px(inset)-bw, px(inset), w-px(inset), h-px(inset)).Intersect(img.Bounds())
		for _, r := range spans(pic.button, px(corner/2)) { // rounder than the strip it is in
			draw.Draw(img, r, image.NewUniform(c.button), image.Point{}, draw.Src)
		}
		f.draw(img, button, pic.button.Min.X+px(pad), h, c.onButton)
	}
	return pic
}

// line makes one line of a text.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.Join(strings.Fields(s), " ")
}

// outline is the shape of the strip: its lower corners are round.
func (p picture) outline() []image.Rectangle { return spans(p.img.Bounds(), p.corner) }

// spans are a rectangle with round lower corners, row by row where they are.
func spans(r image.Rectangle, radius int) []image.Rectangle {
	radius = min(radius, r.Dy(), r.Dx()/2) // two corners in a row
	out := []image.Rectangle{image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Max.Y-radius)}
	for i := range radius {
		y := float64(i) + 0.5 // the middle of the row
		in := radius - int(math.Round(math.Sqrt(float64(radius*radius)-y*y)))
		top := r.Max.Y - radius + i
		out = append(out, image.Rect(r.Min.X+in, top, r.Max.X-in, top+1))
	}
	return out
}

// disc draws a round mark with soft edges.
func disc(img *image.RGBA, at image.Point, radius float64, c color.RGBA) {
	n := int(radius) + 1
	for y := -n; y <= n; y++ {
		for x := -n; x <= n; x++ {
			cover := min(max(radius+0.5-math.Hypot(float64(x), float64(y)), 0), 1) // half a pixel
			p := img.RGBAAt(at.X+x, at.Y+y)
			mix := func(a, b uint8) uint8 { return uint8(float64(a)*cover + float64(b)*(1-cover)) }
			img.SetRGBA(at.X+x, at.Y+y, color.RGBA{mix(c.R, p.R), mix(c.G, p.G), mix(c.B, p.B), 0xff})
		}
	}
}

// A typeface draws text of which some letters may be from another font.
type typeface struct {
	faces []*face
}

// draw draws s in the middle of a strip of height h.
func (t *typeface) draw(img *image.RGBA, s string, x, h int, c color.RGBA) {
	m := t.faces[0].Metrics()
	base := (fixed.I(h) + m.Ascent - m.Descent) / 2 // the middle
	d := font.Drawer{Dst: img, Src: image.NewUniform(c), Dot: fixed.Point26_6{X: fixed.I(x), Y: base}}
	for _, r := range s {
		d.Face = t.of(r)
		d.DrawString(string(r))
	}
}

func (t *typeface) width(s string) int {
	var w fixed.Int26_6
	for _, r := range s {
		a, _ := t.of(r).GlyphAdvance(r)
		w += a
	}
	return w.Ceil()
}

// cut shortens s to a width.
func (t *typeface) cut(s string, most int) string {
	if t.width(s) <= most {
		return s
	}
	for runes := []rune(s); len(runes) > 0; runes = runes[:len(runes)-1] {
		if short := strings.TrimSpace(string(runes)) + "…"; t.width(short) <= most {
			return short
		}
	}
	return ""
}
