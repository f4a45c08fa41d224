// Package memory is what the agent remembers of its owner and of its work: what
// is let in, what is found again, and what of it stands in the prompt.
//
// Three ideas carry it. Admission is deterministic: a list of checks that every
// memory passes, whoever proposes it. What a text from outside may have caused,
// and what the reviewer proposes, is held until the owner agrees to it. And
// nothing is rewritten: a change is a new row in the place of the old one, so
// that no answer of a model, cut off or made up, can lose anything.
//
// It knows no model and no window; see package store for where it is kept.
package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/store"
)

// A Row is one memory as it is kept.
type Row = store.Memory

// The scopes: whom or what a memory is about, and so where it counts.
const (
	ScopeOwner   = "owner"   // the person, everywhere
	ScopeAgent   = "agent"   // the work of the agent, everywhere
	ScopeSession = "session" // one conversation
	ScopeJob     = "job"     // one scheduled job
)

// The categories.
const (
	Identity    = "identity"    // who the person is
	Preference  = "preference"  // how they like things
	Interest    = "interest"    // what they care about
	Goal        = "goal"        // what they want to reach
	Project     = "project"     // what they work on
	Environment = "environment" // people, places and things around them
	Instruction = "instruction" // a standing order of theirs
	Correction  = "correction"  // what was wrong before
)

// Categories lists the categories, the weightiest for a prompt first.
func Categories() []string {
	return []string{Identity, Instruction, Correction, Preference, Goal, Project, Environment, Interest}
}

// A Secrets tells secrets from text: what it changes holds one.
type Secrets interface{ Redact(text string) string }

// A Book is all that is remembered. Store must be set. Its fields are set before
// the first use.
type Book struct {
	Store   *store.Store
	Secrets Secrets        // nil: nothing counts as a secret
	Read    Reader         // reads the owner's sources; nil: there can be none
	Budgets func() Budgets // of the views; nil: the defaults

	mu    sync.Mutex
	views map[string]Views // by session
	order []string
}

// The failures of what is asked of a Book.
var (
	BadCategory = &capability.Failure{Code: "bad_category", When: "the category is none that there is", Try: "use identity, preference, interest, goal, project, environment, instruction or correction"}
	BadScope    = &capability.Failure{Code: "bad_scope", When: "the scope is none, or there is no session or job that it could mean", Try: "use owner or agent, or leave it out"}
	GuestRule   = &capability.Failure{Code: "not_from_guests", When: "a guest gave an instruction or a correction, which only the owner can", Try: "let the owner say it"}
	Blank       = &capability.Failure{Code: "blank", When: "the key or the value has no words", Try: "give a short key and a sentence as value"}
	TooLong     = &capability.Failure{Code: "too_long", When: "the key or the value is longer than one memory takes", Try: "say it shorter, or put it into a file and remember where that is"}
	HasSecret   = &capability.Failure{Code: "secret", When: "the key or the value holds what looks like a password or a key", Try: "keep it with hobkin secrets set NAME, and remember the name"}
	Unsure      = &capability.Failure{Code: "unsure", When: "the confidence is below 0.75", Try: "ask the person, and store it when it is sure"}
	TooManyHeld = &capability.Failure{Code: "too_many_held", When: "too many memories wait for the owner already", Try: "go on without it; the owner can look at them with hobkin memory list --held"}
	Unknown     = &capability.Failure{Code: "no_memory", When: "nothing is remembered under that", Try: "list what is remembered"}
	Several     = &capability.Failure{Code: "several", When: "several memories have the key", Try: "give the id of one; a list has it"}
	NotHeld     = &capability.Failure{Code: "not_held", When: "the memory does not wait for approval", Try: "list those that wait with hobkin memory list --held"}
)

// A Place is where a turn's memories belong.
type Place struct{ Session, Job string }

// places are those whose memories count in p: everything of the owner and the
// agent, and what belongs to the very session and job.
func (p Place) places() []store.MemoryPlace {
	out := []store.MemoryPlace{{Scope: ScopeOwner}, {Scope: ScopeAgent}}
	if p.Session != "" {
		out = append(out, store.MemoryPlace{Scope: ScopeSession, Subject: p.Session})
	}
	if p.Job != "" {
		out = append(out, store.MemoryPlace{Scope: ScopeJob, Subject: p.Job})
	}
	return out
}

// in is the place that a scope means here.
func (p Place) in(scope string) (store.MemoryPlace, bool) {
	i := slices.IndexFunc(p.places(), func(x store.MemoryPlace) bool { return x.Scope == scope })
	if i < 0 {
		return store.MemoryPlace{}, false
	}
	return p.places()[i], true
}

// Get returns a memory by its id, or the beginning of it, or else by its key: the
// newest in the first of the states that has one.
func (b *Book) Get(ctx context.Context, id string, states ...store.MemoryState) (Row, error) {
	m, err := b.Store.Memory(ctx, id)
	if !errors.Is(err, store.ErrNotFound) {
		return m, err
	}
	if len(states) == 0 {
		states = []store.MemoryState{store.MemoryActive, store.MemoryHeld, store.MemoryArchived, store.MemoryReplaced, store.MemoryDenied}
	}
	for _, state := range states {
		list, err := b.Store.Memories(ctx, store.MemoryQuery{Key: or(Key(id), "-"), State: state, Limit: 2})
		switch {
		case err != nil:
			return Row{}, err
		case len(list) > 1 && (state == store.MemoryActive || state == store.MemoryHeld):
			return Row{}, Several.Becausef("several are remembered as %q", capability.CutText(Key(id), MaxKey))
		case len(list) > 0:
			return list[0], nil
		}
	}
	return Row{}, Unknown.Becausef("no memory has the id or the key %q", capability.CutText(id, 64))
}

// active finds what counts under a key, the nearest scope first.
func (b *Book) active(ctx context.Context, p Place, key string) (*Row, error) {
	list, err := b.Store.Memories(ctx, store.MemoryQuery{State: store.MemoryActive, Key: key, Places: p.places()})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	nearest := slices.MinFunc(list, func(x, y Row) int { return cmp.Compare(reach(x.Scope), reach(y.Scope)) })
	return &nearest, nil
}

// reach orders scopes from the nearest to the widest.
func reach(scope string) int {
	return slices.Index([]string{ScopeSession, ScopeJob, ScopeOwner, ScopeAgent}, scope)
}
