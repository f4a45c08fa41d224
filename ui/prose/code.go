package prose

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/ui/look"
)

// CodeBlock shows code with its language and a button to copy it.
func CodeBlock(code, language string, grown func()) fyne.CanvasObject {
	copyIt := look.NewSmall("", theme.ContentCopyIcon(), func() { fyne.CurrentApp().Clipboard().SetContent(code) }).Named(look.L("Copy code"))
	head := look.Row(8, 0, look.NewLine(firstWord(language), look.Small), copyIt)
	lines := NewLines(Highlight(code, firstWord(language)), foldAfter, grown)
	return look.NewPanel(look.Frame{Fill: look.ColorCode, Stroke: look.ColorLine, Radius: look.Radius},
		look.Stack(0, look.Pad(12, 2, 4, 0, head), look.Pad(12, 0, 12, 8, lines)))
}

const (
	foldAfter = 40   // lines that are shown at first
	mostLines = 5000 // lines that are shown at all: the whole is there to be copied
)

// A LinesView draws lines in a fixed pitch. Long lines go on below; of many
// lines the first are shown, and the rest after a click.
type LinesView struct {
	widget.BaseWidget

	lines  []Line
	first  int // lines shown until it is opened; 0 shows all
	open   bool
	grown  func()
	more   *look.Tap
	words  *look.Text
	width  float32
	folded []Line
	drawn  []fyne.CanvasObject
}

// NewLines makes a view of lines. Grown is called when a click changed its
// height; it may be nil.
func NewLines(lines []Line, first int, grown func()) *LinesView {
	v := &LinesView{lines: lines, first: first, grown: grown}
	v.words = look.NewLabel("", look.Small)
	v.more = look.NewTap("", 4, v.words, v.unfold)
	v.ExtendBaseWidget(v)
	return v
}

// Set changes the lines.
func (v *LinesView) Set(lines []Line) {
	v.lines = lines
	v.rebuild()
	v.Refresh()
}

func (v *LinesView) unfold() {
	v.open = true
	v.rebuild()
	v.Refresh()
	if v.grown != nil {
		v.grown()
	}
}

// shown are the lines that are drawn, and how many are not.
func (v *LinesView) shown() ([]Line, int) {
	most := mostLines
	if v.first > 0 && !v.open {
		most = v.first
	}
	if len(v.folded) <= most+most/4 { // no fold for a few lines more
		return v.folded[:min(len(v.folded), mostLines)], max(0, len(v.folded)-mostLines)
	}
	return v.folded[:most], len(v.folded) - most
}

// rebuild makes the objects for the present width.
func (v *LinesView) rebuild() {
	cell := fyne.MeasureText("M", look.MonoSize, fyne.TextStyle{Monospace: true})
	v.folded = Fold(v.lines, int(max(v.width, 80)/cell.Width))
	lines, hidden := v.shown()
	v.drawn = v.drawn[:0]
	for i, l := range lines {
		v.drawLine(l, float32(i)*lineHeight, cell)
	}
	v.more.Hidden = hidden == 0
	switch {
	case hidden == 0:
	case v.open:
		v.words.Set(look.L("… {{.N}} more lines", "N", hidden), look.Small)
	default:
		v.words.Set(look.L("Show {{.N}} more lines", "N", hidden), look.Small)
	}
	v.more.Resize(v.more.MinSize())
	v.more.Move(fyne.NewPos(0, float32(len(lines))*lineHeight+2))
	v.drawn = append(v.drawn, v.more)
}

const lineHeight = 18

func (v *LinesView) drawLine(l Line, y float32, cell fyne.Size) {
	if l.Ground != Normal {
		back := canvas.NewRectangle(look.Color(ground(l.Ground)))
		back.Move(fyne.NewPos(-4, y))
		back.Resize(fyne.NewSize(v.width+8, lineHeight))
		v.drawn = append(v.drawn, back)
	}
	x := float32(0)
	for _, r := range l.Runs {
		if strings.TrimSpace(r.Text) != "" {
			t := canvas.NewText(r.Text, look.Color(ink(r.Class)))
			t.TextSize, t.TextStyle = look.MonoSize, fyne.TextStyle{Monospace: true, Bold: r.Class == Keyword}
			t.Move(fyne.NewPos(x, y+(lineHeight-cell.Height)/2))
			t.Resize(fyne.NewSize(v.width, cell.Height))
			v.drawn = append(v.drawn, t)
		}
		x += runLength(r.Text, cell.Width)
	}
}

// runLength is how wide a run is; most are plain ASCII, which need no measuring.
func runLength(s string, cell float32) float32 {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return fyne.MeasureText(s, look.MonoSize, fyne.TextStyle{Monospace: true}).Width
		}
	}
	return float32(len(s)) * cell
}

func ink(c Class) fyne.ThemeColorName {
	switch c {
	case Keyword:
		return theme.ColorNamePrimary
	case String:
		return theme.ColorNameSuccess
	case Number:
		return look.ColorAsk
	case Comment, Aside:
		return look.ColorQuiet
	}
	return theme.ColorNameForeground
}

func ground(c Class) fyne.ThemeColorName {
	if c == Removed {
		return look.ColorRemoved
	}
	return look.ColorAdded
}

// CreateRenderer implements [fyne.Widget].
func (v *LinesView) CreateRenderer() fyne.WidgetRenderer {
	v.rebuild()
	return &linesRenderer{v}
}

type linesRenderer struct{ v *LinesView }

func (r *linesRenderer) Layout(size fyne.Size) {
	if size.Width != r.v.width {
		r.v.width = size.Width
		r.v.rebuild()
	}
}

func (r *linesRenderer) MinSize() fyne.Size {
	lines, hidden := r.v.shown()
	h := float32(len(lines)) * lineHeight
	if hidden > 0 {
		h += r.v.more.MinSize().Height + 2
	}
	return fyne.NewSize(80, h)
}

func (r *linesRenderer) Refresh() {
	r.v.rebuild() // the theme may have changed
	canvas.Refresh(r.v)
}

func (r *linesRenderer) Objects() []fyne.CanvasObject { return r.v.drawn }

func (r *linesRenderer) Destroy() {}
