package browser

import (
	"context"
	"errors"
	"time"
)

// A Print says how a page is printed. The zero value is the page's own size, or
// A4, upright, without backgrounds.
type Print struct {
	Landscape   bool
	Backgrounds bool
	Pages       string // such as "1-3, 5"; empty is all
}

const (
	printTime = 60 * time.Second
	maxPDF    = 50 << 20 // bytes
)

// PDF prints the tab's page.
func (t *Tab) PDF(ctx context.Context, o Print) ([]byte, error) {
	v, done, err := t.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := t.Readable(ctx); err != nil {
		return nil, err
	}
	short, cancel := context.WithTimeout(ctx, printTime)
	defer cancel()
	var out struct {
		Data []byte `json:"data"` // base64
	}
	err = v.session.Call(short, "Page.printToPDF", map[string]any{
		"landscape": o.Landscape, "printBackground": o.Backgrounds, "pageRanges": o.Pages, "preferCSSPageSize": true,
		"paperWidth": 8.27, "paperHeight": 11.69, // A4, in inches
	}, &out)
	switch own, isOwn := asProtocol(err); {
	case isOwn:
		return nil, ScriptFailed.Becausef("the page cannot be printed: %s", own.Message).Trying("name pages that exist, or take a screenshot")
	case err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return nil, Unresponsive.Becausef("the page was not printed within %v", printTime)
	case err != nil:
		return nil, t.explain(v, err)
	case len(out.Data) > maxPDF:
		return nil, TooLarge.Becausef("the PDF has %d bytes; at most %d are kept", len(out.Data), maxPDF)
	}
	return out.Data, nil
}
