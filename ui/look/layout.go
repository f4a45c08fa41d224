package look

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// Stack is a column with a gap between its parts. Each part gets its width
// before its height is asked, as text that wraps needs it.
func Stack(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(&stack{gap: gap}, objects...)
}

type stack struct{ gap float32 }

func (s *stack) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	y := float32(0)
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		o.Move(fyne.NewPos(0, y))
		y += Fit(o, size.Width) + s.gap
	}
}

func (s *stack) MinSize(objects []fyne.CanvasObject) (size fyne.Size) {
	shown := 0
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		size.Width = max(size.Width, m.Width)
		size.Height += m.Height
		shown++
	}
	if shown > 1 {
		size.Height += s.gap * float32(shown-1)
	}
	return size
}

// Fit gives o a width and the height that it then needs, which it returns.
func Fit(o fyne.CanvasObject, width float32) float32 {
	o.Resize(fyne.NewSize(width, o.MinSize().Height))
	h := o.MinSize().Height
	o.Resize(fyne.NewSize(width, h))
	return h
}

// Row puts its parts side by side, each in the middle of the height. The part
// that stretch names by its number takes the room that is left; -1 is none.
func Row(gap float32, stretch int, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(&row{gap: gap, stretch: stretch}, objects...)
}

// RowTop is a Row whose parts stand at the top.
func RowTop(gap float32, stretch int, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(&row{gap, stretch, true}, objects...)
}

type row struct {
	gap     float32
	stretch int
	top     bool
}

func (r *row) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	spare := size.Width - r.fixed(objects)
	x := float32(0)
	for i, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		w := m.Width
		if i == r.stretch {
			w = max(0, spare)
		}
		o.Resize(fyne.NewSize(w, m.Height))
		h := o.MinSize().Height
		o.Resize(fyne.NewSize(w, h))
		y := (size.Height - h) / 2
		if r.top {
			y = 0
		}
		o.Move(fyne.NewPos(x, y))
		x += w + r.gap
	}
}

// fixed is the width of all parts but the one that stretches.
func (r *row) fixed(objects []fyne.CanvasObject) (w float32) {
	shown := 0
	for i, o := range objects {
		if !o.Visible() {
			continue
		}
		shown++
		if i != r.stretch {
			w += o.MinSize().Width
		}
	}
	return w + r.gap*float32(max(0, shown-1))
}

func (r *row) MinSize(objects []fyne.CanvasObject) (size fyne.Size) {
	size.Width = r.fixed(objects)
	for i, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		size.Height = max(size.Height, m.Height)
		if i == r.stretch {
			size.Width += min(m.Width, 4*Inner)
		}
	}
	return size
}

// Wrap puts its parts side by side and goes on in a new line where the width
// ends. The last part stands at the right end of its line, apart.
func Wrap(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(&wrap{gap: gap}, objects...)
}

type wrap struct {
	gap   float32
	width float32 // of the last layout: the height depends on it
}

func (w *wrap) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	w.width = size.Width
	w.each(objects, func(o fyne.CanvasObject, pos fyne.Position, m fyne.Size) {
		o.Resize(fyne.NewSize(min(m.Width, size.Width), m.Height))
		o.Move(pos)
	})
}

func (w *wrap) MinSize(objects []fyne.CanvasObject) (size fyne.Size) {
	w.each(objects, func(_ fyne.CanvasObject, pos fyne.Position, m fyne.Size) {
		size.Width = max(size.Width, m.Width)
		size.Height = max(size.Height, pos.Y+m.Height)
	})
	return size
}

// each says where each part stands: in lines, in the middle of its line.
func (w *wrap) each(objects []fyne.CanvasObject, place func(fyne.CanvasObject, fyne.Position, fyne.Size)) {
	y := float32(0)
	for _, line := range w.lines(objects) {
		var x, height float32
		for _, o := range line {
			height = max(height, o.MinSize().Height)
		}
		for i, o := range line {
			m := o.MinSize()
			if i == len(line)-1 && o == objects[len(objects)-1] && len(objects) > 1 {
				x = max(x, w.width-m.Width)
			}
			place(o, fyne.NewPos(x, y+(height-m.Height)/2), m)
			x += m.Width + w.gap
		}
		y += height + w.gap
	}
}

// lines shares the visible parts among lines.
func (w *wrap) lines(objects []fyne.CanvasObject) (out [][]fyne.CanvasObject) {
	x := float32(0)
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		if len(out) == 0 || x > 0 && w.width > 0 && x+m.Width > w.width {
			out, x = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], o)
		x += m.Width + w.gap
	}
	return out
}

// Gutter is the least space at the sides of a column, in pixels.
const Gutter = 16

// Column holds content at a most width, in the middle.
func Column(most float32, content fyne.CanvasObject) *fyne.Container {
	return container.New(&column{most}, content)
}

type column struct{ most float32 }

func (c *column) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	w := min(c.most, size.Width-2*Gutter)
	for _, o := range objects {
		o.Move(fyne.NewPos((size.Width-w)/2, 0))
		o.Resize(fyne.NewSize(w, size.Height))
	}
}

func (c *column) MinSize(objects []fyne.CanvasObject) (size fyne.Size) {
	for _, o := range objects {
		size = size.Max(o.MinSize())
	}
	return size.AddWidthHeight(2*Gutter, 0)
}

// Pad holds content with room around it.
func Pad(left, top, right, bottom float32, content fyne.CanvasObject) *fyne.Container {
	return container.New(&pad{left, top, right, bottom}, content)
}

type pad struct{ left, top, right, bottom float32 }

func (p *pad) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Move(fyne.NewPos(p.left, p.top))
		o.Resize(size.SubtractWidthHeight(p.left+p.right, p.top+p.bottom))
	}
}

func (p *pad) MinSize(objects []fyne.CanvasObject) (size fyne.Size) {
	for _, o := range objects {
		size = size.Max(o.MinSize())
	}
	return size.AddWidthHeight(p.left+p.right, p.top+p.bottom)
}
