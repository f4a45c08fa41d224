package capability

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
)

// resolve finds what is called by name or alias.
func resolve(_ context.Context, f *flow) error {
	c, ok := f.Registry.Find(f.req.Name)
	if !ok {
		var names []string
		for _, c := range f.Registry.List(f.req.Filter) {
			names = append(names, c.Name)
		}
		return unknown(f.req.Name, Nearest(f.req.Name, names, 5))
	}
	f.out.Tool, f.out.Call.Name = c, c.Name
	return nil
}

func unknown(name string, near []string) error {
	name = CutText(name, 100)
	if len(near) == 0 {
		return UnknownTool.Becausef("no tool is called %q, and none is offered", name)
	}
	return UnknownTool.Becausef("no tool is called %q; the closest are %s", name, strings.Join(near, ", ")).With("closest", near)
}

// Nearest returns at most n of names, the most alike first. The order of the
// words in a name and their writing (file_read, ReadFile) count little.
func Nearest(name string, names []string, n int) []string {
	type scored struct {
		name string
		dist int
	}
	name = CutText(name, 100) // names are shorter; the comparison takes length times length
	low, sorted := strings.ToLower(name), inOrder(name)
	all := make([]scored, len(names))
	for i, other := range names {
		lowOther := strings.ToLower(other)
		d := min(editDistance(low, lowOther), 1+editDistance(sorted, inOrder(other)))
		if strings.Contains(lowOther, low) || strings.Contains(low, lowOther) {
			d -= min(len(low), len(lowOther))
		}
		all[i] = scored{other, d}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(a.dist, b.dist) })
	all = all[:max(0, min(n, len(all)))]
	out := make([]string, 0, len(all))
	for _, s := range all {
		out = append(out, s.name)
	}
	return out
}

// inOrder returns the words of a name in the order of the alphabet.
func inOrder(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	words := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ' ' })
	slices.Sort(words)
	return strings.Join(words, "_")
}

// editDistance is Levenshtein's, over bytes; names are short and ASCII.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		prev := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := prev
			if a[i-1] != b[j-1] {
				cost++
			}
			prev = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
