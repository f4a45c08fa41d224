package atspi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// actTime bounds one act.
const actTime = 10 * time.Second

// Press does an action of an element. The pointer does not move.
func (t *Tree) Press(ctx context.Context, p wire.PressParams) error {
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	r, n, err := t.again(ctx, p.Snapshot, p.Ref)
	if err != nil {
		return err
	}
	d, ok := n.find(p.Action)
	switch {
	case !ok && p.Action == "":
		return refused("Use the pointer on its box.", "%s has nothing that can be pressed.", n.called())
	case !ok:
		return refused("", "%s has no action %q; it has: %s.", n.called(), short(p.Action, maxName), orName(strings.Join(n.element("", "").Actions, ", "), "none"))
	}
	return r.perform(ctx, n, d)
}

// again reads an element of a snapshot anew and refuses if it is not what the
// snapshot showed, or cannot be used.
func (t *Tree) again(ctx context.Context, id, ref string) (*reader, *node, error) {
	old, shot, err := t.shots.get(id, ref)
	if err != nil {
		return nil, nil, err
	}
	conn, err := t.bus.get(ctx)
	if err != nil {
		return nil, nil, err
	}
	r := &reader{conn: conn, patience: t.patience, program: orName(shot.program, "of this window")}
	n := &node{object: old.object, parent: old.parent, mute: old.mute}
	if err := r.read(ctx, []*node{n}); err != nil {
		return nil, nil, asWire(err)
	}
	n.deem()
	switch {
	case n.dead, n.name == "" && old.name != "" && !n.states.has(showing): // GTK keeps a hull of what is destroyed
		return nil, nil, stale("%s is gone.", old.called())
	case n.role != old.role:
		return nil, nil, stale("%s has become %s.", old.called(), lower(n.called()))
	case n.name != old.name && n.role != "combo box": // a combo box is called what is chosen in it
		return nil, nil, stale("%s has changed: it is %s now.", old.called(), lower(n.called()))
	case n.out, !n.states.has(showing) && old.states.has(showing):
		return nil, nil, stale("%s is not shown any more.", n.called())
	case n.disabled():
		return nil, nil, refused("Do first what enables it.", "%s is disabled.", n.called())
	}
	n.label, n.children = old.label, old.children // for its name in sentences
	return r, n, nil
}

// called names n in a sentence.
func (n *node) called() string {
	if title := short(n.title(), maxName); title != "" {
		return fmt.Sprintf("The %s “%s”", n.role, title)
	}
	return "The " + n.role
}

func lower(s string) string { return "t" + strings.TrimPrefix(s, "T") }

func (r *reader) perform(ctx context.Context, n *node, d deed) error {
	var done bool
	var err error
	switch d.index {
	case choosing:
		done, err = r.choose(ctx, n.parent, n)
	case focusing:
		err = r.one(ctx, question{of: n.object, method: component + ".GrabFocus", into: []any{&done}})
	default:
		err = r.one(ctx, question{of: n.object, method: action + ".DoAction", args: []any{int32(d.index)}, into: []any{&done}}) //nolint:gosec // below mostActions
	}
	if err := sent(err, done, n, d.name); err != nil || d.name != "toggle" {
		return err
	}
	return r.toggled(ctx, n)
}

// toggled checks that a switch is the other way round, or a row of Qt is
// selected: cells in lists of GTK 3 take the action and do nothing.
func (r *reader) toggled(ctx context.Context, n *node) error {
	ok, err := r.until(ctx, n, func(m *node) bool { return m.on() != n.on() || m.states.has(selected) != n.states.has(selected) })
	if err != nil || ok {
		return sent(err, true, n, "toggle")
	}
	return &wire.Error{
		Code: wire.Failed, Sent: true,
		Message: n.called() + " took the action toggle, but is as it was.", Fix: "Use the pointer on its box.",
	}
}

// on reports whether a switch is on.
func (n *node) on() bool { return n.states.has(checked) || n.states.has(pressed) }

// sent tells how an act went. Once it has gone out and no answer came, what it
// did is not known: some programs answer only when the dialog is closed that
// the press opened.
func sent(err error, done bool, n *node, what string) error {
	var slow hung
	switch {
	case errors.As(err, &slow), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &wire.Error{
			Code: wire.TimedOut, Sent: true,
			Message: fmt.Sprintf("%s was told to %s, but the program does not answer: it may hang, or show a dialog.", n.called(), what),
			Fix:     "Look at a screenshot.",
		}
	case err != nil:
		said := *asWire(err)
		said.Sent = said.Code != wire.StaleElement
		return &said
	case !done:
		return &wire.Error{Code: wire.Failed, Message: fmt.Sprintf("%s did not take %q.", n.called(), what), Fix: "Use the pointer on its box."}
	}
	return nil
}

// choose selects a child of a container.
func (r *reader) choose(ctx context.Context, container, child *node) (done bool, err error) {
	var at int32
	if err := r.one(ctx, question{of: child.object, method: accessible + ".GetIndexInParent", into: []any{&at}}); err != nil {
		return false, err
	}
	err = r.one(ctx, question{of: container.object, method: selection + ".SelectChild", args: []any{at}, into: []any{&done}})
	if err == nil && !done { // rows of GTK, which the cursor selects
		err = r.one(ctx, question{of: child.object, method: component + ".GrabFocus", into: []any{&done}})
	}
	if err != nil || !done {
		return done, err
	}
	return r.until(ctx, child, func(n *node) bool { return n.states.has(selected) })
}

// until reads n again until ok, for a short while.
func (r *reader) until(ctx context.Context, n *node, ok func(*node) bool) (bool, error) {
	for _, pause := range []time.Duration{0, 10 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond} {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(pause):
		}
		now := &node{object: n.object, parent: n.parent}
		if err := r.read(ctx, []*node{now}); err != nil {
			return false, err
		}
		if ok(now) {
			return true, nil
		}
	}
	return false, nil
}
