package bar

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// A face is a font at a size, and which letters it has.
type face struct {
	font.Face

	font *sfnt.Font
	file *os.File // that it reads from; nil for the built-in one
}

func (f *face) has(r rune) bool {
	var buf sfnt.Buffer
	i, err := f.font.GlyphIndex(&buf, r)
	return err == nil && i != 0
}

// fontFor returns the built-in font, which has the letters of Latin, Greek and
// Cyrillic, and for what else is in s the fonts that the desktop would use.
func fontFor(ctx context.Context, s string, size float64) *typeface {
	t := &typeface{}
	built, err := opentype.Parse(gomedium.TTF)
	if err != nil {
		panic("the built-in font does not parse: " + err.Error())
	}
	t.add(built, nil, size)
	for _, r := range s {
		if len(t.faces) < mostFonts && !t.of(r).has(r) && r > ' ' {
			t.find(ctx, r, size)
		}
	}
	return t
}

const (
	mostFonts = 4
	fontTime  = 2 * time.Second // for fontconfig, which may read its cache first
)

func (t *typeface) add(f *sfnt.Font, file *os.File, size float64) bool {
	const dpi = 72 // so that the size is in pixels
	made, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: dpi, Hinting: font.HintingFull})
	if err != nil {
		return false
	}
	t.faces = append(t.faces, &face{Face: made, font: f, file: file})
	return true
}

// of returns the face that has a letter, or the built-in one.
func (t *typeface) of(r rune) *face {
	for _, f := range t.faces {
		if f.has(r) {
			return f
		}
	}
	return t.faces[0]
}

// find asks fontconfig for a font with a letter. Where it does not know one the
// letter is drawn as the box that stands for unknown ones.
func (t *typeface) find(ctx context.Context, r rune, size float64) {
	ctx, cancel := context.WithTimeout(ctx, fontTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, "fc-match", "--format", "%{index} %{file}", "sans:charset="+strconv.FormatInt(int64(r), 16)).Output()
	if err != nil {
		return
	}
	index, path, _ := strings.Cut(string(out), " ")
	file, err := os.Open(path)
	if err != nil {
		return
	}
	n, _ := strconv.Atoi(index)
	f, err := parse(file, n)
	if err != nil || !(&face{font: f}).has(r) || !t.add(f, file, size) {
		_ = file.Close()
	}
}

// parse reads a font, or one of a collection, as it is needed.
func parse(file *os.File, index int) (*sfnt.Font, error) {
	if c, err := opentype.ParseCollectionReaderAt(file); err == nil {
		return c.Font(index & 0xffff) // the upper bits name a variation
	}
	return opentype.ParseReaderAt(file)
}

func (t *typeface) close() {
	for _, f := range t.faces {
		_ = f.Close()
		if f.file != nil {
			_ = f.file.Close()
		}
	}
}
