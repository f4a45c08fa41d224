// Package look is how Hobkin looks: its colours, sizes, words and a few small
// widgets on top of Fyne's. Every other package of the window draws with it.
package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// The colours of our own, beside those that Fyne names.
const (
	ColorPanel   fyne.ThemeColorName = "hobkin.panel"
	ColorCard    fyne.ThemeColorName = "hobkin.card"
	ColorQuiet   fyne.ThemeColorName = "hobkin.quiet" // quiet text
	ColorLine    fyne.ThemeColorName = "hobkin.line"
	ColorAsk     fyne.ThemeColorName = "hobkin.ask"     // text that asks
	ColorAskLine fyne.ThemeColorName = "hobkin.askline" // the line around a question
	ColorAskCard fyne.ThemeColorName = "hobkin.askcard"
	ColorBad     fyne.ThemeColorName = "hobkin.bad"
	ColorGood    fyne.ThemeColorName = "hobkin.good"
	ColorMark    fyne.ThemeColorName = "hobkin.mark" // quiet dots, which are no text
	ColorCode    fyne.ThemeColorName = "hobkin.code"
	ColorAdded   fyne.ThemeColorName = "hobkin.added"
	ColorRemoved fyne.ThemeColorName = "hobkin.removed"
)

// tones is one variant of the colours. The design's tones stand as they are
// where they fill or draw a line. Where one would fall below a contrast of 4.5
// as text, on any ground that text stands on, the text has a tone of its own,
// the nearest that passes: see the names that end in Text.
type tones struct {
	ground, panel, card, code, added, removed, askCard color.NRGBA // grounds

	ink, accent, onAccent, bad                 color.NRGBA
	quiet, quietText, ask, askText, good, line color.NRGBA
	goodText, badText, shade                   color.NRGBA
}

var light = tones{
	ground: rgb(0xf7f6f3), panel: rgb(0xefede8), card: rgb(0xffffff), code: rgb(0xf1efeb), added: rgb(0xe3f3e6), removed: rgb(0xfbe6e4), askCard: rgb(0xfdf3e2),
	ink: rgb(0x23211e), accent: rgb(0x2f6f5e), onAccent: rgb(0xffffff), bad: rgb(0xb3372f), badText: rgb(0xb3372f),
	quiet: rgb(0x75706a), quietText: rgb(0x6b655f), ask: rgb(0xb4690e), askText: rgb(0x985707), good: rgb(0x2f7d4f), goodText: rgb(0x2c764a), line: rgb(0xddd9d2), shade: rgb(0x23211e),
}

var dark = tones{
	ground: rgb(0x1d1c1a), panel: rgb(0x252422), card: rgb(0x2c2a28), code: rgb(0x242220), added: rgb(0x21382a), removed: rgb(0x43292a), askCard: rgb(0x3a2f1e),
	ink: rgb(0xece8e1), accent: rgb(0x67b39d), onAccent: rgb(0x10201b), bad: rgb(0xe0766d), badText: rgb(0xe58a82),
	quiet: rgb(0xa19a90), quietText: rgb(0xa19a90), ask: rgb(0xe2a04a), askText: rgb(0xe2a04a), good: rgb(0x6fbf8b), goodText: rgb(0x6fbf8b), line: rgb(0x3b3936), shade: rgb(0x000000),
}

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

func thin(c color.NRGBA, a uint8) color.NRGBA {
	c.A = a
	return c
}

var lightNames, darkNames = light.names(), dark.names()

// names says which tone a name of Fyne's or of ours has.
func (p *tones) names() map[fyne.ThemeColorName]color.Color {
	return map[fyne.ThemeColorName]color.Color{
		theme.ColorNameBackground: p.ground, theme.ColorNameForeground: p.ink,
		theme.ColorNameButton: p.card, theme.ColorNameDisabledButton: p.panel, theme.ColorNameDisabled: p.quietText,
		theme.ColorNamePrimary: p.accent, theme.ColorNameForegroundOnPrimary: p.onAccent, theme.ColorNameHyperlink: p.accent,
		theme.ColorNamePlaceHolder: p.quietText, theme.ColorNameInputBackground: p.card, theme.ColorNameInputBorder: p.line,
		theme.ColorNameSeparator: p.line, theme.ColorNameHover: thin(p.ink, 0x10), theme.ColorNamePressed: thin(p.ink, 0x1c), theme.ColorNameFocus: thin(p.accent, 0x30),
		theme.ColorNameError: p.badText, theme.ColorNameSuccess: p.goodText, theme.ColorNameWarning: p.askText,
		theme.ColorNameMenuBackground: p.card, theme.ColorNameOverlayBackground: p.card, theme.ColorNameHeaderBackground: p.panel,
		theme.ColorNameSelection: thin(p.accent, 0x40), theme.ColorNameShadow: thin(p.shade, 0x30),
		theme.ColorNameScrollBar: thin(p.quiet, 0x90), theme.ColorNameScrollBarBackground: color.Transparent,
		ColorPanel: p.panel, ColorCard: p.card, ColorQuiet: p.quietText, ColorMark: p.quiet, ColorLine: p.line,
		ColorAsk: p.askText, ColorAskLine: p.ask, ColorAskCard: p.askCard, ColorBad: p.bad, ColorGood: p.good,
		ColorCode: p.code, ColorAdded: p.added, ColorRemoved: p.removed,
	}
}

// A Theme is Hobkin's theme.
type Theme struct {
	Force *fyne.ThemeVariant // nil follows the system
}

// Color implements [fyne.Theme].
func (t *Theme) Color(name fyne.ThemeColorName, variant fyne.ThemeVariant) color.Color {
	if t.Force != nil {
		variant = *t.Force
	}
	names := darkNames
	if variant == theme.VariantLight {
		names = lightNames
	}
	if c, ok := names[name]; ok {
		return c
	}
	return theme.DefaultTheme().Color(name, variant)
}

// Font implements [fyne.Theme].
func (*Theme) Font(s fyne.TextStyle) fyne.Resource { return theme.DefaultTheme().Font(s) }

// Icon implements [fyne.Theme].
func (*Theme) Icon(n fyne.ThemeIconName) fyne.Resource { return theme.DefaultTheme().Icon(n) }

// Size implements [fyne.Theme]: 14 px text, 12 px quiet facts, steps of 4 px.
func (*Theme) Size(n fyne.ThemeSizeName) float32 {
	switch n {
	case theme.SizeNameText:
		return TextSize
	case theme.SizeNameCaptionText:
		return SmallSize
	case theme.SizeNameHeadingText:
		return 20
	case theme.SizeNameSubHeadingText:
		return 16
	case theme.SizeNameInputRadius, theme.SizeNameSelectionRadius, theme.SizeNameButtonRadius, theme.SizeNameMenuRadius, theme.SizeNamePopupRadius:
		return 8
	case theme.SizeNameCardRadius, theme.SizeNameDialogRadius:
		return Radius
	case theme.SizeNameInnerPadding:
		return Inner
	case theme.SizeNamePadding:
		return Step
	case theme.SizeNameInputBorder:
		return 1
	}
	return theme.DefaultTheme().Size(n)
}

// Sizes, in pixels at a scale of 100 %.
const (
	TextSize  = 14
	SmallSize = 12
	MonoSize  = 12.5
	Radius    = 10 // corners of a card
	Step      = 4  // distances are multiples of it
	Inner     = 8  // Fyne's padding around text
)

// Color returns a colour of the theme that is in use.
func Color(name fyne.ThemeColorName) color.Color {
	set := fyne.CurrentApp().Settings()
	return set.Theme().Color(name, set.ThemeVariant())
}
