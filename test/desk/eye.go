package desk

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
)

// Say types a message into the chat and sends it.
func (d *Desk) Say(text string) {
	d.Type(text)
	d.Key("Return")
}

// The colours of the light theme by which a card and its button are found on
// the screen, see ui/look.
var (
	accent  = color.NRGBA{0x2f, 0x6f, 0x5e, 0xff}
	askCard = color.NRGBA{0xfd, 0xf3, 0xe2, 0xff}
)

// Card waits for an approval card on the screen and returns the middle of its
// accent button, Allow once.
func (d *Desk) Card() (at image.Point) {
	d.tb.Helper()
	d.Until("an approval's button on the screen", func() (ok bool) {
		at, ok = d.button()
		return ok
	})
	return at
}

// Allow presses the button of an approval card by pointer, after the card's
// quiet period. Like a person it waits until the card stands still, and presses
// again when it is still there long after: on a busy machine the screen can show
// the card of before.
func (d *Desk) Allow() {
	d.tb.Helper()
	at := d.Card()
	d.Until("the approval card to take a press", func() bool {
		d.must("sleep", "0.7") // a click within half a second is ignored on purpose
		now, there := d.button()
		if !there || now != at {
			at = now
			return false
		}
		d.Click(at.X, at.Y)
		for range 50 {
			if now, there := d.button(); !there || now != at {
				return true
			}
		}
		return false
	})
}

// button finds the middle of an accent button that stands on the ask colour.
func (d *Desk) button() (image.Point, bool) {
	path := filepath.Join(d.dir, "eye.png")
	d.Screenshot(path)
	f, err := os.Open(path)
	if err != nil {
		return image.Point{}, false
	}
	defer func() { _ = f.Close() }()
	img, err := png.Decode(f)
	if err != nil {
		return image.Point{}, false
	}
	is := func(x, y int, want color.NRGBA) bool {
		return color.NRGBAModel.Convert(img.At(x, y)) == want
	}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if !is(x, y, accent) {
				continue
			}
			run := 0
			for x+run < b.Max.X && is(x+run, y, accent) {
				run++
			}
			if run > minButton && onCard(is, x, y) {
				return image.Pt(x+run/2, y+buttonDepth), true
			}
			x += run
		}
	}
	return image.Point{}, false
}

const (
	minButton   = 40 // pixels: narrower is no button
	buttonDepth = 8  // pixels below its upper edge a button is sure to be
)

// onCard reports whether the ask colour is near, left of a point or above it.
func onCard(is func(x, y int, want color.NRGBA) bool, x, y int) bool {
	for i := 1; i <= 24; i++ {
		if is(x-i, y, askCard) || is(x, y-i, askCard) {
			return true
		}
	}
	return false
}
