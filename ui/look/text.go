package look

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Style says how a text looks. The zero Style is plain text in ink.
type Style struct {
	Colour fyne.ThemeColorName
	Size   fyne.ThemeSizeName
	Bold   bool
	Mono   bool
	Italic bool
}

// The styles that come again and again.
var (
	Plain = Style{}
	Bold  = Style{Bold: true}
	Quiet = Style{Colour: ColorQuiet}
	Small = Style{Colour: ColorQuiet, Size: theme.SizeNameCaptionText}
	Mono  = Style{Mono: true}
	Title = Style{Size: theme.SizeNameHeadingText, Bold: true}
)

func (s Style) rich() widget.RichTextStyle {
	out := widget.RichTextStyle{
		ColorName: s.Colour, SizeName: s.Size, Inline: true,
		TextStyle: fyne.TextStyle{Bold: s.Bold, Monospace: s.Mono, Italic: s.Italic},
	}
	if out.ColorName == "" {
		out.ColorName = theme.ColorNameForeground
	}
	if out.SizeName == "" {
		out.SizeName = theme.SizeNameText
	}
	return out
}

// A Text is text without Fyne's padding around it, so that it lines up with the
// edge of a card.
type Text struct {
	widget.BaseWidget

	rich *widget.RichText
}

// NewText makes text that wraps at words.
func NewText(s string, style Style) *Text {
	return newText(s, style, fyne.TextWrapWord, fyne.TextTruncateOff)
}

// NewLine makes one line of text that ends in dots where it does not fit.
func NewLine(s string, style Style) *Text {
	return newText(s, style, fyne.TextWrapOff, fyne.TextTruncateEllipsis)
}

// NewLabel makes one line of text that is never cut.
func NewLabel(s string, style Style) *Text {
	return newText(s, style, fyne.TextWrapOff, fyne.TextTruncateOff)
}

// NewRich makes wrapping text of several pieces.
func NewRich(segments ...widget.RichTextSegment) *Text {
	t := &Text{rich: widget.NewRichText(segments...)}
	t.rich.Wrapping = fyne.TextWrapWord
	t.ExtendBaseWidget(t)
	return t
}

func newText(s string, style Style, wrap fyne.TextWrap, cut fyne.TextTruncation) *Text {
	t := &Text{rich: widget.NewRichText(&widget.TextSegment{Text: s, Style: style.rich()})}
	t.rich.Wrapping, t.rich.Truncation = wrap, cut
	t.ExtendBaseWidget(t)
	return t
}

// Set changes text and style of what NewText, NewLine or NewLabel made.
func (t *Text) Set(s string, style Style) {
	seg, rich := t.rich.Segments[0].(*widget.TextSegment), style.rich()
	rich.Alignment = seg.Style.Alignment
	if seg.Text == s && seg.Style == rich {
		return
	}
	seg.Text, seg.Style = s, rich
	t.rich.Refresh()
	t.Refresh()
}

// NeverCut reports whether the text neither wraps nor ends in dots.
func (t *Text) NeverCut() bool {
	return t.rich.Wrapping == fyne.TextWrapOff && t.rich.Truncation == fyne.TextTruncateOff
}

// String is the text as it is shown.
func (t *Text) String() string { return t.rich.String() }

// CreateRenderer implements [fyne.Widget].
func (t *Text) CreateRenderer() fyne.WidgetRenderer { return &textRenderer{t} }

type textRenderer struct{ t *Text }

func (r *textRenderer) Layout(size fyne.Size) {
	r.t.rich.Move(fyne.NewPos(-Inner, -Inner))
	r.t.rich.Resize(size.AddWidthHeight(2*Inner, 2*Inner))
}

func (r *textRenderer) MinSize() fyne.Size {
	m := r.t.rich.MinSize().SubtractWidthHeight(2*Inner, 2*Inner)
	return fyne.NewSize(max(0, m.Width), max(0, m.Height))
}

func (r *textRenderer) Refresh() { r.t.rich.Refresh() }

func (r *textRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.t.rich} }

func (r *textRenderer) Destroy() {}

// AccessibilityLabel implements [fyne.Accessible].
func (t *Text) AccessibilityLabel() string { return t.String() }

// AccessibilityRole implements [fyne.Accessible].
func (t *Text) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// SetAlign says where the text stands in its width.
func (t *Text) SetAlign(a fyne.TextAlign) {
	for _, s := range t.rich.Segments {
		switch s := s.(type) {
		case *widget.TextSegment:
			s.Style.Alignment = a
		case *widget.HyperlinkSegment:
			s.Alignment = a
		}
	}
	t.rich.Refresh()
}
