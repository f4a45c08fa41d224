// Package doctexttest makes documents for tests, sound ones and odd ones.
package doctexttest

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"strings"
)

// Zip packs parts into an archive, in the order of their names.
func Zip(parts map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w, err := z.Create(name)
		if err != nil {
			panic(err) // a buffer takes everything
		}
		if _, err := w.Write([]byte(parts[name])); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

const (
	head  = `<?xml version="1.0" encoding="UTF-8"?>`
	rels  = `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	wml   = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` + rels
	types = head + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
)

// Word is the parts of a word-processing document with the given body.
func Word(body string) map[string]string {
	return map[string]string{
		"[Content_Types].xml": types,
		"word/document.xml":   head + `<w:document ` + wml + `><w:body>` + body + `</w:body></w:document>`,
	}
}

// WordPart is a further part of a document, such as its footnotes.
func WordPart(element, body string) string {
	return head + `<w:` + element + ` ` + wml + `>` + body + `</w:` + element + `>`
}

// Links is a part of relationships, with the targets under rId1, rId2 and so on.
func Links(targets ...string) string {
	var b bytes.Buffer
	b.WriteString(head + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i, t := range targets {
		b.WriteString(`<Relationship Id="rId` + string(rune('1'+i)) + `" Target="` + t + `"/>`)
	}
	b.WriteString(`</Relationships>`)
	return b.String()
}

// Workbook is the parts of a workbook of one sheet, Data, with the given rows.
func Workbook(rows string) map[string]string {
	return map[string]string{
		"[Content_Types].xml":        types,
		"xl/workbook.xml":            head + `<workbook ` + rels + `><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": Links("worksheets/sheet1.xml"),
		"xl/worksheets/sheet1.xml":   head + `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`,
	}
}

// Slides is the parts of a presentation with the given shapes on each slide.
func Slides(shapes ...string) map[string]string {
	parts := map[string]string{"[Content_Types].xml": types}
	var list strings.Builder
	var targets []string
	for i, s := range shapes {
		n := string(rune('1' + i))
		parts["ppt/slides/slide"+n+".xml"] = head + `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>` + s + `</p:spTree></p:cSld></p:sld>`
		list.WriteString(`<p:sldId id="` + n + `" r:id="rId` + n + `"/>`)
		targets = append(targets, "slides/slide"+n+".xml")
	}
	parts["ppt/presentation.xml"] = head + `<p:presentation xmlns:p="p" ` + rels + `><p:sldIdLst>` + list.String() + `</p:sldIdLst></p:presentation>`
	parts["ppt/_rels/presentation.xml.rels"] = Links(targets...)
	return parts
}

// OpenDocument is the parts of an OpenDocument file of a kind, such as text.
func OpenDocument(kind, body string) map[string]string {
	const ns = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"`
	return map[string]string{
		"mimetype":    "application/vnd.oasis.opendocument." + kind,
		"content.xml": head + `<office:document-content ` + ns + `><office:body>` + body + `</office:body></office:document-content>`,
	}
}
