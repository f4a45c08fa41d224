package wire

import (
	"testing"

	"pgregory.net/rapid"
)

// TestPlaceRoundTrip holds the promise that a click hits the pixel that the
// model saw, at any scale, place and crop.
func TestPlaceRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		box := Box{
			rapid.IntRange(-8000, 8000).Draw(t, "x"), rapid.IntRange(-8000, 8000).Draw(t, "y"),
			rapid.IntRange(1, 8000).Draw(t, "w"), rapid.IntRange(1, 5000).Draw(t, "h"),
		}
		size := Size{rapid.IntRange(1, 4000).Draw(t, "sent w"), rapid.IntRange(1, 4000).Draw(t, "sent h")}
		px := Point{rapid.IntRange(0, size.W-1).Draw(t, "px"), rapid.IntRange(0, size.H-1).Draw(t, "py")}

		p := box.Point(px, size)
		if !box.Contains(p) {
			t.Fatalf("%v.Point(%v, %v) = %v, outside", box, px, size, p)
		}
		back := box.Pixel(p, size)
		if size.W <= box.W && back.X != px.X || size.H <= box.H && back.Y != px.Y {
			t.Fatalf("%v: pixel %v of %v is point %v, and that is pixel %v", box, px, size, p, back)
		}
		if again := box.Point(back, size); again != p {
			t.Fatalf("%v: point %v of %v is pixel %v, and that is point %v", box, p, size, back, again)
		}
	})
}

func TestBoxWithin(t *testing.T) {
	outer := Box{-100, 0, 200, 100}
	for name, tt := range map[string]struct {
		in   Box
		want bool
	}{
		"all":        {outer, true},
		"one pixel":  {Box{99, 99, 1, 1}, true},
		"over right": {Box{99, 99, 2, 1}, false},
		"left of it": {Box{-101, 0, 5, 5}, false},
		"no size":    {Box{0, 0, 0, 5}, false},
		"negative":   {Box{0, 0, -5, 5}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.in.Within(outer); got != tt.want {
				t.Errorf("%v.Within(%v) = %v", tt.in, outer, got)
			}
		})
	}
}
