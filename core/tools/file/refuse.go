package file

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/doctext"
	"github.com/hobkin/hobkin/core/picture"
)

// documentKind names data that is a document which is not plain text, empty for
// all other data.
func documentKind(data []byte) string {
	if kind := picture.Type(data); kind != "" {
		return "picture (" + kind + ")"
	}
	switch {
	case bytes.HasPrefix(data, []byte("%PDF-")):
		return "PDF"
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return string(doctext.Sniff(bytes.NewReader(data), int64(len(data))))
	case bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0")):
		return "office document"
	}
	return ""
}

// refuseText refuses to put text where a document of another kind is, or is
// expected by the file's name: no program could open it.
func refuseText(c *change, content string) error {
	if kind := documentKind(c.before); kind != "" {
		return notText.Becausef("%s is a %s: text in its place would destroy it", c.Abs, kind).Trying(way(c.Abs, kind))
	}
	switch ext := strings.ToLower(filepath.Ext(c.Abs)); ext {
	case ".xlsx", ".xlsm", ".xls", ".docx", ".doc", ".pptx", ".ppt", ".odt", ".ods", ".odp":
		return notText.Becausef("%s would be text under a name that ends in %s, which no office program opens", c.Abs, ext).Trying(way(c.Abs, ""))
	case ".pdf":
		if !strings.HasPrefix(content, "%PDF-") {
			return notText.Becausef("%s would be text under the name of a PDF, which no program opens", c.Abs).Trying(way(c.Abs, ""))
		}
	}
	return nil
}

// refuseEdit explains why a file that is no text is not edited.
func refuseEdit(c *change) error {
	kind := documentKind(c.before)
	if kind == "" {
		return notText.Becausef("%s is binary", c.Abs)
	}
	return notText.Becausef("%s is a %s: what file_read shows is not what the file holds, so its text cannot be replaced", c.Abs, kind).Trying(way(c.Abs, kind))
}

// way says how a document of some kind is made or changed.
func way(abs, kind string) string {
	const shell = "with the shell tool run a program that knows the format, "
	ext := strings.ToLower(filepath.Ext(abs))
	switch doctext.Kind(kind) {
	case doctext.Excel:
		ext = ".xlsx"
	case doctext.ODSheet:
		ext = ".ods"
	case doctext.Word, doctext.ODText, "PDF":
		ext = ".pdf"
	case doctext.Slides, doctext.ODSlide:
		ext = ".pptx"
	}
	switch ext {
	case ".xlsx", ".xlsm":
		return shell + "such as Python with openpyxl; or write a .csv, which spreadsheets open"
	case ".ods", ".xls":
		return shell + "such as soffice --headless --convert-to; or write a .csv, which spreadsheets open"
	case ".docx", ".odt", ".doc", ".pdf":
		return shell + "such as pandoc or soffice --headless --convert-to; or write a .md"
	case ".pptx", ".ppt", ".odp":
		return shell + "such as Python with python-pptx, or pandoc; or write a .md"
	}
	return shell + "such as ImageMagick for pictures"
}
