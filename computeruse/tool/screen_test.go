//go:build linux

package tool

import (
	"bytes"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/computeruse"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

func wirePoint(p image.Point) wire.Point { return wire.Point{X: p.X, Y: p.Y} }

// near reports whether a statement is about a place, give or take what one pixel
// of the picture is on the screen.
func near(s statement, p image.Point) bool {
	return max(s.X-p.X, p.X-s.X, s.Y-p.Y, p.Y-s.Y) <= 1
}

// TestScreen does every act of the pointer on a real screen, with the real
// helper, by the path of a call; the program on it judges what reached it.
func TestScreen(t *testing.T) {
	t.Parallel()
	onScreen(t, []step{
		{"looks", looks},
		{"clicks", clicks},
		{"modifiers", modifiers},
		{"drags", drags},
		{"down and up", downAndUp},
		{"scrolls", scrolls},
		{"a drag that is paused", pausedDrag},
	})
}

// TestScreenText does the other acts, in the same way.
func TestScreenText(t *testing.T) {
	t.Parallel()
	onScreen(t, []step{
		{"text", text}, {"keys", keys}, {"waits", waits}, {"no effect", noEffect}, {"elements", byElements}, {"marks", byMarks},
	})
}

// A step is some acts on a screen that is there already.
type step struct {
	name string
	run  func(t *testing.T, u *user, b *program, mid image.Point)
}

func onScreen(t *testing.T, steps []step) {
	t.Helper()
	d := desk.Bare(t)
	u := newUser(t, d)
	b := startProgram(t, d, "bench", image.Rect(60, 60, 760, 660))
	mid := image.Pt((b.area.Min.X+b.area.Max.X)/2, (b.area.Min.Y+b.area.Max.Y)/2)
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			u.t, b.t = t, t
			b.quiet()
			s.run(t, u, b, mid)
		})
	}
}

func looks(t *testing.T, u *user, b *program, mid image.Point) {
	t.Helper()
	o := u.done(in{Action: screenshot})
	f := u.session.LastFrame("s", "")
	if size := picture(t, o).Bounds().Size(); size.X != f.Sent.W || size.Y != f.Sent.H || ObservationID(o.Result.Text) != f.ID {
		t.Errorf("the picture has %v, its frame says %+v; the id is %q", size, f, ObservationID(o.Result.Text))
	}
	if _, after, _ := strings.Cut(o.Result.Text, "</untrusted"); !strings.Contains(after, outside) || !strings.Contains(o.Result.Text, "“bench”") || !o.Result.Untrusted {
		t.Errorf("got %s", o.Result.Text)
	}
	if len(u.asked) > 0 {
		t.Errorf("a look is asked about: %+v", u.asked)
	}
	if got := u.done(in{Action: displays}).Result.Text; !strings.Contains(got, "1280×860 pixels, scale 1, primary") {
		t.Errorf("displays: %s", got)
	}
	if got := u.done(in{Action: windows}).Result.Text; !strings.Contains(got, "“bench” of “bench”, has the focus") {
		t.Errorf("windows: %s", got)
	}
	x, y := u.pixel(mid)
	if got := u.done(in{Action: inspect, Observation: f.ID, X: x, Y: y}).Result.Text; !strings.Contains(got, "“bench” of “bench”") {
		t.Errorf("inspect: %s", got)
	}
	zoom := u.done(in{Action: screenshot, Observation: f.ID, Region: &region{X: *x - 50, Y: *y - 50, W: 100, H: 100}})
	if size := picture(t, zoom).Bounds().Size(); size.X != 400 || size.Y != 400 {
		t.Errorf("a zoom of 100 pixels has %v", size)
	}
	a := in{Action: computeruse.LeftClick, Observation: ObservationID(zoom.Result.Text), X: new(200.0), Y: new(200.0)}
	u.done(a)
	b.await("the click in the zoom", func(s statement) bool { return s.What == "press" && near(s, mid) })
	if jpeg := u.done(in{Action: screenshot, Format: "jpeg"}); jpeg.Result.Images[0].MIME != "image/jpeg" || string(jpeg.Result.Images[0].Data[:3]) != "\xff\xd8\xff" {
		t.Errorf("a jpeg is %s", jpeg.Result.Images[0].MIME)
	}
}

