package file

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/pdftext/pdftexttest"
	"github.com/hobkin/hobkin/core/textfile"
)

func TestReadLong(t *testing.T) {
	b := newBench(t)
	var text strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&text, "line %d\n", i+1)
	}
	b.put("long", text.String())
	r := b.ok("file_read", `{"path": "long"}`)
	if got := strings.Count(r.Text, "\n"); got != 2001 || !strings.HasSuffix(r.Text, "  2000\tline 2000\n(up to line 2000 of 200000; go on with offset 2001)\n") {
		t.Errorf("%d lines, ending in %q", got, r.Text[len(r.Text)-120:])
	}
	r = b.ok("file_read", `{"path": "long", "offset": 199999, "limit": 50}`)
	if want := "199999\tline 199999\n200000\tline 200000\n"; r.Text != want {
		t.Errorf("got %q, want %q", r.Text, want)
	}
	b.ok("file_edit", `{"path": "long", "old_string": "line 150000\n", "new_string": "here\n"}`)
	r = b.ok("content_search", `{"path": "long", "pattern": "here"}`)
	if want := "long\n150000: here\n"; r.Text != want {
		t.Errorf("got %q, want %q", r.Text, want)
	}
}

// Over 10 MB a part must be asked for; it comes without reading it all into memory.
func TestReadHuge(t *testing.T) {
	b := newBench(t)
	b.put("huge", strings.Repeat(strings.Repeat("x", 99)+"\n", 110_000))
	u := b.fails("file_read", `{"path": "huge"}`, "too_big")
	if !contains(u.Try, "offset and limit") {
		t.Errorf("advice %q", u.Try)
	}
	r := b.ok("file_read", `{"path": "huge", "offset": 100000, "limit": 1}`)
	if want := "100000\t" + strings.Repeat("x", 99) + "\n"; !strings.HasPrefix(r.Text, want) {
		t.Errorf("got %q", r.Text)
	}
	b.fails("file_read", `{"path": "huge", "offset": 110001}`, "past_end")
}

func TestReadBytesOfAPage(t *testing.T) {
	b := newBench(t)
	b.put("wide", strings.Repeat(strings.Repeat("y", 999)+"\n", 500))
	r := b.ok("file_read", `{"path": "wide", "limit": 2000}`)
	if !contains(r.Text, "go on with offset") && !contains(r.Text, "left out") {
		t.Errorf("no word about what follows: %q", r.Text[len(r.Text)-100:])
	}
	p := newPage(b.host.limits(), readIn{})
	if err := p.read(t.Context(), strings.NewReader(strings.Repeat(strings.Repeat("y", 999)+"\n", 500))); err != nil {
		t.Fatal(err)
	}
	if p.out.Len() > 128_000 || p.next != p.shown+1 || p.shown < 100 {
		t.Errorf("%d bytes, %d lines, go on at %d", p.out.Len(), p.shown, p.next)
	}
}

func TestReadLongLine(t *testing.T) {
	b := newBench(t)
	b.put("min.js", strings.Repeat("é", 100_000)+"\nshort\n")
	r := b.ok("file_read", `{"path": "min.js"}`)
	want := "     1\t" + strings.Repeat("é", 1000) + " … (198001 more bytes in this line)\n     2\tshort\n"
	if r.Text != want {
		t.Errorf("got %d bytes ending in %q", len(r.Text), r.Text[len(r.Text)-80:])
	}
}

