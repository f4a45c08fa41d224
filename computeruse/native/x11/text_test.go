//go:build unix

package x11

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// scripts are texts in twelve scripts, and what garbles in programs that remap
// one key for each character.
var scripts = map[string]string{
	"latin":      "Hello, World! ~#{}[]|\\@\"$%^&*  Grüße aus Köln – ÄÖÜß € ŁŐŘ",
	"greek":      "Καλημέρα κόσμε",
	"cyrillic":   "Съешь ещё этих мягких булок, ґанок",
	"hebrew":     "שלום עולם",
	"arabic":     "مرحبا بالعالم",
	"devanagari": "नमस्ते दुनिया",
	"thai":       "สวัสดีชาวโลก",
	"georgian":   "გამარჯობა",
	"armenian":   "Բարեւ աշխարհ",
	"hangul":     "안녕하세요 세계",
	"kana":       "こんにちは カタカナ",
	"han":        "你好，世界 𠀀𪚥",
	"emoji":      "Smile 😀✅ 👩‍👩‍👧 🇩🇪 ok",
	"marks":      "e\u0301 a\u0308 \u00a0|",
}

// layouts are keyboards, with what sets them.
var layouts = map[string][]string{
	"us": {"us"}, "de": {"de"}, "ru": {"ru"}, "jp": {"jp"},
}

// TestText: every text arrives as it was, under every layout, typed and pasted.
func TestText(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	f, c := startFixture(t, d, "judge"), serve(t, d)
	for layout, args := range layouts {
		setLayout(t, d, args...)
		for script, text := range scripts {
			if layout == "us" || slices.Contains([]string{"latin", "cyrillic", "han", "emoji"}, script) || os.Getenv("HOBKIN_LONG") != "" {
				f.arrives(c, wire.Type, layout+" "+script, text)
			}
		}
	}
	setLayout(t, d, "us")
	for _, script := range []string{"latin", "arabic", "emoji"} {
		f.arrives(c, wire.Paste, "pasted "+script, scripts[script])
	}
	t.Run("caps lock", func(t *testing.T) {
		capsLock(t, d, true)
		f.arrives(c, wire.Type, "caps lock", "hELLO gRÜßE")
		f.ask("clear")
		c.do(wire.Key, wire.KeyParams{Chord: "a"}, nil)
		f.textIs("a")
		if st := stateOf(t, d); st.locked&maskLock == 0 {
			t.Error("Caps Lock did not come back on")
		}
		capsLock(t, d, false)
	})
	t.Run("two groups, the second active", func(t *testing.T) {
		setLayout(t, d, "us,ru")
		lockGroup(t, d, 1)
		f.arrives(c, wire.Type, "two groups", "Latin и кириллица, in one")
		f.ask("clear")
		c.do(wire.Key, wire.KeyParams{Chord: "ctrl+a"}, nil)
		lockGroup(t, d, 0)
	})
	t.Run("lines", func(*testing.T) { f.arrives(c, wire.Type, "lines", "one\n\ttwo\nthree") })
	noneHeld(t, d)
}

// arrives puts in a text and asks the window for it.
func (f *fixture) arrives(c *client, method, what, text string) {
	f.t.Helper()
	f.ask("clear")
	var r wire.TypeResult
	c.do(method, wire.TypeParams{Text: text}, &r)
	f.t.Logf("%s: by %s", what, r.Method)
	if want := len([]rune(text)); r.Typed != want {
		f.t.Errorf("%s: %d characters went out, want %d", what, r.Typed, want)
	}
	f.textIs(text)
	if f.t.Failed() {
		f.t.Fatalf("that was %s, by %s", what, r.Method)
	}
}

// TestLongText: a long text of ASCII goes by keys, 10,000 bytes of emoji by the
// clipboard.
func TestLongText(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	f, c := startFixture(t, d, "judge"), serve(t, d)
	f.arrives(c, wire.Type, "ascii", strings.Repeat("The quick brown fox.\n", wire.MaxText/5/21))
	var emoji strings.Builder
	for r := rune(0x1F300); emoji.Len()+4 <= wire.MaxText; r++ {
		emoji.WriteRune(r)
		if r == 0x1F5FF {
			r = 0x1F300
		}
	}
	f.arrives(c, wire.Type, "emoji", emoji.String())
	c.refused(wire.BadRequest, wire.Type, wire.TypeParams{Text: strings.Repeat("x", wire.MaxText+1)})
	c.refused(wire.BadRequest, wire.Paste, wire.TypeParams{Text: ""})
}

// TestClipboardComesBack: what was copied before is there again after a paste,
// text and pictures, from a program that is still there.
func TestClipboardComesBack(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	f, c := startFixture(t, d, "judge"), serve(t, d)

	f.ask("copy keep me, Grüße")
	f.arrives(c, wire.Paste, "over a text", "pasted")
	if got := f.ask("clipboard").Text; got != "keep me, Grüße" {
		t.Errorf("the clipboard has %q after a paste", got)
	}
	f.arrives(c, wire.Paste, "a second time", "pasted again")
	if got := f.ask("clipboard").Text; got != "keep me, Grüße" {
		t.Errorf("the clipboard has %q after a second paste", got)
	}
	want := f.ask("picture").Sum
	f.arrives(c, wire.Paste, "over a picture", "pasted")
	if got := f.ask("clipboard").Sum; got != want {
		t.Errorf("the picture in the clipboard is %q after a paste, want %q", got, want)
	}
	other := startFixture(t, d, "taker")
	if got := other.ask("clipboard").Sum; got != want {
		t.Errorf("another program gets the picture %q, want %q", got, want)
	}
}

// TestNobodyTakesThePaste: a paste into what takes no text is no success.
func TestNobodyTakesThePaste(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	c := serve(t, d)
	if e := c.refusal(wire.Failed, wire.Paste, wire.TypeParams{Text: "lost"}); !e.Sent {
		t.Error("the keys went out, and that was not said")
	}
	noneHeld(t, d)
}

func setLayout(t *testing.T, d *desk.Desk, args ...string) {
	t.Helper()
	if out, err := d.Run("setxkbmap", args...); err != nil {
		t.Fatal(out, err)
	}
}

func withInput(t *testing.T, d *desk.Desk, do func(c *conn)) {
	t.Helper()
	c, err := dial(t.Context(), d.Display, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if err := c.useXKB(); err != nil {
		t.Fatal(err)
	}
	do(c)
	if err := c.sync(); err != nil {
		t.Fatal(err)
	}
}

func capsLock(t *testing.T, d *desk.Desk, on bool) {
	t.Helper()
	withInput(t, d, func(c *conn) {
		c.lock(maskLock, map[bool]byte{true: maskLock}[on])
	})
}

func lockGroup(t *testing.T, d *desk.Desk, group byte) {
	t.Helper()
	withInput(t, d, func(c *conn) {
		body := []byte{xkbCore & 0xff, xkbCore >> 8, 0, 0, 1, group, 0, 0, 0, 0, 0, 0}
		c.NewRequest(c.request(extXKB, xkbLatchLockState, body), c.NewCookie(false, false))
	})
	if st := stateOf(t, d); st.group != group {
		t.Fatalf("the layout in force is %d, want %d", st.group, group)
	}
}

func stateOf(t *testing.T, d *desk.Desk) (st keyState) {
	t.Helper()
	withInput(t, d, func(c *conn) {
		var err error
		if st, err = c.keyState(); err != nil {
			t.Fatal(err)
		}
	})
	return st
}
