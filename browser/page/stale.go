package page

import (
	"context"
	"errors"
	"strings"
)

// explain makes an error about a reference a failure that offers what comes
// closest to it in the page as it is now.
func (p *Page) explain(ctx context.Context, ref int, err error) error {
	if ref == 0 || !lost(err) && !errors.Is(err, errGone) {
		return err
	}
	var was *node
	if p.last != nil {
		was = p.last.byRef[ref]
	}
	if was == nil {
		return StaleRef.Becausef("%s is no longer in the page", refName(ref))
	}
	fail := StaleRef.Becausef("%s (%s) is no longer in the page", refName(ref), was.what())
	r, again := p.read(ctx, 0, false)
	if again != nil {
		return fail
	}
	if best := nearest(was, r.tree); best != nil {
		return fail.Trying("if it is the same, use "+best.brief()+"; otherwise take a snapshot").With("nearest", refName(best.Ref))
	}
	return fail.Trying("nothing like it is there now; take a snapshot")
}

// nearest is the node of the same role whose name is most like that of was; nil
// if none is at all like it.
func nearest(was *node, t *tree) (best *node) {
	score := 0.0
	for _, top := range t.top {
		for n := range top.all() {
			if n.Role != was.Role || n.Role == "text" {
				continue
			}
			if s := alike(was, n); s > score {
				best, score = n, s
			}
		}
	}
	if score < 0.5 {
		return nil
	}
	return best
}

// alike is 1 for the same name and less the fewer words two names share.
func alike(a, b *node) float64 {
	x, y := strings.ToLower(a.label()), strings.ToLower(b.label())
	switch {
	case x == y && x != "":
		return 1
	case x == y:
		return map[bool]float64{true: 0.9, false: 0}[a.Hint == b.Hint && a.Hint != ""]
	}
	words := map[string]bool{}
	for w := range strings.FieldsSeq(x) {
		words[w] = true
	}
	same, all := 0, len(words)
	for w := range strings.FieldsSeq(y) {
		if words[w] {
			same++
		} else {
			all++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(same) / float64(all)
}

// what names a node without its reference.
func (n *node) what() string {
	var b strings.Builder
	b.WriteString(n.word())
	if text := n.label(); text != "" {
		writeText(&b, clean(text, 60))
	}
	return b.String()
}
