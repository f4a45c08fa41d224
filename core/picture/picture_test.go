package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/bmp"
)

func noise(w, h int) *image.NRGBA {
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range im.Pix {
		im.Pix[i] = byte(r.Uint32())
	}
	return im
}

func encoded(t testing.TB, kind string, im image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, im)
	case "jpeg":
		err = jpeg.Encode(&b, im, nil)
	case "gif":
		err = gif.Encode(&b, im, nil)
	case "bmp":
		err = bmp.Encode(&b, im)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFit(t *testing.T) {
	plain := image.NewNRGBA(image.Rect(0, 0, 1600, 200))
	plain.Set(0, 0, color.White)
	cases := map[string]struct {
		data   []byte
		limits Limits
		mime   string
		w, h   int
		says   string
	}{
		"small PNG as it is":    {encoded(t, "png", noise(20, 10)), Limits{}, "image/png", 20, 10, "PNG, 20×10"},
		"small GIF as it is":    {encoded(t, "gif", noise(20, 10)), Limits{}, "image/gif", 20, 10, "GIF, 20×10"},
		"wide PNG scaled":       {encoded(t, "png", plain), Limits{}, "image/png", 1568, 196, "PNG, 1600×200, shown at 1568×196"},
		"large JPEG scaled":     {encoded(t, "jpeg", noise(120, 240)), Limits{Edge: 100}, "image/jpeg", 50, 100, "JPEG, 120×240, shown at 50×100"},
		"BMP becomes PNG":       {encoded(t, "bmp", noise(9, 9)), Limits{}, "image/png", 9, 9, "BMP, 9×9"},
		"heavy PNG to JPEG":     {encoded(t, "png", noise(100, 100)), Limits{Bytes: 15_000}, "image/jpeg", 100, 100, "PNG, 100×100"},
		"too heavy is smaller":  {encoded(t, "png", noise(100, 100)), Limits{Bytes: 2_500}, "image/jpeg", 56, 56, "PNG, 100×100, shown at 56×56"},
		"a line keeps one side": {encoded(t, "png", image.NewGray(image.Rect(0, 0, 1000, 1))), Limits{Edge: 100}, "image/png", 100, 1, "PNG, 1000×1, shown at 100×1"},
	}
	for name, c := range cases {
		p, err := Fit(c.data, c.limits)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		cfg, _, err := image.DecodeConfig(bytes.NewReader(p.Data))
		if err != nil || cfg.Width != p.Width || cfg.Height != p.Height || Type(p.Data) != p.MIME {
			t.Errorf("%s: the data is %dx%d %s, %v", name, cfg.Width, cfg.Height, Type(p.Data), err)
		}
		if c.limits.Bytes > 0 && len(p.Data) > c.limits.Bytes {
			t.Errorf("%s: %d bytes", name, len(p.Data))
		}
		if p.MIME != c.mime || p.String() != c.says || p.Width != c.w || p.Height != c.h {
			t.Errorf("%s: got %s %q", name, p.MIME, p)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	good := encoded(t, "png", noise(50, 50))
	bomb := bytes.Clone(good)
	copy(bomb[16:24], "\x00\x01\x00\x00\x00\x01\x00\x00") // 65,536 × 65,536
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"text":       {[]byte("hello, this is text"), ErrUnknown},
		"empty":      {nil, ErrUnknown},
		"only magic": {[]byte("\x89PNG\r\n\x1a\n"), ErrDamaged},
		"broken off": {good[:len(good)/2], ErrDamaged},
		"fake JPEG":  {[]byte("\xff\xd8\xff not a picture"), ErrDamaged},
	} {
		if _, err := Fit(c.data, Limits{}); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	if _, err := Fit(bomb, Limits{}); err == nil {
		t.Error("a picture of four thousand million pixels was decoded")
	}
}

func FuzzFit(f *testing.F) {
	for _, kind := range []string{"png", "jpeg", "gif", "bmp"} {
		f.Add(encoded(f, kind, noise(4, 3)))
	}
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPVP8L"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Fit(data, Limits{Edge: 64, Bytes: 10_000})
		if err == nil && (max(p.Width, p.Height) > 64 || len(p.Data) > 10_000 || p.MIME == "") {
			t.Errorf("got %v of %d bytes", p, len(p.Data))
		}
	})
}
