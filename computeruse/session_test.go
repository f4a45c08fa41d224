package computeruse

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/computeruse/helper"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/capability"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// is reports an error that is not the failure.
func is(t *testing.T, what string, err error, want *capability.Failure) {
	t.Helper()
	if want == nil && err == nil {
		return
	}
	if want == nil || !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

// TestClickGoesWhereItWasSeen: each picture carries its own measures, and a
// click names the picture it is in: the same spot of two displays, and of a
// zoom, are three places (rows 1, 2, 20, 23 of the field's faults).
func TestClickGoesWhereItWasSeen(t *testing.T) {
	r := newRig(t)
	one, two := r.shot(t, owner, View{}), r.shot(t, owner, View{Display: "2"})
	zoom := r.shot(t, owner, View{Observation: one.Frame.ID, Region: &[4]float64{100, 100, 300, 250}})
	x, y := 300.0, 200.0
	for _, c := range []struct {
		f    *Frame
		want wire.Point
	}{
		{one.Frame, wire.Point{X: 396, Y: 264}},
		{two.Frame, wire.Point{X: -2032, Y: 172}},
		{zoom.Frame, wire.Point{X: 206, Y: 181}},
	} {
		// the same transform as the click's: what is drawn lies where it was clicked (row 11)
		p := c.f.Desktop(Spot{x, y})
		if p != c.want {
			t.Errorf("%v of %v: got %v, want %v", Spot{x, y}, c.f.Crop, p, c.want)
		}
		r.desk.windows = append(r.desk.windows[:0:0], wire.Window{ID: "w", App: "Any", Box: wire.Box{X: -9000, Y: -9000, W: 20000, H: 20000}, Active: true})
		got, err := r.do(t, owner, Act{Action: LeftClick, Observation: c.f.ID, X: &x, Y: &y}, nil)
		if err != nil || r.desk.cursor != c.want || got.Status != Delivered {
			t.Errorf("the click in %v went to %v: %v", c.f.Crop, r.desk.cursor, err)
		}
		if got != nil && got.Shot.Frame.Display != c.f.Display {
			t.Errorf("the check image is of display %s", got.Shot.Frame.Display)
		}
	}
	if zoom.Frame.Whole() || !one.Frame.Whole() || r.LastFrame("s", "1").ID == zoom.Frame.ID {
		t.Error("a zoom counts as a picture of the whole display")
	}
}

// TestOneDisplayAPicture: displays never share a picture (row 34).
func TestOneDisplayAPicture(t *testing.T) {
	r := newRig(t)
	for id, want := range map[string]wire.Size{"1": {W: 1456, H: 819}, "2": {W: 1456, H: 819}} {
		s := r.shot(t, owner, View{Display: id})
		if s.Frame.Sent != want || s.Frame.Crop != r.desk.displays.Displays[map[string]int{"1": 0, "2": 1}[id]].Box {
			t.Errorf("display %s: %+v", id, s.Frame)
		}
	}
	_, err := r.Screenshot(t.Context(), owner, View{Display: "3"})
	is(t, "a third display", err, UnknownDisplay)
}

// TestZoom: a part of the screen is cut from its own pixels and has the whole
// budget (row 31).
func TestZoom(t *testing.T) {
	r := newRig(t)
	f := r.shot(t, owner, View{Display: "2"}).Frame
	z := r.shot(t, owner, View{Observation: f.ID, Region: &[4]float64{0, 0, 364, 204.75}}).Frame
	if z.Crop != (wire.Box{X: -2560, Y: -180, W: 640, H: 360}) || z.Sent != (wire.Size{W: 1456, H: 819}) {
		t.Errorf("got %+v", z)
	}
	for name, region := range map[string][4]float64{
		"outside":   {0, 0, 1457, 100},
		"turned":    {100, 100, 50, 200},
		"nothing":   {10, 10, 10, 10},
		"a pixel":   {10, 10, 11, 11},
		"negative":  {-1, 0, 100, 100},
		"no number": {0, 0, nan, 10},
	} {
		_, err := r.Screenshot(t.Context(), owner, View{Observation: f.ID, Region: &region})
		is(t, name, err, OutOfBounds)
	}
	_, err := r.Screenshot(t.Context(), owner, View{Observation: "o-1", Region: &[4]float64{0, 0, 100, 100}})
	is(t, "of no picture", err, UnknownFrame)
	r.desk.displays.Displays[0].Box.W = 0
	_, err = r.Screenshot(t.Context(), owner, View{})
	is(t, "a display of no size", err, NoScreen)
}

// TestStale: pictures that are old, of another conversation, or of another
// layout of the displays are not pointed into.
func TestStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		f := r.shot(t, owner, View{}).Frame
		_, err := r.do(t, owner, click(f, 300, 300), nil)
		is(t, "fresh", err, nil)
		other := owner
		other.Session = "another"
		_, err = r.do(t, other, click(f, 300, 300), nil)
		is(t, "of another conversation", err, UnknownFrame)
		pass(31 * time.Second)
		_, err = r.do(t, owner, click(f, 300, 300), nil)
		is(t, "old", err, StaleFrame)
		f = r.shot(t, owner, View{}).Frame
		r.desk.displays.Layout = "b"
		_, err = r.do(t, owner, click(f, 300, 300), nil)
		is(t, "of another layout", err, StaleFrame)
		f = r.shot(t, owner, View{}).Frame
		_, err = r.do(t, owner, click(f, 300, 300), func() {
			data, _ := json.Marshal(wire.DisplaysResult{Layout: "c"})
			r.Event(wire.DisplaysChanged, data)
		})
		is(t, "of a layout that went while it was asked", err, StaleFrame)
	})
}

