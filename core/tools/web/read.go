package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/leash"
	"github.com/hobkin/hobkin/core/pdftext"
	"github.com/hobkin/hobkin/core/picture"
	"github.com/hobkin/hobkin/core/textfile"
	"github.com/hobkin/hobkin/core/webpage"
)

// kind is what a page turned out to be.
type kind string

const (
	isHTML    kind = "html"
	isJSON    kind = "json"
	isText    kind = "text"
	isPDF     kind = "pdf"
	isPicture kind = "picture"
	isBinary  kind = "binary"
)

// kind tells by the first bytes where they are plain, else by the header, else
// by what the body looks like.
func (p *page) kind() kind {
	t := p.mediaType()
	textual := strings.HasPrefix(t, "text/")
	vague := t == "" || t == "application/octet-stream" || t == "binary/octet-stream"
	switch {
	case !textual && picture.Type(p.body) != "":
		return isPicture
	case !textual && bytes.HasPrefix(p.body, []byte("%PDF-")):
		return isPDF
	case t == "text/html", t == "application/xhtml+xml", vague && strings.HasPrefix(http.DetectContentType(p.body), "text/html"):
		return isHTML
	case strings.HasSuffix(t, "/json"), strings.HasSuffix(t, "+json"):
		return isJSON
	case strings.HasSuffix(t, "+xml"), strings.HasSuffix(t, "/xml"):
		return isText
	case slices.ContainsFunc([]string{"audio/", "video/", "font/", "image/"}, func(s string) bool { return strings.HasPrefix(t, s) }):
		return isBinary
	case textual && strings.Contains(strings.ToLower(p.header), "utf-16"):
		return isText
	case textfile.DetectPrefix(p.body) != nil:
		return isText
	}
	return isBinary
}

// A reading is a page made into what a model reads.
type reading struct {
	kind   kind
	head   string // title and byline, before the text
	title  string
	text   string
	notes  []string // sentences after it
	images []capability.Image
}

// read makes a page into text, or shows the picture that it is.
func (h *Host) read(ctx context.Context, p *page, raw bool) (*reading, error) {
	r := &reading{kind: p.kind()}
	switch {
	case r.kind == isPicture:
		return r, r.picture(p)
	case r.kind == isBinary:
		r.binary(p)
		return r, nil
	case r.kind == isPDF:
		return r, h.pdf(ctx, p, r)
	case r.kind == isHTML && !raw:
		return r, h.html(ctx, p, r)
	}
	text, encoding := webpage.Decode(p.body, p.header, !p.cut)
	r.text = text
	if encoding != "utf-8" {
		r.notes = append(r.notes, "it was in "+encoding)
	}
	return r, nil
}

func (r *reading) binary(p *page) {
	t := p.mediaType()
	if t == "" || t == "application/octet-stream" {
		t = http.DetectContentType(p.body)
	}
	size := "more than " + bytesOf(int64(len(p.body)))
	switch {
	case !p.cut:
		size = bytesOf(int64(len(p.body)))
	case p.size > 0:
		size = bytesOf(p.size)
	}
	r.title = t + ", " + size
	r.text = fmt.Sprintf("This is a binary file: %s, %s. It cannot be shown as text; to use it, download it with a program through the shell tool.", t, size)
}

func (r *reading) picture(p *page) error {
	if p.cut {
		return tooLarge.Becausef("the picture at %s has more than %s", p.final.Host, bytesOf(int64(len(p.body))))
	}
	pic, err := picture.Fit(p.body, picture.Limits{})
	if err != nil {
		return unreadable.Becausef("the picture at %s cannot be shown: %v", p.final.Host, err)
	}
	r.title = pic.String()
	r.text = fmt.Sprintf("Picture: %s, %s.", pic, bytesOf(int64(len(p.body))))
	r.images = []capability.Image{{MIME: pic.MIME, Data: pic.Data}}
	return nil
}

// mostPDFText is as much text of a PDF as is ever read.
const mostPDFText = 1 << 20

func (h *Host) pdf(ctx context.Context, p *page, r *reading) error {
	if p.cut {
		return tooLarge.Becausef("the PDF at %s has more than %s", p.final.Host, bytesOf(int64(len(p.body))))
	}
	limited, cancel := context.WithTimeout(ctx, h.limits().Parse)
	defer cancel()
	x, err := leash.Do(limited, &h.leash, func(ctx context.Context) (*pdftext.Extract, error) {
		return pdftext.Read(ctx, p.body, pdftext.Range{Bytes: mostPDFText})
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return unreadable.Becausef("reading the PDF at %s took too long", p.final.Host)
	case err != nil:
		return unreadable.Becausef("the PDF at %s cannot be read: %s", p.final.Host, capability.CutText(err.Error(), 200))
	}
	r.title, r.text = fmt.Sprintf("PDF, %d pages", x.Pages), webpage.Visible(x.Text)
	if x.Next > 0 {
		r.notes = append(r.notes, fmt.Sprintf("only the first %d of %d pages were read", x.Next-1, x.Pages))
	}
	return nil
}

// html finds the article. The libraries that do it cannot be stopped, so they
// work on a leash; what takes them too long is shown as its source.
func (h *Host) html(ctx context.Context, p *page, r *reading) error {
	source, _ := webpage.Decode(p.body, p.header, !p.cut)
	limited, cancel := context.WithTimeout(ctx, h.limits().Parse)
	defer cancel()
	doc, err := leash.Do(limited, &h.leash, func(context.Context) (*webpage.Page, error) { return webpage.Read(source, p.final), nil })
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return unreadable.Becausef("the page at %s is too tangled to be read", p.final.Host).Trying("use another source, or look at its source with raw")
	}
	r.title, r.text = doc.Title, doc.Markdown
	if doc.Title != "" {
		r.head = "# " + doc.Title + "\n"
	}
	var by []string
	for _, s := range []string{doc.Byline, doc.Site, doc.Published} {
		if s != "" {
			by = append(by, s)
		}
	}
	if len(by) > 0 {
		r.head += strings.Join(by, " · ") + "\n"
	}
	r.head += p.final.String() + "\n\n"
	switch {
	case doc.Scripted:
		r.notes = append(r.notes, "a script makes this page, and scripts were not run; the browser tool can")
	case !doc.Article:
		r.notes = append(r.notes, "no article was found, so this is the whole page")
	}
	if r.text == "" {
		r.text = "(The page shows no text.)"
	}
	return nil
}

func bytesOf(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }
