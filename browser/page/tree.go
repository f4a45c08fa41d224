package page

import "iter"

// A node is a row with those below it; over all frames of a tab.
type node struct {
	row
	frame    string
	up       *node
	children []*node
	run      int // of text: which one of its block it is, from 1 on
}

// A tree is what a tab shows at one time.
type tree struct {
	top   []*node
	byRef map[int]*node // elements; not runs of text
	runs  map[int]int   // how many runs of text a block has
	id    string        // of the tab's own document
	url   string
	title string
	notes []string
}

func newTree() *tree { return &tree{byRef: map[int]*node{}, runs: map[int]int{}} }

// grow makes nodes of the rows of one frame, below up, or at the top if that is
// nil.
func (t *tree) grow(frame string, rows []row, up *node) {
	var path []*node // the last node of each depth
	for _, r := range rows {
		n := &node{row: r, frame: frame, up: up}
		depth := min(r.Depth, len(path))
		if depth > 0 {
			n.up = path[depth-1]
		}
		path = append(path[:depth], n)
		if n.up != nil {
			n.up.children = append(n.up.children, n)
		} else {
			t.top = append(t.top, n)
		}
		switch {
		case r.Role == "text":
			t.runs[r.Ref]++
			n.run = t.runs[r.Ref]
		case t.byRef[r.Ref] == nil:
			t.byRef[r.Ref] = n
		}
	}
}

// all runs over a node and those below it, in the order of the page.
func (n *node) all() iter.Seq[*node] {
	return func(yield func(*node) bool) { n.visit(yield) }
}

func (n *node) visit(yield func(*node) bool) bool {
	if !yield(n) {
		return false
	}
	for _, c := range n.children {
		if !c.visit(yield) {
			return false
		}
	}
	return true
}

// count is how many nodes there are below and including n, and what the script
// did not look at.
func (n *node) count() int {
	total := 0
	for c := range n.all() {
		total += 1 + c.More
	}
	return total
}

// label is what a person would call the node.
func (n *node) label() string {
	if n.Name != "" {
		return n.Name
	}
	return n.Text
}
