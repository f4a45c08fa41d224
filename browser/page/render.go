package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// An entry is a line with those below it. size and lines count all of them.
type entry struct {
	text  string
	node  *node
	below []*entry
	size  int
	lines int // nodes, and elements that were not looked at
	more  int // of those, what was not looked at right below
}

// layout makes entries of nodes: it joins what goes on one line and leaves out
// names that stand right below once more.
func layout(n *node) *entry {
	e := &entry{node: n, more: n.More}
	switch {
	case n.joined():
		child := layout(n.children[0])
		child.text = n.word() + " " + child.text
		child.size += len(n.word()) + 1
		return child
	case n.flatRow():
		e.text = n.rowLine()
	default:
		e.text = n.line()
		if n.saysTwice() {
			short := *n
			short.Name = ""
			e.text = short.line()
		}
		for _, c := range n.children {
			e.below = append(e.below, layout(c))
		}
	}
	e.measure()
	return e
}

// measure adds up what is below. Two characters a level and line are near enough
// for the indent and the line's end.
func (e *entry) measure() {
	e.size, e.lines = len(e.text)+1, 1+e.more
	for _, b := range e.below {
		e.size += b.size + b.lines
		e.lines += b.lines
	}
}

// titled are roles whose name is often that of the heading within.
var titled = map[string]bool{"region": true, "group": true, "article": true, "form": true, "figure": true, "tabpanel": true, "navigation": true}

func (n *node) saysTwice() bool {
	if !titled[n.Role] || n.Usable != 0 || len(n.children) == 0 {
		return false
	}
	return n.Name != "" && n.children[0].label() == n.Name
}

// A renderer writes entries within a budget.
type renderer struct {
	b     strings.Builder
	depth int // levels at most; 0 for all
	left  int // lines that were left out
	refs  int

	// rest gives a reference for what is left out of a node's children, from one on.
	rest func(holder *node, from *node) int
}

// room is what a note of what was left out takes.
const room = 48

// write writes entries that are siblings in at most budget characters. Each gets
// a fair share: small ones are written whole, and what they leave over goes to
// the larger ones; those at the end go without when there is too little for all.
func (r *renderer) write(list []*entry, level, budget int, holder *node, unseen int) {
	shares := share(list, budget-room, level)
	shown := 0
	for i, e := range list {
		if shares[i] < 0 {
			break
		}
		r.entry(e, level, shares[i])
		shown++
	}
	left, ask := unseen, 0
	for _, e := range list[shown:] {
		left += e.lines
	}
	switch {
	case shown > 0 && shown < len(list) && r.rest != nil:
		ask = r.rest(holder, list[shown].node)
	case holder != nil:
		ask = holder.Ref
	}
	r.leftOut(left, level, holder, ask)
}

func (r *renderer) entry(e *entry, level, budget int) {
	r.indent(level)
	r.b.WriteString(e.text)
	r.b.WriteByte('\n')
	r.refs++
	if r.depth > 0 && level+1 >= r.depth {
		r.leftOut(e.lines-1, level+1, e.node, e.node.Ref)
		return
	}
	r.write(e.below, level+1, budget-len(e.text)-level-1, e.node, e.more)
}

func (r *renderer) indent(level int) {
	for range level {
		r.b.WriteByte(' ')
	}
}

func (r *renderer) leftOut(n, level int, holder *node, ask int) {
	if n <= 0 {
		return
	}
	r.left += n
	r.indent(level)
	fmt.Fprintf(&r.b, "… %d more", n)
	if holder != nil {
		r.b.WriteString(" below " + refName(holder.Ref))
	}
	if ask > 0 {
		r.b.WriteString("; ask with scope " + refName(ask))
	}
	r.b.WriteByte('\n')
}

// share divides a budget among siblings: -1 for those that get nothing. What is
// small is shown whole or not at all, for half of a row of a list is worth little;
// what is large gets its line at least, and a fair part of what the others leave.
func share(list []*entry, budget, level int) []int {
	need := make([]int, len(list))
	total := 0
	for i, e := range list {
		need[i] = e.size + (level+1)*e.lines
		total += need[i]
	}
	if total <= budget+room { // all of it, and no note
		return need
	}
	shares := make([]int, len(list))
	count := 0
	for left := budget; count < len(list); count++ { // as many from the start as there is room for
		shares[count] = need[count]
		if need[count] > budget/smallPart {
			shares[count] = min(need[count], len(list[count].text)+level+1+room)
		}
		if left -= shares[count]; left < 0 {
			break
		}
	}
	for i := count; i < len(list); i++ {
		shares[i] = -1
	}
	spread(shares[:count], need, budget)
	return shares
}

// smallPart says what is small: a fraction of the budget of all siblings.
const smallPart = 8

// spread gives what is left of a budget to those that need more, the smallest
// first, so that what they leave over is shared by the larger ones.
func spread(shares, need []int, budget int) {
	var order []int
	for i := range shares {
		budget -= shares[i]
		if shares[i] < need[i] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(need[a], need[b]) })
	for k, i := range order {
		more := min(need[i]-shares[i], max(budget, 0)/(len(order)-k))
		shares[i] += more
		budget -= more
	}
}
