// Package pdftext takes the text out of PDF files, page by page, in reading
// order as far as the file gives one.
//
// The structure of a file (objects, cross references, filters) is read by a
// library; what is drawn on a page is read here, by a small interpreter that
// knows only about text. That way a page that breaks off, or that is made to
// harm, cannot send it round in circles: every step takes input, and input and
// output are bounded.
package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ledongthuc/pdf"
)

// The ways a file cannot be read.
var (
	ErrLocked  = errors.New("it is locked with a password")
	ErrDamaged = errors.New("it is damaged")
)

const (
	maxStream = 32 << 20 // bytes of one decoded stream
	maxText   = 1 << 20  // bytes of text of one page
	maxForms  = 6        // forms within forms
)

// A Doc is an open PDF. It is for one goroutine.
type Doc struct {
	ctx context.Context //nolint:containedctx // a Doc lives as long as one call
	r   *pdf.Reader
}

// Open reads the structure of a PDF. When ctx ends, everything that the Doc is
// asked fails soon after.
func Open(ctx context.Context, data []byte) (d *Doc, err error) {
	defer recovered(ctx, &err)
	r, err := pdf.NewReader(timed{ctx, bytes.NewReader(data)}, int64(len(data)))
	switch {
	case errors.Is(err, pdf.ErrInvalidPassword):
		return nil, ErrLocked
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return &Doc{ctx, r}, nil
}

// Pages is the number of pages.
func (d *Doc) Pages() (n int, err error) {
	defer recovered(d.ctx, &err)
	return max(d.r.NumPage(), 0), nil
}

// Text is the text of page n, from 1. It is empty when the page has none.
func (d *Doc) Text(n int) (text string, err error) {
	defer recovered(d.ctx, &err)
	page := d.r.Page(n)
	if page.V.IsNull() {
		return "", fmt.Errorf("%w: the page is missing", ErrDamaged)
	}
	in := interpreter{ctx: d.ctx, fonts: map[string]*font{}}
	in.run(content(d.ctx, page.V.Key("Contents")), page.Resources(), 0)
	return in.text(), d.ctx.Err()
}

// recovered makes the library's way to give up, a panic, into an error.
func recovered(ctx context.Context, err *error) {
	p := recover()
	switch {
	case p == nil:
	case ctx.Err() != nil:
		*err = ctx.Err()
	default:
		*err = fmt.Errorf("%w: %v", ErrDamaged, p)
	}
}

// timed is data that cannot be read any more when ctx has ended, so that a
// library that goes round in circles stumbles.
type timed struct {
	ctx context.Context //nolint:containedctx // see Doc
	r   *bytes.Reader
}

// ReadAt reads like an [io.ReaderAt].
func (t timed) ReadAt(p []byte, off int64) (int, error) {
	if err := t.ctx.Err(); err != nil {
		return 0, err
	}
	return t.r.ReadAt(p, off)
}

// content is the bytes of a stream, or of several that count as one.
func content(ctx context.Context, v pdf.Value) []byte {
	if v.Kind() == pdf.Stream {
		return stream(v)
	}
	var out []byte
	for i := range v.Len() {
		if ctx.Err() != nil || len(out) > maxStream {
			break
		}
		out = append(append(out, stream(v.Index(i))...), '\n')
	}
	return out
}

// stream decodes one stream, as far as it can be decoded.
func stream(v pdf.Value) (out []byte) {
	defer func() { _ = recover() }() // an unknown filter: there is no text to be had
	if v.Kind() != pdf.Stream {
		return nil
	}
	r := v.Reader()
	defer r.Close()
	out, _ = io.ReadAll(io.LimitReader(r, maxStream)) // what came before a fault still counts
	return out
}
