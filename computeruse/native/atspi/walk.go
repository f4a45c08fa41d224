package atspi

import (
	"context"
	"errors"
	"slices"
)

// bounds are how much of a tree is wanted.
type bounds struct {
	max, depth  int
	interactive bool
}

// seen is what a walk brought back.
type seen struct {
	order []*node // a parent before its children
	more  int     // at least so many were left out
}

const (
	batch     = 64   // nodes asked about at once
	mostRead  = 5000 // nodes read in one walk, kept or not
	mostChild = 150  // children of one node that are asked for; of longer lists the visible part
)

// walk reads the tree level by level until there is enough, or no time left:
// then what has been read is the answer.
func (p *place) walk(ctx context.Context, limit bounds) (seen, error) {
	queue := slices.Clone(p.roots)
	read, kept, more := 0, 0, 0
	for len(queue) > 0 && kept < limit.max && read < mostRead {
		chunk := queue[:min(batch, len(queue))]
		left, next, err := p.level(ctx, chunk, limit.depth)
		if errors.Is(err, context.DeadlineExceeded) && read > 0 {
			break
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = hung{p.program}
		}
		if err != nil {
			return seen{}, err
		}
		queue = append(queue[len(chunk):], next...)
		read, more = read+len(chunk), more+left
		for _, n := range chunk {
			if n.keep(limit.interactive) {
				kept++
			}
		}
	}
	for _, n := range queue {
		n.dead = true // never read
	}
	s := seen{more: more + len(queue)}
	for _, root := range p.roots {
		root.gather(&s, limit)
	}
	return s, nil
}

// level reads nodes of one level and returns their children, not yet read, and
// how many children were left out.
func (p *place) level(ctx context.Context, nodes []*node, depth int) (left int, next []*node, err error) {
	if err := p.read(ctx, nodes); err != nil {
		return 0, nil, err
	}
	left, wanted := p.open(nodes, depth)
	lists := make([][]object, len(wanted))
	questions := make([]*question, 0, len(wanted))
	for i, n := range wanted {
		if n.count <= mostChild {
			questions = append(questions, &question{of: n.object, method: accessible + ".GetChildren", into: []any{&lists[i]}})
			continue
		}
		if lists[i], err = p.visible(ctx, n); err != nil {
			return 0, nil, err
		}
		left += n.count - len(lists[i])
	}
	if err := p.ask(ctx, questions...); err != nil {
		return 0, nil, err
	}
	for i, n := range wanted {
		next = append(next, n.adopt(lists[i])...)
	}
	return left, next, nil
}

// open sees nodes that were read, and returns those whose children are wanted.
func (p *place) open(nodes []*node, depth int) (left int, wanted []*node) {
	mute := mutes(nodes)
	for _, n := range nodes {
		if n.mute = mute || n.parent != nil && n.parent.mute; n.mute {
			n.deem()
		}
		n.see(p)
		if n.row() && n.box == nil && !n.lost {
			n.out = true
		}
		switch {
		case n.out:
			left++
		case !n.shown() || n.count == 0:
		case n.depth >= depth:
			left += n.count
		default:
			wanted = append(wanted, n)
		}
	}
	return left, wanted
}

// mutes reports whether nodes are all that is in a window that is shown, and
// none of them is said to be: GTK 4 before version 4.10 says it of none.
func mutes(nodes []*node) bool {
	for _, n := range nodes {
		if n.dead || n.depth != 1 || !n.parent.states.has(showing) || n.states.has(showing) || n.told.W <= 0 {
			return false
		}
	}
	return len(nodes) > 0
}

// adopt makes nodes of the children of n.
func (n *node) adopt(objects []object) []*node {
	for _, o := range objects[:min(len(objects), 2*mostChild)] {
		if !o.nothing() {
			n.children = append(n.children, &node{object: o, parent: n, depth: n.depth + 1})
		}
	}
	return n.children
}

// visible returns the children of a long list from the first one on the screen:
// the program is not made to bring forth a hundred thousand of them.
func (r *reader) visible(ctx context.Context, n *node) ([]object, error) {
	first, err := r.firstVisible(ctx, n)
	if err != nil {
		return nil, err
	}
	found := make([]object, min(mostChild, n.count-first))
	questions := make([]*question, len(found))
	for i := range found {
		questions[i] = &question{of: n.object, method: accessible + ".GetChildAtIndex", args: []any{int32(first + i)}, into: []any{&found[i]}} //nolint:gosec // below its count, an int32
	}
	return found, r.ask(ctx, questions...)
}

// firstVisible finds the index of the child in the upper corner of n, below
// the headers that a table may have there.
func (r *reader) firstVisible(ctx context.Context, n *node) (int, error) {
	if !n.face(component) || !n.states.has(showing) {
		return 0, nil
	}
	var questions []*question
	hits := make([]object, len(probes))
	for i, dy := range probes {
		questions = append(questions, &question{
			of: n.object, method: component + ".GetAccessibleAtPoint",
			args: []any{int32(n.told.X + probeX), int32(n.told.Y + dy), uint32(0)}, into: []any{&hits[i]}, //nolint:gosec // told as int32
		})
	}
	if err := r.ask(ctx, questions...); err != nil {
		return 0, err
	}
	at := make([]int32, len(hits))
	questions = questions[:0]
	for i, o := range hits {
		if !o.nothing() && o != n.object {
			questions = append(questions, &question{of: o, method: accessible + ".GetIndexInParent", into: []any{&at[i]}})
		}
	}
	if err := r.ask(ctx, questions...); err != nil {
		return 0, err
	}
	return min(max(int(slices.Max(at))-rowBefore, 0), max(n.count-mostChild, 0)), nil
}

// Where the first visible child is looked for, in pixels from the corner.
var probes = [...]int{4, 16, 32, 48}

const (
	probeX    = 8
	rowBefore = 8 // children before the one found that may still be seen, such as cells of its row
)

// gather appends n and what is beneath it, if it is wanted.
func (n *node) gather(s *seen, limit bounds) {
	if !n.shown() {
		return
	}
	if n.keep(limit.interactive) {
		if len(s.order) < limit.max {
			s.order = append(s.order, n)
		} else {
			s.more++
		}
	}
	for _, c := range n.children {
		c.gather(s, limit)
	}
}
