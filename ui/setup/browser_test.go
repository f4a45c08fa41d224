package setup

import (
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/look/looktest"
)

// browser is what the pictures show.
var browser = control.Browser{
	Enabled: true, Program: "/usr/lib/chromium/chromium", Version: "156.0.7401.52", Headless: true, Screen: true,
	Profiles: []control.BrowserProfile{
		{Name: "default", Usual: true, Bytes: 48_300_000, Used: time.Unix(1_796_000_000, 0), Running: true, Tabs: 3},
		{Name: "work", Bytes: 12_000, Used: time.Unix(1_795_000_000, 0)},
	},
	AllowHosts: []string{"localhost:3000", "nas.lan"}, Attached: 9222,
}

func TestBrowserWords(t *testing.T) {
	found := control.Browser{Enabled: true, Program: "/c", Version: "156.0", Screen: true}
	with := func(change func(*control.Browser)) control.Browser { b := found; change(&b); return b }
	for _, tt := range []struct {
		b    control.Browser
		t    *control.BrowserTrial
		key  string
		mood Mood
	}{
		{found, nil, "Found. It works in a window that you can watch", Good},
		{with(func(b *control.Browser) { b.Headless = true }), nil, "Found. It works without a window", Good},
		{with(func(b *control.Browser) { b.Shell = true }), nil, "Found. It works without a window", Good},
		{with(func(b *control.Browser) { b.Screen = false }), nil, "Found. There is no screen to show windows on", Good},
		{with(func(b *control.Browser) { b.Enabled = false }), nil, "Switched off", Quiet},
		{with(func(b *control.Browser) { b.Reason = "too old" }), nil, "Cannot be used: {{.Reason}}", Bad},
		{found, &control.BrowserTrial{OK: true, Millis: 840}, "Works: its first page was there after {{.Seconds}} s", Good},
		{found, &control.BrowserTrial{Detail: "it ended"}, "Does not work: {{.Reason}}", Bad},
	} {
		if p, mood := ProgramStatus(tt.b, tt.t); p.Key != tt.key || mood != tt.mood {
			t.Errorf("%+v, %+v is %q, %v; want %q, %v", tt.b, tt.t, p.Key, mood, tt.key, tt.mood)
		}
	}
	for bytes, want := range map[int64]string{0: "0 kB", 1: "1 kB", 12_000: "12 kB", 48_300_000: "48 MB", 1_500_000_000: "1.5 GB"} {
		if got := size(bytes); got != want {
			t.Errorf("size(%d) = %q, want %q", bytes, got, want)
		}
	}
	if got := hostsValue(Hosts("localhost:3000, nas.lan\n*.x.org")); got != `["localhost:3000", "nas.lan", "*.x.org"]` {
		t.Errorf("the hosts are %s", got)
	}
	for text, want := range map[string]int{"": 0, " 9222 ": 9222, "0": 0, "80": -1, "x": -1, "70000": -1} {
		if got, err := Port(text); err == nil && got != want || err != nil && want != -1 {
			t.Errorf("Port(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

// onBrowser shows the page of the browser.
func onBrowser(t *testing.T, c *core, do func(w *Window, run func())) {
	t.Helper()
	onWindow(t, c, func(w *Window, run func()) {
		w.turnTo(slices.IndexFunc(w.pages, func(p page) bool { _, ok := p.(*browserPage); return ok }))
		w.Show()
		run()
		do(w, run)
	})
}

func TestBrowserPageActs(t *testing.T) {
	c := &core{}
	onBrowser(t, c, func(w *Window, run func()) {
		for _, step := range []struct{ button, in, want string }{
			{"Test it", "", `browser.test null`},
			{"Open it to sign in", "", `browser.open {"id":"default"}`},
			{"Close", "", `browser.stop {"id":"default"}`},
			{"Clear…", "Clear", `browser.clear {"id":"default"}`},
			{"Make it the usual one", "", `config.set {"key":"browser.profile","value":"\"work\""}`},
			{"Remove", "Remove", `browser.delete {"id":"work"}`},
			{"Work in a window", "", `config.set {"key":"browser.headless","value":"false"}`},
			{"Switch off", "", `config.set {"key":"browser.enabled","value":"false"}`},
			{"Detach", "", `config.set {"key":"browser.attached_port","value":"0"}`},
		} {
			tap(t, w.win.Content(), step.button)
			if step.in != "" {
				tap(t, w.win.Canvas().Overlays().Top(), step.in)
			}
			run()
			if !slices.Contains(c.asked, step.want) {
				t.Errorf("%s asked %q, want %q", step.button, c.asked, step.want)
			}
		}
	})
}

func TestBrowserForms(t *testing.T) {
	c := &core{}
	onBrowser(t, c, func(w *Window, run func()) {
		fill := func(text string) fyne.CanvasObject {
			top := w.win.Canvas().Overlays().Top()
			looktest.Walk(top, func(o fyne.CanvasObject) {
				if e, ok := o.(*widget.Entry); ok {
					e.SetText(text)
				}
			})
			return top
		}
		asked := func(want string) {
			t.Helper()
			if !slices.Contains(c.asked, want) || w.win.Canvas().Overlays().Top() != nil {
				t.Errorf("asked %q, want %q, and the form closed", c.asked, want)
			}
		}
		tap(t, w.win.Content(), "Edit…")
		tap(t, fill("localhost:5000\nnas.lan"), "Save")
		run()
		asked(`config.set {"key":"browser.allow_hosts","value":"[\"localhost:5000\", \"nas.lan\"]"}`)
		tap(t, w.win.Content(), "New profile…")
		tap(t, fill("shop"), "Save")
		run()
		asked(`config.set {"key":"browser.profile","value":"\"shop\""}`)
		tap(t, w.win.Content(), "Change…")
		before := len(c.asked)
		tap(t, fill("80"), "Save")
		if len(c.asked) != before || w.win.Canvas().Overlays().Top() == nil {
			t.Errorf("a wrong port was taken: %q", c.asked)
		}
		tap(t, fill("9333"), "Save")
		run()
		asked(`config.set {"key":"browser.attached_port","value":"9333"}`)
	})
}

// TestNoBrowser shows what a person sees where none is installed.
func TestNoBrowser(t *testing.T) {
	looktest.Language(t, "de_DE.UTF-8")
	a := test.NewTempApp(t)
	looktest.SetTheme(a, theme.VariantLight)
	w := a.NewWindow("setup")
	t.Cleanup(w.Close)
	w.SetPadded(false)
	p := newBrowserPage(&Window{win: w})
	p.set(control.Browser{Enabled: true, Reason: "no Chromium or Chrome was found", Fix: "sudo apt install chromium", Profiles: []control.BrowserProfile{{Name: "default", Usual: true}}}, nil)
	w.SetContent(framed(p.object()))
	w.Resize(fyne.NewSize(680, 640))
	looktest.Golden(t, w.Canvas(), "browser-missing-de")
}

// TestNothingOfTheBrowserIsCut holds that buttons keep the room their words
// need, in every language and in a narrow window.
func TestNothingOfTheBrowserIsCut(t *testing.T) {
	for _, language := range []string{"en_US.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "ja_JP.UTF-8", "zh_CN.UTF-8"} {
		looktest.Language(t, language)
		a := test.NewTempApp(t)
		looktest.SetTheme(a, theme.VariantLight)
		w := a.NewWindow("setup")
		p := newBrowserPage(&Window{win: w})
		p.set(browser, nil)
		w.SetContent(framed(p.object()))
		w.Resize(fyne.NewSize(420, 600))
		looktest.Walk(w.Content(), func(o fyne.CanvasObject) {
			if b, ok := o.(*look.Button); ok && b.Size().Width+0.5 < b.MinSize().Width {
				t.Errorf("%s: %q has %v of the %v it needs", language, b.Text, b.Size(), b.MinSize())
			}
		})
		w.Close()
	}
}
