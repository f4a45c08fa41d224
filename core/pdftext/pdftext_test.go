package pdftext

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/pdftext/pdftexttest"
)

// textOf is the text of the first page.
func textOf(t *testing.T, data []byte) string {
	t.Helper()
	d, err := Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.Text(1)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestText(t *testing.T) {
	for name, tt := range map[string]struct{ content, want string }{
		"one line":          {pdftexttest.Text("Hello"), "Hello"},
		"empty":             {"", ""},
		"lines by Td":       {"BT /F1 12 Tf 20 200 Td (One) Tj 0 -14 Td (Two) Tj ET", "One\nTwo"},
		"lines by T*":       {"BT /F1 12 Tf 14 TL 20 200 Td (One) Tj T* (Two) Tj (Three) ' ET", "One\nTwo\nThree"},
		"lines by Tm":       {"BT /F1 1 Tf 12 0 0 12 20 200 Tm (One) Tj 12 0 0 12 20 186 Tm (Two) Tj ET", "One\nTwo"},
		"kerning":           {"BT /F1 12 Tf 20 200 Td [(W) 80 (orld)] TJ ET", "World"},
		"gap in TJ":         {"BT /F1 12 Tf 20 200 Td [(two) -300 (words)] TJ ET", "two words"},
		"words by Td":       {"BT /F1 12 Tf 20 200 Td (two) Tj 40 0 Td (words) Tj ET", "two words"},
		"letters by Td":     {"BT /F1 12 Tf 20 200 Td (a) Tj 6 0 Td (b) Tj 6 0 Td (c) Tj ET", "abc"},
		"raised letter":     {"BT /F1 12 Tf 20 200 Td (x) Tj 6 4 Td (2) Tj ET", "x2"},
		"escapes":           {`BT /F1 12 Tf 20 200 Td (a\(b\)\\ \101\12) Tj ET`, `a(b)\ A`},
		"hex":               {"BT /F1 12 Tf 20 200 Td <48 65 6C6C6F> Tj ET", "Hello"},
		"Windows letters":   {"BT /F1 12 Tf 20 200 Td (gr\xfc\xdfe \x80) Tj ET", "grüße €"},
		"inline image":      {"BI /W 1 ID \xff(EI) EI BT /F1 12 Tf 20 200 Td (after) Tj ET", "after"},
		"comment":           {"% (no) Tj\nBT /F1 12 Tf 20 200 Td (yes) Tj ET", "yes"},
		"unknown font":      {"BT /F9 12 Tf 20 200 Td (text) Tj ET", "text"},
		"breaks off in hex": {"BT /F1 12 Tf 20 200 Td (text) Tj <4", "text"},
		"breaks off in (":   {"BT /F1 12 Tf 20 200 Td (text) Tj (more", "text"},
		"breaks off in [":   {"BT /F1 12 Tf 20 200 Td (text) Tj [ 1 [", "text"},
		"breaks off at \\":  {"BT /F1 12 Tf 20 200 Td (text) Tj (\\", "text"},
		"breaks off in BI":  {"BT /F1 12 Tf 20 200 Td (text) Tj BI /W 1", "text"},
		"no operands":       {"Tf Td TD Tm TL Tj TJ ' \" Do BT ET", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := textOf(t, pdftexttest.Make([]string{tt.content}, "")); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

const cmap = `/CIDInit /ProcSet findresource begin
1 begincodespacerange <0000> <FFFF> endcodespacerange
2 beginbfchar <0001> <4E16> <0002> <D83DDE00> endbfchar
2 beginbfrange <0010> <0012> <0041> <0020> <0021> [<0078> <0079>] endbfrange`

// Fonts with their own character map, and drawings within the page.
func TestFontsAndForms(t *testing.T) {
	data := pdftexttest.Make(
		[]string{"BT /F2 12 Tf 20 200 Td <0001000200100011001200200021> Tj ET /Fm Do /Fm2 Do"},
		"/Font << /F1 3 0 R /F2 6 0 R >> /XObject << /Fm 9 0 R /Fm2 10 0 R >>",
		"<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 7 0 R /DescendantFonts [8 0 R] >>",
		pdftexttest.Stream("", cmap),
		"<< /Type /Font /Subtype /CIDFontType2 /DW 600 /W [1 [500 500] 16 18 700] >>",
		pdftexttest.Stream("/Type /XObject /Subtype /Form", "BT /F1 12 Tf 20 100 Td (form) Tj ET /Fm Do"), // it draws itself
		pdftexttest.Stream("/Type /XObject /Subtype /Image", "BT (no) Tj ET"),
	)
	// the pages' own Font entry stands first in the dictionary; ours wins
	if got, want := textOf(t, data), "世😀ABCxy\nform"; !strings.HasPrefix(got, want) || strings.Count(got, "form") > maxForms+1 {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDamaged(t *testing.T) {
	whole := pdftexttest.Make([]string{pdftexttest.Text("x")}, "")
	for n := 0; n < len(whole); n += 7 {
		d, err := Open(t.Context(), whole[:n])
		if err == nil {
			_, err = d.Text(1)
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
}

func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d, err := Open(ctx, pdftexttest.Make([]string{pdftexttest.Text("x")}, ""))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := d.Text(1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want cancelled", err)
	}
}

// FuzzContent interprets any page and any character map: it ends, and what it
// gives is bounded text.
func FuzzContent(f *testing.F) {
	for _, seed := range []string{pdftexttest.Text("x"), cmap, "BT <4", "[[[[(((", "BI EI", "1 0 0 1 0 0 Tm /F1 0 Tf [(a) -1e308 (b)] TJ"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		d, err := Open(ctx, pdftexttest.Make([]string{string(data)}, ""))
		if err != nil {
			t.Skip("the content upsets the frame")
		}
		text, err := d.Text(1)
		if ctx.Err() != nil || len(text) > 4*maxText {
			t.Errorf("%d bytes of text, %v", len(text), err)
		}
		if n := len(parseMap(data)); n > maxCodes {
			t.Errorf("%d codes", n)
		}
	})
}
