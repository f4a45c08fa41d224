package doctext

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/doctext/doctexttest"
)

// seed adds the files that other programs wrote.
func seed(f *testing.F, ext string) {
	f.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "*."+ext))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

// sound fails for a text that is not UTF-8 or longer than any may be.
func sound(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) || len(text) > maxText+maxText/4 {
		t.Errorf("%d bytes of text, valid: %v", len(text), utf8.ValidString(text))
	}
}

// FuzzArchive reads any file as any document.
func FuzzArchive(f *testing.F) {
	seed(f, "xlsx")
	seed(f, "docx")
	seed(f, "od?")
	f.Fuzz(func(t *testing.T, data []byte) {
		if text, err := show(t, data, Range{}); err == nil {
			sound(t, text)
		}
	})
}

// FuzzWord reads any body, notes, numbering and styles.
func FuzzWord(f *testing.F) {
	f.Add(para(run("x"))+listItem("1", "0", "a"), "<w:footnote w:id='1'><w:p/></w:footnote>")
	f.Add("<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='3'/></w:tcPr></w:tc></w:tr></w:tbl>", "<w:style w:styleId='A'><w:basedOn w:val='A'/></w:style>")
	f.Add("<w:p><w:ins><w:p><w:del>", "<w:lvl w:ilvl='9'/><w:num/>")
	f.Fuzz(func(t *testing.T, body, part string) {
		parts := doctexttest.Word(body)
		for _, name := range []string{"footnotes", "endnotes", "comments", "styles", "numbering", "header1"} {
			parts["word/"+name+".xml"] = doctexttest.WordPart(name, part)
		}
		parts["word/_rels/document.xml.rels"] = part
		if text, err := show(t, doctexttest.Zip(parts), Range{}); err == nil {
			sound(t, text)
		}
	})
}

// FuzzSheet reads any rows, shared texts and styles: what comes has the rows
// that are said to be shown.
func FuzzSheet(f *testing.F) {
	f.Add(`<row r="1"><c r="A1" t="s" s="1"><v>0</v></c></row>`, `<si><t>x</t></si>`, "yyyy-mm-dd", 1, 5)
	f.Add(`<row><c><f>A1</f></c></row><mergeCell ref="A1:B2"/>`, ``, `[h]:mm;"x"`, 2, 0)
	f.Fuzz(func(t *testing.T, rows, shared, code string, first, count int) {
		parts := doctexttest.Workbook(rows)
		parts["xl/sharedStrings.xml"] = "<sst>" + shared + "</sst>"
		parts["xl/styles.xml"] = `<s><numFmt numFmtId="200" formatCode="` + strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;").Replace(code) + `"/><cellXfs><xf/><xf numFmtId="200"/></cellXfs></s>`
		data := doctexttest.Zip(parts)
		x, err := Workbook(t.Context(), bytes.NewReader(data), int64(len(data)), Excel, Range{First: first, Count: max(count, 0)})
		if err != nil {
			return
		}
		sound(t, x.Text)
		if count > 0 && x.Shown > count {
			t.Errorf("%d rows shown, %d wanted", x.Shown, count)
		}
		if got := strings.Count(body(x.Text), "\n"); got < x.Shown && !strings.Contains(x.Text, "(") {
			t.Errorf("%d rows are said to be in %q", x.Shown, x.Text)
		}
	})
}

// FuzzTable reads any text as separated values; going on where it says gives
// the rest.
func FuzzTable(f *testing.F) {
	f.Add("a,b\n\"1\n2\",3\n", false, 1, 1)
	f.Add("a;b\r\nx\"y;\"z\"\"\r\n", true, 2, 0)
	f.Fuzz(func(t *testing.T, text string, tabs bool, first, count int) {
		x, err := Table(t.Context(), strings.NewReader(text), tabs, Range{First: first, Count: max(count, 0)})
		if err != nil {
			return
		}
		sound(t, x.Text)
		if x.Next > 0 && x.Next <= first {
			t.Errorf("go on at %d after %d", x.Next, first)
		}
	})
}

// FuzzNotebook reads any JSON.
func FuzzNotebook(f *testing.F) {
	f.Add([]byte(`{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["a"], "outputs": [{"data": {"text/plain": "x"}}]}]}`), 1, 1)
	f.Add([]byte(`{"nbformat": 3, "worksheets": [{"cells": [{"input": "x", "outputs": [{"png": "AAAA"}]}]}]}`), 0, 0)
	f.Fuzz(func(t *testing.T, data []byte, first, count int) {
		x, err := Notebook(t.Context(), data, Range{First: first, Count: max(count, 0)})
		if err != nil {
			return
		}
		sound(t, x.Text)
		if x.Next > 0 && x.Next <= max(first, 1)-1 || len(x.Images) > maxImages {
			t.Errorf("next %d, %d pictures", x.Next, len(x.Images))
		}
	})
}
