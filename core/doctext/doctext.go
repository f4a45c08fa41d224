// Package doctext takes the text out of documents that are more than text:
// workbooks, word-processing documents, slides, notebooks and tables of
// separated values.
//
// The formats of offices are ZIP archives of XML. Both are read with the
// standard library as streams, never as trees, and nothing in them is followed:
// no link, no macro, no formula, no entity. What a small file may unpack to,
// how deep it may nest and how long a tag may be is bounded, and so is every
// output; reading ends soon after its context does.
package doctext

import (
	"errors"
	"fmt"
	"io"
)

// The ways a document cannot be read.
var (
	ErrDamaged = errors.New("it is damaged")
	ErrLocked  = errors.New("it is locked with a password")
	ErrTooBig  = errors.New("it unpacks to more than is read")
)

// A Kind is a format that can be read.
type Kind string

// The kinds that [Sniff] tells.
const (
	Unknown Kind = ""
	Word    Kind = "Word document"
	Excel   Kind = "Excel workbook"
	Slides  Kind = "PowerPoint presentation"
	ODText  Kind = "OpenDocument text"
	ODSheet Kind = "OpenDocument spreadsheet"
	ODSlide Kind = "OpenDocument presentation"
)

// Sniff tells what a ZIP archive is by what is in it; Unknown when it is no
// document, or no sound archive.
func Sniff(r io.ReaderAt, size int64) Kind {
	a, err := openArchive(r, size)
	if err != nil {
		return Unknown
	}
	if a.has("[Content_Types].xml") {
		switch {
		case a.has("xl/workbook.xml"):
			return Excel
		case a.has("word/document.xml"):
			return Word
		case a.has("ppt/presentation.xml"):
			return Slides
		}
		return Unknown
	}
	if !a.has("content.xml") {
		return Unknown
	}
	mime, err := a.small("mimetype", 200)
	if err != nil {
		return Unknown
	}
	switch string(mime) {
	case "application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text-template":
		return ODText
	case "application/vnd.oasis.opendocument.spreadsheet", "application/vnd.oasis.opendocument.spreadsheet-template":
		return ODSheet
	case "application/vnd.oasis.opendocument.presentation", "application/vnd.oasis.opendocument.presentation-template":
		return ODSlide
	}
	return Unknown
}

// damaged is a fault of the document, in words.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}
