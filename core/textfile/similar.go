package textfile

import (
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/lazy"
)

var numberedLine = lazy.Regexp(`^ *\d+\t`)

// miswritten finds texts that were copied with something around them: the line
// numbers of a listing, or escape sequences instead of what they stand for.
func miswritten(text, want string) (Near, bool) {
	unescaped := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, `'`, `\\`, `\`).Replace(want)
	escaped := strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(want)
	for _, try := range []struct{ want, why string }{
		{withoutNumbers(want), "the line numbers of the listing are not part of the file"},
		{unescaped, `escape sequences such as \n in your text, the real characters in the file`},
		{escaped, `real characters in your text, escape sequences such as \n in the file`},
	} {
		if try.want == want || strings.TrimSpace(try.want) == "" {
			continue
		}
		if i := strings.Index(text, try.want); i >= 0 {
			return Near{Line: LineAt(text, i), Text: try.want, Why: []string{try.why}}, true
		}
	}
	return Near{}, false
}

func withoutNumbers(want string) string {
	var b strings.Builder
	for line := range strings.Lines(want) {
		m := numberedLine().FindString(line)
		if m == "" {
			return want
		}
		b.WriteString(line[len(m):])
	}
	return b.String()
}

// similar finds the run of lines that shares the most letter groups with want.
func similar(text, want string) (Near, bool) {
	groups := map[string]bool{}
	eachGroup(want, func(g string) { groups[g] = true })
	wantLines := strings.Split(strings.Trim(want, "\n"), "\n")
	lines := strings.Split(text, "\n")
	k := min(len(wantLines), len(lines))
	hits, all := make([]int, len(lines)+1), make([]int, len(lines)+1)
	for i, line := range lines {
		hits[i+1], all[i+1] = hits[i], all[i]
		eachGroup(line, func(g string) {
			all[i+1]++
			if groups[g] {
				hits[i+1]++
			}
		})
	}
	best, at := 0.0, 0
	for i := 0; i+k <= len(lines); i++ {
		score := 2 * float64(hits[i+k]-hits[i]) / float64(all[i+k]-all[i]+len(groups)+1)
		if score > best {
			best, at = score, i
		}
	}
	const alike = 0.5
	if best < alike {
		return Near{}, false
	}
	found := lines[at : at+k]
	return Near{Line: at + 1, Text: strings.Join(found, "\n"), Why: []string{firstDifference(at+1, found, wantLines)}}, true
}

// eachGroup calls f for every three bytes in a row that are not all spaces.
func eachGroup(s string, f func(string)) {
	s = strings.Trim(s, " \t\n")
	for i := 0; i+3 <= len(s); i++ {
		if g := s[i : i+3]; strings.TrimSpace(g) != "" {
			f(g)
		}
	}
}

func firstDifference(first int, found, want []string) string {
	for i := range found {
		if found[i] != want[i] {
			return fmt.Sprintf("line %d differs: the file has %q, your text has %q", first+i, clip(found[i]), clip(want[i]))
		}
	}
	return fmt.Sprintf("the text goes on differently after line %d", first+len(found)-1)
}

// clip keeps a line short enough to be read at a glance.
func clip(line string) string {
	const most = 120
	runes := []rune(line)
	if len(runes) <= most {
		return line
	}
	return string(runes[:most]) + "…"
}
