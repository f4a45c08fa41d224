package prose

import (
	"io/fs"
	"os"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"

	"github.com/hobkin/hobkin/ui/look"
)

// mostRows bounds the rows of a table that are drawn.
const mostRows = 200

// table draws a table: columns as wide as they need, narrower together where
// that is too much, with lines between the rows.
func table(t *Table) fyne.CanvasObject {
	l := &tableLayout{align: t.Align}
	var objects []fyne.CanvasObject
	for i, row := range t.Rows[:min(len(t.Rows), mostRows)] {
		line := canvas.NewRectangle(look.Color(look.ColorLine))
		line.Hidden = i == 0
		objects = append(objects, line)
		for c, cell := range row {
			if i == 0 {
				cell = slices.Clone(cell)
				for j := range cell {
					cell[j].Bold = true
				}
			}
			l.see(c, cell)
			o := look.NewRich(Segments(Block{Spans: cell})...)
			o.SetAlign(fyneAlign(t.Align[c]))
			objects = append(objects, o)
		}
	}
	return look.NewPanel(look.Frame{Stroke: look.ColorLine, Radius: look.Radius, PadX: 0, PadY: 0}, container.New(l, objects...))
}

func fyneAlign(a Align) fyne.TextAlign {
	switch a {
	case Middle:
		return fyne.TextAlignCenter
	case Right:
		return fyne.TextAlignTrailing
	}
	return fyne.TextAlignLeading
}

// tableLayout lays out rows of a line and its cells.
type tableLayout struct {
	align  []Align
	wanted []float32 // width of each column on one line
	height float32   // of the last layout
}

const (
	cellX, cellY = 10, 6
	leastColumn  = 48
)

// see takes in how wide a cell would be on one line.
func (l *tableLayout) see(column int, cell []Span) {
	for len(l.wanted) <= column {
		l.wanted = append(l.wanted, leastColumn)
	}
	w := float32(2 * cellX)
	for _, s := range cell {
		w += fyne.MeasureText(s.Text, look.TextSize, fyne.TextStyle{Bold: s.Bold, Monospace: s.Mono}).Width
	}
	const rounding = 2
	l.wanted[column] = max(l.wanted[column], w+rounding)
}

// widths shares a width among the columns: those that want no more than an
// equal part of what is left get it whole.
func (l *tableLayout) widths(all float32) []float32 {
	out := make([]float32, len(l.wanted))
	open, left := len(l.wanted), all
	for again := true; again && open > 0; {
		again = false
		part := left / float32(open)
		for i, w := range l.wanted {
			if out[i] == 0 && w <= part {
				out[i], left, open, again = w, left-w, open-1, true
			}
		}
	}
	for i := range out {
		if out[i] == 0 {
			out[i] = left / float32(open)
		}
	}
	if open == 0 && len(out) > 0 {
		out[len(out)-1] += left
	}
	return out
}

func (l *tableLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	widths := l.widths(size.Width)
	y := float32(0)
	for at := 0; at < len(objects); at += 1 + len(widths) {
		line, cells := objects[at], objects[at+1:at+1+len(widths)]
		line.Move(fyne.NewPos(0, y))
		line.Resize(fyne.NewSize(size.Width, 1))
		x, h := float32(0), float32(0)
		for c, o := range cells {
			o.Move(fyne.NewPos(x+cellX, y+cellY))
			h = max(h, look.Fit(o, max(1, widths[c]-2*cellX)))
			x += widths[c]
		}
		y += h + 2*cellY
	}
	l.height = y
}

func (l *tableLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(float32(len(l.wanted))*leastColumn, l.height)
}

// maxPicture bounds the file of a picture, in bytes.
const maxPicture = 20 << 20

// picture draws a picture file of this machine; what is none is named.
func picture(b Block) fyne.CanvasObject {
	info, err := os.Stat(b.Text)
	if err != nil || info.Mode().Type() != fs.FileMode(0) || info.Size() > maxPicture {
		return look.NewText(b.Text, look.Quiet)
	}
	img := canvas.NewImageFromFile(b.Text)
	img.FillMode = canvas.ImageFillContain
	return container.New(pictureLayout{img}, img)
}

// pictureLayout shows a picture as wide as there is room, at most its own size.
type pictureLayout struct{ img *canvas.Image }

func (l pictureLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Resize(size)
}

func (l pictureLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	const height = 320
	return fyne.NewSize(80, height)
}
