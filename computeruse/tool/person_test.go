//go:build linux

package tool

import (
	"image"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hobkin/hobkin/computeruse"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/test/desk"
)

// TestProgramsAreAgreedTo: a person is asked program by program, once, for the
// session or for always; what is agreed to for one is not for another.
func TestProgramsAreAgreedTo(t *testing.T) {
	t.Parallel()
	d := desk.Bare(t)
	u := newUser(t, d)
	b := startProgram(t, d, "bench", image.Rect(60, 60, 560, 560))
	other := startProgram(t, d, "other", image.Rect(640, 60, 1140, 560))
	here, there := b.area.Min.Add(image.Pt(100, 100)), other.area.Min.Add(image.Pt(100, 100))
	for _, step := range []struct {
		answer permission.Decision
		at     image.Point
		asked  bool
		code   string
	}{
		{permission.DenyOnce, here, true, "denied"},
		{permission.Once, here, true, ""},
		{permission.Once, here, true, ""},
		{permission.ForSession, here, true, ""},
		{permission.DenyOnce, here, false, ""},
		{permission.DenyOnce, there, true, "denied"},
		{permission.Always, there, true, ""},
		{permission.DenyOnce, there, false, ""},
		{permission.DenyOnce, image.Pt(1200, 800), true, "denied"}, // the bare desktop
	} {
		u.asked, u.answer = nil, step.answer
		a := u.at(computeruse.LeftClick, step.at)
		if step.code != "" {
			u.refused(a, step.code)
		} else {
			u.done(a)
		}
		if (len(u.asked) == 1) != step.asked {
			t.Errorf("%+v: asked %+v", step, u.asked)
		}
	}
	if len(u.rules) != 1 || u.rules[0].String() != "allow computer_use: app:other" {
		t.Errorf("rules: %v", u.rules)
	}
	if b.so(func(s statement) bool { return s.What == "press" }) == false || !other.so(func(s statement) bool { return s.What == "press" }) {
		t.Error("a click did not arrive")
	}
	// a drag from one to the other is of both
	u.asked, u.answer = nil, permission.Once
	a := u.at(computeruse.LeftClickDrag, here)
	a.ToX, a.ToY = u.pixel(there)
	u.done(a)
	if len(u.asked) != 0 { // one is agreed to for the session, the other for always
		t.Errorf("asked %+v", u.asked)
	}
}

// TestQuestion: the person reads what would be done, and in which window.
func TestQuestion(t *testing.T) {
	t.Parallel()
	d := desk.Bare(t)
	u := newUser(t, d)
	b := startProgram(t, d, "bench", image.Rect(60, 60, 560, 560))
	b.order("focus")
	u.done(in{Action: computeruse.Type, Text: "hello"})
	b.await("the text", func(s statement) bool { return s.What == "entry" && s.Text == "hello" })
	q := u.asked[0]
	if q.Preview.Question != "Use the mouse and the keyboard in “bench”?" || q.Preview.Summary != "type · “hello” · in “bench”" || q.Rule != "allow computer_use: app:bench" || q.Risk != "high" {
		t.Errorf("got %+v", q)
	}
	a := u.at(computeruse.LeftClick, b.area.Min.Add(image.Pt(50, 50)))
	a.Checks = []check{{ID: "1", Code: "malicious_instructions", Message: "It may follow orders of a page."}}
	u.rules = []permission.Rule{{Tool: Name, Match: "app:bench", Action: permission.Allow}}
	u.done(a)
	if q := u.asked[1]; len(q.Preview.Warnings) != 1 || q.Rule != "" {
		t.Errorf("a check of the provider's: %+v", q)
	}
}

// TestThieves: a window that comes in front, or takes the focus, while a person
// is asked gets neither the click nor the text.
func TestThieves(t *testing.T) {
	t.Parallel()
	d := desk.Bare(t)
	u := newUser(t, d)
	b := startProgram(t, d, "bench", image.Rect(60, 60, 560, 560))
	thief := startProgram(t, d, "thief", image.Rect(640, 60, 1140, 560))
	p := b.area.Min.Add(image.Pt(100, 100))
	thief.quiet()
	a := u.at(computeruse.LeftClick, p)
	u.during = func() { thief.order("popup %d %d", p.X-60, p.Y-60); u.untilFront("Thief") }
	u.refused(a, "other_window")
	u.during = nil
	d.Window("bench") // it has the focus again, and lies in front
	u.during = func() { thief.order("popup %d %d", 900, 600); u.untilFront("Thief") }
	u.refused(in{Action: computeruse.Type, Text: "secret"}, "other_window")
	u.during = nil
	if b.so(func(s statement) bool { return s.What == "entry" || s.What == "press" }) || thief.so(func(s statement) bool { return s.What == "entry" || s.What == "press" }) {
		t.Error("something arrived")
	}
}

