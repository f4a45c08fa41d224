package doctext

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A word is a word-processing document (ECMA-376, WordprocessingML) that is
// being read.
type word struct {
	ctx context.Context //nolint:containedctx // a word lives as long as one call
	*archive
	styles   map[string]paraStyle
	lists    lists
	links    map[string]string // targets by relationship, of the part at hand
	notes    map[string]string // text by kind and id
	comments map[string]string
	used     []string // notes that the text refers to, in its order
	authors  map[string]bool
}

func readWord(ctx context.Context, a *archive, out *sink) error {
	d := &word{ctx: ctx, archive: a, notes: map[string]string{}, comments: map[string]string{}, authors: map[string]bool{}}
	for _, read := range []func() error{d.readStyles, d.readNumbering, d.readNotes, d.readComments} {
		if err := read(); err != nil {
			return err
		}
	}
	if err := d.part("word/document.xml", out); err != nil {
		return err
	}
	for _, id := range d.used {
		if err := out.block(fmt.Sprintf("[^%s]: %s", id, d.notes[id])); err != nil {
			return err
		}
	}
	if err := d.edges(out); err != nil {
		return err
	}
	if len(d.authors) > 0 {
		return out.block("(tracked changes by " + strings.Join(slices.Sorted(maps.Keys(d.authors)), ", ") + ": {++put in++}, {--taken out--})")
	}
	return nil
}

// part writes the blocks of one part.
func (d *word) part(name string, out *sink) (err error) {
	if d.links, err = d.targets(d.ctx, name); err != nil {
		return err
	}
	w, err := d.must(d.ctx, name)
	if err != nil {
		return err
	}
	defer w.close() //nolint:errcheck // it was only read
	return d.blocks(w, out)
}

// blocks writes the paragraphs and tables within the tag that was just begun,
// or within the whole part.
func (d *word) blocks(w *walker, out *sink) error {
	return w.within(func(tag xml.StartElement) error { return d.block(w, tag, out) })
}

func (d *word) block(w *walker, tag xml.StartElement, out *sink) error {
	switch tag.Name.Local {
	case "p":
		text, err := d.paragraph(w)
		if err != nil {
			return err
		}
		return out.block(text)
	case "tbl":
		text, err := d.table(w)
		if err != nil {
			return err
		}
		return out.block(text)
	case "Fallback", "sectPr", "sdtPr", "tblPr", "trPr", "tcPr":
		return w.skip()
	}
	return nil // something that holds blocks
}

// edges writes the headers and footers, each text once.
func (d *word) edges(out *sink) error {
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(d.parts)) {
		kind, ok := strings.CutPrefix(name, "word/")
		if !ok || !strings.HasSuffix(kind, ".xml") || !strings.HasPrefix(kind, "header") && !strings.HasPrefix(kind, "footer") {
			continue
		}
		var own sink
		if err := d.part(name, &own); err != nil {
			return err
		}
		text := strings.TrimSpace(own.b.String())
		if label := kind[:len("header")] + ": "; text != "" && !seen[label+text] {
			seen[label+text] = true
			if err := out.block("(" + label + strings.ReplaceAll(text, "\n", " / ") + ")"); err != nil {
				return err
			}
		}
	}
	return nil
}

// table reads a table. Cells that go on from above or from the left are empty.
func (d *word) table(w *walker) (string, error) {
	var rows [][]string
	size := 0
	err := w.within(func(tag xml.StartElement) error {
		switch tag.Name.Local {
		case "tr":
			rows = append(rows, nil)
		case "tc":
			if len(rows) == 0 {
				rows = append(rows, nil)
			}
			text, span, err := d.cell(w)
			if err != nil {
				return err
			}
			last := &rows[len(rows)-1]
			*last = append(append(*last, text), make([]string, span-1)...)
			if size += len(text) + span; size > maxText {
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

// cell reads a cell: its text, and how many columns it takes.
func (d *word) cell(w *walker) (text string, span int, err error) {
	const mostColumns = 63 // of a table, as Word has it
	var out sink
	span = 1
	for level := w.depth; w.depth >= level; {
		t, err := w.next()
		if err != nil {
			return "", 0, err
		}
		tag, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		switch tag.Name.Local {
		case "tcPr":
			continue // what it says is in the tags within
		case "gridSpan":
			n, err := strconv.Atoi(attr(tag, "val"))
			if err == nil {
				span = min(max(n, 1), mostColumns)
			}
			continue
		}
		if err := d.block(w, tag, &out); err != nil {
			return "", 0, err
		}
	}
	return out.b.String(), span, nil
}

// note is what stands in the text for a foot- or endnote.
func (d *word) note(kind, id string) string {
	key := cmp.Or(id, "?")
	if kind == "endnote" {
		key = "end" + key
	}
	if _, known := d.notes[key]; known && !slices.Contains(d.used, key) {
		d.used = append(d.used, key)
	}
	return "[^" + key + "]"
}
