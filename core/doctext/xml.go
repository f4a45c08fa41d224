package doctext

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hobkin/hobkin/core/textfile"
)

// Bounds of XML: what is deeper, or has a longer tag, was made to harm.
const (
	maxDepth = 512
	maxTag   = 256 << 10 // bytes of one tag, with its attributes
	maxRun   = 16 << 20  // bytes of text between two tags
)

// A walker goes through one part, tag by tag.
type walker struct {
	ctx   context.Context //nolint:containedctx // a walker lives as long as one call
	part  string
	dec   *xml.Decoder
	close func() error
	depth int
	steps int
}

// walk opens a part of XML. It returns nil when the archive has no such part.
func (a *archive) walk(ctx context.Context, name string) (*walker, error) {
	r, ok, err := a.open(name)
	if err != nil || !ok {
		return nil, err
	}
	w := walkXML(ctx, name, r)
	w.close = r.Close
	return w, nil
}

// must is walk for a part without which the document means nothing.
func (a *archive) must(ctx context.Context, name string) (*walker, error) {
	w, err := a.walk(ctx, name)
	if err == nil && w == nil {
		err = damaged("it has no part %s", name)
	}
	return w, err
}

func walkXML(ctx context.Context, name string, r io.Reader) *walker {
	br := bufio.NewReaderSize(r, 32<<10)
	var in io.Reader = br
	head, _ := br.Peek(2) // an error comes again when it is read
	for _, e := range []*textfile.Encoding{textfile.UTF16LE, textfile.UTF16BE} {
		if bytes.Equal(head, e.BOM) {
			in = e.NewReader(br)
		}
	}
	dec := xml.NewDecoder(&tagLimit{r: in})
	dec.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(label), "utf-16") {
			return r, nil // decoded already
		}
		return nil, fmt.Errorf("it is in %q, which office documents may not be", label)
	}
	return &walker{ctx: ctx, part: name, dec: dec, close: func() error { return nil }}
}

// next is the next tag or text; io.EOF at the end. A text is valid only until
// the next call.
func (w *walker) next() (xml.Token, error) {
	if w.steps++; w.steps%256 == 0 && w.ctx.Err() != nil {
		return nil, w.ctx.Err()
	}
	t, err := w.dec.Token()
	if err != nil {
		return nil, w.explain(err)
	}
	switch t.(type) {
	case xml.StartElement:
		if w.depth++; w.depth > maxDepth {
			return nil, damaged("%s: tags are nested more than %d deep", w.part, maxDepth)
		}
	case xml.EndElement:
		w.depth--
	}
	return t, nil
}

func (w *walker) explain(err error) error {
	if _, bad := errors.AsType[*xml.SyntaxError](err); bad {
		return damaged("%s: %v", w.part, err)
	}
	return err
}

// skip leaves out everything up to the end of the tag that was just begun.
func (w *walker) skip() error {
	for level := w.depth; w.depth >= level; {
		if _, err := w.next(); err != nil {
			return err
		}
	}
	return nil
}

// each calls visit for every tag that begins, to the end of the part.
func (w *walker) each(visit func(tag xml.StartElement) error) error {
	defer w.close() //nolint:errcheck // it was only read
	return w.within(visit)
}

// within calls visit for every tag that begins within the one that was just
// begun, or, before the first, to the end of the part. What visit reads itself
// it is not called for.
func (w *walker) within(visit func(tag xml.StartElement) error) error {
	for level := w.depth; level == 0 || w.depth >= level; {
		t, err := w.next()
		if errors.Is(err, io.EOF) && level == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if tag, ok := t.(xml.StartElement); ok {
			if err := visit(tag); err != nil {
				return err
			}
		}
	}
	return nil
}

// text is the text within the tag that was just begun, of at most so many
// bytes; tags within are left out, their text is not.
func (w *walker) text(most int) (string, error) {
	var b strings.Builder
	for level := w.depth; w.depth >= level; {
		t, err := w.next()
		if err != nil {
			return "", err
		}
		if data, ok := t.(xml.CharData); ok && b.Len() < most {
			b.Write(data[:min(len(data), most-b.Len())])
		}
	}
	return strings.ToValidUTF8(b.String(), ""), nil
}

// attr is the value of an attribute, whatever its name space.
func attr(tag xml.StartElement, name string) string {
	for _, a := range tag.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// relAttr is an attribute that refers to another part: those of the name
// spaces of relationships, which share their names with others.
func relAttr(tag xml.StartElement, name string) string {
	for _, a := range tag.Attr {
		if a.Name.Local == name && strings.HasSuffix(a.Name.Space, "/relationships") {
			return a.Value
		}
	}
	return ""
}

// A tagLimit fails when a tag or a text goes on for too long: it would all be in
// memory at once, a tag many times its size.
type tagLimit struct {
	r    io.Reader
	open bool
	run  int
}

// Read reads like an [io.Reader].
func (l *tagLimit) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		end, most := byte('<'), maxRun
		if l.open {
			end, most = '>', maxTag
		}
		i := bytes.IndexByte(rest, end)
		if i < 0 {
			i = len(rest)
		} else {
			i++
		}
		if l.run += i; l.run > most {
			return 0, damaged("a tag or text is longer than %d KB", most>>10)
		}
		if i > 0 && rest[i-1] == end {
			l.open, l.run = !l.open, 0
		}
		rest = rest[i:]
	}
	return n, err
}
