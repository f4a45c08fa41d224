package capability

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// resolve finds what is called by name or alias.
func resolve(_ context.Context, f *flow) error {
	c, ok := f.Registry.Find(f.req.Name)
	if !ok {
		var names []string
		for _, c := range f.Registry.List(f.req.Filter) {
			names = append(names, c.Name)
		}
		near := Nearest(f.req.Name, names, 5)
		return UnknownTool.Becausef("no tool is called %q; the closest are %s", f.req.Name, strings.Join(near, ", ")).With("closest", near)
	}
	f.out.Tool, f.out.Call.Name = c, c.Name
	return nil
}

// Nearest returns at most n of names, the most alike first.
func Nearest(name string, names []string, n int) []string {
	type scored struct {
		name string
		dist int
	}
	all := make([]scored, len(names))
	for i, other := range names {
		d := editDistance(strings.ToLower(name), strings.ToLower(other))
		if strings.Contains(other, name) || strings.Contains(name, other) {
			d -= min(len(name), len(other))
		}
		all[i] = scored{other, d}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(a.dist, b.dist) })
	out := make([]string, 0, n)
	for _, s := range all[:min(n, len(all))] {
		out = append(out, s.name)
	}
	return out
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
