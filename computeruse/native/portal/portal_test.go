//go:build linux

package portal

import (
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// keys are enough of a keyboard for these tests.
type keys struct{}

func (keys) Chord(text string) (syms []uint32, err error) {
	for name := range strings.SplitSeq(text, "+") {
		sym, ok := map[string]uint32{"ctrl": 0xffe3, "shift": 0xffe1, "t": 't', "v": 'v'}[name]
		if !ok {
			return nil, &wire.Error{Code: wire.UnknownKey, Message: "no key " + name}
		}
		syms = append(syms, sym)
	}
	return syms, nil
}

func (keys) Sym(r rune) uint32 { return uint32(r) }

func newDesk(t *testing.T, f *fake) *Desk {
	t.Helper()
	d, err := Open(t.Context(), Options{Address: f.address, TokenFile: filepath.Join(f.dir, "consent", "token"), Keys: keys{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func wants(t *testing.T, err error, code, says string) (sent bool) {
	t.Helper()
	var said *wire.Error
	if !errors.As(err, &said) || said.Code != code || !strings.Contains(said.Message+" "+said.Fix, says) {
		t.Fatalf("got %v, want %s with %q", err, code, says)
	}
	return said.Sent
}

func steady() error { return nil }

func TestControl(t *testing.T) {
	f := startFake(t)
	d := newDesk(t, f)
	ctx := t.Context()
	do := func(want string, err error) {
		t.Helper()
		if got := f.done(); err != nil || got != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	if _, err := d.Where(ctx); err == nil {
		t.Error("the pointer is somewhere before it was moved")
	}
	do("move 7 10.5,20.5", d.Move(ctx, wire.Point{X: 10, Y: 20}))
	if at, err := d.Where(ctx); err != nil || at != (wire.Point{X: 10, Y: 20}) {
		t.Errorf("the pointer is at %v, %v", at, err)
	}
	do("button 0x110 1", d.Press(ctx, wire.Left))
	do("button 0x110 0", d.Release(ctx, wire.Left))
	do("button 0x111 1", d.Press(ctx, wire.Right))
	do("axis 0 3 · axis 1 -2", d.Wheel(ctx, -2, 3))
	release, err := d.Hold(ctx, "ctrl+shift+t")
	do("key 0xffe3 1 · key 0xffe1 1 · key 0x74 1", err)
	do("key 0x74 0 · key 0xffe1 0 · key 0xffe3 0", release())
	res, err := d.Type(ctx, "Hi!", steady)
	do("key 0x48 1 · key 0x48 0 · key 0x69 1 · key 0x69 0 · key 0x21 1 · key 0x21 0", err)
	if res.Method != "keys" || res.Typed != 3 {
		t.Errorf("typed %+v", res)
	}
	if names := d.ReleaseAll(); len(names) != 1 || names[0] != wire.Right {
		t.Errorf("let go of %q", names)
	}
	do("button 0x111 0", nil)
	wants(t, d.Move(ctx, wire.Point{X: 160, Y: 20}), wire.OutOfBounds, "160,20 is on no display")
	wants(t, d.Press(ctx, "fourth"), wire.BadRequest, "fourth")
	_, err = d.Hold(ctx, "ctrl+nope")
	wants(t, err, wire.UnknownKey, "nope")
	do("", nil)
}

// TestTextOfAnyScript goes by the clipboard, which is what any layout takes.
func TestTextOfAnyScript(t *testing.T) {
	f := startFake(t)
	d := newDesk(t, f)
	const text = "Grüße, 世界 😀"
	res, err := d.Type(t.Context(), text, steady)
	if err != nil || res.Method != "clipboard" || res.Typed != 11 {
		t.Fatalf("%+v, %v", res, err)
	}
	until(t, func() (ok bool) { f.with(func() { ok = f.pasted == text }); return ok })

	f.with(func() { f.paste = false })
	_, err = d.Paste(t.Context(), "nobody wants it", steady)
	if !wants(t, err, wire.TimedOut, "did not ask for the text") {
		t.Error("the chord had gone out")
	}
	stopped := errors.New("paused")
	if _, err := d.Type(t.Context(), "abc", func() error { return stopped }); !errors.Is(err, stopped) {
		t.Errorf("got %v", err)
	}
}

func TestNoClipboard(t *testing.T) {
	f := startFake(t)
	f.with(func() { f.clip = false })
	d := newDesk(t, f)
	_, err := d.Type(t.Context(), "ü", steady)
	wants(t, err, wire.Unsupported, "only what is on an English keyboard")
}

func until(t *testing.T, ok func() bool) {
	t.Helper()
	for range 500 {
		if ok() {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	t.Fatal("waited too long")
}

// TestConsentIsKept: the dialog comes once, and each token is used once.
func TestConsentIsKept(t *testing.T) {
	f := startFake(t)
	for range 3 {
		d := newDesk(t, f)
		if err := d.Probe(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.Close()
	}
	if f.shown() != 1 {
		t.Errorf("%d dialogs", f.shown())
	}
	file := filepath.Join(f.dir, "consent", "token")
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the token: %v, %v", st, err)
	}
	for s, step := range f.steps() {
		if step != "closed" {
			t.Errorf("the session %s is left %s", s, step)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		answer uint32
		says   string
	}{
		"by a person":                     {1, "You did not allow Hobkin to control it"},
		"by the desktop, as to a service": {2, "asked nobody (code 2)"},
	} {
		t.Run(name, func(t *testing.T) {
			f := startFake(t)
			d := newDesk(t, f)
			f.with(func() { f.answer = c.answer })
			wants(t, d.Press(t.Context(), wire.Left), wire.Denied, c.says)
			_, err := d.Grab(t.Context(), wire.Box{W: 1, H: 1})
			wants(t, err, wire.Denied, "see the screen")
			f.with(func() { f.answer = granted })
			if err := d.Press(t.Context(), wire.Left); err != nil { // it asks again when it is wanted again
				t.Error(err)
			}
		})
	}
}

// TestDialogThatStands: the call gives up, the answer counts later.
func TestDialogThatStands(t *testing.T) {
	f := startFake(t)
	f.with(func() { f.dialog = make(chan struct{}) })
	d := newDesk(t, f)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	wants(t, d.Press(ctx, wire.Left), wire.Denied, "has no answer yet")
	close(f.dialog)
	if err := d.Press(t.Context(), wire.Left); err != nil {
		t.Error(err)
	}
	if f.shown() != 1 {
		t.Errorf("%d dialogs", f.shown())
	}
}

// TestEndedAtTheDesktop: who ends it there is asked before it begins again.
func TestEndedAtTheDesktop(t *testing.T) {
	f := startFake(t)
	d := newDesk(t, f)
	if err := d.Press(t.Context(), wire.Left); err != nil {
		t.Fatal(err)
	}
	if err := f.conn.Emit(f.now(), session+".Closed", vardict{}); err != nil {
		t.Fatal(err)
	}
	f.with(func() { f.step[f.current] = "closed" })
	until(t, func() bool {
		select {
		case <-d.opened().closed:
			return true
		default:
			return false
		}
	})
	wants(t, d.Press(t.Context(), wire.Left), wire.Denied, "ended at the desktop")
	if err := d.Press(t.Context(), wire.Left); err != nil {
		t.Fatal(err)
	}
	if f.shown() != 2 {
		t.Errorf("%d dialogs, so nobody was asked", f.shown())
	}
}

func TestPictures(t *testing.T) {
	f := startFake(t)
	d := newDesk(t, f)
	img, err := d.Grab(t.Context(), wire.Box{X: 30, Y: 40, W: 20, H: 10})
	if err != nil {
		t.Fatal(err)
	}
	if c := img.RGBAAt(5, 6); img.Bounds() != image.Rect(0, 0, 20, 10) || c.R != 35 || c.G != 46 {
		t.Errorf("got %v of %v", c, img.Bounds())
	}
	if left, _ := filepath.Glob(filepath.Join(f.dir, "shot*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	_, err = d.Grab(t.Context(), wire.Box{X: 150, Y: 40, W: 20, H: 10})
	wants(t, err, wire.OutOfBounds, "not within the picture")
	f.with(func() { f.picture = image.NewGray(image.Rect(0, 0, 160, 100)) })
	_, err = d.Grab(t.Context(), wire.Box{W: 10, H: 10})
	wants(t, err, wire.Denied, "wholly black")
}

// TestFilesThatAreNotOurs: a portal that names another file gets no picture of
// it, and it stays.
func TestFilesThatAreNotOurs(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "letter.txt")
	if err := os.WriteFile(old, []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{"file://" + old, "file://" + dir, "http://example.com/a.png", "file://host" + old, "", "%", "file:///dev/zero", "file://" + dir + "/none"} {
		if _, err := open(uri, time.Now()); err == nil {
			t.Errorf("%q was opened", uri)
		}
	}
	if _, err := os.Stat(old); err != nil {
		t.Error(err)
	}
}

func TestScaledDisplays(t *testing.T) {
	f := startFake(t)
	f.with(func() { f.streams = []streamProps{display(1, -100, 0, 100, 200), display(2, 0, 50, 160, 100)} })
	f.with(func() { f.picture = pattern(390, 300) }) // all of it at 150 %
	d := newDesk(t, f)
	if err := d.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := d.Displays(t.Context())
	if err != nil || len(all.Displays) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	if got, want := all.Displays[1].Box, (wire.Box{X: 150, Y: 75, W: 240, H: 150}); got != want || all.Displays[1].Scale != 1.5 {
		t.Errorf("got %v at %v, want %v", got, all.Displays[1].Scale, want)
	}
	f.done()
	if err := d.Move(t.Context(), wire.Point{X: 151, Y: 78}); err != nil {
		t.Fatal(err)
	}
	if got, want := f.done(), "move 2 1.0,2.3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	wants(t, d.Move(t.Context(), wire.Point{X: 200, Y: 10}), wire.OutOfBounds, "on no display")
}

// TestOneOfTwoDisplaysShared: the picture shows both, so a click would miss.
func TestOneOfTwoDisplaysShared(t *testing.T) {
	f := startFake(t)
	f.with(func() { f.picture = pattern(400, 100) })
	d := newDesk(t, f)
	wants(t, d.Move(t.Context(), wire.Point{X: 1, Y: 1}), wire.Unsupported, "would land elsewhere")
	if got := f.done(); got != "" {
		t.Errorf("input went out: %s", got)
	}
}

func TestLookingNeedsNoControl(t *testing.T) {
	f := startFake(t)
	f.with(func() { f.without = remote })
	d := newDesk(t, f)
	all, err := d.Displays(t.Context())
	if err != nil || len(all.Displays) != 1 || all.Displays[0].Box != (wire.Box{W: 160, H: 100}) {
		t.Errorf("%+v, %v", all, err)
	}
	if f.shown() != 0 {
		t.Error("a dialog came up")
	}
	wants(t, d.Press(t.Context(), wire.Left), wire.Unsupported, "offers no remote control")
}

func TestNoPortal(t *testing.T) {
	_, err := Open(t.Context(), Options{Address: desk.Bus(t)})
	wants(t, err, wire.Unsupported, "This desktop has no portals")
	_, err = Open(t.Context(), Options{Address: "unix:path=" + t.TempDir() + "/none"})
	wants(t, err, wire.Unsupported, "cannot be reached")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	_, err = Open(t.Context(), Options{})
	wants(t, err, wire.Unsupported, "no session bus")
}

func TestDark(t *testing.T) {
	if !Dark(t.Context(), startFake(t).address) {
		t.Error("the desktop prefers dark colours")
	}
	if Dark(t.Context(), desk.Bus(t)) {
		t.Error("dark without a portal")
	}
}