// TestPatience: a person who takes minutes to agree does not make the picture
// stale as long as the screen around the place has not changed.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		f := r.shot(t, owner, View{}).Frame
		_, err := r.do(t, owner, click(f, 300, 300), func() { pass(3 * time.Minute) })
		is(t, "unchanged", err, nil)
		f = r.shot(t, owner, View{}).Frame
		_, err = r.do(t, owner, click(f, 300, 300), func() { pass(3 * time.Minute); r.desk.frame++ })
		is(t, "changed", err, StaleFrame)
		f = r.shot(t, owner, View{}).Frame
		_, err = r.do(t, owner, click(f, 300, 300), func() { pass(11 * time.Minute) })
		is(t, "after ever so long", err, StaleFrame)
	})
}

// TestPrograms: what an act goes to is judged twice, and some programs are
// never used, whatever they call themselves.
func TestPrograms(t *testing.T) {
	r := newRig(t)
	f := r.shot(t, owner, View{}).Frame
	_, err := r.do(t, owner, click(f, 900, 200), nil)
	is(t, "a terminal that calls itself Nice", err, Forbidden)
	j, err := r.Judge(t.Context(), r.call(owner), click(f, 300, 200))
	if err != nil || len(j.Programs) != 1 || j.Programs[0].Name != "gedit" || j.Programs[0].Title != "Notes" {
		t.Errorf("got %+v, %v", j, err)
	}
	j, err = r.Judge(t.Context(), r.call(owner), click(f, 10, 10))
	if err != nil || j.Programs[0].Name != "desktop" {
		t.Errorf("the bare desktop: %+v, %v", j, err)
	}
	_, err = r.do(t, owner, click(f, 300, 200), func() { // a window comes in front while a person is asked
		r.desk.windows = append([]wire.Window{{ID: "w9", App: "Popup", Box: wire.Box{X: 250, Y: 150, W: 200, H: 200}}}, r.desk.windows...)
	})
	is(t, "another window in front", err, OtherWindow)
	r.desk.during[wire.Click] = func(context.Context) { // …or at the very moment: the helper sees it
		r.desk.windows = r.desk.windows[1:]
	}
	_, err = r.do(t, owner, click(f, 300, 200), nil)
	is(t, "a window that goes at the moment of the click", err, OtherWindow)
	delete(r.desk.during, wire.Click)
	r.cfg.Forbidden = []string{"Ged*"}
	_, err = r.do(t, owner, click(f, 300, 200), nil)
	is(t, "a program that the owner forbids", err, Forbidden)
	r.cfg.Forbidden = nil
	x, y, tx, ty := 220.0, 150.0, 700.0, 150.0
	_, err = r.do(t, owner, Act{Action: LeftClickDrag, Observation: f.ID, X: &x, Y: &y, ToX: &tx, ToY: &ty}, nil)
	is(t, "a drag into a terminal", err, Forbidden)
	_, err = r.do(t, owner, Act{Action: FocusWindow, Window: "w2"}, nil)
	is(t, "the focus for a terminal", err, Forbidden)
	r.desk.windows[0].Active, r.desk.windows[1].Active = false, true
	_, err = r.do(t, owner, Act{Action: Type, Text: "rm -rf /"}, nil)
	is(t, "text into a terminal", err, Forbidden)
	for _, sent := range r.desk.sent() {
		if sent != wire.Click {
			t.Errorf("%s was sent", sent)
		}
	}
}

