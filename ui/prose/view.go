package prose

import (
	"net/url"
	"reflect"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/ui/look"
)

// A View draws a text in Markdown. Blocks that stay the same keep their
// widgets while the text grows.
type View struct {
	widget.BaseWidget

	// Grown is called when a click changed the height; may be nil.
	Grown func()

	cut    Cut
	blocks []Block
	tail   *look.Text // the growing end as text
	code   *LinesView // or as code
	body   *fyne.Container
	shown  string
	live   bool
}

// NewView makes an empty view.
func NewView(grown func()) *View {
	v := &View{Grown: grown}
	v.body = container.New(&blocksLayout{v})
	v.ExtendBaseWidget(v)
	return v
}

// CreateRenderer implements [fyne.Widget].
func (v *View) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(v.body) }

// Set shows a text; live says that it still grows, so that only what is
// finished of it is read as Markdown.
func (v *View) Set(s string, live bool) {
	if s == v.shown && live == v.live {
		return
	}
	cut := Cut{Done: s}
	if live {
		cut = Split(s)
	}
	if cut.Done != v.cut.Done || v.shown == "" {
		v.setBlocks(Parse(cut.Done))
	}
	v.cut, v.shown, v.live = cut, s, live
	v.setTail()
	v.body.Refresh()
}

func (v *View) setBlocks(blocks []Block) {
	same := 0
	for same < len(blocks) && same < len(v.blocks) && reflect.DeepEqual(blocks[same], v.blocks[same]) {
		same++
	}
	objects := slices.Clone(v.body.Objects[:same])
	for _, b := range blocks[same:] {
		objects = append(objects, v.draw(b))
	}
	v.blocks, v.body.Objects = blocks, objects
}

// setTail puts the growing end behind the blocks.
func (v *View) setTail() {
	objects := v.body.Objects[:len(v.blocks)]
	switch {
	case v.cut.Tail == "":
		v.tail, v.code = nil, nil
	case v.cut.Fence:
		if v.code == nil {
			v.code, v.tail = NewLines(nil, 0, v.Grown), nil
		}
		v.code.Set(Plain(v.cut.Tail))
		objects = append(objects, look.NewPanel(look.Frame{Fill: look.ColorCode, Radius: look.Radius, PadX: 12, PadY: 8}, v.code))
	default:
		if v.tail == nil {
			v.tail, v.code = look.NewText("", look.Plain), nil
		}
		v.tail.Set(v.cut.Tail, look.Plain)
		objects = append(objects, v.tail)
	}
	v.body.Objects = objects
}

func (v *View) draw(b Block) fyne.CanvasObject {
	var o fyne.CanvasObject
	switch b.Kind {
	case Code:
		o = CodeBlock(b.Text, b.Lang, v.Grown)
	case Rule:
		o = look.Pad(0, 4, 0, 4, widget.NewSeparator())
	case Grid:
		o = table(b.Table)
	case Picture:
		o = picture(b)
	default:
		o = look.NewRich(Segments(b)...)
	}
	if b.Depth == 0 && b.Quote == 0 {
		return o
	}
	in := &inner{quotes: b.Quote, left: float32(b.Quote)*quoteStep + float32(b.Depth)*itemStep}
	parts := []fyne.CanvasObject{o}
	for range b.Quote {
		bar := canvas.NewRectangle(look.Color(look.ColorLine))
		parts = append(parts, bar)
	}
	if b.Marker != "" {
		in.marker = Marker(b.Marker)
		parts = append(parts, in.marker)
	}
	return container.New(in, parts...)
}

// Marker is what stands before an item. The boxes are drawn: fonts have them as
// coloured pictures, or not at all.
func Marker(s string) fyne.CanvasObject {
	switch s {
	case Ticked:
		return look.Sign(theme.CheckButtonCheckedIcon(), look.ColorQuiet)
	case Open:
		return look.Sign(theme.CheckButtonIcon(), look.ColorQuiet)
	}
	return look.NewLabel(s, look.Quiet)
}

// Segments are the runs of a paragraph or heading for Fyne.
func Segments(b Block) []widget.RichTextSegment {
	size := theme.SizeNameText
	switch {
	case b.Kind == Heading && b.Level == 1:
		size = theme.SizeNameHeadingText
	case b.Kind == Heading && b.Level == 2:
		size = theme.SizeNameSubHeadingText
	}
	var out []widget.RichTextSegment
	for _, s := range b.Spans {
		style := fyne.TextStyle{Bold: s.Bold || b.Kind == Heading, Italic: s.Italic, Monospace: s.Mono, Strikethrough: s.Strike}
		if u, err := url.Parse(s.Link); s.Link != "" && err == nil {
			out = append(out, &widget.HyperlinkSegment{Text: s.Text, URL: u, TextStyle: style, SizeName: size})
			continue
		}
		rich := widget.RichTextStyleInline
		if s.Mono {
			rich = widget.RichTextStyleCodeInline
		}
		rich.TextStyle, rich.SizeName = style, size
		if b.Quote > 0 {
			rich.ColorName = look.ColorQuiet
		}
		out = append(out, &widget.TextSegment{Text: s.Text, Style: rich})
	}
	return out
}

const (
	itemStep  = 20 // each list moves its items to the right
	quoteStep = 14
)

// inner moves a block to the right, with its marker and its bars before it.
type inner struct {
	quotes int
	left   float32
	marker fyne.CanvasObject
}

func (l *inner) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Move(fyne.NewPos(l.left, 0))
	h := look.Fit(objects[0], size.Width-l.left)
	for i := range l.quotes {
		bar := objects[1+i]
		bar.Move(fyne.NewPos(float32(i)*quoteStep, 0))
		bar.Resize(fyne.NewSize(3, h))
	}
	if l.marker != nil {
		m := l.marker.MinSize()
		l.marker.Resize(m)
		l.marker.Move(fyne.NewPos(max(0, l.left-m.Width-6), 0))
	}
}

func (l *inner) MinSize(objects []fyne.CanvasObject) fyne.Size {
	m := objects[0].MinSize()
	if l.marker != nil {
		m.Height = max(m.Height, l.marker.MinSize().Height)
	}
	return m.AddWidthHeight(l.left, 0)
}

// blocksLayout is the column of blocks.
type blocksLayout struct{ v *View }

func (l *blocksLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	y := float32(0)
	for i, o := range objects {
		y += l.gap(i)
		o.Move(fyne.NewPos(0, y))
		y += look.Fit(o, size.Width)
	}
}

func (l *blocksLayout) MinSize(objects []fyne.CanvasObject) (size fyne.Size) {
	for i, o := range objects {
		m := o.MinSize()
		size.Width = max(size.Width, m.Width)
		size.Height += m.Height + l.gap(i)
	}
	return size
}

// gap is the room above block i.
func (l *blocksLayout) gap(i int) float32 {
	switch {
	case i == 0:
		return 0
	case i >= len(l.v.blocks):
		return 8
	case l.v.blocks[i].Kind == Heading:
		return 12
	case l.v.blocks[i].Depth > 0 && l.v.blocks[i-1].Depth > 0:
		return 4
	}
	return 8
}
