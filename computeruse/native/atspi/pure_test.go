//go:build unix

package atspi

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hobkin/hobkin/computeruse/wire"
)

func TestLens(t *testing.T) {
	for name, c := range map[string]struct {
		told, onDesk wire.Box // of the window
		in           wire.Box // an element as told
		want         *wire.Box
	}{
		"as it is": {
			wire.Box{X: 100, Y: 80, W: 400, H: 300},
			wire.Box{X: 101, Y: 102, W: 398, H: 278},
			wire.Box{X: 120, Y: 130, W: 50, H: 20},
			&wire.Box{X: 120, Y: 130, W: 50, H: 20},
		},
		"twice the size": {
			wire.Box{X: 100, Y: 80, W: 400, H: 300},
			wire.Box{X: 200, Y: 160, W: 800, H: 600},
			wire.Box{X: 120, Y: 130, W: 50, H: 20},
			&wire.Box{X: 240, Y: 260, W: 100, H: 40},
		},
		"at 175 %": {
			wire.Box{X: 100, Y: 80, W: 400, H: 300},
			wire.Box{X: 175, Y: 140, W: 700, H: 525},
			wire.Box{X: 101, Y: 81, W: 1, H: 1},
			&wire.Box{X: 177, Y: 142, W: 2, H: 2},
		},
		"left of and above the primary display": {
			wire.Box{X: -1900, Y: -500, W: 400, H: 300},
			wire.Box{X: -1900, Y: -500, W: 400, H: 300},
			wire.Box{X: -1880, Y: -480, W: 50, H: 20},
			&wire.Box{X: -1880, Y: -480, W: 50, H: 20},
		},
		"counted from the corner of the window": {
			wire.Box{W: 400, H: 300},
			wire.Box{X: 500, Y: 400, W: 400, H: 300},
			wire.Box{X: 20, Y: 30, W: 50, H: 20},
			&wire.Box{X: 520, Y: 430, W: 50, H: 20},
		},
		"counted from the corner, at 200 %": {
			wire.Box{W: 400, H: 300},
			wire.Box{X: 500, Y: 400, W: 800, H: 600},
			wire.Box{X: 20, Y: 30, W: 50, H: 20},
			&wire.Box{X: 540, Y: 460, W: 100, H: 40},
		},
		"minimised":        {wire.Box{W: 9, H: 9}, wire.Box{W: 9, H: 9}, wire.Box{X: -32000, Y: -32000, W: 160, H: 28}, nil},
		"of no size":       {wire.Box{W: 9, H: 9}, wire.Box{W: 9, H: 9}, wire.Box{X: 5, Y: 5}, nil},
		"never drawn":      {wire.Box{W: 9, H: 9}, wire.Box{W: 9, H: 9}, wire.Box{X: math.MinInt32, Y: math.MinInt32, W: 1, H: 1}, nil},
		"beyond measure":   {wire.Box{W: 9, H: 9}, wire.Box{W: 9, H: 9}, wire.Box{X: 1, Y: 1, W: math.MaxInt32, H: 9}, nil},
		"of another shape": {wire.Box{X: 5, Y: 5, W: 900, H: 20}, wire.Box{X: 700, Y: 500, W: 20, H: 900}, wire.Box{X: 7, Y: 7, W: 7, H: 7}, &wire.Box{X: 7, Y: 7, W: 7, H: 7}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, lensFor(c.told, c.onDesk).box(c.in)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestLensIsTrue checks that a program that counts in its own units is
// understood at every scale, to a pixel.
func TestLensIsTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.SampledFrom(scales[:]).Draw(t, "scale")
		onDesk := wire.Box{
			X: rapid.IntRange(-4000, 4000).Draw(t, "x"), Y: rapid.IntRange(-4000, 4000).Draw(t, "y"),
			W: rapid.IntRange(800, 4000).Draw(t, "w"), H: rapid.IntRange(800, 3000).Draw(t, "h"),
		}
		own := func(v int) int { return int(math.Round(float64(v) / scale)) }
		told := wire.Box{X: own(onDesk.X), Y: own(onDesk.Y), W: own(onDesk.W), H: own(onDesk.H)}
		if told.X == 0 && told.Y == 0 {
			t.Skip("is that of programs that do not know where they are")
		}
		p := wire.Point{X: onDesk.X + rapid.IntRange(0, onDesk.W-1).Draw(t, "dx"), Y: onDesk.Y + rapid.IntRange(0, onDesk.H-1).Draw(t, "dy")}
		got := lensFor(told, onDesk).box(wire.Box{X: own(p.X), Y: own(p.Y), W: 100, H: 100})
		if got == nil || math.Abs(float64(got.X-p.X)) > scale/2+1 || math.Abs(float64(got.Y-p.Y)) > scale/2+1 {
			t.Fatalf("%v became %v", p, got)
		}
	})
}

