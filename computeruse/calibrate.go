package computeruse

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
	"strings"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A Calibration says how a model points into pictures, as it showed.
type Calibration struct {
	Coordinates Coordinates
	Off         float64 // pixels of the picture, on average
	Size        wire.Size
}

// Good reports whether the model points well enough to click: within a small
// button.
func (c Calibration) Good() bool { return c.Off <= goodOff*float64(max(c.Size.W, c.Size.H)) }

// goodOff is half a small button, as a part of the longer side.
const goodOff = 0.01

// A disc is what the model is asked to find.
type disc struct {
	name   string
	colour color.RGBA
	x, y   float64 // as parts of the width and the height
}

// The discs lie so that each way to name a place gives other numbers for all of
// them.
var discs = []disc{
	{"red", color.RGBA{220, 30, 30, 255}, 0.13, 0.21},
	{"green", color.RGBA{20, 150, 60, 255}, 0.82, 0.17},
	{"blue", color.RGBA{30, 70, 220, 255}, 0.47, 0.55},
	{"black", color.RGBA{10, 10, 10, 255}, 0.24, 0.84},
	{"orange", color.RGBA{240, 140, 20, 255}, 0.91, 0.77},
}

// discRadius is in pixels.
const discRadius = 12

// Calibrate shows a model a picture with discs at known places and finds out
// how it names them. Ask sends the picture, a PNG, with the question and
// returns what the model answers. An answer that names fewer than three discs
// is an error.
func Calibrate(ctx context.Context, l Limits, ask func(ctx context.Context, picture []byte, question string) (string, error)) (Calibration, error) {
	size := l.Fit(wire.Size{W: 1920, H: 1080}, false)
	picture, err := discsDrawn(size)
	if err != nil {
		return Calibration{}, err
	}
	var names []string
	for _, d := range discs {
		names = append(names, d.name)
	}
	answer, err := ask(ctx, picture, fmt.Sprintf("The picture shows discs in the colours %s. Answer with nothing but a JSON object that gives, for each colour, the place of the middle of its disc "+
		"as you would name it to click there, such as {\"red\": [12, 34]}.", strings.Join(names, ", ")))
	if err != nil {
		return Calibration{}, fmt.Errorf("computeruse: asking the model: %w", err)
	}
	places := pointedAt(answer)
	if len(places) < leastDiscs {
		return Calibration{}, fmt.Errorf("computeruse: the model named %d of %d discs; it may not see pictures", len(places), len(discs))
	}
	best := Calibration{Off: math.Inf(1), Size: size}
	for _, c := range []Coordinates{Pixels, Thousandths} {
		if off := offBy(places, size, c); off < best.Off {
			best.Coordinates, best.Off = c, off
		}
	}
	return best, nil
}

const leastDiscs = 3

// discsDrawn is the picture, as a PNG.
func discsDrawn(size wire.Size) ([]byte, error) {
	im := image.NewRGBA(image.Rect(0, 0, size.W, size.H))
	draw.Draw(im, im.Bounds(), image.NewUniform(color.RGBA{238, 238, 238, 255}), image.Point{}, draw.Src)
	for _, d := range discs {
		cx, cy := int(d.x*float64(size.W)), int(d.y*float64(size.H))
		for y := -discRadius; y <= discRadius; y++ {
			for x := -discRadius; x <= discRadius; x++ {
				if x*x+y*y <= discRadius*discRadius {
					im.SetRGBA(cx+x, cy+y, d.colour)
				}
			}
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, im); err != nil {
		return nil, fmt.Errorf("computeruse: drawing: %w", err)
	}
	return b.Bytes(), nil
}

// offBy is how far the places lie from the discs, on average, in pixels, were
// they named that way.
func offBy(places map[string]Spot, size wire.Size, c Coordinates) float64 {
	sum, n := 0.0, 0
	for _, d := range discs {
		at, ok := places[d.name]
		if !ok {
			continue
		}
		if c == Thousandths {
			at = Spot{X: at.X * float64(size.W) / thousand, Y: at.Y * float64(size.H) / thousand}
		}
		sum += math.Hypot(at.X-math.Floor(d.x*float64(size.W)), at.Y-math.Floor(d.y*float64(size.H)))
		n++
	}
	return sum / float64(n)
}

// pointedAt reads the places of discs from what a model answered: the first JSON
// object in it that names any.
func pointedAt(answer string) map[string]Spot {
	for {
		i := strings.IndexByte(answer, '{')
		if i < 0 {
			return nil
		}
		answer = answer[i:]
		var raw map[string]json.RawMessage
		if json.NewDecoder(strings.NewReader(answer)).Decode(&raw) == nil {
			if out := spots(raw); len(out) > 0 {
				return out
			}
		}
		answer = answer[1:]
	}
}

// spots are the places in an object: pairs, or objects with x and y.
func spots(raw map[string]json.RawMessage) map[string]Spot {
	out := map[string]Spot{}
	for _, d := range discs {
		var pair []float64
		var named struct{ X, Y *float64 }
		v := raw[d.name]
		switch {
		case json.Unmarshal(v, &pair) == nil && len(pair) == 2:
			out[d.name] = Spot{X: pair[0], Y: pair[1]}
		case json.Unmarshal(v, &named) == nil && named.X != nil && named.Y != nil:
			out[d.name] = Spot{X: *named.X, Y: *named.Y}
		}
	}
	return out
}
