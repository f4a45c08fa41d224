package atspi

import (
	"context"
	"errors"
	"slices"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Inspect returns the innermost element under a point of a window. Where the
// window's program shows none, only the window is told.
func (t *Tree) Inspect(ctx context.Context, at wire.Point, in *wire.Window) (wire.InspectResult, error) {
	res := wire.InspectResult{Window: in}
	if in == nil {
		return res, nil
	}
	ctx, cancel := context.WithTimeout(ctx, usualTime)
	defer cancel()
	place, err := t.find(ctx, *in)
	var said *wire.Error
	switch {
	case errors.As(err, &said) && said.Code == wire.Unsupported:
		return res, nil
	case err != nil:
		return wire.InspectResult{}, asWire(err)
	}
	n, err := place.innermost(ctx, at)
	if err != nil || n == nil {
		return res, wrap(err)
	}
	shot := t.shots.of(in.ID)
	if shot == nil {
		shot = t.shots.add(*in, place.program, nil)
	}
	e := n.element(shot.refer(n), "")
	res.Snapshot, res.Element = shot.id, &e
	return res, nil
}

// innermost goes down what is on top first: what is open above the windows,
// then the window.
func (p *place) innermost(ctx context.Context, at wire.Point) (*node, error) {
	for _, root := range slices.Backward(p.roots) {
		n, err := p.down(ctx, root, at)
		for n != nil && !n.keep(false) {
			n = n.parent
		}
		if n != nil || err != nil {
			return n, err
		}
	}
	return nil, nil //nolint:nilnil // nothing there, and nothing wrong
}

// down follows the point through the levels beneath root. Of neighbours under
// it the last is drawn above the others. Menus are searched although the point
// is outside them: what they opened is not within their box, and hides the rest.
func (p *place) down(ctx context.Context, root *node, at wire.Point) (found *node, err error) {
	for level, read := []*node{root}, 0; len(level) > 0 && read < mostRead; read += len(level) {
		var next []*node
		for chunk := range slices.Chunk(level, batch) {
			_, children, err := p.level(ctx, chunk, mostDepth)
			if err != nil {
				return nil, err
			}
			next = append(next, children...)
		}
		for _, n := range level {
			if n.under(at) && (found == nil || !found.popped() || n.popped()) {
				found = n
			}
		}
		level = slices.DeleteFunc(next, func(c *node) bool { return !c.parent.leads(at) })
	}
	return found, nil
}

func (n *node) under(at wire.Point) bool {
	return n.box != nil && n.shown() && inside(*n.box, at)
}

// popped reports whether n is in a menu that is open.
func (n *node) popped() bool {
	for a := n.parent; a != nil; a = a.parent {
		if a.role == "menu" || a.role == "popup menu" {
			return true
		}
	}
	return false
}

// leads reports whether something under the point may be beneath n.
func (n *node) leads(at wire.Point) bool {
	return n.under(at) || slices.Contains(menus, n.role) || n.shown() && n.box == nil && n.states.has(showing)
}