// untilFront waits until a window has the focus.
func (u *user) untilFront(title string) {
	u.t.Helper()
	end := time.Now().Add(waitTime)
	for time.Now().Before(end) {
		list, err := u.session.Windows(u.t.Context(), u.turn)
		if err != nil {
			u.t.Fatal(err)
		}
		for _, w := range list {
			if w.Active && w.Title == title {
				return
			}
		}
	}
	u.t.Fatalf("%s does not come to the front", title)
}

// TestTerminals: nothing is ever clicked or typed in a terminal, whatever it
// calls itself, and no rule changes that.
func TestTerminals(t *testing.T) {
	t.Parallel()
	d := desk.Bare(t)
	u := newUser(t, d)
	d.Go("xterm", "-class", "Editor", "-name", "editor", "-T", "Notes", "-geometry", "60x20+100+100")
	d.Window("Notes")
	u.rules = []permission.Rule{{Tool: Name, Action: permission.Allow}, {Tool: Name, Match: "app:*", Action: permission.Allow}}
	u.refused(u.at(computeruse.LeftClick, image.Pt(300, 250)), "forbidden_program")
	u.refused(in{Action: computeruse.Type, Text: "id\n"}, "forbidden_program")
	u.refused(in{Action: computeruse.Key, Key: "Return"}, "forbidden_program")
	got := u.done(in{Action: windows}).Result.Text
	if !strings.Contains(got, "never used: a terminal") {
		t.Errorf("windows: %s", got)
	}
	_, id, _ := strings.Cut(got, "window ")
	id, _, _ = strings.Cut(id, ":")
	u.refused(in{Action: computeruse.FocusWindow, Window: id}, "forbidden_program")
	if len(u.asked) > 0 {
		t.Errorf("asked %+v", u.asked)
	}
}

// TestStrict: where the sandbox is strict the agent refuses acts, and so does
// the helper itself.
func TestStrict(t *testing.T) {
	t.Parallel()
	d := desk.Bare(t)
	u := newUser(t, d)
	b := startProgram(t, d, "bench", image.Rect(60, 60, 560, 560))
	u.strict = true
	u.refused(u.at(computeruse.LeftClick, b.area.Min.Add(image.Pt(50, 50))), "look_only")
	hello, ok := u.helper.Running()
	if !ok || !hello.LookOnly {
		t.Errorf("the helper says %+v", hello)
	}
	err := u.helper.Do(t.Context(), "click", map[string]any{"point": map[string]int{"x": 100, "y": 100}}, nil)
	if err == nil || !strings.Contains(err.Error(), "look") {
		t.Errorf("the helper itself: %v", err)
	}
}

