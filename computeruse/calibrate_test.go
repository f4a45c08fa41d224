package computeruse

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"
)

// seer is a model that sees: it finds the middles of the discs in the picture.
func seer(t *testing.T, picture []byte) (places map[string][2]float64, size image.Point) {
	t.Helper()
	im, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	places = map[string][2]float64{}
	for _, d := range discs {
		sx, sy, n := 0, 0, 0
		for y := range im.Bounds().Dy() {
			for x := range im.Bounds().Dx() {
				if im.At(x, y) == d.colour {
					sx, sy, n = sx+x, sy+y, n+1
				}
			}
		}
		places[d.name] = [2]float64{float64(sx) / float64(n), float64(sy) / float64(n)}
	}
	return places, im.Bounds().Size()
}

// TestCalibrate: how a model names places is found out by a picture, and a model
// that cannot point is told (row 10 of the field's faults).
func TestCalibrate(t *testing.T) {
	say := func(format string, to func(xy [2]float64, size image.Point) [2]float64) func(context.Context, []byte, string) (string, error) {
		return func(_ context.Context, picture []byte, question string) (string, error) {
			places, size := seer(t, picture)
			var parts []string
			for _, d := range discs {
				if !strings.Contains(question, d.name) {
					t.Errorf("the question does not name %s", d.name)
				}
				xy := to(places[d.name], size)
				parts = append(parts, fmt.Sprintf("%q: "+format, d.name, xy[0], xy[1]))
			}
			return "Here you are:\n```json\n{" + strings.Join(parts, ", ") + "}\n```", nil
		}
	}
	same := func(xy [2]float64, _ image.Point) [2]float64 { return xy }
	thousandths := func(xy [2]float64, s image.Point) [2]float64 {
		return [2]float64{math.Round(xy[0] * 1000 / float64(s.X)), math.Round(xy[1] * 1000 / float64(s.Y))}
	}
	for name, c := range map[string]struct {
		ask  func(context.Context, []byte, string) (string, error)
		want Coordinates
		good bool
	}{
		"pixels":             {say("[%.0f, %.0f]", same), Pixels, true},
		"pixels, as objects": {say(`{"x": %.1f, "y": %.1f}`, same), Pixels, true},
		"thousandths":        {say("[%.0f, %.0f]", thousandths), Thousandths, true},
		"of another size":    {say("[%.0f, %.0f]", func(xy [2]float64, _ image.Point) [2]float64 { return [2]float64{xy[0] * 2, xy[1] * 2} }), "", false},
		"of its inner square": {say("[%.0f, %.0f]", func(xy [2]float64, s image.Point) [2]float64 {
			return [2]float64{xy[0] * 0.7, xy[1] * 0.7 * float64(s.X) / float64(s.Y)}
		}), "", false},
	} {
		got, err := Calibrate(t.Context(), Limits{Edge: 320}, c.ask)
		if err != nil || got.Good() != c.good || c.good && got.Coordinates != c.want {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	for _, answer := range []string{"", "I cannot see pictures.", `{"red": [1, 2], "blue": [3, 4]}`, `{"red": [1], "blue": "x"}`, "{{{{", `{"red":`} {
		if got, err := Calibrate(t.Context(), Limits{}, func(context.Context, []byte, string) (string, error) { return answer, nil }); err == nil {
			t.Errorf("%q: got %+v", answer, got)
		}
	}
}

// FuzzPointedAt: no answer panics or takes long.
func FuzzPointedAt(f *testing.F) {
	f.Add(`{"red": [1, 2]}`)
	f.Add(`{{{"red": {"x": 1, "y": 1e999}}`)
	f.Fuzz(func(t *testing.T, answer string) {
		if len(answer) > 4096 {
			return
		}
		for name, at := range pointedAt(answer) {
			if math.IsNaN(at.X) || name == "" {
				t.Errorf("%q: %v", answer, at)
			}
		}
	})
}
