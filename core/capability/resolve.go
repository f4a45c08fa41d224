package capability

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
)

// resolve finds what is called by name or alias. A call of [CallTool] becomes a
// call of the tool that it names.
func resolve(_ context.Context, f *flow) error {
	f.out.Call.filter = f.req.Filter
	c, ok := f.Registry.Find(f.req.Name)
	if !ok {
		return f.unknown(f.req.Name)
	}
	f.out.Tool, f.out.Call.Name = c, c.Name
	if c.Name != CallTool || !c.bridge() {
		return nil
	}
	return f.cross(c)
}

// cross goes over the bridge to the tool that a call names.
func (f *flow) cross(bridge *Capability) error {
	if err := f.offered(bridge); err != nil {
		return err
	}
	m, err := f.mended(bridge)
	if err != nil {
		return err
	}
	in, err := unwrap(m.args)
	if err != nil {
		return err
	}
	c, ok := f.Registry.Find(in.Name)
	switch {
	case !ok:
		return f.unknown(in.Name)
	case c == bridge:
		return BadInput.Becausef("%s cannot call itself", CallTool)
	}
	f.out.Tool, f.out.Call.Name, f.out.Call.Args = c, c.Name, in.Args
	f.req.Name, f.out.Repaired = c.Name, strings.Join(m.notes, "; ")
	return nil
}

// reached is the tool that a request comes down to, nil for none.
func (r *Runner) reached(req Request) *Capability {
	c, ok := r.Registry.Find(req.Name)
	if !ok || c.Name != CallTool || !c.bridge() {
		return c
	}
	args, _, err := RepairArgs(req.Args, c.Parameters)
	if err != nil {
		return nil
	}
	in, err := unwrap(args)
	if err != nil {
		return nil
	}
	c, _ = r.Registry.Find(in.Name)
	return c
}

// unknown is the failure of a name that no tool has, with the closest ones.
func (f *flow) unknown(name string) error {
	var names []string
	for _, c := range f.Registry.List(f.req.Filter) {
		names = append(names, c.Name)
	}
	return unknown(name, Nearest(name, names, 5))
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
