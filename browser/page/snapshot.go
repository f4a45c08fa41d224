package page

import (
	"context"
	"fmt"
)

// SnapshotOptions say what of a page is wanted. The zero value is all of it, in
// 20,000 characters.
type SnapshotOptions struct {
	Interactive bool   // only what can be used, and the places where it is
	Depth       int    // levels at most; 0 for all
	Scope       string // a reference: only this element and what is in it
	Diff        bool   // only what changed since the last snapshot
	URLs        bool   // the addresses of links and frames too
	Budget      int    // characters at most; 0 for 20,000
}

// DefaultBudget is how many characters a snapshot has at most when nothing else
// is asked for; some 6,000 tokens.
const DefaultBudget = 20000

// A Snapshot is a page as text.
type Snapshot struct {
	Text    string
	URL     string
	Title   string
	Notes   []string // sentences about what is not in Text, and why
	Lines   int      // lines of Text that stand for something of the page
	LeftOut int      // what there was no room for
	Diff    bool     // Text is what changed, not the page
	View    View     // of the tab's own document; zero with a Scope
}

// Snapshot reads the page as text, see [SnapshotOptions].
func (p *Page) Snapshot(ctx context.Context, o SnapshotOptions) (*Snapshot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	scope := 0
	if o.Scope != "" {
		if scope = parseRef(o.Scope); scope == 0 || p.refs.frame(scope) == "" {
			return nil, BadRef.Becausef("no snapshot gave the reference %q", clean(o.Scope, 40))
		}
	}
	r, err := p.read(ctx, scope, o.URLs)
	if err != nil {
		return nil, p.explain(ctx, scope, err)
	}
	s := &Snapshot{URL: r.tree.url, Title: r.tree.title, Notes: r.notes(), View: r.view}
	old := p.last
	if scope == 0 {
		p.last = r.tree
	}
	if o.Diff && old != nil && (scope > 0 || !another(old, r.tree)) {
		s.Diff = true
		s.differ(old, r.tree, scope, o)
		return s, nil
	}
	s.render(r.tree, o)
	return s, nil
}

// render writes the tree within the budget.
func (s *Snapshot) render(t *tree, o SnapshotOptions) {
	w := renderer{depth: o.Depth}
	w.write(layoutAll(t.top, o.Interactive), 0, o.budget(), nil, 0)
	s.Text, s.Lines, s.LeftOut = w.b.String(), w.refs, w.left
}

func layoutAll(list []*node, interactive bool) []*entry {
	var entries []*entry
	for _, n := range list {
		if !interactive {
			entries = append(entries, layout(n))
			continue
		}
		for _, kept := range usable(n, nil) {
			entries = append(entries, layout(kept))
		}
	}
	return entries
}

func (o SnapshotOptions) budget() int {
	if o.Budget <= 0 {
		return DefaultBudget
	}
	return max(o.Budget, 200)
}

// notes are sentences about what the reading left out.
func (r *reading) notes() []string {
	list := r.tree.notes
	if r.left > 0 {
		list = append(list, fmt.Sprintf("The page is very large: about %d elements were not looked at. Ask with scope for a part of it.", r.left))
	}
	if r.hidden > 0 {
		list = append(list, fmt.Sprintf("%d pieces of text that nobody can see were left out.", r.hidden))
	}
	return list
}