func clicks(t *testing.T, u *user, b *program, mid image.Point) {
	t.Helper()
	for i, c := range []struct {
		action        string
		button, count int
	}{
		{computeruse.LeftClick, 1, 1}, {computeruse.RightClick, 3, 1}, {computeruse.MiddleClick, 2, 1}, {computeruse.DoubleClick, 1, 2}, {computeruse.TripleClick, 1, 3},
	} {
		p := mid.Add(image.Pt(40*i-100, 30*i-60))
		b.quiet()
		o := u.done(u.at(c.action, p))
		b.await(c.action, func(s statement) bool {
			return s.What == "press" && s.Button == c.button && s.Count == c.count && near(s, p)
		})
		b.await("its release", func(s statement) bool { return s.What == "release" && s.Button == c.button })
		r := data(t, o)
		if r.Status != "delivered" || r.Program != "bench" || r.Point == nil {
			t.Errorf("%s: %+v", c.action, r)
			continue
		}
		// the mark is drawn where it was done (row 11): a ring of another colour around the point
		f := u.session.LastFrame("s", "")
		x, y := u.pixel(p)
		if *x != float64(r.Point[0]) || *y != float64(r.Point[1]) || f.ID != r.Observation {
			t.Errorf("%s: done at %v of %s, said to be at %v of %s", c.action, [2]float64{*x, *y}, f.ID, *r.Point, r.Observation)
		}
		if !ringed(picture(t, o), image.Pt(r.Point[0], r.Point[1])) {
			t.Errorf("%s: nothing marks the point", c.action)
		}
		if len(r.Changed) == 0 || !slices.ContainsFunc(r.Changed, func(c [4]int) bool {
			return image.Pt(r.Point[0], r.Point[1]).In(image.Rect(c[0]-4, c[1]-4, c[0]+c[2]+4, c[1]+c[3]+4))
		}) {
			t.Errorf("%s: it changed at %v, said to be at %v", c.action, r.Point, r.Changed)
		}
	}
	p := mid.Add(image.Pt(77, -55))
	u.done(u.at(computeruse.MouseMove, p))
	b.await("the pointer", func(s statement) bool { return s.What == "motion" && near(s, p) })
	if got := u.done(in{Action: cursor}).Result.Text; !strings.Contains(got, "of the picture "+u.session.LastFrame("s", "").ID) {
		t.Errorf("the pointer: %s", got)
	}
}

// ringed reports whether the picture has other colours than white in each
// direction around a point, as a ring has.
func ringed(im image.Image, p image.Point) bool {
	for _, way := range []image.Point{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		found := false
		for i := 5; i < 40 && !found; i++ {
			r, g, bl, _ := im.At(p.X+way.X*i, p.Y+way.Y*i).RGBA()
			found = r>>8 < 250 || g>>8 < 250 || bl>>8 < 250
		}
		if !found {
			return false
		}
	}
	return true
}

func modifiers(_ *testing.T, u *user, b *program, mid image.Point) {
	a := u.at(computeruse.LeftClick, mid)
	a.Modifiers = []string{"Control", "shift"}
	u.done(a)
	b.await("a click with ctrl and shift", func(s statement) bool {
		return s.What == "press" && slices.Contains(s.Held, "ctrl") && slices.Contains(s.Held, "shift")
	})
	a.Modifiers = []string{"hyperdrive"}
	u.refused(a, "unknown_key")
}

