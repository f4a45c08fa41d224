package doctext

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

// readODSheets shows sheets of an OpenDocument spreadsheet. They are all in one
// part, so it is gone through once for the names and once for each sheet.
func readODSheets(ctx context.Context, a *archive, rg Range) (*Extract, error) {
	var sheets []sheetRef
	err := odTables(ctx, a, func(w *walker, tag xml.StartElement) error {
		if len(sheets) < maxStyles {
			sheets = append(sheets, sheetRef{name: attr(tag, "name"), part: strconv.Itoa(len(sheets))})
		}
		return w.skip()
	})
	if err != nil {
		return nil, err
	}
	return showSheets(sheets, rg, func(s sheetRef, rg Range) (*grid, error) {
		g, n := &grid{name: s.name, rg: rg}, 0
		err := odTables(ctx, a, func(w *walker, _ xml.StartElement) error {
			if n++; strconv.Itoa(n-1) != s.part {
				return w.skip()
			}
			if err := odRows(w, g); err != nil {
				return err
			}
			return io.EOF
		})
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return g, err
	})
}

// odTables calls visit for each table that is a sheet.
func odTables(ctx context.Context, a *archive, visit func(w *walker, tag xml.StartElement) error) error {
	w, err := a.must(ctx, "content.xml")
	if err != nil {
		return err
	}
	return w.each(func(tag xml.StartElement) error {
		if tag.Name.Local == "table" {
			return visit(w, tag)
		}
		return nil
	})
}

// odRows reads the rows of the table that was just begun.
func odRows(w *walker, g *grid) error {
	n := 1
	for level := w.depth; w.depth >= level; {
		t, err := w.next()
		if err != nil {
			return err
		}
		tag, ok := t.(xml.StartElement)
		if !ok || tag.Name.Local != "table-row" {
			continue
		}
		r, err := odRow(w)
		if err != nil {
			return err
		}
		repeats := repeated(tag, "number-rows-repeated")
		const most = 1000 // a row of text that is repeated more often shows so often
		for i := range min(repeats, most) {
			r.n = n + i
			g.add(r)
		}
		n = min(n+repeats, lastRow)
	}
	return nil
}

func odRow(w *walker) (r gridRow, err error) {
	column := 1
	for level := w.depth; w.depth >= level; {
		t, err := w.next()
		if err != nil {
			return r, err
		}
		tag, ok := t.(xml.StartElement)
		if !ok || !strings.HasSuffix(tag.Name.Local, "table-cell") {
			continue
		}
		c, err := odCell(w, tag)
		if err != nil {
			return r, err
		}
		repeats := repeated(tag, "number-columns-repeated")
		if c.text != "" || c.formula != "" {
			for i := range min(repeats, maxFields) {
				if c.column = column + i; c.column <= lastColumn && len(r.cells) < lastColumn {
					r.cells = append(r.cells, c)
				}
			}
		}
		column = min(column+repeats, lastColumn+1)
	}
	return r, nil
}

func repeated(tag xml.StartElement, name string) int {
	n, err := strconv.Atoi(attr(tag, name))
	if err != nil {
		return 1
	}
	return min(max(n, 1), lastRow)
}

// odCell reads a cell: what it shows, but numbers and dates as they are kept.
func odCell(w *walker, tag xml.StartElement) (c gridCell, err error) {
	var text strings.Builder
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
		case "p":
			part, err := w.text(maxNote)
			if err != nil {
				return c, err
			}
			if text.Len() > 0 {
				text.WriteByte('\n')
			}
			if text.Len() < maxNote {
				text.WriteString(part)
			}
		case "annotation":
			if err := w.skip(); err != nil {
				return c, err
			}
		}
	}
	c.text = text.String()
	switch attr(tag, "value-type") {
	case "float", "currency":
		c.text = attr(tag, "value")
	case "date":
		c.text = strings.Replace(attr(tag, "date-value"), "T", " ", 1)
	}
	if f := attr(tag, "formula"); f != "" {
		_, f, _ = strings.Cut(f, "=") // of:=SUM(…)
		c.formula = strings.ToValidUTF8(f[:min(len(f), maxFormula)], "")
	}
	return c, nil
}
