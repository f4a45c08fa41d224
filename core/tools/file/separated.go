package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/doctext"
	"github.com/hobkin/hobkin/core/picture"
)

// isSeparated tells separated values by their name. tabs: most likely by tabs.
func isSeparated(abs string) (ok, tabs bool) {
	switch strings.ToLower(filepath.Ext(abs)) {
	case ".csv":
		return true, false
	case ".tsv", ".tab":
		return true, true
	}
	return false, false
}

// separated shows separated values as a table. It returns nil for what is not
// asked for as a table, or is better shown as it is; src is at its start then.
func (h *Host) separated(ctx context.Context, t *text, src io.ReadSeeker, in readIn) (*capability.Result, error) {
	ok, tabs := isSeparated(t.abs)
	if !ok || in.Raw {
		return nil, nil
	}
	x, err := doctext.Table(ctx, t.enc.NewReader(src), tabs, h.limits().rangeOf(in))
	switch {
	case errors.Is(err, doctext.ErrNoTable):
		t.note = fmt.Sprintf("(shown as it is: %v)\n", err)
		_, err = src.Seek(0, io.SeekStart)
		return nil, err
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, explain(t.abs, err)
	case x.Total == 0:
		_, err = src.Seek(0, io.SeekStart)
		return nil, err
	case x.Shown == 0:
		return nil, pastEnd.Becausef("%s has no row from line %d on; the last starts in line %d", t.abs, in.Offset, x.Total).With("lines", x.Total)
	}
	r := &capability.Result{Text: x.Text, Summary: count(x.Shown, "row")}
	if x.Next > 0 {
		r.Text += fmt.Sprintf("(up to line %d; go on with offset %d)\n", x.Next-1, x.Next)
	}
	r.Text += "(" + x.Note + ", shown as a table; to change it, read it with raw: an edit needs the text as the file has it)\n"
	return r, nil
}

// fitted is a picture of a notebook made to fit, or a word about why it is not
// shown.
func fitted(i doctext.Image) (images []capability.Image, note string) {
	p, err := picture.Fit(i.Data, picture.Limits{})
	if err != nil {
		return nil, fmt.Sprintf("(a picture of cell %d cannot be shown: %v)\n", i.Cell, err)
	}
	return []capability.Image{{MIME: p.MIME, Data: p.Data}}, fmt.Sprintf("(picture of cell %d: %s)\n", i.Cell, p)
}
