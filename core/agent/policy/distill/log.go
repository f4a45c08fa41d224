package distill

import (
	"fmt"
	"regexp"
	"strings"
)

// Bounds of a log.
const (
	logLeast = 40 // lines that a log has at least
	logHead  = 10
	logTail  = 20
	logForm  = 200 // bytes of a line that make its form
)

var (
	// stamped lines begin with a time, a level or a number of a line.
	stamped = regexp.MustCompile(`^\W{0,2}(\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d|\[?(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b|time=|level=|ts=|[IWEF]\d{4} )`)
	// trouble is what a reader of a log looks for.
	trouble = regexp.MustCompile(`(?i)\b(error|errors|fail|failed|failure|fatal|panic|critical|exception|traceback|warn|warning|denied|refused|timed? ?out|cannot|could not|undefined|segfault|oom|killed)\b`)
	// variable are the parts of a line that differ where the form is the same.
	variable = regexp.MustCompile(`[0-9a-fA-F]{8,}(-[0-9a-fA-F]{4,})*|\d+`)
)

// log shortens a log: its first and last lines stay, and every line that tells
// of trouble, with the line before it; lines of one form are shown once and
// counted.
func log(text string) (string, bool) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) < logLeast || !isLog(lines) {
		return "", false
	}
	keep := make([]bool, len(lines))
	count, first := map[string]int{}, map[string]int{}
	for i, line := range lines {
		form := formOf(line)
		count[form]++
		if _, seen := first[form]; !seen {
			first[form] = i
		}
		if i < logHead || i >= len(lines)-logTail {
			keep[i] = true
		}
		if count[form] == 1 {
			keep[i] = true
			if i > 0 && trouble.MatchString(line) {
				keep[i-1] = true
			}
		}
	}
	var b strings.Builder
	skipped := 0
	for i, line := range lines {
		if !keep[i] {
			skipped++
			continue
		}
		if skipped > 0 {
			fmt.Fprintf(&b, "… (%d lines of forms shown elsewhere)\n", skipped)
			skipped = 0
		}
		b.WriteString(line)
		if form := formOf(line); first[form] == i && count[form] > 1 {
			fmt.Fprintf(&b, "  (×%d)", count[form])
		}
		b.WriteByte('\n')
	}
	return b.String(), true
}

// isLog reports whether half of the lines look like those of a log.
func isLog(lines []string) bool {
	n := 0
	for _, line := range lines {
		if stamped.MatchString(line) {
			n++
		}
	}
	return n*2 >= len(lines)
}

// formOf is a line without what differs from one line of its form to the next.
func formOf(line string) string { return variable.ReplaceAllString(cut(line, logForm), "#") }
