package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/pdftext"
)

// A pdfText is the text of some pages.
type pdfText struct {
	out          strings.Builder
	pages, shown int
	next         int // page to go on with; 0 when the end was reached
}

// maxPDFs bounds the readings that go on at once, those among them that did not
// end in time and cannot be stopped.
const maxPDFs = 8

// readPDF shows the text of a PDF by page. The parser of its structure is not
// to be trusted with a hostile file, so it works in a goroutine of its own, on
// data that ends when the time is up; when even that does not end it, it is
// left alone, and after some of those no PDF is read any more.
func (h *Host) readPDF(ctx context.Context, s *spot, f *os.File, info fs.FileInfo, in readIn) (capability.Result, error) {
	l := h.limits()
	if h.pdfs.Load() >= maxPDFs {
		return capability.Result{}, badPDF.Becausef("too many PDFs are being read; if none of them ends, a restart of Hobkin helps").
			Trying("wait a moment, then read it again")
	}
	data, err := io.ReadAll(io.LimitReader(f, l.PDF+1))
	switch {
	case err != nil:
		return capability.Result{}, explain(s.Abs, err)
	case int64(len(data)) > l.PDF:
		return capability.Result{}, tooBig.Becausef("the PDF %s has %s, the most is %s", s.Abs, size(info.Size()), size(l.PDF)).
			Trying("ask for a part of it, or split it with a program for PDFs")
	}
	limited, cancel := context.WithTimeout(ctx, l.PDFTime)
	defer cancel()
	type outcome struct {
		text *pdfText
		err  error
	}
	done := make(chan outcome, 1) // the goroutine ends although no one waits any more
	h.pdfs.Add(1)
	go func() {
		defer h.pdfs.Add(-1)
		text, err := pdfPages(limited, data, in, l.ReadBytes)
		done <- outcome{text, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return capability.Result{}, pdfFailure(ctx, s.Abs, o.err)
		}
		return o.text.result(s.Abs, max(in.Offset, 1))
	case <-limited.Done():
		return capability.Result{}, pdfFailure(ctx, s.Abs, limited.Err())
	}
}

func pdfFailure(ctx context.Context, abs string, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return badPDF.Becausef("reading the PDF %s took too long", abs)
	}
	return badPDF.Becausef("the PDF %s cannot be read: %s", abs, capability.CutText(err.Error(), 200))
}

// pdfPages reads the pages that were asked for, as many as fit in most bytes.
func pdfPages(ctx context.Context, data []byte, in readIn, most int) (*pdfText, error) {
	doc, err := pdftext.Open(ctx, data)
	if err != nil {
		return nil, err
	}
	t := &pdfText{}
	if t.pages, err = doc.Pages(); err != nil {
		return nil, err
	}
	for n := max(in.Offset, 1); n <= t.pages; n++ {
		if t.shown > 0 && t.out.Len() >= most || in.Limit > 0 && t.shown == in.Limit {
			t.next = n
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
		t.shown++
		fmt.Fprintf(&t.out, "--- page %d of %d ---\n%s\n", n, t.pages, capability.CutText(text, most))
	}
	return t, nil
}

func (t *pdfText) result(abs string, first int) (capability.Result, error) {
	if t.shown == 0 {
		return capability.Result{}, pastEnd.Becausef("the PDF %s has %s, so page %d is not there", abs, count(t.pages, "page"), first).With("pages", t.pages)
	}
	if t.next > 0 {
		fmt.Fprintf(&t.out, "(up to page %d of %d; go on with offset %d)\n", t.next-1, t.pages, t.next)
	}
	return capability.Result{Text: t.out.String(), Summary: count(t.shown, "page")}, nil
}
