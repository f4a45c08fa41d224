package page

import (
	"context"
	"errors"
	"fmt"
	"time"
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
	ctx, cancel := context.WithTimeoutCause(ctx, readTime, errSlow)
	defer cancel()
	scope, rest, err := p.scope(o.Scope)
	if err != nil {
		return nil, err
	}
	r, err := p.readSoon(ctx, scope, o.URLs)
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
	if rest.from != 0 && !r.tree.cut(rest) {
		s.Notes = append(s.Notes, "The place where the last snapshot ended is gone; this is the whole part.")
	}
	s.render(r.tree, o, p.rest)
	return s, nil
}

// readTime bounds the reading of a page. The script ends long before; a page that
// is busy lets it wait.
const readTime = 30 * time.Second

// scope reads what a snapshot is asked for: an element, or what the last one left
// out.
func (p *Page) scope(text string) (ref int, r rest, err error) {
	if text == "" {
		return 0, rest{}, nil
	}
	ref = parseRef(text)
	if r, ok := p.rests[ref]; ok {
		return r.holder, r, nil
	}
	if p.refs.frame(ref) == "" {
		return 0, rest{}, BadRef.Becausef("no snapshot gave the reference %q", clean(text, 40))
	}
	return ref, rest{}, nil
}

// readSoon reads the page, once more if it goes elsewhere meanwhile.
func (p *Page) readSoon(ctx context.Context, scope int, urls bool) (r *reading, err error) {
	const long = 3 * time.Second
	again := poll(ctx, long, func(ctx context.Context) (bool, error) {
		r, err = p.read(ctx, scope, urls)
		return scope > 0 || !lost(err), nil
	})
	if err == nil && again != nil && !errors.Is(again, errNotYet) {
		err = again
	}
	return r, err
}

// render writes the tree within the budget.
func (s *Snapshot) render(t *tree, o SnapshotOptions, rest func(*node, *node) int) {
	w := renderer{depth: o.Depth, rest: rest}
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
