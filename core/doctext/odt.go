package doctext

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"
)

// An odText is an OpenDocument text or presentation that is being read.
type odText struct {
	ctx   context.Context //nolint:containedctx // it lives as long as one call
	slide int
	notes []string
	depth int // of lists
}

func readODText(ctx context.Context, a *archive, out *sink) error {
	w, err := a.must(ctx, "content.xml")
	if err != nil {
		return err
	}
	defer w.close() //nolint:errcheck // it was only read
	d := &odText{ctx: ctx}
	if err := d.blocks(w, out); err != nil {
		return err
	}
	for i, text := range d.notes {
		if err := out.block("[^" + strconv.Itoa(i+1) + "]: " + text); err != nil {
			return err
		}
	}
	return nil
}

// blocks writes what is within the tag that was just begun, or in the part.
func (d *odText) blocks(w *walker, out *sink) error {
	return w.within(func(tag xml.StartElement) error { return d.block(w, tag, out) })
}

func (d *odText) block(w *walker, tag xml.StartElement, out *sink) error {
	switch tag.Name.Local {
	case "p", "h":
		text, err := d.paragraph(w)
		if err != nil {
			return err
		}
		switch n, err := strconv.Atoi(attr(tag, "outline-level")); {
		case tag.Name.Local == "h" && (err != nil || n < 1):
			text = "# " + text
		case tag.Name.Local == "h":
			text = strings.Repeat("#", min(n, 6)) + " " + text
		case d.depth > 0 && text != "":
			text = strings.Repeat("  ", d.depth-1) + "- " + text
		}
		return out.block(text)
	case "list":
		d.depth++
		defer func() { d.depth-- }()
		return d.blocks(w, out)
	case "table":
		text, err := d.table(w)
		if err != nil {
			return err
		}
		return out.block(text)
	case "page":
		d.slide++
		return out.block("--- slide " + strconv.Itoa(d.slide) + " ---")
	case "tracked-changes", "automatic-styles", "forms", "sequence-decls", "binary-data", "object":
		return w.skip()
	}
	return nil
}

// paragraph reads the text of a paragraph, its spaces as the format has them.
func (d *odText) paragraph(w *walker) (string, error) {
	var b strings.Builder
	for level := w.depth; w.depth >= level; {
		t, err := w.next()
		if err != nil {
			return "", err
		}
		switch tag := t.(type) {
		case xml.CharData:
			b.WriteString(strings.NewReplacer("\n", " ", "\t", " ", "\r", "").Replace(string(tag)))
		case xml.StartElement:
			text, err := d.inline(w, tag)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		}
		if b.Len() > maxText {
			return "", errFull
		}
	}
	return strings.TrimSpace(b.String()), nil
}

// inline is what stands for a tag within a paragraph.
func (d *odText) inline(w *walker, tag xml.StartElement) (string, error) {
	switch tag.Name.Local {
	case "s":
		const most = 100
		n, err := strconv.Atoi(attr(tag, "c"))
		if err != nil {
			n = 1
		}
		return strings.Repeat(" ", min(max(n, 1), most)), nil
	case "tab":
		return "\t", nil
	case "line-break":
		return "\n", nil
	case "note", "annotation":
		var own sink
		if err := d.blocks(w, &own); err != nil {
			return "", err
		}
		text := strings.ReplaceAll(strings.TrimSpace(own.b.String()), "\n", " / ")
		text = strings.ToValidUTF8(text[:min(len(text), maxNote)], "")
		if tag.Name.Local == "annotation" {
			return "{>>" + text + "<<}", nil
		}
		if len(d.notes) == maxStyles {
			return "", nil
		}
		d.notes = append(d.notes, text)
		return "[^" + strconv.Itoa(len(d.notes)) + "]", nil
	case "binary-data", "object", "title", "desc":
		return "", w.skip()
	}
	return "", nil
}

// table reads a table. Rows and cells that the file says are repeated come as
// often as they do, within bounds; empty ones at the end do not.
func (d *odText) table(w *walker) (string, error) {
	const mostRepeats = 50
	var rows [][]string
	size := 0
	err := w.within(func(tag xml.StartElement) error {
		switch tag.Name.Local {
		case "table-row":
			rows = append(rows, nil)
		case "table-cell", "covered-table-cell":
			var own sink
			if err := d.blocks(w, &own); err != nil {
				return err
			}
			n, err := strconv.Atoi(attr(tag, "number-columns-repeated"))
			if err != nil {
				n = 1
			}
			n = min(max(n, 1), mostRepeats)
			for range n {
				if len(rows) > 0 {
					rows[len(rows)-1] = append(rows[len(rows)-1], own.b.String())
				}
			}
			if size += n * (own.b.Len() + 1); size > maxText {
				return errFull
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return tableText(rows), nil
}
