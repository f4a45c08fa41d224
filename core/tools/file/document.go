package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/doctext"
	"github.com/hobkin/hobkin/core/leash"
)

var (
	badDocument = &capability.Failure{Code: "bad_document", When: "the office document is damaged, locked with a password, too large unpacked, or takes too long to read", Try: "ask the owner for another copy, or convert it with a program for its format"}
	badNotebook = &capability.Failure{Code: "bad_notebook", When: "the notebook is damaged, or of a format that is not known", Try: "read it with raw set to see its text as it is"}
	noSheet     = &capability.Failure{Code: "no_sheet", When: "the workbook has no sheet of that name or number", Try: "use one of the names given, or leave sheet out"}
)

// readOffice shows an office document: workbooks by row, all others by line.
func (h *Host) readOffice(ctx context.Context, t *text, kind doctext.Kind, in readIn) (capability.Result, error) {
	l := h.limits()
	if t.info.Size() > l.Document {
		return capability.Result{}, tooBig.Becausef("the %s %s has %s, the most is %s", kind, t.abs, size(t.info.Size()), size(l.Document)).
			Trying("ask for a part of it, or convert it with a program for its format")
	}
	limited, cancel := context.WithTimeout(ctx, l.DocumentTime)
	defer cancel()
	if kind == doctext.Excel || kind == doctext.ODSheet {
		x, err := leash.Do(limited, &h.parsers, func(ctx context.Context) (*doctext.Extract, error) {
			return doctext.Workbook(ctx, t, t.info.Size(), kind, l.rangeOf(in))
		})
		if err != nil {
			return capability.Result{}, officeFailure(ctx, t.abs, kind, err)
		}
		return workbookResult(x, t.abs, in)
	}
	words, err := leash.Do(limited, &h.parsers, func(ctx context.Context) (string, error) {
		return doctext.Text(ctx, t, t.info.Size(), kind)
	})
	if err != nil {
		return capability.Result{}, officeFailure(ctx, t.abs, kind, err)
	}
	p := newPage(l, in)
	if err := p.read(ctx, strings.NewReader(words)); err != nil {
		return capability.Result{}, err
	}
	if p.shown == 0 && p.first > 1 {
		return capability.Result{}, pastEnd.Becausef("the text of %s has %s, so line %d is not there", t.abs, count(p.line, "line"), p.first).With("lines", p.line)
	}
	return capability.Result{
		Text:    fmt.Sprintf("(%s, shown as text)\n%s", kind, p.text()),
		Summary: fmt.Sprintf("%s, %s", kind, count(p.shown, "line")),
	}, nil
}

// rangeOf is the part of a document that a call asks for, within the limits.
func (l Limits) rangeOf(in readIn) doctext.Range {
	most := l.ReadLines
	if in.Limit > 0 {
		most = min(in.Limit, most)
	}
	return doctext.Range{First: in.Offset, Count: most, Bytes: l.ReadBytes, Sheet: in.Sheet}
}

func officeFailure(ctx context.Context, abs string, kind doctext.Kind, err error) error {
	if none, ok := errors.AsType[*doctext.ErrNoSheet](err); ok {
		return noSheet.Becausef("%s: %v", abs, none).With("sheets", none.Have)
	}
	return parserFailure(ctx, badDocument, fmt.Sprintf("the %s %s", kind, abs), err)
}

// parserFailure explains why a document could not be read.
func parserFailure(ctx context.Context, code *capability.Failure, what string, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, leash.ErrFull):
		return code.Becausef("too many documents are being read; if none of them ends, a restart of Hobkin helps").
			Trying("wait a moment, then read it again")
	case errors.Is(err, context.DeadlineExceeded):
		return code.Becausef("reading %s took too long", what)
	}
	return code.Becausef("%s cannot be read: %s", what, capability.CutText(err.Error(), 200))
}

func workbookResult(x *doctext.Extract, abs string, in readIn) (capability.Result, error) {
	if x.Shown == 0 && in.Offset > 1 {
		return capability.Result{}, pastEnd.Becausef("the sheet %q of %s ends with row %d, so row %d is not there", x.Sheet, abs, x.Total, in.Offset).With("rows", x.Total)
	}
	text := x.Text
	if x.Next > 0 {
		of := ""
		if x.Total > 0 {
			of = fmt.Sprintf(", which has %d rows,", x.Total)
		}
		text += fmt.Sprintf("(go on with sheet %q%s at offset %d)\n", x.Sheet, of, x.Next)
	}
	return capability.Result{Text: text, Summary: count(x.Shown, "row")}, nil
}

// isNotebook tells a Jupyter notebook by its name: it is text like other text.
func isNotebook(abs string) bool { return strings.EqualFold(filepath.Ext(abs), ".ipynb") }

// readNotebook shows the cells of a notebook.
func (h *Host) readNotebook(ctx context.Context, call capability.Call, t *text, in readIn) (capability.Result, error) {
	l := h.limits()
	data, err := t.whole(l.Document)
	if err != nil {
		return capability.Result{}, err
	}
	x, err := leash.Do(ctx, &h.parsers, func(ctx context.Context) (*doctext.Extract, error) {
		return doctext.Notebook(ctx, []byte(t.enc.DecodeString(bytes.TrimPrefix(data, t.enc.BOM))), l.rangeOf(in))
	})
	if err != nil {
		return capability.Result{}, parserFailure(ctx, badNotebook, "the notebook "+t.abs, err)
	}
	if x.Shown == 0 && in.Offset > 1 {
		return capability.Result{}, pastEnd.Becausef("the notebook %s has %s, so cell %d is not there", t.abs, count(x.Total, "cell"), in.Offset).With("cells", x.Total)
	}
	h.seen.put(readKey(call.Turn.Session, t.abs), mark{size: t.info.Size(), time: t.info.ModTime(), sum: sumOf(data)})
	r := capability.Result{Text: x.Text, Summary: count(x.Shown, "cell")}
	if x.Next > 0 {
		r.Text += fmt.Sprintf("(up to cell %d of %d; go on with offset %d)\n", x.Next-1, x.Total, x.Next)
	}
	r.Text += "(to change it, read it with raw: an edit needs the text as the file has it)\n"
	for _, i := range x.Images {
		shown, note := fitted(i)
		r.Text += note
		r.Images = append(r.Images, shown...)
	}
	return r, nil
}
