// Package looktest helps the tests of windows: themes, languages, what is on the
// screen, and golden pictures, which a test writes anew with -update.
package looktest

import (
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"github.com/hobkin/hobkin/ui/look"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

// Golden compares the window with a picture of testdata.
func Golden(t *testing.T, c fyne.Canvas, name string) {
	t.Helper()
	got := c.Capture()
	path := filepath.Join("testdata", name+".png")
	if *update {
		writePNG(t, path, got)
		return
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("%v (run with -update)", err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if n := different(got, want); n > got.Bounds().Dx()*got.Bounds().Dy()/2000 {
		failed := filepath.Join("testdata", "failed", name+".png")
		writePNG(t, failed, got)
		t.Errorf("%s: %d pixels differ; see %s", name, n, failed)
	}
}

func writePNG(t *testing.T, path string, img image.Image) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}

// different counts pixels that differ by more than rounding.
func different(a, b image.Image) int {
	if a.Bounds() != b.Bounds() {
		return a.Bounds().Dx() * a.Bounds().Dy()
	}
	const rounding = 0x0800
	n := 0
	far := func(x, y uint32) bool { return max(x, y)-min(x, y) > rounding }
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			if far(r1, r2) || far(g1, g2) || far(b1, b2) {
				n++
			}
		}
	}
	return n
}

// SetTheme makes an application light or dark.
func SetTheme(a fyne.App, v fyne.ThemeVariant) { a.Settings().SetTheme(&look.Theme{Force: &v}) }

// Language makes a test speak a language, such as de_DE.UTF-8.
func Language(t *testing.T, lang string) {
	t.Helper()
	for name, value := range map[string]string{"LANGUAGE": "", "LC_ALL": "", "LC_MESSAGES": "", "LANG": lang} {
		t.Setenv(name, value)
	}
	if err := look.AddLanguages(""); err != nil {
		t.Fatal(err)
	}
}

// Walk visits what is visible at and below an object.
func Walk(o fyne.CanvasObject, visit func(fyne.CanvasObject)) {
	if !o.Visible() {
		return
	}
	visit(o)
	var parts []fyne.CanvasObject
	switch o := o.(type) {
	case fyne.Widget:
		parts = test.WidgetRenderer(o).Objects()
	case *fyne.Container:
		parts = o.Objects
	}
	for _, p := range parts {
		Walk(p, visit)
	}
}