func TestChoose(t *testing.T) {
	box := wire.Box{X: 100, Y: 100, W: 400, H: 300}
	other := wire.Box{X: 900, Y: 600, W: 200, H: 100}
	isActive := states{1 << active}
	w := wire.Window{Title: "Letter", Box: box, Active: true}
	for name, c := range map[string]struct {
		tops []top
		sure bool
		want int
	}{
		"title and place":                  {[]top{{name: "Mail", box: other}, {name: "Letter", box: box}}, true, 1},
		"by title, moved meanwhile":        {[]top{{name: "Mail", box: box}, {name: "Letter", box: other}}, true, 1},
		"by place, with another title":     {[]top{{name: "Mail", box: other}, {name: "*Letter", box: box}}, true, 1},
		"two of a title: the one in place": {[]top{{name: "Letter", box: other}, {name: "Letter", box: box}}, true, 1},
		"two alike: the active one":        {[]top{{name: "Letter", box: box}, {name: "Letter", box: box, states: isActive}}, true, 1},
		"neither":                          {[]top{{name: "Mail", box: other}}, true, -1},
		"a stranger by title alone":        {[]top{{name: "Letter", box: other}}, false, -1},
		"a stranger by place alone":        {[]top{{name: "Mail", box: box}}, false, -1},
		"a stranger by both":               {[]top{{name: "Letter", box: box}}, false, 0},
		"none":                             {nil, true, -1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := choose(w, c.tops, c.sure); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestUsualAction(t *testing.T) {
	list := &node{faces: []string{selection}}
	focus := states{1<<focusable | 1<<selectable}
	for name, c := range map[string]struct {
		n    node
		want string
	}{
		"a field gets the cursor, it is not sent": {node{faces: []string{component, editableText}, states: focus, actions: []string{"activate"}}, "focus"},
		"a row is selected, not opened":           {node{parent: list, states: focus, actions: []string{"expand or contract", "activate"}}, "select"},
		"a menu item is clicked":                  {node{parent: &node{role: "menu", faces: []string{selection}}, states: focus, actions: []string{"Click"}}, "click"},
		"a button":                                {node{faces: []string{component}, states: focus, actions: []string{"showContextMenu", "Press"}}, "press"},
	} {
		t.Run(name, func(t *testing.T) {
			if d, ok := c.n.find(""); !ok || d.name != c.want {
				t.Errorf("got %q, want %q", d.name, c.want)
			}
		})
	}
}

func TestSnapshotsAreBounded(t *testing.T) {
	var s snapshots
	first := s.add(wire.Window{ID: "0"}, "", []*node{{role: "frame"}})
	for i := range mostSnapshots {
		s.add(wire.Window{ID: strings.Repeat("w", i+1)}, "", nil)
	}
	if _, _, err := s.get(first.id, "e1"); err == nil {
		t.Error("the oldest snapshot is still kept")
	}
}

// FuzzElement: whatever programs say becomes one short element of valid text,
// with a box on the screen or none.
func FuzzElement(f *testing.F) {
	f.Add("push button", "Send", "", "click", uint64(1<<sensitive|1<<showing), []byte{})
	f.Add("\xff\x00", strings.Repeat("ß", 500), "a\u202eb\ufffc\n", "\n", uint64(math.MaxUint64), []byte{0xff, 0xff, 0xff, 0x7f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2})
	f.Fuzz(func(t *testing.T, role, name, val, act string, bits uint64, raw []byte) {
		var nums [4]int
		for i := range nums {
			if len(raw) >= 4*i+4 {
				nums[i] = int(int32(binary.LittleEndian.Uint32(raw[4*i:])))
			}
		}
		told := wire.Box{X: nums[0], Y: nums[1], W: nums[2], H: nums[3]}
		display := wire.Box{W: 1920, H: 1080}
		n := &node{
			role: role, name: name, value: val, actions: []string{act}, told: told, faces: []string{component},
			states: states{uint32(bits), uint32(bits >> 32)}[:bits%3],
		}
		n.see(&place{lens: lensFor(told, display), displays: []wire.Box{display}})
		e := n.element("e1", "")
		for _, s := range append([]string{e.Role, e.Name, e.Value}, e.Actions...) {
			if !utf8.ValidString(s) || len(s) > maxValue || strings.ContainsAny(s, "\x00\u202e\ufffc\r") {
				t.Errorf("%q", s)
			}
		}
		if e.Box != nil && meet(*e.Box, display) == nil {
			t.Errorf("%v became %v", told, *e.Box)
		}
		choose(wire.Window{Title: name, Box: display}, []top{{name: name, box: told, states: n.states}}, true)
	})
}
