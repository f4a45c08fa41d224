package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"regexp"
	"strings"

	"github.com/hobkin/hobkin/computeruse"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider"
)

// A model that names places in another way than is assumed misses everything by
// a factor. So it is asked to point at marks whose places are known, in a
// picture of the size that it is sent, and both ways of reading its answers are
// compared with them.

// The colours and places of the marks, the places as parts of the picture. None
// is where both readings would agree.
var calibrationMarks = []struct {
	name string
	ink  color.RGBA
	x, y float64
}{
	{"red", color.RGBA{R: 0xd0, A: 0xff}, 0.82, 0.71},
	{"green", color.RGBA{G: 0x90, A: 0xff}, 0.23, 0.86},
	{"blue", color.RGBA{B: 0xd0, A: 0xff}, 0.64, 0.28},
}

const (
	markSize = 12 // pixels from the middle of a mark to its edge
	// hit is how far an answer may be off on average, as a part of the picture's
	// longer side, to count as pointing at all.
	hit = 0.04
)

const calibrationTask = `The picture has three small squares: red, green and blue. Say where the middle of each is in the picture, as you would for a click: in its pixels, 0,0 at the upper left, unless you always name places in another way. Answer with nothing but JSON: {"red":[x,y],"green":[x,y],"blue":[x,y]}`

// calibrateComputer asks the main model to point, and keeps for it what its
// answers fit.
func (c *Core) calibrateComputer(ctx context.Context, _ none) (control.Calibration, error) {
	choices, err := c.choose(ctx, "main", "")
	if err != nil {
		return control.Calibration{}, err
	}
	m := choices[0].Model
	info := m.Info()
	if !info.Images {
		return control.Calibration{}, &control.Error{Code: "blind_model", Message: title(info) + " cannot see pictures, so that it cannot use the screen", Try: "choose a model that sees pictures"}
	}
	size := c.computer.modelOf(info.Model).Limits.Fit(wire.Size{W: 1920, H: 1080}, false)
	said, err := pointAt(ctx, m, size)
	if err != nil {
		return control.Calibration{}, err
	}
	return c.judgeAim(ctx, info, said, size)
}

// judgeAim compares what a model said with where the marks are, and keeps how
// its answers are to be read.
func (c *Core) judgeAim(ctx context.Context, info provider.Info, said map[string][2]float64, size wire.Size) (control.Calibration, error) {
	out := control.Calibration{Model: info.Model, Set: string(c.computer.modelOf(info.Model).Coordinates)}
	how, off := readPoints(said, size)
	out.Coordinates, out.Off = string(how), off
	if off > hit*float64(size.W) {
		return out, &control.Error{
			Code: "no_aim", Message: fmt.Sprintf("%s misses the marks by %d pixels, however its answers are read", title(info), int(off)),
			Try: "choose a model that was trained to point at things on a screen", Details: map[string]any{"off": off},
		}
	}
	if out.Coordinates == out.Set {
		return out, nil
	}
	err := c.file.Set(ctx, fmt.Sprintf("computer_use.models.%q.coordinates", info.Model), out.Coordinates)
	if err == nil {
		err = c.reload()
	}
	out.Saved = err == nil
	return out, err
}

// pointAt asks a model where the marks are.
func pointAt(ctx context.Context, m provider.Model, size wire.Size) (map[string][2]float64, error) {
	data, err := calibrationPicture(size)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for e, err := range m.Stream(ctx, provider.Request{Messages: []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{
		provider.Image{MIME: "image/png", Data: data}, provider.Text{Text: calibrationTask},
	}}}}) {
		if err != nil {
			return nil, err
		}
		if d, ok := e.(provider.TextDelta); ok {
			text.WriteString(string(d))
		}
	}
	said := map[string][2]float64{}
	if json.Unmarshal([]byte(objectRE.FindString(text.String())), &said) != nil || len(said) < len(calibrationMarks) {
		return nil, &control.Error{Code: "no_aim", Message: "the model did not say where the marks are", Try: "try again, or choose another model"}
	}
	return said, nil
}

var objectRE = regexp.MustCompile(`(?s)\{.*\}`)

// calibrationPicture draws the marks.
func calibrationPicture(size wire.Size) ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, size.W, size.H))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{0xf4, 0xf2, 0xee, 0xff}), image.Point{}, draw.Src)
	for _, m := range calibrationMarks {
		x, y := int(m.x*float64(size.W)), int(m.y*float64(size.H))
		draw.Draw(img, image.Rect(x-markSize, y-markSize, x+markSize, y+markSize), image.NewUniform(m.ink), image.Point{}, draw.Src)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("app: drawing the marks: %w", err)
	}
	return b.Bytes(), nil
}

// readPoints finds the reading that fits what was said, and how far off it is
// on average, in pixels.
func readPoints(said map[string][2]float64, size wire.Size) (how computeruse.Coordinates, off float64) {
	off = math.Inf(1)
	for _, reading := range []struct {
		how    computeruse.Coordinates
		kx, ky float64
	}{{computeruse.Pixels, 1, 1}, {computeruse.Thousandths, float64(size.W) / 1000, float64(size.H) / 1000}} {
		sum := 0.0
		for _, m := range calibrationMarks {
			at := said[m.name]
			sum += math.Hypot(at[0]*reading.kx-m.x*float64(size.W), at[1]*reading.ky-m.y*float64(size.H))
		}
		if mean := sum / float64(len(calibrationMarks)); mean < off {
			how, off = reading.how, mean
		}
	}
	return how, off
}
