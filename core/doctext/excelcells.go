package doctext

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// readSheet reads the rows of a sheet that are wanted, and the shared texts
// that they show.
func (bk *book) readSheet(s sheetRef, rg Range) (*grid, error) {
	g := &grid{name: s.name, hidden: s.hidden, rg: rg}
	w, err := bk.must(bk.ctx, s.part)
	if err != nil {
		return nil, err
	}
	defer w.close() //nolint:errcheck // it was only read
	row, left := 0, int64(0)
	for {
		t, err := w.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if g.next > 0 && left == 0 {
			left = bk.left
		}
		if left > 0 && left-bk.left > readAhead {
			g.total = 0 // not known
			break
		}
		tag, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		switch tag.Name.Local {
		case "row":
			if row, err = bk.row(w, tag, row, g); err != nil {
				return nil, err
			}
		case "mergeCell":
			g.merge(attr(tag, "ref"))
		}
	}
	return g, bk.lookUp(g)
}

// row reads one row and returns its number.
func (bk *book) row(w *walker, tag xml.StartElement, before int, g *grid) (int, error) {
	n, err := strconv.Atoi(attr(tag, "r"))
	if err != nil || n < 1 || n > lastRow {
		n = min(before+1, lastRow)
	}
	if hidden := attr(tag, "hidden"); hidden == "1" || hidden == "true" {
		g.hiddenRows++
	}
	r, wanted, column, size := gridRow{n: n}, g.wants(n), 0, 0
	for level := w.depth; w.depth >= level; {
		t, err := w.next()
		if err != nil {
			return n, err
		}
		c, ok := t.(xml.StartElement)
		if !ok || c.Name.Local != "c" {
			continue
		}
		column = columnOf(c, column)
		if !wanted || column > lastColumn || size > maxKept {
			g.total = max(g.total, n)
			if err := w.skip(); err != nil {
				return n, err
			}
			continue
		}
		cell, err := bk.cell(w, c)
		if err != nil {
			return n, err
		}
		size += len(cell.text) + len(cell.formula)
		cell.column = column
		r.put(cell)
	}
	slices.SortStableFunc(r.cells, byColumn)
	g.add(r)
	return n, nil
}

// columnOf is the column of a cell: that of its address, or else the next one.
func columnOf(c xml.StartElement, before int) int {
	if _, at, ok := cellRef(attr(c, "r")); ok {
		return at
	}
	return before + 1
}

// put keeps a cell that holds something.
func (r *gridRow) put(c gridCell) {
	if (c.text != "" || c.formula != "" || c.shared > 0) && len(r.cells) < lastColumn {
		r.cells = append(r.cells, c)
	}
}

func byColumn(a, b gridCell) int { return cmp.Compare(a.column, b.column) }

// cell reads a cell: its value as text, and its formula.
func (bk *book) cell(w *walker, tag xml.StartElement) (c gridCell, err error) {
	const most = 64 << 10 // bytes; a cell holds 32,767 characters
	value, kind := "", attr(tag, "t")
	for level := w.depth; w.depth >= level; {
		t, err := w.next()
		if err != nil {
			return c, err
		}
		in, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		switch in.Name.Local {
		case "v":
			value, err = w.text(most)
		case "f":
			c.formula, err = w.text(most)
			if len(c.formula) > maxFormula {
				c.formula = strings.ToValidUTF8(c.formula[:maxFormula], "") + "…"
			}
		case "t":
			var part string
			part, err = w.text(most)
			value += part
		case "rPh": // how to pronounce what is written
			err = w.skip()
		}
		if err != nil || len(value) > 2*most {
			return c, cmp.Or(err, damaged("a cell holds more than %d KB", most>>10))
		}
	}
	if len(value) > maxShown {
		value = strings.ToValidUTF8(value[:maxShown], "") + "…"
	}
	bk.show(&c, kind, value, attr(tag, "s"))
	return c, nil
}

// show makes text of a value, by the type and the style of its cell.
func (bk *book) show(c *gridCell, kind, value, style string) {
	switch kind {
	case "s":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 {
			c.shared = n + 1
		}
	case "b":
		c.text = map[string]string{"1": "TRUE", "0": "FALSE"}[value]
	case "str", "inlineStr", "e", "d":
		c.text = value
	default:
		f := general
		if n, err := strconv.Atoi(style); err == nil && n >= 0 && n < len(bk.formats) {
			f = bk.formats[n]
		}
		c.text = f.text(value, bk.era1904)
	}
}

// lookUp puts the shared texts where cells refer to them. Only those are kept.
func (bk *book) lookUp(g *grid) error {
	want := map[int]string{}
	last := 0
	for _, r := range g.rows {
		for _, c := range r.cells {
			if c.shared > 0 {
				want[c.shared] = ""
				last = max(last, c.shared)
			}
		}
	}
	if len(want) == 0 {
		return nil
	}
	if err := bk.readShared(want, last); err != nil {
		return err
	}
	for _, r := range g.rows {
		for i := range r.cells {
			if c := &r.cells[i]; c.shared > 0 {
				c.text = want[c.shared]
			}
		}
	}
	return nil
}

func (bk *book) readShared(want map[int]string, last int) error {
	const most = 64 << 10
	w, err := bk.walk(bk.ctx, "xl/sharedstrings.xml")
	if err != nil || w == nil {
		return err
	}
	n, room := 0, maxText
	err = w.each(func(tag xml.StartElement) error {
		switch _, wanted := want[n]; {
		case tag.Name.Local == "si":
			if n++; n > last {
				return io.EOF
			}
		case tag.Name.Local == "rPh":
			return w.skip()
		case tag.Name.Local == "t" && wanted && len(want[n]) < most && room > 0:
			text, err := w.text(min(most, room))
			want[n] += text
			room -= len(text)
			return err
		}
		return nil
	})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
