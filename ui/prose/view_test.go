package prose

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/ui/look"
)

func newTestView(t *testing.T) *View {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(&look.Theme{})
	v := NewView(nil)
	w := test.NewTempWindow(t, v)
	w.Resize(fyne.NewSize(400, 600))
	return v
}

// TestBlocksKeepTheirWidgets holds that a text that grows is not drawn anew.
func TestBlocksKeepTheirWidgets(t *testing.T) {
	v := newTestView(t)
	v.Set("one\n\ntwo\n\nthr", true)
	before := v.body.Objects
	if len(before) != 3 {
		t.Fatalf("%d parts, want two blocks and the end", len(before))
	}
	v.Set("one\n\ntwo\n\nthree", true)
	v.Set("one\n\ntwo\n\nthree\n\nfour", true)
	after := v.body.Objects
	if len(after) != 4 || after[0] != before[0] || after[1] != before[1] {
		t.Errorf("finished blocks were drawn anew: %d parts", len(after))
	}
	v.Set("one\n\ntwo\n\nthree\n\nfour", false)
	if done := v.body.Objects; len(done) != 4 || done[0] != before[0] {
		t.Errorf("the end drew all anew: %d parts", len(done))
	}
	if v.Set("other", false); len(v.body.Objects) != 1 || v.body.Objects[0] == before[0] {
		t.Error("a text that was replaced still shows the old one")
	}
	if v.Set("", false); len(v.body.Objects) != 0 {
		t.Error("an empty text shows something")
	}
}

func TestOpenCodeGrows(t *testing.T) {
	v := newTestView(t)
	v.Set("text\n```go\nfunc a() {", true)
	if v.code == nil || len(v.body.Objects) != 2 {
		t.Fatalf("code that is not closed yet is not shown as code: %d parts", len(v.body.Objects))
	}
	code := v.code
	v.Set("text\n```go\nfunc a() {\n}", true)
	if v.code != code || len(code.lines) != 2 {
		t.Errorf("%d lines, want 2", len(code.lines))
	}
}

func TestManyLinesAreFolded(t *testing.T) {
	test.NewTempApp(t)
	grown := 0
	v := NewLines(Plain(strings.Repeat("line\n", 500)), 20, func() { grown++ })
	test.NewTempWindow(t, v)
	v.Resize(fyne.NewSize(400, 400))
	folded := v.MinSize().Height
	if folded > 25*lineHeight {
		t.Errorf("height %v of 500 lines, want about 20", folded)
	}
	if v.words.String() != "Show 480 more lines" {
		t.Errorf("it says %q", v.words.String())
	}
	test.Tap(v.more)
	if grown != 1 || v.MinSize().Height < 500*lineHeight {
		t.Errorf("told %d times; height %v after it was opened", grown, v.MinSize().Height)
	}
	few := NewLines(Plain(strings.Repeat("line\n", 23)), 20, nil)
	few.Resize(fyne.NewSize(400, 400))
	if _, hidden := few.shown(); hidden != 0 {
		t.Errorf("%d lines of 23 are folded away", hidden)
	}
}

// TestLongLinesGoOnBelow holds that nothing of a line is beyond the edge.
func TestLongLinesGoOnBelow(t *testing.T) {
	test.NewTempApp(t)
	v := NewLines(Plain(strings.Repeat("abcdefghij", 40)), 0, nil)
	test.NewTempWindow(t, v)
	v.Resize(fyne.NewSize(300, 400))
	var shown strings.Builder
	for _, o := range test.WidgetRenderer(v).Objects() {
		if text, ok := o.(*canvas.Text); ok {
			shown.WriteString(text.Text)
			if right := text.Position().X + text.MinSize().Width; right > 300 {
				t.Errorf("%q ends at %v of 300", text.Text, right)
			}
		}
	}
	if shown.Len() != 400 {
		t.Errorf("%d of 400 characters are shown", shown.Len())
	}
}

func TestSegments(t *testing.T) {
	segs := Segments(Parse("a **b** [c](https://example.org) `d`")[0])
	kinds := ""
	for _, s := range segs {
		switch s := s.(type) {
		case *widget.HyperlinkSegment:
			kinds += "link(" + s.URL.String() + ")"
		case *widget.TextSegment:
			switch {
			case s.Style.TextStyle.Bold:
				kinds += "bold"
			case s.Style.TextStyle.Monospace:
				kinds += "mono"
			default:
				kinds += "."
			}
		}
	}
	if want := ".bold.link(https://example.org).mono"; kinds != want {
		t.Errorf("got %s, want %s", kinds, want)
	}
}

func TestTableShares(t *testing.T) {
	l := &tableLayout{wanted: []float32{50, 400, 500}}
	got := l.widths(600)
	if got[0] != 50 || got[1] != 275 || got[2] != 275 {
		t.Errorf("narrow: %v", got)
	}
	if got := l.widths(1200); got[0] != 50 || got[1] != 400 || got[2] != 750 {
		t.Errorf("wide: %v", got)
	}
}

// TestPictureThatIsNone holds that what cannot be shown is named, and that
// nothing but a file is read.
func TestPictureThatIsNone(t *testing.T) {
	test.NewTempApp(t)
	for _, path := range []string{"/does/not/exist.png", t.TempDir(), "/dev/zero"} {
		if o, ok := picture(Block{Kind: Picture, Text: path}).(*look.Text); !ok || o.String() != path {
			t.Errorf("%s is not named", path)
		}
	}
}
