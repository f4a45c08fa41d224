package pdftext

import (
	"context"
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// A Range says which pages are wanted.
type Range struct {
	First int // from 1; 0 is 1
	Count int // pages; 0 is all
	Bytes int // of text, after which no further page is begun
}

// An Extract is the text of some pages, each under a line that says which.
type Extract struct {
	Text  string
	Pages int // of the whole file
	Shown int
	Next  int // page to go on with; 0 when the end was reached
}

// Read takes the text out of some pages of a PDF. A page that cannot be read
// says so in its place.
func Read(ctx context.Context, data []byte, r Range) (*Extract, error) {
	doc, err := Open(ctx, data)
	if err != nil {
		return nil, err
	}
	x := &Extract{}
	if x.Pages, err = doc.Pages(); err != nil {
		return nil, err
	}
	var out strings.Builder
	for n := max(r.First, 1); n <= x.Pages; n++ {
		if x.Shown > 0 && out.Len() >= r.Bytes || r.Count > 0 && x.Shown == r.Count {
			x.Next = n
			break
		}
		text, err := doc.Text(n)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			text = "(this page cannot be read: " + capability.CutText(err.Error(), 200) + ")"
		case text == "":
			text = "(no text on this page; it may be a picture)"
		}
		x.Shown++
		fmt.Fprintf(&out, "--- page %d of %d ---\n%s\n", n, x.Pages, capability.CutText(text, r.Bytes))
	}
	x.Text = out.String()
	return x, nil
}