func drags(_ *testing.T, u *user, b *program, mid image.Point) {
	from, over, to := mid.Add(image.Pt(-120, -40)), mid.Add(image.Pt(0, 60)), mid.Add(image.Pt(130, 20))
	id := u.shot()
	path := make([]point, 3)
	for i, p := range []image.Point{from, over, to} {
		x, y := u.pixel(p)
		path[i] = point{*x, *y}
	}
	u.done(in{Action: computeruse.LeftClickDrag, Observation: id, Path: path})
	b.await("the press", func(s statement) bool { return s.What == "press" && near(s, from) })
	b.await("the way", func(s statement) bool { // programs are told of some of its places
		return s.What == "motion" && s.Down && max(s.X-over.X, over.X-s.X, s.Y-over.Y, over.Y-s.Y) <= 12
	})
	b.await("the release", func(s statement) bool { return s.What == "release" && near(s, to) })
	a := u.at(computeruse.LeftClickDrag, to)
	a.ToX, a.ToY = u.pixel(from)
	u.done(a)
	b.await("the release of the second", func(s statement) bool { return s.What == "release" && near(s, from) })
}

func downAndUp(_ *testing.T, u *user, b *program, mid image.Point) {
	to := mid.Add(image.Pt(50, 0))
	u.done(u.at(computeruse.LeftMouseDown, mid))
	b.await("the press", func(s statement) bool { return s.What == "press" && near(s, mid) })
	u.done(u.at(computeruse.MouseMove, to))
	b.await("the move while it is down", func(s statement) bool { return s.What == "motion" && s.Down && near(s, to) })
	u.done(in{Action: computeruse.LeftMouseUp})
	b.await("the release", func(s statement) bool { return s.What == "release" && near(s, to) })
}

func scrolls(_ *testing.T, u *user, b *program, mid image.Point) {
	for _, way := range []string{"up", "down", "left", "right"} {
		a := u.at(computeruse.Scroll, mid)
		a.Direction, a.Amount = way, 2
		u.done(a)
		for range 2 {
			b.await("a scroll "+way, func(s statement) bool { return s.What == "scroll" && s.Direction == way && near(s, mid) })
		}
	}
}

func text(t *testing.T, u *user, b *program, _ image.Point) {
	t.Helper()
	for i, words := range []string{"Hello, World! ~#{}[]|\\@\"$%^&*", "Grüße aus Köln – ÄÖÜß €", "你好，世界", "Smile 😀✅ ok"} {
		for _, action := range []string{computeruse.Type, computeruse.Paste}[:1+i%2] {
			b.order("clear")
			b.order("focus")
			o := u.done(in{Action: action, Text: words})
			b.await(action+" "+words, func(s statement) bool { return s.What == "entry" && s.Text == words })
			if r := data(t, o); r.Typed != len([]rune(words)) || r.Method == "" || r.Status != "delivered" {
				t.Errorf("%s %q: %+v", action, words, r)
			}
		}
	}
	// more foreign characters than there are free keys, some of them lent from
	// before: no two of a text share a key
	for _, words := range []string{"абвгдежз", "ийклмноп", "стуфхцчш", "ц你а好ж世ш界", "я你б好й世о", "ξ你ψ好ω世ж"} {
		b.order("clear")
		u.done(in{Action: computeruse.Type, Text: words})
		b.await("the text "+words, func(s statement) bool { return s.What == "entry" && s.Text == words })
	}
	emoji := strings.Repeat("\U0001f600", wire.MaxText/4)
	b.order("clear")
	u.done(in{Action: computeruse.Paste, Text: emoji})
	b.await("10,000 bytes of emoji", func(s statement) bool { return s.What == "entry" && s.Text == emoji })
	u.refused(in{Action: computeruse.Type, Text: emoji + "x"}, "bad_input")
	b.order("clear")
}