// TestHelperIsKilled: a helper that is killed costs nothing but the one request,
// and what it was killed in is not said to have failed.
func TestHelperIsKilled(t *testing.T) {
	t.Parallel()
	d := desk.Bare(t)
	u := newUser(t, d)
	b := startProgram(t, d, "bench", image.Rect(60, 60, 560, 560))
	mid := b.area.Min.Add(image.Pt(200, 100))
	a := u.at(computeruse.LeftClickDrag, mid)
	a.ToX, a.ToY = u.pixel(mid.Add(image.Pt(150, 50)))
	a.MS = 8000
	var wg sync.WaitGroup
	wg.Go(func() {
		b.await("the press", func(s statement) bool { return s.What == "press" })
		if err := syscall.Kill(u.helper.PID(), syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	})
	o := u.done(a)
	wg.Wait()
	if r := data(t, o); r.Status != "unknown" || !strings.Contains(o.Result.Text, "crashed (killed)") {
		t.Errorf("got %+v: %s", r, o.Result.Text)
	}
	b.await("the button that was let go of", func(s statement) bool { return s.What == "release" })
	u.done(u.at(computeruse.LeftClick, mid))
	b.await("the next click", func(s statement) bool { return s.What == "press" })
}

// TestNoScreen: without a display every action says so in a sentence.
func TestNoScreen(t *testing.T) {
	t.Parallel()
	d := desk.Bare(t)
	u := newUserWith(t, append(d.Env(), "DISPLAY=:4711"))
	u.refused(in{Action: screenshot}, "no_display")
	u.refused(in{Action: computeruse.Key, Key: "a"}, "no_display")
}

// TestPerson: a person at another device is seen as one, and the acts step
// aside for them; the agent's own input is not taken for a person's. A nested
// server makes devices of what happens in its window.
func TestPerson(t *testing.T) {
	t.Parallel()
	d := desk.Bare(t)
	u := newUser(t, d.Nested())
	u.cfg.CourtesyIdle, u.cfg.CourtesyWait = 400*time.Millisecond, 900*time.Millisecond
	id := u.shot()
	click := in{Action: computeruse.LeftClick, Observation: id, X: new(30.0), Y: new(30.0)}
	for range 3 { // one after another: its own clicks are no person's
		u.done(click)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(60 * time.Millisecond):
				_, _ = d.Run("xdotool", "mousemove", []string{"300", "340"}[i%2], "300", "mousemove_relative", "3", "2")
			}
		}
	})
	var o *capability.Outcome
	for range 20 { // until the movement has begun
		if o = u.try(click); o.Failed() {
			break
		}
	}
	close(stop)
	wg.Wait()
	e, ok := capability.AsUserError(o.Err)
	if !ok || e.Code != "user_active" {
		t.Fatalf("while a person moves the mouse: %v", o.Err)
	}
	u.done(click) // their hands rest
}

// TestScreenGoes: a screen that goes in the midst of it all is said in a
// sentence; nothing hangs.
func TestScreenGoes(t *testing.T) {
	t.Parallel()
	d := desk.Bare(t)
	u := newUser(t, d)
	a := in{Action: computeruse.LeftClick, Observation: u.shot(), X: new(30.0), Y: new(30.0)}
	u.during = d.KillServer // while the person is asked
	u.refused(a, "no_display")
	u.refused(in{Action: screenshot}, "no_display")
}

// TestTwoDisplays: a picture is of one display; a click in it lands there and
// nowhere else, and when the displays change it is not pointed into any more.
func TestTwoDisplays(t *testing.T) {
	t.Parallel()
	d := desk.Bare(t)
	for _, args := range [][]string{
		{"--setmonitor", "LEFT", "640/170x800/210+0+60", "none"}, {"--setmonitor", "*RIGHT", "640/170x600/160+640+0", "screen"},
	} {
		if out, err := d.Run("xrandr", args...); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	u := newUser(t, d)
	left := startProgram(t, d, "left", image.Rect(40, 200, 440, 700))
	right := startProgram(t, d, "right", image.Rect(700, 60, 1100, 560))
	text := u.done(in{Action: displays}).Result.Text
	if !strings.Contains(text, "640×800") || !strings.Contains(text, "640×600 pixels, scale 1, primary") {
		t.Fatalf("displays: %s", text)
	}
	var last in
	for _, p := range []*program{left, right} {
		at := p.area.Min.Add(image.Pt(70, 50))
		for _, id := range []string{"1", "2"} {
			o := u.done(in{Action: screenshot, Display: id})
			f := u.session.LastFrame("s", id)
			s, ok := f.Picture(wirePoint(at))
			if !ok {
				continue
			}
			if size := picture(t, o).Bounds().Size(); size.X != f.Sent.W || size.Y != f.Sent.H || f.Physical.W != 640 {
				t.Errorf("a picture of %v, its frame is %+v", size, f)
			}
			last = in{Action: computeruse.LeftClick, Observation: f.ID, X: &s.X, Y: &s.Y}
			u.done(last)
			p.await("the click", func(s statement) bool { return s.What == "press" && near(s, at) })
		}
	}
	if left.so(func(s statement) bool { return s.What == "press" }) || right.so(func(s statement) bool { return s.What == "press" }) {
		t.Error("a click too many")
	}
	last.X, last.Y = new(639.0), new(599.5) // the last pixel of the right display: beside it is nothing
	u.done(last)
	last.X = new(640.0)
	u.refused(last, "out_of_bounds")
	last.X = new(100.0)
	if out, err := d.Run("xrandr", "--delmonitor", "LEFT"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	u.refused(last, "stale_observation")
}
