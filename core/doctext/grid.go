package doctext

import (
	"fmt"
	"strconv"
	"strings"
)

// Bounds of what is kept of a sheet.
const (
	maxCells   = 100_000 // cells of one call
	maxKept    = 8 << 20 // bytes of text of one call
	maxMerged  = 50      // merged ranges that are named
	maxFormula = 300     // bytes of a formula that is shown
	lastRow    = 1 << 20 // of any sheet
	lastColumn = 1 << 14
)

// A grid is the part of one sheet that is shown.
type grid struct {
	name   string
	hidden bool
	rg     Range

	rows       []gridRow
	cells      int
	size       int // bytes of text that are kept
	next       int // row to go on with
	total      int // last row that holds something; 0 when the sheet was not read to its end
	wide       int // last column under a letter
	merged     []string
	mergedMore int
	hiddenRows int
}

type gridRow struct {
	n     int
	cells []gridCell
}

// A gridCell is one cell that holds something. What it shows is text; a text
// that many cells share is looked up at the end, by its number.
type gridCell struct {
	column  int
	text    string
	formula string
	shared  int // number of a shared text, from 1; 0 for none
}

// wants reports whether a row is part of what is shown, and notes where to go
// on when it is the first that has no room.
func (g *grid) wants(n int) bool {
	switch {
	case n < g.rg.first() || g.next > 0:
		return false
	case g.rg.Count > 0 && len(g.rows) >= g.rg.Count, g.cells >= maxCells, g.size >= maxKept:
		g.next = n
		return false
	}
	return true
}

// add keeps a row that is wanted. A row without cells is not kept.
func (g *grid) add(r gridRow) {
	if len(r.cells) == 0 {
		return
	}
	g.total = max(g.total, r.n)
	if !g.wants(r.n) {
		return
	}
	g.rows = append(g.rows, r)
	g.cells += len(r.cells)
	for _, c := range r.cells {
		g.size += len(c.text) + len(c.formula)
	}
}

func (g *grid) merge(ref string) {
	if len(g.merged) == maxMerged {
		g.mergedMore++
		return
	}
	const longest = len("XFD1048576:XFD1048576")
	g.merged = append(g.merged, ref[:min(len(ref), longest)])
}

// write adds the grid to an extract, as far as there is room in bytes. The
// first row of a call always has room.
func (g *grid) write(b *strings.Builder, x *Extract, most int) {
	x.Sheet, x.Total = g.name, g.total
	b.WriteString(g.head())
	for _, r := range g.rows {
		for _, c := range r.cells {
			if c.column <= maxFields {
				g.wide = max(g.wide, c.column)
			}
		}
	}
	if len(g.rows) > 0 {
		b.WriteString(strings.Repeat(" ", 6))
		for c := range g.wide {
			b.WriteString("\t" + columnName(c+1))
		}
		b.WriteByte('\n')
	}
	for _, r := range g.rows {
		text := fmt.Sprintf("%6d\t%s\n", r.n, tableRow(r.fields()))
		if x.Shown > 0 && b.Len()+len(text) > most {
			x.Next = r.n
			return
		}
		b.WriteString(text)
		x.Shown++
	}
	x.Next = g.next
}

// head is the line over a sheet, and what there is to know about it.
func (g *grid) head() string {
	s := fmt.Sprintf("=== sheet %q", g.name)
	if g.hidden {
		s += ", hidden"
	}
	s += " ===\n"
	if g.total == 0 && len(g.rows) == 0 {
		s += "(the sheet is empty)\n"
	}
	if len(g.merged) > 0 {
		s += "(merged: " + strings.Join(g.merged, ", ")
		if g.mergedMore > 0 {
			s += fmt.Sprintf(" and %d more", g.mergedMore)
		}
		s += ")\n"
	}
	if g.hiddenRows > 0 {
		s += "(" + plural(g.hiddenRows, "row") + " hidden in the sheet, shown here)\n"
	}
	return s
}

// fields is the row as cells from column A on.
func (r gridRow) fields() []string {
	fields := make([]string, 0, len(r.cells))
	for _, c := range r.cells {
		for len(fields) < c.column-1 {
			fields = append(fields, "")
		}
		text := c.text
		if c.formula != "" {
			text = strings.TrimLeft(text+" ", " ") + "[=" + c.formula + "]"
		}
		if len(fields) == c.column-1 { // a file may name a column twice
			fields = append(fields, text)
		}
	}
	return fields
}

// cellRef reads the name of a cell, such as AB12. ok is false for what is none.
func cellRef(ref string) (row, column int, ok bool) {
	i := 0
	for ; i < len(ref) && i < 4; i++ {
		c := ref[i] | 0x20
		if c < 'a' || c > 'z' {
			break
		}
		column = column*26 + int(c-'a') + 1
	}
	row, err := strconv.Atoi(ref[i:])
	return row, column, err == nil && row > 0 && row <= lastRow && column > 0 && column <= lastColumn
}
