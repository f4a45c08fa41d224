package setup

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/look/looktest"
)

// computer is what the pictures show.
var computer = control.Computer{
	Enabled: true, Offered: true, CourtesyIdleMS: 1500, MaxActs: 80, Hotkey: "ctrl+alt+Pause", Corner: true, Bar: true,
	Model: "claude-sonnet-4-5", LongEdge: 1568, Coordinates: "pixels",
	Helper:  control.ComputerHelper{Path: "/usr/lib/hobkin/hobkin-helper", Server: "x11", Backend: "x11"},
	Allowed: []string{"gedit", "libreoffice"}, Denied: []string{"gimp*"},
}

// tried is what a test of the parts finds on Wayland.
var tried = []control.ComputerPart{
	{Name: "capture", Works: true},
	{Name: "pointer", Works: true},
	{Name: "windows", Reason: "Wayland does not tell programs of other windows.", Fix: "Log in to a session on X11 for that."},
	{Name: "text", Reason: "The dialog of the system was closed.", Fix: "Try it again, and allow it."},
}

var probe = control.ComputerProbe{Parts: tried, Displays: []control.ComputerDisplay{{Name: "eDP-1", Width: 2880, Height: 1800, Scale: 1.5, Primary: true}}}

// desktopPicture is a screen with a window on it.
func desktopPicture() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 728, 410))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{0x3b, 0x5f, 0x7d, 0xff}), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(120, 60, 560, 340), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(120, 60, 560, 84), image.NewUniform(color.RGBA{0x2c, 0x2a, 0x28, 0xff}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestComputerWords(t *testing.T) {
	with := func(change func(*control.Computer)) control.Computer { c := computer; change(&c); return c }
	for _, tt := range []struct {
		c    control.Computer
		key  string
		mood Mood
	}{
		{computer, "Ready", Good},
		{with(func(c *control.Computer) { c.Enabled = false }), "Switched off", Quiet},
		{with(func(c *control.Computer) { c.Helper = control.ComputerHelper{CanGet: true} }), "The native helper is missing. It can be fetched and checked here", Ask},
		{with(func(c *control.Computer) { c.Helper = control.ComputerHelper{} }), "The native helper is missing. It comes with the packages of Hobkin", Bad},
		{with(func(c *control.Computer) { c.Paused = true }), "Paused", Ask},
		{with(func(c *control.Computer) { c.Session, c.Program, c.Acts = "s", "gedit", 3 }), "In use: {{.Program}} · act {{.N}} of {{.Most}}", Good},
		{with(func(c *control.Computer) { c.Session = "s" }), "In use", Good},
		{with(func(c *control.Computer) { c.Missing = "there is no screen" }), "Does not work: {{.Reason}}", Bad},
		{with(func(c *control.Computer) { c.Blind = true }), "The model cannot see pictures: choose one that does", Bad},
		{with(func(c *control.Computer) { c.LookOnly = true }), "Ready to look. The sandbox is strict, so that nothing is clicked or typed", Ask},
	} {
		if p, mood := ComputerStatus(tt.c); p.Key != tt.key || mood != tt.mood {
			t.Errorf("%+v is %q, %v; want %q, %v", tt.c, p.Key, mood, tt.key, tt.mood)
		}
	}
	for _, part := range []string{"capture", "pointer", "text", "keys", "elements", "windows", "person", "bar", "hotkey"} {
		if PartName(part).Key == "{{.Text}}" {
			t.Errorf("the part %s has no words", part)
		}
	}
	for _, tt := range []struct {
		p    control.ComputerPart
		mood Mood
	}{{tried[0], Good}, {tried[2], Ask}, {tried[3], Bad}} {
		if _, mood := PartStatus(tt.p); mood != tt.mood {
			t.Errorf("%+v has the mood %v, want %v", tt.p, mood, tt.mood)
		}
	}
	for _, tt := range []struct {
		idle, acts, edge string
		ms, most, long   int
	}{{"1.5", "80", "1568", 1500, 80, 1568}, {" 0 ", "1", "64", 0, 1, 64}, {"2,5", "9", "999", 2500, 9, 999}, {"x", "1", "64", -1, 0, 0}, {"1", "0", "64", -1, 0, 0}, {"1", "1", "9000", -1, 0, 0}, {"61", "1", "64", -1, 0, 0}} {
		ms, most, long, err := Courtesy(tt.idle, tt.acts, tt.edge)
		if (err != nil) != (tt.ms < 0) || err == nil && (ms != tt.ms || most != tt.most || long != tt.long) {
			t.Errorf("Courtesy(%q, %q, %q) = %d, %d, %d, %v", tt.idle, tt.acts, tt.edge, ms, most, long, err)
		}
	}
}

// onComputer shows the page of computer use.
func onComputer(t *testing.T, c *core, do func(w *Window, run func())) {
	t.Helper()
	onWindow(t, c, func(w *Window, run func()) {
		w.turnTo(slices.IndexFunc(w.pages, func(p page) bool { _, ok := p.(*computerPage); return ok }))
		w.Show()
		run()
		do(w, run)
	})
}

func TestComputerPageActs(t *testing.T) {
	c := &core{}
	onComputer(t, c, func(w *Window, run func()) {
		p := w.pages[w.open].(*computerPage)
		for _, step := range []struct {
			button, want string
			done         func() bool // what is drawn then; nil: nothing but how it stands
		}{
			{"Pause it", `computer.pause {"by":"window"}`, nil},
			{"Switch off", `config.set {"key":"computer_use.enabled","value":"false"}`, nil},
			{"Try it", `computer.probe null`, func() bool { return p.tried != nil }},
			{"Show it", `computer.look null`, func() bool { return w.win.Canvas().Overlays().Top() != nil }},
			{"Test its aim", `computer.calibrate null`, func() bool { return p.aim != nil }},
			{"Do without the corner", `config.set {"key":"computer_use.corner","value":"false"}`, nil},
			{"Hide the bar", `config.set {"key":"computer_use.bar","value":"false"}`, nil},
			{"Never use it", `computer.app {"name":"gedit","use":"deny"}`, nil},
			{"Ask again", `computer.app {"name":"gedit","use":"ask"}`, nil},
		} {
			tap(t, w.win.Content(), step.button)
			for !c.heard(step.want) || p.busy != "" || step.done != nil && !step.done() {
				run() // the page is asked for now and then, too
			}
			if top := w.win.Canvas().Overlays().Top(); top != nil {
				tap(t, top, "Close")
			}
		}
		shown := false
		looktest.Walk(w.win.Content(), func(o fyne.CanvasObject) {
			if x, ok := o.(*look.Text); ok && x.String() == "Tell the windows: Wayland does not tell programs of other windows. Log in to a session on X11 for that." {
				shown = true
			}
		})
		if !shown {
			t.Error("what was tried is not shown")
		}
	})
}

func TestComputerForms(t *testing.T) {
	c := &core{}
	onComputer(t, c, func(w *Window, run func()) {
		fill := func(texts ...string) fyne.CanvasObject {
			top := w.win.Canvas().Overlays().Top()
			n := 0
			looktest.Walk(top, func(o fyne.CanvasObject) {
				if e, ok := o.(*widget.Entry); ok && n < len(texts) {
					e.SetText(texts[n])
					n++
				}
			})
			return top
		}
		asked := func(want string) {
			t.Helper()
			for !c.heard(want) || w.win.Canvas().Overlays().Top() != nil {
				run() // the page is asked for now and then, too
			}
		}
		tap(t, w.win.Content(), "Change…")
		tap(t, fill("soon", "80", "1568"), "Save")
		if c.heard(`config.set {"key":"computer_use.max_actions","value":"80"}`) || w.win.Canvas().Overlays().Top() == nil {
			t.Error("a wrong time was taken")
		}
		tap(t, fill("2", "40", "1280"), "Save")
		asked(`config.set {"key":"computer_use.courtesy_idle_ms","value":"2000"}`)
		asked(`config.set {"key":"computer_use.max_actions","value":"40"}`)
		asked(`config.set {"key":"computer_use.long_edge","value":"1280"}`)
		tap(t, w.win.Content(), "Change the keys…")
		tap(t, fill("ctrl+F12"), "Save")
		asked(`config.set {"key":"computer_use.hotkey","value":"\"ctrl+F12\""}`)
		tap(t, w.win.Content(), "Never use a program…")
		tap(t, fill("gimp"), "Never use it")
		asked(`computer.app {"name":"gimp","use":"deny"}`)
	})
}

// TestNoHelper shows what a person sees where the helper is missing, and that it
// can be fetched.
func TestNoHelper(t *testing.T) {
	looktest.Language(t, "de_DE.UTF-8")
	a := test.NewTempApp(t)
	looktest.SetTheme(a, theme.VariantDark)
	w := a.NewWindow("setup")
	t.Cleanup(w.Close)
	w.SetPadded(false)
	p := newComputerPage(&Window{win: w, opts: Options{Client: &control.Client{Transport: &core{}}}})
	none := computer
	none.Helper, none.Allowed, none.Denied = control.ComputerHelper{CanGet: true}, nil, nil
	none.Missing, none.Fix = "the native helper is not installed", "fetch it on the setup page, or install the package of Hobkin that has it"
	p.set(none, nil)
	p.tried = &probe
	p.draw(nil)
	w.SetContent(framed(p.object()))
	w.Resize(fyne.NewSize(680, 900))
	looktest.Golden(t, w.Canvas(), "computer-missing-de")
	p.showLook(control.ComputerLook{Image: provider.Image{MIME: "image/png", Data: desktopPicture()}, Width: 1456, Height: 819, Physical: [2]int{1920, 1080}, TookMS: 85})
	looktest.Golden(t, w.Canvas(), "computer-look-de")
}
