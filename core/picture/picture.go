// Package picture tells pictures by their first bytes and makes them fit what
// models take. No picture of a size that a provider refuses, and none that it
// could not read, gets into a conversation: it would fail every request from
// then on.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif" // decoders announce themselves to package image
	"image/jpeg"
	"image/png"
	"strings"

	_ "golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

// The ways that bytes are no picture to show.
var (
	ErrUnknown = errors.New("it is no PNG, JPEG, GIF, WebP or BMP picture")
	ErrDamaged = errors.New("the picture is damaged")
	ErrPixels  = errors.New("the picture has more than 50 million pixels")
)

// Limits bound what is shown. A zero field means its default.
type Limits struct {
	Edge  int // pixels of the longer side; 1,568, beyond which vision models scale down themselves
	Bytes int // 3.5 million, which is under 5 MB in base64, the least that a provider takes
}

// maxPixels is as much as is ever decoded: 200 MB in memory, twice that with 16 bits a colour.
const maxPixels = 50_000_000

// A Picture is ready to be shown to a model.
type Picture struct {
	MIME          string // image/png, image/jpeg, image/gif or image/webp
	Data          []byte
	Width, Height int // of Data

	Kind       string // what it was, such as PNG
	WasW, WasH int    // pixels it had
}

// Scaled reports whether the picture has fewer pixels than it had.
func (p *Picture) Scaled() bool { return p.Width != p.WasW || p.Height != p.WasH }

// String says what the picture is, for people and models: "PNG, 640×480".
func (p *Picture) String() string {
	s := fmt.Sprintf("%s, %d×%d", p.Kind, p.WasW, p.WasH)
	if p.Scaled() {
		s += fmt.Sprintf(", shown at %d×%d", p.Width, p.Height)
	}
	return s
}

// Type tells a picture by its first bytes, of which it wants 12; empty when it
// is none that can be shown.
func Type(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return "image/gif"
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return "image/webp"
	case len(head) >= 12 && string(head[:2]) == "BM" && bytes.Equal(head[6:10], make([]byte, 4)):
		return "image/bmp"
	}
	return ""
}

// Fit makes a picture of data that is within the limits. What fits already is
// passed on as it is. Of an animation that does not fit, the first frame stays.
func Fit(data []byte, l Limits) (p *Picture, err error) {
	defer func() {
		if fault := recover(); fault != nil { // a decoder stumbled
			p, err = nil, fmt.Errorf("%w: %v", ErrDamaged, fault)
		}
	}()
	if l.Edge <= 0 {
		l.Edge = 1568
	}
	if l.Bytes <= 0 {
		l.Bytes = 3_500_000
	}
	mime := Type(data)
	if mime == "" {
		return nil, ErrUnknown
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	case cfg.Width <= 0 || cfg.Height <= 0:
		return nil, ErrDamaged
	case cfg.Width > maxPixels/cfg.Height:
		return nil, ErrPixels
	}
	p = &Picture{MIME: mime, Data: data, Width: cfg.Width, Height: cfg.Height, WasW: cfg.Width, WasH: cfg.Height}
	p.Kind = strings.ToUpper(strings.TrimPrefix(mime, "image/"))
	im, err := decode(data, mime)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(data) <= l.Bytes && max(cfg.Width, cfg.Height) <= l.Edge && mime != "image/bmp" {
		return p, nil
	}
	return p, p.shrink(im, l)
}

// decode reads the whole picture: one that breaks off in its middle has a good
// head and is refused by providers.
func decode(data []byte, mime string) (image.Image, error) {
	if mime == "image/gif" {
		return gif.Decode(bytes.NewReader(data))
	}
	im, _, err := image.Decode(bytes.NewReader(data))
	return im, err
}

// shrink encodes im within the limits: with all its colours if that fits, else
// as a JPEG, else smaller.
func (p *Picture) shrink(im image.Image, l Limits) error {
	photo := p.MIME == "image/jpeg" || p.MIME == "image/webp" && opaque(im)
	for edge := min(l.Edge, max(p.WasW, p.WasH)); edge > 0; edge = edge * 3 / 4 {
		small := scale(im, edge)
		p.Width, p.Height = small.Bounds().Dx(), small.Bounds().Dy()
		var b bytes.Buffer
		if !photo {
			if err := png.Encode(&b, small); err != nil {
				return fmt.Errorf("picture: %w", err)
			}
			if p.MIME, p.Data = "image/png", b.Bytes(); b.Len() <= l.Bytes {
				return nil
			}
			b.Reset()
		}
		if err := jpeg.Encode(&b, flat(small), &jpeg.Options{Quality: 85}); err != nil {
			return fmt.Errorf("picture: %w", err)
		}
		if p.MIME, p.Data = "image/jpeg", b.Bytes(); b.Len() <= l.Bytes {
			return nil
		}
	}
	return fmt.Errorf("%w: it does not fit in %d bytes", ErrPixels, l.Bytes)
}

// scale makes the longer side at most edge pixels.
func scale(im image.Image, edge int) image.Image {
	size := im.Bounds().Size()
	long := max(size.X, size.Y)
	if long <= edge {
		return im
	}
	out := image.NewRGBA(image.Rect(0, 0, max(size.X*edge/long, 1), max(size.Y*edge/long, 1)))
	draw.BiLinear.Scale(out, out.Bounds(), im, im.Bounds(), draw.Src, nil)
	return out
}

func opaque(im image.Image) bool {
	o, ok := im.(interface{ Opaque() bool })
	return ok && o.Opaque()
}

// flat puts what is transparent on white.
func flat(im image.Image) image.Image {
	if opaque(im) {
		return im
	}
	out := image.NewRGBA(image.Rect(0, 0, im.Bounds().Dx(), im.Bounds().Dy()))
	draw.Draw(out, out.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), im, im.Bounds().Min, draw.Over)
	return out
}
