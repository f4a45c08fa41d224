package tray_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/app/tray"
	"github.com/hobkin/hobkin/app/words"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/test/desk"
)

// TestMain runs the tray itself when the test starts this program again: the
// library keeps it in package variables, so it needs a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("HOBKIN_TEST_TRAY") == "" {
		os.Exit(m.Run())
	}
	ctx, cancel := context.WithCancel(context.Background())
	var shown *tray.Tray
	tray.Run(ctx, words.In(os.Getenv("HOBKIN_TEST_LANGUAGE")), dot, func(c tray.Click, session string) {
		switch c {
		case tray.OpenChat:
			shown.Show(tray.View{State: control.StateWorking, Text: "Working: chat was opened", Busy: true, Recent: []tray.Recent{{ID: "s1", Title: "Die Rechnungen"}}})
		case tray.OpenSession:
			shown.Show(tray.View{State: control.StateWaiting, Text: "opened " + session})
		case tray.Quit:
			cancel()
		case tray.Setup:
			shown.Show(tray.View{State: control.StateUsing, Text: "using gedit", Using: true, Computer: true})
		case tray.StopUse:
			shown.Show(tray.View{State: control.StateReady, Text: "the use was stopped", Computer: true})
		case tray.Pause:
			shown.Show(tray.View{State: control.StatePaused, Text: "paused", Computer: true, Paused: true})
		case tray.Resume:
			shown.Show(tray.View{State: control.StateReady, Text: "goes on", Computer: true})
		case tray.Stop, tray.Doctor:
		}
	}, func(t *tray.Tray) { shown = t })
}

// dot is a picture in the state's own colour.
func dot(s control.State) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 22, 22))
	for i := range 22 * 22 {
		img.SetNRGBA(i%22, i/22, color.NRGBA{R: uint8(len(s) * 20), G: s[0], A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestTrayInARealHost(t *testing.T) {
	// The library races with itself when two ask for the menu at once, as the host
	// and this test do; a race of ours is still a fault.
	races := filepath.Join(t.TempDir(), "race")
	d := desk.Start(t, "HOBKIN_TEST_TRAY=1", "GORACE=exitcode=0 log_path="+races)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := d.Go(self)
	item := d.Tray("Hobkin")
	d.Until("the state line", func() bool { r, ok := item.Row("Ready"); return ok && !r.Enabled })
	if r, _ := item.Row("Stop"); r.Enabled {
		t.Error("Stop can be chosen although nothing runs")
	}
	var before []byte
	d.Until("the icon", func() bool { before = item.Icon(); return len(before) > 0 })

	if err := item.Activate(); err != nil {
		t.Fatalf("a left click: %v", err)
	}
	d.Until("the new state line", func() bool { _, ok := item.Row("Working: chat was opened"); return ok })
	if r, _ := item.Row("Stop"); !r.Enabled {
		t.Error("Stop cannot be chosen although something runs")
	}
	d.Until("the icon of the new state", func() bool { now := item.Icon(); return len(now) > 0 && !slices.Equal(before, now) })
	item.Choose("Die Rechnungen")
	d.Until("the session's row to work", func() bool { _, ok := item.Row("opened s1"); return ok })

	useOfTheScreen(t, d, item)

	// The host goes and comes back, as it does after a suspend: the icon must
	// register again.
	restartPanel(t, d)
	item = d.Tray("Hobkin")
	item.Choose("Quit")
	if err := cmd.Wait(); err != nil {
		t.Errorf("after Quit: %v", err)
	}
	ourRaces(t, races)
}

// ourRaces fails for each race that code of ours is part of.
func ourRaces(t *testing.T, logs string) {
	t.Helper()
	files, err := filepath.Glob(logs + ".*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		report, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for one := range strings.SplitSeq(string(report), "==================") {
			if strings.Contains(one, "hobkin/app/tray.") {
				t.Errorf("a race of ours: %s", one)
			}
		}
	}
}

func restartPanel(t *testing.T, d *desk.Desk) {
	t.Helper()
	pkill := exec.CommandContext(t.Context(), "xfce4-panel", "--quit")
	pkill.Env = d.Env()
	if out, err := pkill.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d.Until("the host to go", func() bool { return !d.Owned("org.kde.StatusNotifierWatcher") && !d.Owned("org.xfce.Panel") })
	d.Go("xfce4-panel", "--disable-wm-check")
}

// useOfTheScreen pauses and resumes it from the menu, and stops it with a click
// on the icon, which is the stop button then and opens the chat otherwise.
func useOfTheScreen(t *testing.T, d *desk.Desk, item *desk.Item) {
	t.Helper()
	if r, ok := item.Row("Pause computer use"); !ok || r.Enabled {
		t.Errorf("the use of the screen, which is switched off, can be paused: %+v", r)
	}
	before := item.Icon()
	item.Choose("Setup…")
	d.Until("the use of the screen", func() bool { _, ok := item.Row("using gedit"); return ok })
	d.Until("the icon to be another", func() bool { now := item.Icon(); return len(now) > 0 && !slices.Equal(before, now) })
	if err := item.Activate(); err != nil {
		t.Fatalf("a left click: %v", err)
	}
	d.Until("a click on the icon to stop it", func() bool { _, ok := item.Row("the use was stopped"); return ok })
	item.Choose("Pause computer use")
	d.Until("the pause", func() bool { r, ok := item.Row("Resume computer use"); return ok && r.Enabled })
	item.Choose("Resume computer use")
	d.Until("it to go on", func() bool { _, ok := item.Row("Pause computer use"); return ok })
}
