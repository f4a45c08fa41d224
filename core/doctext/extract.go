package doctext

import "strings"

// A Range says which part of a document is wanted.
type Range struct {
	First int    // row or cell, from 1; 0 is 1
	Count int    // rows or cells; 0 is all
	Bytes int    // of text, after which no further row or cell is begun; 0 means 128,000
	Sheet string // of a workbook: the name or number of a sheet; empty is from the first on
}

func (r Range) first() int { return max(r.First, 1) }

func (r Range) bytes() int {
	if r.Bytes > 0 {
		return r.Bytes
	}
	return 128_000
}

// An Extract is the text of a part of a document.
type Extract struct {
	Text   string
	Shown  int    // rows or cells
	Total  int    // of the notebook or sheet that was asked for
	Next   int    // row or cell to go on with; 0 when the end was reached
	Sheet  string // of a workbook: the sheet that Total and Next speak of
	Note   string // what a reader should know about the format; may be empty
	Images []Image
}

// An Image is a picture that is part of a document.
type Image struct {
	Cell int
	Data []byte
}

// cut shortens a text in its middle.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head := strings.ToValidUTF8(text[:most*2/3], "")
	tail := strings.ToValidUTF8(text[len(text)-most/3:], "")
	return head + "\n… (" + plural(len(text)-len(head)-len(tail), "byte") + " left out) …\n" + tail
}