// TestFocusAfterTheQuestion: a person answers in Hobkin's own window, which has
// the focus then; the text still goes to the window that was judged.
func TestFocusAfterTheQuestion(t *testing.T) {
	r := newRig(t)
	r.desk.windows = append(r.desk.windows, wire.Window{ID: "w7", App: "Hobkin", Box: wire.Box{X: 0, Y: 800, W: 10, H: 10}})
	got, err := r.do(t, owner, Act{Action: Type, Text: "hello"}, func() {
		r.desk.windows[0].Active, r.desk.windows[3].Active = false, true
	})
	if err != nil || got.Program.Window != "w1" || got.Text.Typed != 5 || !r.desk.windows[0].Active {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = r.do(t, owner, Act{Action: Type, Text: "hello"}, func() {
		r.desk.windows[0].Active, r.desk.windows[2].Active = false, true
	})
	is(t, "another program took the focus", err, OtherWindow)
	r.desk.windows[2].Active, r.desk.windows[3].Active = false, true
	_, err = r.do(t, owner, Act{Action: Key, Chord: "Return"}, nil)
	is(t, "into Hobkin's own window", err, Forbidden)
}

// TestChords: chords that open what runs commands are never sent, and those of
// the desktop are acts on the desktop.
func TestChords(t *testing.T) {
	for chord, want := range map[string]string{
		"alt+F2": "never", "F2+alt": "never", "ctrl+alt+t": "never", "Control_L+Alt_L+T": "never", "ctrl+alt+F3": "never", "ctrl+alt+Delete": "never", "super+r": "never",
		"super+l": "never", "alt+Print": "never", "XF86PowerOff": "never", "ctrl + alt + t": "never", "a+ctrl+alt+t": "never",
		"super": "desktop", "super+Left": "desktop", "alt+Tab": "desktop", "alt+space": "desktop",
		"ctrl+s": "", "ctrl+shift+t": "", "Return": "", "F5": "", "alt+f": "", "alt+F4": "", "t": "", "ctrl++": "", "XF86AudioMute": "", "+": "",
	} {
		never, desktop := judgeChord(chord)
		got := ""
		switch {
		case never != "":
			got = "never"
		case desktop:
			got = "desktop"
		}
		if got != want {
			t.Errorf("%s: got %q (%s), want %q", chord, got, never, want)
		}
	}
	r := newRig(t)
	_, err := r.do(t, owner, Act{Action: Key, Chord: "alt+F2"}, nil)
	is(t, "alt+F2", err, Forbidden)
	if j, err := r.Judge(t.Context(), r.call(owner), Act{Action: Key, Chord: "alt+Tab"}); err != nil || j.Programs[0].Name != "desktop" {
		t.Errorf("alt+Tab: %+v, %v", j, err)
	}
}

// TestWhoMayLook: only turns that a person takes part in, and only while it is
// switched on.
func TestWhoMayLook(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		change func(*capability.Turn)
		want   *capability.Failure
	}{
		"the owner":           {func(*capability.Turn) {}, nil},
		"the terminal":        {func(t *capability.Turn) { t.Channel = "cli" }, nil},
		"voice":               {func(t *capability.Turn) { t.Channel = "voice" }, nil},
		"a guest":             {func(t *capability.Turn) { t.Trust = capability.Guest }, NotAttended},
		"no one there":        {func(t *capability.Turn) { t.Attended = false }, NotAttended},
		"a job":               {func(t *capability.Turn) { t.Channel, t.Provenance = "job", capability.FromSchedule }, NotAttended},
		"a subagent":          {func(t *capability.Turn) { t.Channel = "subagent" }, NotAttended},
		"a subagent's words":  {func(t *capability.Turn) { t.Provenance = capability.FromSubagent }, NotAttended},
		"a connected program": {func(t *capability.Turn) { t.Channel = "http" }, NotAttended},
		"a mail":              {func(t *capability.Turn) { t.Provenance = capability.FromWeb }, NotAttended},
	} {
		turn := owner
		c.change(&turn)
		_, err := r.Screenshot(t.Context(), turn, View{})
		is(t, name, err, c.want)
		if r.Offered(turn) != (c.want == nil) {
			t.Errorf("%s: offered is %t", name, r.Offered(turn))
		}
	}
	r.cfg.Enabled = false
	_, err := r.Screenshot(t.Context(), owner, View{})
	is(t, "switched off", err, Off)
}

// TestLookOnly: where the sandbox is strict nothing is sent.
func TestLookOnly(t *testing.T) {
	r := newRig(t)
	r.o.LookOnly = func() bool { return true }
	f := r.shot(t, owner, View{}).Frame
	_, err := r.do(t, owner, click(f, 300, 300), nil)
	is(t, "a click", err, LookOnly)
	if got := r.desk.sent(); len(got) > 0 {
		t.Errorf("sent: %q", got)
	}
}

// TestHelperRestarts: what the one before knew is told to a new helper.
func TestHelperRestarts(t *testing.T) {
	r := newRig(t)
	r.cfg.Hotkey = "ctrl+alt+p"
	r.Event(helper.Started, []byte(`{"protocol":2}`))
	taken := func() int { return strings.Count(strings.Join(r.desk.calls, " "), wire.Hotkey) }
	if taken() != 1 {
		t.Errorf("got %q", r.desk.calls)
	}
	for i, chord := range []string{"ctrl+alt+p", "F12", "F12", ""} { // a change counts from the next act on
		r.cfg.Hotkey = chord
		if _, err := r.do(t, owner, Act{Action: Key, Chord: "a"}, nil); err != nil || taken() != []int{1, 2, 2, 3}[i] {
			t.Errorf("%q: %v, taken %d times", chord, err, taken())
		}
	}
}
