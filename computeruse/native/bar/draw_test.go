//go:build unix

package bar

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"os/exec"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// TestContrast measures what WCAG 2 asks: 7:1 for text, 3:1 for marks.
func TestContrast(t *testing.T) {
	for _, dark := range []bool{false, true} {
		c := colours(dark)
		for name, pair := range map[string][2]color.RGBA{"text": {c.ink, c.ground}, "button": {c.onButton, c.button}} {
			if r := contrast(pair[0], pair[1]); r < 7 {
				t.Errorf("dark %v: %s has a contrast of %.1f", dark, name, r)
			}
		}
		for tone, mark := range c.tones {
			if r := contrast(mark, c.ground); r < 3 {
				t.Errorf("dark %v: %s has a contrast of %.1f", dark, tone, r)
			}
		}
	}
}

func contrast(a, b color.RGBA) float64 {
	light := func(c color.RGBA) float64 {
		lin := func(v uint8) float64 {
			s := float64(v) / 255
			if s <= 0.04045 {
				return s / 12.92
			}
			return math.Pow((s+0.055)/1.055, 2.4)
		}
		return 0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B)
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestPaint(t *testing.T) {
	long := strings.Repeat("Das Formular wird ausgefüllt und abgeschickt. ", 10)
	for _, scale := range []float64{1, 1.25, 1.5, 2, 3} {
		for _, dark := range []bool{false, true} {
			for name, p := range map[string]wire.BarParams{
				"short":  {Text: "Klickt", Button: "Anhalten", Tone: "working"},
				"long":   {Text: long, Button: "Anhalten", Tone: "waiting"},
				"alone":  {Text: "Angehalten", Tone: "paused"},
				"script": {Text: "正在填写表格 · フォーム入力中 · Форма", Button: "暂停"},
			} {
				most := int(maxWidth * scale)
				pic := paint(t.Context(), p, most, scale, dark)
				shot(t, fmt.Sprintf("%s-%v-%v.png", name, scale, dark), pic.img)
				size := pic.img.Bounds().Size()
				if size.X > most || size.Y != int(math.Round(height*scale)) {
					t.Errorf("%s at %v: %v", name, scale, size)
				}
				if pic.button.Empty() != (p.Button == "") || !pic.button.In(pic.img.Bounds()) {
					t.Errorf("%s at %v: the button is at %v", name, scale, pic.button)
				}
				if ink := inked(pic, colours(dark).ink); ink < int(15*scale) {
					t.Errorf("%s at %v: only %d pixels of text", name, scale, ink)
				}
			}
		}
	}
}

// inked counts the pixels of a colour.
func inked(p picture, c color.RGBA) (n int) {
	for y := range p.img.Bounds().Dy() {
		for x := range p.img.Bounds().Dx() {
			if p.img.RGBAAt(x, y) == c {
				n++
			}
		}
	}
	return n
}

// TestLettersOfOtherFonts: the languages of the windows can be read.
func TestLettersOfOtherFonts(t *testing.T) {
	if _, err := exec.LookPath("fc-match"); err != nil {
		t.Skip("fontconfig is not installed")
	}
	const s = "Ünïcødé Ελληνικά Русский 正在填写 フォーム"
	f := fontFor(t.Context(), s, letters)
	defer f.close()
	for _, r := range s {
		if r != ' ' && !f.of(r).has(r) {
			t.Errorf("no font has %c", r)
		}
	}
}

// FuzzPaint: whatever the text, the strip stays within its width and its parts
// within the strip.
func FuzzPaint(f *testing.F) {
	f.Add("working on it", "Pause", "working", 900, 1.0)
	f.Add("\xff\x00\n𝔘\u202e", strings.Repeat("x", maxButton), "", 100, 4.0)
	f.Fuzz(func(t *testing.T, text, button, tone string, most int, scale float64) {
		if len(text) > maxText || len(button) > maxButton || most < 1 || most > 4000 || !(scale >= 1 && scale <= mostScale) {
			t.Skip()
		}
		ascii := func(s string) string { // so that no other program is asked for each
			return strings.Map(func(r rune) rune { return r & 0x7f }, s)
		}
		p := paint(t.Context(), wire.BarParams{Text: ascii(text), Button: ascii(button), Tone: tone}, most, scale, true)
		if p.img.Bounds().Dx() > most {
			t.Errorf("%v is wider than %d", p.img.Bounds(), most)
		}
		for _, r := range p.outline() {
			if !r.In(p.img.Bounds()) {
				t.Errorf("%v lies outside %v", r, p.img.Bounds())
			}
		}
		if !p.button.In(p.img.Bounds()) && p.button != (image.Rectangle{}) {
			t.Errorf("the button %v lies outside %v", p.button, p.img.Bounds())
		}
	})
}
