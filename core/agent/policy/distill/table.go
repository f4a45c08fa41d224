package distill

import (
	"fmt"
	"strings"
)

// Bounds of a table.
const (
	tableLeast = 40 // lines that a table has at least
	tableHead  = 12
	tableTail  = 5
)

// table shortens lines that all have the same number of cells: CSV, TSV and
// Markdown tables. The first lines, with the names of the columns, and the last
// ones stay.
func table(text string) (string, bool) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) < tableLeast {
		return "", false
	}
	sign := separator(lines)
	if sign == "" {
		return "", false
	}
	left := len(lines) - tableHead - tableTail
	var b strings.Builder
	for _, line := range lines[:tableHead] {
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, "… (%d of %d lines left out, all of %d cells)\n", left, len(lines), strings.Count(lines[0], sign)+1)
	for _, line := range lines[len(lines)-tableTail:] {
		b.WriteString(line + "\n")
	}
	return b.String(), true
}

// separator is the sign between the cells: one that every line has as often as
// the first, but for one line in fifty, whose cells hold it themselves.
func separator(lines []string) string {
	for _, sign := range []string{"\t", "|", ";", ","} {
		n := strings.Count(lines[0], sign)
		if n == 0 || sign == "," && n < 2 {
			continue
		}
		odd := 0
		for _, line := range lines {
			if strings.Count(line, sign) != n {
				odd++
			}
		}
		if odd*50 <= len(lines) {
			return sign
		}
	}
	return ""
}
