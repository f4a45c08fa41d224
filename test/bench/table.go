package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// A row is one line of the table.
type row struct {
	name   string
	number float64
	unit   string
	peer   string  // what it is measured beside; empty for nothing
	beside float64 // the peer's number, in the same unit; 0 where only the ratio is known
	ratio  float64 // ours to the peer's; 0 takes it from the numbers
	limit  float64 // the number must not be over it; below 0 there is none
	most   float64 // the ratio must not be over it; 0 and below there is none
	note   string  // stands in place of the numbers
}

// noLimit is the limit of a row that only informs.
const noLimit = -1

func table(rows []row) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 4, 2, ' ', 0)
	line := func(cells ...string) { _, _ = fmt.Fprintln(w, strings.Join(cells, "\t")) }
	line("what", "number", "unit", "beside", "its number", "ratio", "limit", "")
	for _, r := range rows {
		line(r.cells()...)
	}
	_ = w.Flush() // into memory
	return out.String()
}

func (r row) cells() []string {
	if r.note != "" {
		return []string{r.name, r.note, "", "", "", "", "", ""}
	}
	cells := []string{r.name, figure(r.number), r.unit, r.peer, "", "", "", ""}
	if r.beside != 0 {
		cells[4] = figure(r.beside)
		if r.ratio == 0 {
			r.ratio = r.number / r.beside
		}
	}
	if r.ratio != 0 {
		cells[5] = figure(r.ratio) + "×"
	}
	if r.limit >= 0 {
		cells[6], cells[7] = figure(r.limit), "ok"
		if r.number > r.limit {
			cells[7] = "OVER"
		}
	}
	if r.most > 0 {
		cells[6], cells[7] = figure(r.most)+"×", "ok"
		if r.ratio > r.most {
			cells[7] = "OVER"
		}
	}
	return cells
}

// figure writes a number with as many digits as mean something.
func figure(v float64) string {
	switch {
	case v == float64(int64(v)):
		return fmt.Sprintf("%.0f", v)
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
