package look

import (
	"image/color"
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// TestDesign holds the tones that the design gives.
func TestDesign(t *testing.T) {
	for name, tt := range map[string]struct {
		got  tones
		want [11]uint32 // ground, panel, card, ink, quiet, line, accent, ask, ask card, bad, good
	}{
		"light": {light, [11]uint32{0xf7f6f3, 0xefede8, 0xffffff, 0x23211e, 0x75706a, 0xddd9d2, 0x2f6f5e, 0xb4690e, 0xfdf3e2, 0xb3372f, 0x2f7d4f}},
		"dark":  {dark, [11]uint32{0x1d1c1a, 0x252422, 0x2c2a28, 0xece8e1, 0xa19a90, 0x3b3936, 0x67b39d, 0xe2a04a, 0x3a2f1e, 0xe0766d, 0x6fbf8b}},
	} {
		p := tt.got
		for i, got := range []color.NRGBA{p.ground, p.panel, p.card, p.ink, p.quiet, p.line, p.accent, p.ask, p.askCard, p.bad, p.good} {
			if got != rgb(tt.want[i]) {
				t.Errorf("%s: tone %d is %v, want %v", name, i, got, rgb(tt.want[i]))
			}
		}
	}
}

// TestContrast holds every text on every ground at 4.5:1 (WCAG 2.2, 1.4.3,
// level AA), and what is no text but tells something at 3:1 (1.4.11).
func TestContrast(t *testing.T) {
	text := []fyne.ThemeColorName{
		theme.ColorNameForeground, ColorQuiet, ColorAsk, theme.ColorNamePrimary, theme.ColorNameHyperlink,
		theme.ColorNameError, theme.ColorNameSuccess, theme.ColorNameWarning, theme.ColorNamePlaceHolder, theme.ColorNameDisabled,
	}
	marks := []fyne.ThemeColorName{ColorMark, ColorAskLine, ColorBad, ColorGood}
	grounds := []fyne.ThemeColorName{
		theme.ColorNameBackground, ColorPanel, ColorCard, ColorAskCard, ColorCode, ColorAdded, ColorRemoved,
		theme.ColorNameInputBackground, theme.ColorNameMenuBackground, theme.ColorNameOverlayBackground, theme.ColorNameButton, theme.ColorNameDisabledButton,
	}
	for name, v := range map[string]fyne.ThemeVariant{"light": theme.VariantLight, "dark": theme.VariantDark} {
		th := &Theme{}
		check := func(on, ground fyne.ThemeColorName, least float64) {
			if r := ratio(th.Color(on, v), th.Color(ground, v)); r < least {
				t.Errorf("%s: %s on %s has contrast %.2f, want at least %.1f", name, on, ground, r, least)
			}
		}
		for _, g := range grounds {
			for _, c := range text {
				check(c, g, 4.5)
			}
			for _, c := range marks {
				check(c, g, 3)
			}
		}
		check(theme.ColorNameForegroundOnPrimary, theme.ColorNamePrimary, 4.5)
	}
}

func ratio(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		f := float64(v) / 0xffff
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

// TestForce holds that a forced variant wins over the system's.
func TestForce(t *testing.T) {
	v := theme.VariantDark
	th := &Theme{Force: &v}
	if got := th.Color(theme.ColorNameBackground, theme.VariantLight); got != color.Color(dark.ground) {
		t.Errorf("ground = %v, want the dark one", got)
	}
}