func TestReadEncodings(t *testing.T) {
	for name, tt := range map[string]struct {
		enc  *textfile.Encoding
		text string
		want string
	}{
		"GBK":       {textfile.GBK, "第一行：你好，世界。\n第二行：谢谢。\n", "     1\t第一行：你好，世界。\n     2\t第二行：谢谢。\n(encoding GBK; edits keep that)\n"},
		"Shift-JIS": {textfile.ShiftJIS, "これは一行目です。\n二行目です。\n", "     1\tこれは一行目です。\n     2\t二行目です。\n(encoding Shift-JIS; edits keep that)\n"},
		"UTF-16BE":  {textfile.UTF16BE, "größe 😀\r\nx\r\n", "     1\tgröße 😀\n     2\tx\n(encoding UTF-16BE; line endings CRLF; edits keep that)\n"},
		"old Mac":   {textfile.UTF8, "a\rb\r", "     1\ta\n     2\tb\n(line endings CR; edits keep that)\n"},
		"mixed":     {textfile.UTF8, "a\r\nb\nc\r\n", "     1\ta\n     2\tb\n     3\tc\n(mixed line endings, mostly CRLF; edits keep that)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			data, _, ok := tt.enc.Encode(tt.text)
			if !ok {
				t.Fatal("the text cannot be written")
			}
			b.put("f", string(tt.enc.BOM)+string(data))
			if got := b.ok("file_read", `{"path": "f"}`).Text; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReadTooBigPicture(t *testing.T) {
	b := newBench(t)
	b.host.Limits.Image = 100
	b.put("a.png", "\x89PNG\r\n\x1a\n"+strings.Repeat("x", 200))
	b.fails("file_read", `{"path": "a.png"}`, "too_big")
}

// pdfOf makes a PDF with a page for each text.
func pdfOf(pages ...string) string {
	for i, p := range pages {
		pages[i] = pdftexttest.Text(p)
	}
	return string(pdftexttest.Make(pages, ""))
}

func TestReadPDF(t *testing.T) {
	b := newBench(t)
	b.put("a.pdf", pdfOf("First page", "Second page", ""))
	want := "--- page 1 of 3 ---\nFirst page\n--- page 2 of 3 ---\nSecond page\n--- page 3 of 3 ---\n(no text on this page; it may be a picture)\n"
	if got := b.ok("file_read", `{"path": "a.pdf"}`).Text; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want = "--- page 2 of 3 ---\nSecond page\n(up to page 2 of 3; go on with offset 3)\n"
	if got := b.ok("file_read", `{"path": "a.pdf", "offset": 2, "limit": 1}`).Text; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.fails("file_read", `{"path": "a.pdf", "offset": 4}`, "past_end")
	b.put("broken.pdf", pdfOf("x")[:200])
	b.fails("file_read", `{"path": "broken.pdf"}`, "bad_pdf")
	b.host.Limits.PDFTime = 1 // a nanosecond
	b.fails("file_read", `{"path": "a.pdf"}`, "bad_pdf")
}

// FuzzPage cuts any range out of any text: no panic, no invented line, and
// going on where the page says gives the rest.
func FuzzPage(f *testing.F) {
	f.Add([]byte("a\nb\r\nc"), 2, 1)
	f.Add([]byte("\n\n"), 1, math.MaxInt)
	f.Add([]byte("\xff\x00\r"), 1, 1)
	f.Fuzz(func(t *testing.T, data []byte, offset, limit int) {
		l := (&Host{}).limits()
		offset, limit = max(offset, 1), min(max(limit, 1), 50)
		want := bytes.Count(data, []byte{'\n'})
		if len(data) > 0 && data[len(data)-1] != '\n' {
			want++
		}
		p := newPage(l, readIn{Offset: offset, Limit: limit})
		if err := p.read(t.Context(), bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
		if p.shown != max(min(limit, want-offset+1), 0) && p.next == 0 {
			t.Errorf("%d lines of %d shown, from %d, at most %d", p.shown, want, offset, limit)
		}
		if strings.Count(p.out.String(), "\n") != p.shown {
			t.Errorf("%d lines are said to be in %q", p.shown, p.out.String())
		}
		if p.next != 0 && p.next != offset+p.shown {
			t.Errorf("go on at %d after %d lines from %d", p.next, p.shown, offset)
		}
	})
}

// A guest sees none of the owner's files, through any tool.
func TestGuestsSeeNothing(t *testing.T) {
	b := newBench(t)
	b.put("a", "secret\n")
	for _, c := range b.run.Registry.All() {
		o := b.run.Run(t.Context(), capability.Request{ID: "1", Name: c.Name, Args: []byte(`{"path": "a", "pattern": "x", "content": "x"}`), Filter: capability.Filter{
			Turn: capability.Turn{Session: "s", Workspace: b.dir, Trust: capability.Guest},
		}})
		if !errors.Is(o.Err, capability.NotAllowed) {
			t.Errorf("%s: a guest got %v %q", c.Name, o.Err, o.Result.Text)
		}
	}
}