func keys(_ *testing.T, u *user, b *program, _ image.Point) {
	b.order("focus")
	u.done(in{Action: computeruse.Key, Key: "ctrl+shift+t"})
	b.await("the chord", func(s statement) bool {
		return s.What == "key" && strings.EqualFold(s.Name, "t") && slices.Contains(s.Held, "ctrl") && slices.Contains(s.Held, "shift")
	})
	u.done(in{Action: computeruse.Key, Key: "F5", Repeat: 2})
	for range 2 {
		b.await("F5", func(s statement) bool { return s.What == "key" && s.Name == "F5" })
	}
	u.done(in{Action: computeruse.HoldKey, Key: "Left", MS: 120})
	b.await("a held key", func(s statement) bool { return s.What == "key" && s.Name == "Left" })
	b.await("its release", func(s statement) bool { return s.What == "keyup" && s.Name == "Left" })
	u.refused(in{Action: computeruse.Key, Key: "ctrl+nosuchkey"}, "unknown_key")
	u.refused(in{Action: computeruse.Key, Key: "alt+F2"}, "forbidden_program")
	u.refused(in{Action: computeruse.HoldKey, Key: "a"}, "bad_input")
}

func waits(t *testing.T, u *user, b *program, _ image.Point) {
	t.Helper()
	u.done(in{Action: wait, MS: 10})
	u.refused(in{Action: wait, MS: 10_001}, "bad_input")
	u.shot()
	b.order("late 300")
	if got := u.done(in{Action: waitForChange, MS: 10_000}).Result.Text; !strings.Contains(got, "The picture changed") {
		t.Errorf("got %s", got)
	}
	id := u.shot()
	got := u.done(in{Action: waitForChange, MS: 200, Observation: id, Region: &region{X: 1200, Y: 700, W: 60, H: 60}}).Result.Text
	if !strings.Contains(got, "Nothing changed") {
		t.Errorf("got %s", got)
	}
}

// pausedDrag: a pause stops a drag midway and lets go of the button.
func pausedDrag(t *testing.T, u *user, b *program, mid image.Point) {
	t.Helper()
	from, to := mid.Add(image.Pt(-200, 0)), mid.Add(image.Pt(200, 0))
	a := u.at(computeruse.LeftClickDrag, from)
	a.ToX, a.ToY = u.pixel(to)
	a.MS = 8000
	paused := make(chan error, 1)
	go func() {
		b.await("the press", func(s statement) bool { return s.What == "press" })
		_, err := u.session.Pause(t.Context(), "test")
		paused <- err
	}()
	o := u.try(a)
	if err := <-paused; err != nil {
		t.Fatal(err)
	}
	if o.Failed() || data(t, o).Status != "unknown" {
		t.Errorf("got %v: %s", o.Err, o.Result.Text)
	}
	b.await("the release, midway", func(s statement) bool { return s.What == "release" && s.X < to.X-20 })
	u.refused(u.at(computeruse.LeftClick, mid), "paused")
	if err := u.session.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	u.done(u.at(computeruse.LeftClick, mid))
	b.await("a click after it", func(s statement) bool { return s.What == "press" })
}

// noEffect: what changes nothing is said to, and after three such acts ways out
// are named.
func noEffect(t *testing.T, u *user, b *program, _ image.Point) {
	t.Helper()
	b.order("focus")
	u.done(in{Action: computeruse.Type, Text: "something"}) // from here on it is counted
	b.order("clear")
	for before := []byte(nil); ; { // what it had to draw may still be under way
		now := u.done(in{Action: screenshot}).Result.Images[0].Data
		if bytes.Equal(before, now) {
			break
		}
		before = now
	}
	for i := 1; i <= 3; i++ {
		o := u.done(in{Action: computeruse.Key, Key: "F9"})
		if r := data(t, o); r.Status != "no_effect" || strings.Contains(o.Result.Text, "in a row changed nothing") != (i == 3) {
			t.Errorf("act %d: %+v, %s", i, r, o.Result.Text)
		}
	}
}
