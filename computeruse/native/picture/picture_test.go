package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/draw"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// noise is a picture of which every pixel is another.
func noise(w, h int, seed uint64) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32())
		if i%4 == 3 {
			img.Pix[i] = 0xff
		}
	}
	return img
}

// TestEncode: what is encoded reads back as it was.
func TestEncode(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {3, 2}, {640, 33}} {
		img := noise(size.X, size.Y, 7)
		raw, err := Format{}.Encode(img)
		if err != nil {
			t.Fatal(err)
		}
		back, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		for y := range size.Y {
			for x := range size.X {
				if got := color.RGBAModel.Convert(back.At(x, y)); got != img.RGBAAt(x, y) {
					t.Fatalf("%v: the pixel %d,%d is %v, want %v", size, x, y, got, img.RGBAAt(x, y))
				}
			}
		}
		if raw, err = (Format{Name: JPEG}).Encode(img); err != nil {
			t.Fatal(err)
		}
		if _, err := jpeg.Decode(bytes.NewReader(raw)); err != nil {
			t.Error(err)
		}
	}
	for name, f := range map[string]Format{"unknown": {Name: "gif"}, "quality": {Name: JPEG, Quality: 101}} {
		if f.Check() == nil {
			t.Errorf("%s: Check is no error", name)
		}
	}
	if _, err := (Format{}).Encode(image.NewRGBA(image.Rectangle{})); err == nil {
		t.Error("a picture of no size was encoded")
	}
}

// TestScale: about what a slow library makes of it, exact on plain colours.
func TestScale(t *testing.T) {
	smooth := image.NewRGBA(image.Rect(0, 0, 640, 360))
	for y := range 360 {
		for x := range 640 {
			smooth.SetRGBA(x, y, color.RGBA{uint8(x / 3), uint8(y / 2), uint8((x + y) / 5), 0xff})
		}
	}
	for _, to := range []wire.Size{{W: 485, H: 273}, {W: 213, H: 120}, {W: 320, H: 180}, {W: 800, H: 500}} {
		got := Scale(smooth, to)
		want := image.NewRGBA(got.Bounds())
		draw.BiLinear.Scale(want, want.Bounds(), smooth, smooth.Bounds(), draw.Src, nil)
		for i := range got.Pix {
			if d := int(got.Pix[i]) - int(want.Pix[i]); d > 4 || d < -4 {
				t.Fatalf("%v: the byte %d is %d, want about %d", to, i, got.Pix[i], want.Pix[i])
			}
		}
	}
	plain := image.NewRGBA(image.Rect(0, 0, 333, 217))
	fill(plain, plain.Bounds(), color.RGBA{255, 1, 128, 255})
	for _, to := range []wire.Size{{W: 100, H: 99}, {W: 332, H: 216}, {W: 500, H: 400}} {
		if got := Scale(plain, to).RGBAAt(to.W/2, to.H/2); got != (color.RGBA{255, 1, 128, 255}) {
			t.Errorf("%v: a plain colour became %v", to, got)
		}
	}
	if same := Scale(plain, wire.Size{W: 333, H: 217}); same != plain {
		t.Error("a picture in its own size was copied")
	}
}

// TestMarks: frame, label and ring are where the transform puts them, and
// nothing is drawn outside, wherever the boxes lie.
func TestMarks(t *testing.T) {
	box := wire.Box{X: -1920, Y: 100, W: 1920, H: 1080}
	img := image.NewRGBA(image.Rect(0, 0, 1456, 819))
	at := wire.Point{X: -1000, Y: 600}
	Draw(img, box, []wire.Mark{
		{Box: wire.Box{X: -1800, Y: 300, W: 200, H: 100}, Label: "12"},
		{Box: wire.Box{X: -1930, Y: 90, W: 5000, H: 5000}, Label: "all"},
		{Box: wire.Box{X: 900, Y: 9000, W: -5, H: 0}, Label: "none"},
	}, &at)
	px := box.Pixel(at, wire.Size{W: 1456, H: 819})
	if got := img.RGBAAt(px.X, px.Y); got != pointColour {
		t.Errorf("the middle of the ring is %v", got)
	}
	if got := img.RGBAAt(px.X+10, px.Y); got != pointColour {
		t.Errorf("the ring is %v", got)
	}
	corner := box.Pixel(wire.Point{X: -1800, Y: 300}, wire.Size{W: 1456, H: 819})
	if got := img.RGBAAt(corner.X, corner.Y); got != markColour {
		t.Errorf("the corner of the mark is %v", got)
	}
}

// TestPrint: what changed is told, and where; what is ignored is not.
func TestPrint(t *testing.T) {
	img := noise(1000, 700, 3)
	before := PrintOf(img)
	if again := PrintOf(img); again.Hash() != before.Hash() || len(before.Diff(again, 8)) != 0 {
		t.Error("a picture differs from itself")
	}
	img.SetRGBA(500, 333, color.RGBA{1, 2, 3, 255})
	after := PrintOf(img)
	boxes := before.Diff(after, 8)
	if len(boxes) != 1 || !boxes[0].Contains(wire.Point{X: 500, Y: 333}) || boxes[0].W > tile || after.Hash() == before.Hash() {
		t.Errorf("one pixel changed, and the boxes are %v", boxes)
	}
	ignoring := after
	ignoring.Ignore(wire.Box{X: 490, Y: 330, W: 20, H: 20})
	if boxes := before.Diff(ignoring, 8); len(boxes) != 0 {
		t.Errorf("what is to be ignored is told: %v", boxes)
	}
	for i := range 40 { // far apart: joined to a few
		img.SetRGBA(i*25, (i*i*17)%700, color.RGBA{9, 9, uint8(i), 255})
	}
	if boxes = before.Diff(PrintOf(img), 8); len(boxes) > 8 || len(boxes) < 2 {
		t.Errorf("there are %d boxes, want at most 8: %v", len(boxes), boxes)
	}
	if boxes := before.Diff(PrintOf(noise(10, 10, 1)), 8); len(boxes) != 1 || boxes[0] != (wire.Box{W: 10, H: 10}) {
		t.Errorf("of another size = %v", boxes)
	}
}

func BenchmarkPicture(b *testing.B) {
	for _, side := range []image.Point{{1920, 1080}, {3840, 2160}} {
		img := noise(side.X, side.Y, 1)
		b.Run(fmt.Sprintf("scale_%d", side.Y), func(b *testing.B) {
			for b.Loop() {
				Scale(img, wire.Size{W: 1456, H: 819})
			}
		})
		b.Run(fmt.Sprintf("print_%d", side.Y), func(b *testing.B) {
			for b.Loop() {
				PrintOf(img)
			}
		})
	}
}
