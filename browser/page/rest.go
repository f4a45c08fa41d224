package page

// A rest is what a snapshot had no room for: the children of a node from one on.
// It has a reference of its own, so that the next snapshot can begin there.
type rest struct {
	holder int // the reference of the node; 0 for the page
	from   int // that of the first child which was left out
	run    int // of text: which one of its block it is
}

// maxRests bounds how many are remembered.
const maxRests = 1000

// rest gives a reference to what is left out of a node, from one of its children
// on.
func (p *Page) rest(holder, from *node) int {
	if len(p.rests) >= maxRests {
		clear(p.rests)
	}
	r := rest{from: from.Ref, run: from.run}
	if holder != nil {
		r.holder = holder.Ref
	}
	n := p.refs.reserve()
	p.rests[n] = r
	return n
}

// cut leaves out what comes before a rest. It reports whether its beginning is
// still there.
func (t *tree) cut(r rest) bool {
	for i, n := range t.top {
		if n.cut(r) {
			t.top = t.top[i:]
			return true
		}
	}
	return false
}

func (n *node) cut(r rest) bool {
	if n.Ref == r.from && n.run == r.run {
		return true
	}
	for i, c := range n.children {
		if c.cut(r) {
			n.children = n.children[i:]
			return true
		}
	}
	return false
}
