package doctext

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/doctext/doctexttest"
)

var update = flag.Bool("update", false, "write what files are read as into testdata")

// show reads any document, whatever it is.
func show(t testing.TB, data []byte, rg Range) (string, error) {
	t.Helper()
	r := bytes.NewReader(data)
	switch kind := Sniff(r, r.Size()); kind {
	case Unknown:
		return "", damaged("it is no document")
	case Excel, ODSheet:
		x, err := Workbook(t.Context(), r, r.Size(), kind, rg)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s(%d rows shown, %d in sheet %q, next %d)\n", x.Text, x.Shown, x.Total, x.Sheet, x.Next), nil
	default:
		return Text(t.Context(), r, r.Size(), kind)
	}
}

// TestFiles reads files that other programs wrote: XlsxWriter, openpyxl,
// python-docx and odfpy.
func TestFiles(t *testing.T) {
	for name, rg := range map[string]Range{
		"sales.xlsx": {}, "long1904.xlsx": {First: 295}, "report.docx": {}, "brief.odt": {}, "geld.ods": {},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			got, err := show(t, data, rg)
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Error(d)
			}
		})
	}
}

func para(inner string) string { return "<w:p>" + inner + "</w:p>" }
func run(text string) string   { return "<w:r><w:t>" + text + "</w:t></w:r>" }

func TestWord(t *testing.T) {
	with := func(body string, more map[string]string) map[string]string {
		parts := doctexttest.Word(body)
		maps.Copy(parts, more)
		return parts
	}
	for name, tt := range map[string]struct {
		parts map[string]string
		want  string
	}{
		"empty":                          {with("", nil), ""},
		"plain":                          {with(para(run("a &amp; b")+"<w:r><w:tab/><w:t>c</w:t><w:br/><w:t>d</w:t><w:noBreakHyphen/></w:r>"), nil), "a & b\tc\nd-\n"},
		"fields":                         {with(para(`<w:r><w:instrText>PAGE</w:instrText></w:r>`+run("7")), nil), "7\n"},
		"deleted":                        {with(para(`<w:del w:author="Eve"><w:r><w:delText>old</w:delText></w:r></w:del><w:ins w:author="Bob">`+run("new")+`</w:ins>`), nil), "{--old--}{++new++}\n(tracked changes by Bob, Eve: {++put in++}, {--taken out--})\n"},
		"moved":                          {with(para(`<w:moveFrom>`+run("x")+`</w:moveFrom>`)+para(`<w:moveTo>`+run("x")+`</w:moveTo>`), nil), "{--x--}\n{++x++}\n"},
		"paragraph mark that was put in": {with(para(`<w:pPr><w:rPr><w:ins w:author="Eve"/></w:rPr></w:pPr>`+run("x")), nil), "x\n"},
		"text box":                       {with(para(`<w:r><AlternateContent><Choice><w:txbxContent>`+para(run("boxed"))+`</w:txbxContent></Choice><Fallback><w:txbxContent>`+para(run("boxed"))+`</w:txbxContent></Fallback></AlternateContent></w:r>`), nil), "\nboxed\n"},
		"picture":                        {with(para(`<w:r><w:drawing><docPr name="Picture 1" descr="a cat"/></w:drawing></w:r>`), nil), "[picture: a cat]\n"},
		"link": {with(para(`see <w:hyperlink r:id="rId1">`+run("here")+`</w:hyperlink> <w:hyperlink w:anchor="x">`+run("there")+`</w:hyperlink>`), map[string]string{
			"word/_rels/document.xml.rels": doctexttest.Links("https://example.org/"),
		}), "[here](https://example.org/)there\n"},
		"notes": {with(para(run("a")+`<w:r><w:footnoteReference w:id="2"/></w:r>`+run("b")+`<w:r><w:endnoteReference w:id="1"/></w:r><w:r><w:footnoteReference w:id="99"/></w:r>`), map[string]string{
			"word/footnotes.xml": doctexttest.WordPart("footnotes", `<w:footnote w:type="separator" w:id="0">`+para(run("---"))+`</w:footnote><w:footnote w:id="2">`+para(run("first"))+para(run("more"))+`</w:footnote>`),
			"word/endnotes.xml":  doctexttest.WordPart("endnotes", `<w:endnote w:id="1">`+para(run("last"))+`</w:endnote>`),
		}), "a[^2]b[^end1][^99]\n[^2]: first / more\n[^end1]: last\n"},
		"comments": {with(para(run("word")+`<w:r><w:commentReference w:id="4"/></w:r>`), map[string]string{
			"word/comments.xml": doctexttest.WordPart("comments", `<w:comment w:id="4" w:author="Eve">`+para(run("really?"))+`</w:comment>`),
		}), "word{>>Eve: really?<<}\n"},
		"headings in German": {with(para(`<w:pPr><w:pStyle w:val="berschrift2"/></w:pPr>`+run("Teil"))+para(`<w:pPr><w:outlineLvl w:val="0"/></w:pPr>`+run("Top")), map[string]string{
			"word/styles.xml": doctexttest.WordPart("styles", `<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>`),
		}), "## Teil\n# Top\n"},
		"lists": {with(listItem("1", "0", "a")+listItem("1", "1", "b")+listItem("1", "0", "c")+listItem("2", "0", "d")+listItem("0", "0", "e"), map[string]string{
			"word/numbering.xml": doctexttest.WordPart("numbering", `<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>`),
		}), "1. a\n  1. b\n2. c\n- d\ne\n"},
		"styles in a circle": {with(para(`<w:pPr><w:pStyle w:val="A"/></w:pPr>`+run("x")), map[string]string{
			"word/styles.xml": doctexttest.WordPart("styles", `<w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>`),
		}), "x\n"},
		"table":        {with(`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>`+para(run("ab"))+`</w:tc></w:tr><w:tr><w:tc>`+para(run("a"))+para(run("b|"))+`</w:tc><w:tc/></w:tr></w:tbl>`, nil), "| ab |  |\n| --- | --- |\n| a / b\\| |  |\n"},
		"table inside": {with(`<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc>`+para(run("in"))+`</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>`, nil), "| \\| in \\| / \\| --- \\| |\n| --- |\n"},
		"wide span":    {with(`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr></w:tc></w:tr></w:tbl>`, nil), "|" + strings.Repeat("  |", 63) + "\n|" + strings.Repeat(" --- |", 63) + "\n"},
		"in capitals":  {map[string]string{"[Content_Types].xml": "", "WORD\\document.xml": doctexttest.Word(para(run("x")))["word/document.xml"]}, "x\n"},
		"UTF-16":       {map[string]string{"[Content_Types].xml": "", "word/document.xml": utf16(`<?xml version="1.0" encoding="UTF-16"?><d xmlns:w="w">` + para(run("größe")) + "</d>")}, "größe\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := show(t, doctexttest.Zip(tt.parts), Range{})
			if d := cmp.Diff(tt.want, got); d != "" || err != nil {
				t.Errorf("%v %s", err, d)
			}
		})
	}
}

