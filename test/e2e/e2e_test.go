// Package e2e tests the whole program as a person uses it: the real binaries on
// a real desktop, with pointer and keys.
package e2e

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/test/desk"
	"github.com/hobkin/hobkin/test/suite"
)

// program is a built binary; make builds it before the tests.
func program(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(suite.Root(tb), "bin", name)
	if _, err := os.Stat(path); err != nil {
		tb.Fatalf("%s is not built; run make build", path)
	}
	return path
}

// home fills the desk's home with a project and settings that work in it.
func home(tb testing.TB, d *desk.Desk) (project string) {
	tb.Helper()
	project = filepath.Join(d.Home, "project")
	write(tb, filepath.Join(project, "core", "plan.go"), "package core\n\n// TODO: count the spoons\nfunc plan() {}\n")
	write(tb, filepath.Join(project, "core", "done.go"), "package core\n\nfunc done() {}\n")
	write(tb, filepath.Join(project, "notes.txt"), "The foo is ready.\nNothing else.\n")
	write(tb, filepath.Join(d.Home, ".config", "hobkin", "config.toml"), "[agent]\nworkspace = \""+project+"\"\n[desktop]\ntheme = \"light\"\n")
	return project
}

func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

func read(tb testing.TB, path string) string {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// client waits for the desktop's control socket.
func client(tb testing.TB, d *desk.Desk) *control.Client {
	tb.Helper()
	path := filepath.Join(filepath.Dir(d.Home), "run", "hobkin", "control.sock")
	var c *control.Client
	d.Until("the control socket", func() (ok bool) {
		var err error
		c, err = control.Dial(context.Background(), path)
		return err == nil
	})
	return c
}

// watcher follows every event of the desktop.
type watcher struct {
	tb     testing.TB
	events chan agent.Event
}

func watch(tb testing.TB, c *control.Client) *watcher {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &watcher{tb, make(chan agent.Event, 4096)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e, err := range c.Watch(ctx, control.WatchRequest{}) {
			if err != nil {
				return
			}
			w.events <- e
		}
	}()
	tb.Cleanup(func() { cancel(); <-done })
	return w
}

// errTimeout is what a wait that was too long ends with.
var errTimeout = errors.New("it did not happen in time")

// next waits for an event with a payload of type P that fits.
func next[P agent.Payload](w *watcher, what string, fits func(P) bool) (P, agent.Event) {
	w.tb.Helper()
	timer := time.NewTimer(30 * time.Second)
	defer timer.Stop()
	for {
		select {
		case e := <-w.events:
			if p, ok := e.Payload.(P); ok && (fits == nil || fits(p)) {
				return p, e
			}
		case <-timer.C:
			w.tb.Fatalf("waiting for %s: %v", what, errTimeout)
		}
	}
}

// TestTheMainJob does what a person does on the first day, through the real
// window and tray.
func TestTheMainJob(t *testing.T) {
	d := desk.Start(t)
	project := home(t, d)
	notes := filepath.Join(project, "notes.txt")
	app := d.Go(program(t, "hobkin-desktop"))
	item := d.Tray("Hobkin")
	c := client(t, d)
	w := watch(t, c)
	d.Window("Hobkin")
	idle := item.Icon()

	d.Say("find TODO in core")
	found, _ := next(w, "the search", func(p agent.ToolCompleted) bool { return p.Tool == "content_search" })
	if found.Failed || !strings.Contains(found.Text, "count the spoons") {
		t.Errorf("the search found %q", found.Text)
	}
	next[agent.TurnCompleted](w, "the end of the turn", nil)

	d.Say(`replace "foo" with "bar" in notes.txt`)
	ask, _ := next[agent.ApprovalRequested](w, "the approval", nil)
	if !strings.Contains(ask.Preview.Diff, "-The foo is ready.") || !strings.Contains(ask.Preview.Diff, "+The bar is ready.") {
		t.Errorf("the approval's diff is %q", ask.Preview.Diff)
	}
	if got := read(t, notes); got != "The foo is ready.\nNothing else.\n" {
		t.Fatalf("the file changed before it was allowed: %q", got)
	}
	d.Until("the tray to say that it waits", func() bool { _, ok := item.Row("Waiting for you"); return ok })
	if string(item.Icon()) == string(idle) {
		t.Error("the tray's icon does not show that it waits")
	}
	d.Card()
	keep(t, d, "chat.png")
	d.Allow()
	next[agent.TurnCompleted](w, "the end of the turn", nil)
	if got := read(t, notes); got != "The bar is ready.\nNothing else.\n" {
		t.Errorf("after Allow the file is %q", got)
	}

	d.Say("undo")
	next[agent.ApprovalRequested](w, "the approval of the undo", nil)
	d.Allow()
	next[agent.TurnCompleted](w, "the end of the turn", nil)
	if got := read(t, notes); got != "The foo is ready.\nNothing else.\n" {
		t.Errorf("after undo the file is %q", got)
	}

	closeAndComeBack(t, d, item)
	item.Choose("Quit")
	if err := app.Wait(); err != nil {
		t.Errorf("after Quit: %v", err)
	}
}

// TestLanguage: the language of the settings is spoken by the tray, the window
// and the notifications, on a desktop of another.
func TestLanguage(t *testing.T) {
	d := desk.Start(t)
	project := home(t, d)
	write(t, filepath.Join(d.Home, ".config", "hobkin", "config.toml"), "[agent]\nworkspace = \""+project+"\"\n[desktop]\ntheme = \"light\"\nlanguage = \"de\"\n")
	app := d.Go(program(t, "hobkin-desktop"))
	item := d.Tray("Hobkin")
	w := watch(t, client(t, d))
	d.Window("Hobkin")
	for _, row := range []string{"Bereit", "Chat öffnen", "Anhalten", "Computernutzung pausieren", "Letzte Sitzungen", "Einrichtung…", "Selbstprüfung"} {
		d.Until("the row "+row, func() bool { _, ok := item.Row(row); return ok })
	}
	d.Say(`replace "foo" with "bar" in notes.txt`)
	next[agent.ApprovalRequested](w, "the approval", nil)
	d.Until("the tray to say that it waits", func() bool { _, ok := item.Row("Wartet auf Sie"); return ok })
	d.Card()
	keep(t, d, "language.png")
	item.Choose("Hobkin beenden")
	if err := app.Wait(); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

// TestStartAtLogin: the setting writes the entry by which the person's desktop
// starts the program hidden, and takes it away.
func TestStartAtLogin(t *testing.T) {
	d := desk.Start(t)
	home(t, d)
	app := d.Go(program(t, "hobkin-desktop"), "--background")
	item := d.Tray("Hobkin")
	client(t, d)
	entry := filepath.Join(d.Home, ".config", "autostart", "io.github.hobkin.Hobkin.desktop")
	set := func(on string) {
		t.Helper()
		if out, err := d.Run(program(t, "hobkin"), "config", "set", "desktop.start_at_login", on); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	set("true")
	d.Until("the entry", func() bool {
		b, err := os.ReadFile(entry)
		return err == nil && strings.Contains(string(b), `Exec="`+program(t, "hobkin-desktop")+`" --background`)
	})
	if out, err := d.Run(program(t, "hobkin"), "doctor"); !strings.Contains(out, entry+" starts it hidden") {
		t.Errorf("%v: %s", err, out)
	}
	item.Choose("Quit")
	if err := app.Wait(); err != nil {
		t.Errorf("after Quit: %v", err)
	}
	// As at the next login. What it starts keeps the output open.
	if _, err := d.Run("sh", "-c", "exec gio launch \"$0\" >/dev/null 2>&1", entry); err != nil {
		t.Fatal(err)
	}
	item = d.Tray("Hobkin")
	client(t, d)
	if d.HasWindow("Hobkin") {
		t.Error("it does not start hidden")
	}
	set("false")
	d.Until("the end of the entry", func() bool { _, err := os.Stat(entry); return errors.Is(err, os.ErrNotExist) })
	item.Choose("Quit")
	d.Until("the end of the program", func() bool { _, err := d.Run("pgrep", "-f", program(t, "hobkin-desktop")); return err != nil })
}

// closeAndComeBack closes the window, which must not end the agent, and opens
// it again from the tray and by a second start.
func closeAndComeBack(t *testing.T, d *desk.Desk, item *desk.Item) {
	t.Helper()
	d.Key("alt+F4")
	d.Until("the window to close", func() bool { return !d.HasWindow("Hobkin") })
	if _, ok := item.Row("Ready"); !ok {
		t.Errorf("with the window closed the tray says %v", item.Rows())
	}
	if err := item.Activate(); err != nil {
		t.Errorf("a left click on the tray: %v", err)
	}
	d.Window("Hobkin")
	d.Key("alt+F4")
	d.Until("the window to close again", func() bool { return !d.HasWindow("Hobkin") })
	if out, err := d.Run(program(t, "hobkin-desktop")); err != nil {
		t.Errorf("a second start: %v %s", err, out)
	}
	d.Window("Hobkin")
}

// keep writes a screenshot for the documents when HOBKIN_SCREENSHOTS names a
// folder.
func keep(t *testing.T, d *desk.Desk, name string) {
	t.Helper()
	if dir := os.Getenv("HOBKIN_SCREENSHOTS"); dir != "" {
		d.Picture(d.Window("Hobkin"), filepath.Join(dir, name))
	}
}
