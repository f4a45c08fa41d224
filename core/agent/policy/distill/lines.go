package distill

import (
	"fmt"
	"strings"
)

// shortLine: lines of less are not worth counting, such as braces.
const shortLine = 12

// repeated shows a line that stands again and again once, counted, and blank
// lines one at a time. Lines stay in their order.
func repeated(text string) (string, bool) {
	lines := strings.Split(text, "\n")
	count := map[string]int{}
	for _, line := range lines {
		count[strings.TrimSpace(line)]++
	}
	var b strings.Builder
	shown := map[string]bool{}
	run, blank := 0, false
	for i, line := range lines {
		bare := strings.TrimSpace(line)
		switch {
		case bare == "" && blank:
			continue
		case i > 0 && line == lines[i-1] && bare != "":
			if len(bare) < shortLine { // a longer one is counted where it is shown
				run++
			}
			continue
		}
		endRun(&b, run)
		run, blank = 0, bare == ""
		if shown[bare] && len(bare) >= shortLine {
			continue
		}
		b.WriteString(strings.TrimRight(line, " \t\r"))
		if n := count[bare]; n > 1 && len(bare) >= shortLine {
			fmt.Fprintf(&b, "  (×%d)", n)
			shown[bare] = true
		}
		b.WriteByte('\n')
	}
	endRun(&b, run)
	return strings.TrimSuffix(b.String(), "\n"), true
}

// endRun tells how often a short line was repeated.
func endRun(b *strings.Builder, run int) {
	if run > 0 {
		fmt.Fprintf(b, "… (the line above %d more times)\n", run)
	}
}
