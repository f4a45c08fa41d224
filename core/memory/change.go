package memory

import (
	"context"
	"errors"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/store"
)

// An Edit is what the owner changes of a memory. What is empty stays.
type Edit struct {
	Key, Value, Category string
}

// Edit puts a new version in the place of a memory, at the owner's word. The old
// one stays and can be restored.
func (b *Book) Edit(ctx context.Context, id string, e Edit, by string) (Outcome, error) {
	m, err := b.Get(ctx, id, store.MemoryActive)
	if err != nil {
		return Outcome{}, err
	}
	if m.State != store.MemoryActive {
		return Outcome{}, Unknown.Becausef("the memory %s does not count now: it is %s", m.ID, m.State).Trying("restore it first")
	}
	place := Place{}
	switch m.Scope {
	case ScopeSession:
		place.Session = m.Subject
	case ScopeJob:
		place.Job = m.Subject
	}
	out, err := b.Admit(ctx, Candidate{
		Trust: capability.Operator, Place: place, Scope: m.Scope, Category: or(e.Category, m.Category), Key: or(e.Key, m.Key), Value: or(e.Value, m.Value), Confidence: 1,
		Source: "you changed it", By: by, target: m.ID,
	})
	b.forgetViews()
	return out, err
}

// Forget has a memory no longer count. It can be restored. A held one is turned
// down.
func (b *Book) Forget(ctx context.Context, id, by string) (Row, error) {
	m, err := b.Get(ctx, id, store.MemoryActive, store.MemoryHeld)
	if err != nil {
		return Row{}, err
	}
	to := store.MemoryArchived
	if m.State == store.MemoryHeld {
		to = store.MemoryDenied
	}
	return b.retire(ctx, m, to, by)
}

// Restore has a memory count again, in place of what has its key now: what was
// forgotten, replaced or turned down.
func (b *Book) Restore(ctx context.Context, id, by string) (Row, error) {
	m, err := b.Get(ctx, id, store.MemoryArchived, store.MemoryReplaced, store.MemoryDenied)
	switch {
	case err != nil:
		return Row{}, err
	case m.State == store.MemoryHeld:
		return b.Approve(ctx, m.ID, by)
	case m.State == store.MemoryApplied, m.Action == "archive":
		return Row{}, Unknown.Becausef("%s asked for something to be forgotten, and is no memory", m.ID).Trying("restore what was forgotten: " + m.Target)
	}
	return b.activate(ctx, m, "restored", by)
}

// Approve lets in what was held, or does what it asks for.
func (b *Book) Approve(ctx context.Context, id, by string) (Row, error) {
	m, err := b.held(ctx, id)
	if err != nil {
		return Row{}, err
	}
	if m.Action != "archive" {
		return b.activate(ctx, m, "approved", by)
	}
	if err := b.Store.RetireMemory(ctx, m.Target, store.MemoryArchived, by); err != nil && !errors.Is(err, store.ErrNotFound) {
		return Row{}, err
	}
	return b.retire(ctx, m, store.MemoryApplied, by)
}

// Deny turns down what was held.
func (b *Book) Deny(ctx context.Context, id, by string) (Row, error) {
	m, err := b.held(ctx, id)
	if err != nil {
		return Row{}, err
	}
	return b.retire(ctx, m, store.MemoryDenied, by)
}

func (b *Book) held(ctx context.Context, id string) (Row, error) {
	m, err := b.Get(ctx, id, store.MemoryHeld)
	if err == nil && m.State != store.MemoryHeld {
		err = NotHeld.Becausef("the memory %s does not wait for approval: it is %s", m.ID, m.State)
	}
	return m, err
}

func (b *Book) activate(ctx context.Context, m Row, action, by string) (Row, error) {
	defer b.forgetViews()
	if err := b.Store.ActivateMemory(ctx, m.ID, action, by); err != nil {
		return Row{}, err
	}
	return b.Store.Memory(ctx, m.ID)
}

func (b *Book) retire(ctx context.Context, m Row, to store.MemoryState, by string) (Row, error) {
	defer b.forgetViews()
	if err := b.Store.RetireMemory(ctx, m.ID, to, by); err != nil {
		return Row{}, err
	}
	return b.Store.Memory(ctx, m.ID)
}

// Removal is a wish that something be forgotten, from other than the owner's own
// hand.
type Removal struct {
	Place      Place
	Key        string
	Session    string // where it was said
	Turn, Call string
	Source, By string
	Hold       string // why it must wait for the owner; empty when it need not
}

// Remove forgets what has a key, or holds the wish to.
func (b *Book) Remove(ctx context.Context, r Removal) (Outcome, error) {
	old, err := b.active(ctx, r.Place, Key(r.Key))
	switch {
	case err != nil:
		return Outcome{}, err
	case old == nil:
		return Outcome{}, Unknown.Becausef("nothing is remembered as %q", capability.CutText(Key(r.Key), MaxKey))
	case r.Hold == "":
		if err := b.Store.RetireMemory(ctx, old.ID, store.MemoryArchived, or(r.By, "agent")); err != nil {
			return Outcome{}, err
		}
		return Outcome{Kind: "archived", Row: *old}, nil
	}
	return b.wish(ctx, *old, "archive", "", r)
}

// wish holds a change of what is remembered for the owner.
func (b *Book) wish(ctx context.Context, old Row, action, value string, r Removal) (Outcome, error) {
	place := Place{}
	switch old.Scope {
	case ScopeSession:
		place.Session = old.Subject
	case ScopeJob:
		place.Job = old.Subject
	}
	if action == "archive" {
		value = old.Value
	}
	return b.Admit(ctx, Candidate{
		Trust: capability.Operator, Place: place, Scope: old.Scope, Category: old.Category, Key: old.Key, Value: value, Confidence: old.Confidence,
		Session: r.Session, Turn: r.Turn, Call: r.Call, Source: r.Source, By: r.By, Hold: r.Hold, action: action, target: old.ID,
	})
}
