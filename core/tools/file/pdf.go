package file

import (
	"context"
	"fmt"
	"io"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/leash"
	"github.com/hobkin/hobkin/core/pdftext"
)

// readPDF shows the text of a PDF by page. The parser of its structure is not
// to be trusted with a hostile file: it works on a leash.
func (h *Host) readPDF(ctx context.Context, f *opened, in readIn) (capability.Result, error) {
	l := h.limits()
	data, err := io.ReadAll(io.LimitReader(f, l.PDF+1))
	switch {
	case err != nil:
		return capability.Result{}, explain(f.abs, err)
	case int64(len(data)) > l.PDF:
		return capability.Result{}, tooBig.Becausef("the PDF %s has %s, the most is %s", f.abs, size(f.info.Size()), size(l.PDF)).
			Trying("ask for a part of it, or split it with a program for PDFs")
	}
	limited, cancel := context.WithTimeout(ctx, l.PDFTime)
	defer cancel()
	text, err := leash.Do(limited, &h.parsers, func(ctx context.Context) (*pdftext.Extract, error) {
		return pdftext.Read(ctx, data, pdftext.Range{First: in.Offset, Count: in.Limit, Bytes: l.ReadBytes})
	})
	if err != nil {
		return capability.Result{}, parserFailure(ctx, badPDF, "the PDF "+f.abs, err)
	}
	return pdfResult(text, f.abs, max(in.Offset, 1))
}

func pdfResult(x *pdftext.Extract, abs string, first int) (capability.Result, error) {
	if x.Shown == 0 {
		return capability.Result{}, pastEnd.Becausef("the PDF %s has %s, so page %d is not there", abs, count(x.Pages, "page"), first).With("pages", x.Pages)
	}
	text := x.Text
	if x.Next > 0 {
		text += fmt.Sprintf("(up to page %d of %d; go on with offset %d)\n", x.Next-1, x.Pages, x.Next)
	}
	return capability.Result{Text: text, Summary: count(x.Shown, "page")}, nil
}