func listItem(list, level, text string) string {
	return para(`<w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + list + `"/></w:numPr></w:pPr>` + run(text))
}

func utf16(s string) string {
	out := []byte{0xff, 0xfe}
	for _, r := range s { // of the basic plane
		out = append(out, byte(r), byte(r>>8))
	}
	return string(out)
}

func TestSlidesAndOpenDocument(t *testing.T) {
	slides := doctexttest.Slides(
		`<p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:r><a:t>Hello</a:t></a:r></a:p></p:sp><p:sp><a:p><a:pPr lvl="1"/><a:r><a:t>point</a:t></a:r><a:br/><a:r><a:t>more</a:t></a:r></a:p></p:sp>`,
		`<p:sp><p:nvPr><p:ph type="sldNum"/></p:nvPr><a:p><a:r><a:t>2</a:t></a:r></a:p></p:sp><a:tbl><a:tr><a:tc><a:p><a:r><a:t>a</a:t></a:r></a:p></a:tc><a:tc/></a:tr></a:tbl>`)
	slides["ppt/slides/_rels/slide1.xml.rels"] = doctexttest.Links("../notesSlides/notesSlide1.xml")
	slides["ppt/notesSlides/notesSlide1.xml"] = `<n xmlns:a="a"><a:p><a:r><a:t>say hi</a:t></a:r></a:p></n>`
	slides["ppt/slides/slide2.xml"] = strings.Replace(slides["ppt/slides/slide2.xml"], "<p:sld ", `<p:sld show="0" `, 1)
	for name, tt := range map[string]struct {
		parts map[string]string
		want  string
	}{
		"slides":     {slides, "--- slide 1 of 2 ---\n# Hello\n  point\nmore\n(notes: say hi)\n--- slide 2 of 2, hidden ---\n| a |  |\n| --- | --- |\n"},
		"text":       {doctexttest.OpenDocument("text", `<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h text:outline-level="2">T</text:h><text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d<office:annotation><text:p>hm</text:p></office:annotation></text:p>`), "## T\na   b\tc\nd{>>hm<<}\n"},
		"many times": {doctexttest.OpenDocument("text", `<text:p>a<text:s text:c="999999999"/>b</text:p>`), "a" + strings.Repeat(" ", 100) + "b\n"},
		"table":      {doctexttest.OpenDocument("text", `<table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"/></table:table-row></table:table>`), "| x |  |  |\n| --- | --- | --- |\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := show(t, doctexttest.Zip(tt.parts), Range{})
			if d := cmp.Diff(tt.want, got); d != "" || err != nil {
				t.Errorf("%v %s", err, d)
			}
		})
	}
}

