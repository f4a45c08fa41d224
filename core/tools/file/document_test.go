package file

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/doctext/doctexttest"
)

// Office documents come as text, workbooks by sheet and row.
func TestReadOffice(t *testing.T) {
	b := newBench(t)
	var rows strings.Builder
	for i := range 3000 {
		n := strconv.Itoa(i + 1)
		rows.WriteString(`<row r="` + n + `"><c r="A` + n + `"><v>` + n + `</v></c></row>`)
	}
	b.put("a.xlsx", string(doctexttest.Zip(doctexttest.Workbook(rows.String()))))
	b.put("a.docx", string(doctexttest.Zip(doctexttest.Word("<w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p>"))))
	r := b.ok("file_read", `{"path": "a.xlsx"}`)
	if !strings.HasSuffix(r.Text, "  2000\t2000\n(go on with sheet \"Data\", which has 3000 rows, at offset 2001)\n") || r.Summary != "2,000 rows" {
		t.Errorf("%s, ending in %q", r.Summary, r.Text[len(r.Text)-120:])
	}
	r = b.ok("file_read", `{"path": "a.xlsx", "sheet": "1", "offset": 2999, "limit": 1}`)
	if want := "Workbook with 1 sheet: \"Data\"\n=== sheet \"Data\" ===\n      \tA\n  2999\t2999\n(go on with sheet \"Data\", which has 3000 rows, at offset 3000)\n"; r.Text != want {
		t.Errorf("got %q, want %q", r.Text, want)
	}
	b.fails("file_read", `{"path": "a.xlsx", "offset": 3001}`, "past_end")
	if u := b.fails("file_read", `{"path": "a.xlsx", "sheet": "Datum"}`, "no_sheet"); !contains(u.Message, `there is no sheet "Datum"; there are "Data"`) {
		t.Errorf("message %q", u.Message)
	}
	r = b.ok("file_read", `{"path": "a.docx", "offset": 2}`)
	if want := "(Word document, shown as text)\n     2\ttwo\n"; r.Text != want {
		t.Errorf("got %q, want %q", r.Text, want)
	}
	b.fails("file_read", `{"path": "a.docx", "offset": 3}`, "past_end")
	b.put("a.zip", string(doctexttest.Zip(map[string]string{"x": "y"})))
	if got := b.ok("file_read", `{"path": "a.zip"}`).Text; !contains(got, "a ZIP archive") {
		t.Errorf("got %q", got)
	}
}

// Documents that are damaged, too large or too slow fail with a word.
func TestReadBadOffice(t *testing.T) {
	b := newBench(t)
	parts := doctexttest.Word("<w:p>")
	b.put("a.docx", string(doctexttest.Zip(parts)))
	if u := b.fails("file_read", `{"path": "a.docx"}`, "bad_document"); !contains(u.Message, "it is damaged: word/document.xml: XML syntax error") {
		t.Errorf("message %q", u.Message)
	}
	b.put("deep.docx", string(doctexttest.Zip(doctexttest.Word(strings.Repeat("<x>", 1000)))))
	b.fails("file_read", `{"path": "deep.docx"}`, "bad_document")
	b.put("a.xlsx", string(doctexttest.Zip(doctexttest.Workbook(strings.Repeat("<row/>", 200_000)))))
	b.host.Limits.DocumentTime = time.Nanosecond
	if u := b.fails("file_read", `{"path": "a.xlsx"}`, "bad_document"); !contains(u.Message, "took too long") {
		t.Errorf("message %q", u.Message)
	}
	b.host.Limits.Document = 100
	b.fails("file_read", `{"path": "a.xlsx"}`, "too_big")
}

// Text is put into no document that is not text, and none is made under a name
// that programs take for one.
func TestDocumentsAreNotOverwritten(t *testing.T) {
	b := newBench(t)
	docx := string(doctexttest.Zip(doctexttest.Word("<w:p/>")))
	pixel := "GIF89a\x01\x00\x01\x00\x80\x00\x00"
	for name, data := range map[string]string{"a.docx": docx, "named.txt": docx, "a.pdf": pdfOf("x"), "a.gif": pixel, "a.doc": "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"} {
		b.put(name, data)
		for tool, args := range map[string]string{
			"file_edit":  `{"path": "` + name + `", "old_string": "a", "new_string": "b"}`,
			"file_write": `{"path": "` + name + `", "content": "text"}`,
		} {
			if u := b.fails(tool, args, "not_text"); !contains(u.Try, "shell") {
				t.Errorf("%s of %s advises %q", tool, name, u.Try)
			}
		}
		b.holds(name, data)
	}
	for _, name := range []string{"new.xlsx", "new.DOCX", "new.pdf", "new.odt", "new.pptx"} {
		b.fails("file_write", `{"path": "`+name+`", "content": "text"}`, "not_text")
		b.holds(name, "(gone)")
	}
	b.ok("file_write", `{"path": "new.pdf", "content": "%PDF-1.4\n"}`)
	b.ok("file_write", `{"path": "new.csv", "content": "a,b\n"}`)
}

