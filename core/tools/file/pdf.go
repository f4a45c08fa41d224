package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/ledongthuc/pdf"

	"github.com/hobkin/hobkin/core/capability"
)

// A pdfText is the text of some pages.
type pdfText struct {
	out          strings.Builder
	pages, shown int
	next         int // page to go on with; 0 when the end was reached
}

// readPDF shows the text of a PDF by page. The parser is not to be trusted
// with a hostile file, so it works in a goroutine of its own, on data that
// ends when the time is up.
func (h *Host) readPDF(ctx context.Context, s *spot, f *os.File, info fs.FileInfo, in readIn) (capability.Result, error) {
	l := h.limits()
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
	go func() {
		text, err := pdfPages(limited, data, in, l.ReadBytes)
		done <- outcome{text, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return capability.Result{}, pdfFailure(s.Abs, o.err)
		}
		return o.text.result(s.Abs, max(in.Offset, 1))
	case <-limited.Done():
		if ctx.Err() != nil {
			return capability.Result{}, ctx.Err()
		}
		return capability.Result{}, badPDF.Becausef("reading the PDF %s took longer than %v", s.Abs, l.PDFTime)
	}
}

func pdfFailure(abs string, err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, pdf.ErrInvalidPassword):
		return badPDF.Becausef("the PDF %s is locked with a password", abs)
	}
	return badPDF.Becausef("the PDF %s cannot be read: %s", abs, capability.CutText(err.Error(), 200))
}

// timed is data that cannot be read any more when ctx has ended, so that a
// parser that goes round in circles stumbles.
type timed struct {
	ctx context.Context //nolint:containedctx // it lives as long as one call
	r   *bytes.Reader
}

// ReadAt reads like an [io.ReaderAt].
func (t timed) ReadAt(p []byte, off int64) (int, error) {
	if err := t.ctx.Err(); err != nil {
		return 0, err
	}
	return t.r.ReadAt(p, off)
}

// pdfPages reads the pages that were asked for, as many as fit in most bytes.
func pdfPages(ctx context.Context, data []byte, in readIn, most int) (t *pdfText, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it is damaged (%v)", p)
		}
	}()
	r, err := pdf.NewReader(timed{ctx, bytes.NewReader(data)}, int64(len(data)))
	if err != nil {
		return nil, err
	}
	t = &pdfText{pages: r.NumPage()}
	for n := max(in.Offset, 1); n <= t.pages; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if t.shown > 0 && t.out.Len() >= most || in.Limit > 0 && t.shown == in.Limit {
			t.next = n
			break
		}
		t.shown++
		fmt.Fprintf(&t.out, "--- page %d of %d ---\n%s\n", n, t.pages, capability.CutText(pageText(r.Page(n)), most))
	}
	return t, nil
}

// pageText is the text of one page. A page that cannot be read says so and
// does not spoil the others.
func pageText(p pdf.Page) (text string) {
	defer func() {
		if recover() != nil {
			text = "(this page is damaged)"
		}
	}()
	if p.V.IsNull() {
		return "(this page is missing)"
	}
	text, err := p.GetPlainText(nil)
	if err != nil {
		return "(this page cannot be read: " + err.Error() + ")"
	}
	if text = strings.TrimSpace(text); text == "" {
		return "(no text on this page; it may be a picture)"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

func (t *pdfText) result(abs string, first int) (capability.Result, error) {
	if t.shown == 0 {
		return capability.Result{}, pastEnd.Becausef("the PDF %s has %s, so page %d is not there", abs, count(t.pages, "page"), first).With("pages", t.pages)
	}
	if t.next > 0 {
		fmt.Fprintf(&t.out, "(pages %d to %d of %d; go on with offset %d)\n", first, t.next-1, t.pages, t.next)
	}
	return capability.Result{Text: t.out.String(), Summary: count(t.shown, "page")}, nil
}