// Files made to harm end quickly, with a word and without much memory.
func TestHostile(t *testing.T) {
	deep := strings.Repeat("<w:x>", 1_000_000)
	many := map[string]string{"word/document.xml": "x", "[Content_Types].xml": ""}
	for i := range 90_000 {
		many[fmt.Sprintf("%06d", i)] = ""
	}
	for name, tt := range map[string]struct {
		data []byte
		want error
	}{
		"nested too deep":     {doctexttest.Zip(doctexttest.Word(deep)), ErrDamaged},
		"one long text":       {doctexttest.Zip(doctexttest.Word(para(run(strings.Repeat("x", 40<<20))))), ErrDamaged},
		"one long tag":        {doctexttest.Zip(doctexttest.Word("<w:p " + strings.Repeat(`a="" `, 1<<20) + "/>")), ErrDamaged},
		"entities":            {doctexttest.Zip(map[string]string{"[Content_Types].xml": "", "word/document.xml": `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x><p><t>&b;</t></p></x>`}), ErrDamaged},
		"cut off":             {doctexttest.Zip(doctexttest.Word("<w:p><w:r>")), ErrDamaged},
		"half an archive":     {doctexttest.Zip(doctexttest.Word(para(run("x"))))[:200], ErrDamaged},
		"no archive":          {[]byte("PK\x03\x04 and nothing more"), ErrDamaged},
		"too many parts":      {doctexttest.Zip(many), ErrDamaged},
		"a workbook sans any": {doctexttest.Zip(map[string]string{"[Content_Types].xml": "", "xl/workbook.xml": `<w><sheet name="x" id="rId9"/></w>`}), ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			peak := watch(ctx)
			_, err := show(t, tt.data, Range{})
			if mb := peak(); mb > 200 {
				t.Errorf("%d MB were in use", mb)
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// A bomb is put out when it has unpacked to as much as is read of any document.
func TestBomb(t *testing.T) {
	data := doctexttest.Zip(doctexttest.Word(para(run(strings.Repeat("<w:t/>", 400_000)))))
	a, err := openArchive(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if a.left != maxUnpacked || maxUnpacked > 256<<20 {
		t.Errorf("%d bytes may be unpacked", a.left)
	}
	a.left = 1 << 20
	if err := readWord(t.Context(), a, &sink{}); !errors.Is(err, ErrTooBig) {
		t.Errorf("got %v from %d bytes, want %v", err, len(data), ErrTooBig)
	}
}

// watch measures how much more memory is in use at its highest.
func watch(ctx context.Context) (peak func() uint64) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse
	}
	runtime.GC()
	start, most := heap(), uint64(0)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				most = max(most, heap())
			}
		}
	}()
	return func() uint64 {
		cancel()
		<-done
		return (max(most, start) - start) >> 20
	}
}

// A text that is longer than is read says so, and keeps what there is.
func TestLongText(t *testing.T) {
	body := strings.Repeat(para(run(strings.Repeat("word ", 200))), 20_000)
	got, err := show(t, doctexttest.Zip(doctexttest.Word(body)), Range{})
	if err != nil || len(got) > maxText+200 || !strings.HasSuffix(got, "\n(the text is longer than 8 MB; the rest is left out)\n") {
		t.Errorf("%d bytes, %v, ending in %q", len(got), err, got[max(len(got)-100, 0):])
	}
}

func TestEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := doctexttest.Zip(doctexttest.Word(strings.Repeat(para(run("x")), 1000)))
	if _, err := Text(ctx, bytes.NewReader(data), int64(len(data)), Word); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