// A table and a notebook are shown as such, and edited as the text they are;
// what was read as a table is known well enough to notice a change.
func TestEditAfterTable(t *testing.T) {
	b := newBench(t)
	b.put("a.csv", "\xef\xbb\xbfName;Betrag\r\nMiete;\"900,50\"\r\n")
	want := "     1\tName\tBetrag\n     2\tMiete\t900,50\n(2 columns separated by semicolons, shown as a table; to change it, read it with raw: an edit needs the text as the file has it)\n" +
		"(encoding UTF-8 with BOM; line endings CRLF; edits keep that)\n"
	if got := b.ok("file_read", `{"path": "a.csv"}`).Text; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := b.ok("file_read", `{"path": "a.csv", "raw": true}`).Text; !contains(got, "     2\tMiete;\"900,50\"\n") {
		t.Errorf("raw: got %q", got)
	}
	b.ok("file_edit", `{"path": "a.csv", "old_string": "900,50", "new_string": "950,00"}`)
	b.holds("a.csv", "\xef\xbb\xbfName;Betrag\r\nMiete;\"950,00\"\r\n")
	b.ok("file_read", `{"path": "a.csv"}`)
	b.put("a.csv", "changed;by another\n")
	b.fails("file_edit", `{"path": "a.csv", "old_string": "changed", "new_string": "x"}`, "stale")
	b.fails("file_read", `{"path": "a.csv", "offset": 3}`, "past_end")
	b.put("open.csv", "a,\"b\n"+strings.Repeat("1,2\n", 200))
	if got := b.ok("file_read", `{"path": "open.csv", "limit": 2}`).Text; !contains(got, "     1\ta,\"b\n") || !contains(got, "a quote that opens in line 1 does not close") {
		t.Errorf("open quote: got %q", got)
	}
}

// A large table is read as a stream, a part of it.
func TestReadHugeTable(t *testing.T) {
	b := newBench(t)
	b.put("big.csv", "n,text\n"+strings.Repeat("1,"+strings.Repeat("x", 97)+"\n", 110_000))
	b.fails("file_read", `{"path": "big.csv"}`, "too_big")
	r := b.ok("file_read", `{"path": "big.csv", "offset": 100000, "limit": 1}`)
	if want := "     1\tn\ttext\n100000\t1\t" + strings.Repeat("x", 97) + "\n(up to line 100000; go on with offset 100001)\n"; !strings.HasPrefix(r.Text, want) {
		t.Errorf("got %q", r.Text[:200])
	}
}

func TestReadNotebook(t *testing.T) {
	b := newBench(t)
	const dot = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=" // a GIF
	b.put("a.ipynb", `{"nbformat": 4, "cells": [{"cell_type": "code", "source": "x", "outputs": [
		{"output_type": "display_data", "data": {"image/gif": "`+dot+`"}}, {"output_type": "display_data", "data": {"image/png": "AAAA"}}]}, {"cell_type": "raw"}]}`)
	r := b.ok("file_read", `{"path": "a.ipynb"}`)
	want := "Notebook with 2 cells (format 4.0)\n--- cell 1, code ---\nx\n→ display_data (image/gif):\n→ display_data (image/png):\n--- cell 2, raw ---\n" +
		"(to change it, read it with raw: an edit needs the text as the file has it)\n(picture of cell 1: GIF, 1×1)\n(a picture of cell 1 cannot be shown: it is no PNG, JPEG, GIF, WebP or BMP picture)\n"
	if r.Text != want || len(r.Images) != 1 || r.Images[0].MIME != "image/gif" {
		t.Errorf("got %q and %d pictures, want %q", r.Text, len(r.Images), want)
	}
	if got := b.ok("file_read", `{"path": "a.ipynb", "raw": true, "limit": 1}`).Text; !contains(got, `     1	{"nbformat": 4`) {
		t.Errorf("raw: got %q", got)
	}
	b.fails("file_read", `{"path": "a.ipynb", "offset": 3}`, "past_end")
	b.put("bad.ipynb", `{"nbformat": 4, "cells": [`)
	if u := b.fails("file_read", `{"path": "bad.ipynb"}`, "bad_notebook"); !contains(u.Try, "raw") {
		t.Errorf("advice %q", u.Try)
	}
	b.put("a.ipynb", `{"nbformat": 4, "cells": []}`)
	b.fails("file_edit", `{"path": "a.ipynb", "old_string": "4", "new_string": "5"}`, "stale")
}
