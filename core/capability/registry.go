package capability

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrDuplicate is returned when a name or an alias is already taken.
var ErrDuplicate = errors.New("duplicate name")

// A Registry is the one list of capabilities. Readers take no lock: they see
// an immutable snapshot, so a swap is seen whole or not at all. The zero
// Registry is empty and ready.
type Registry struct {
	mu   sync.Mutex // held by writers, which replace snap
	snap atomic.Pointer[snapshot]

	watchMu  sync.Mutex
	watchers map[chan struct{}]bool
}

// snapshot is one state of the registry, never changed once stored.
type snapshot struct {
	list    []*Capability          // in the order of registration
	byName  map[string]*Capability // names and aliases
	version uint64
}

var empty = &snapshot{byName: map[string]*Capability{}}

func (r *Registry) load() *snapshot {
	if s := r.snap.Load(); s != nil {
		return s
	}
	return empty
}

// Find returns the capability with that name or alias. It neither locks nor
// allocates.
func (r *Registry) Find(name string) (*Capability, bool) {
	c, ok := r.load().byName[name]
	return c, ok
}

// List returns what f lets through, in the order of registration.
func (r *Registry) List(f Filter) []*Capability {
	s := r.load()
	p := s.prepare(f)
	out := make([]*Capability, 0, len(s.list))
	for _, c := range s.list {
		if p.shows(c) {
			out = append(out, c)
		}
	}
	return out
}

// Allows reports whether f lets the named capability through.
func (r *Registry) Allows(f Filter, name string) bool {
	s := r.load()
	c := s.byName[name]
	if c == nil {
		return false
	}
	p := s.prepare(f)
	return p.shows(c)
}

// All returns everything, for introspection only.
func (r *Registry) All() []*Capability { return slices.Clone(r.load().list) }

// Version counts the changes of the registry.
func (r *Registry) Version() uint64 { return r.load().version }

// Register adds c. The error is [ErrDuplicate] if its name or an alias is taken.
func (r *Registry) Register(c Capability) error { return r.RegisterAll(c) }

// RegisterAll adds all of them or none.
func (r *Registry) RegisterAll(cs ...Capability) error {
	return r.change(func(list []*Capability) ([]*Capability, error) { return add(list, cs) })
}

// Unregister removes the capability of that name. It reports whether there was one.
func (r *Registry) Unregister(name string) bool {
	return r.remove(func(c *Capability) bool { return c.Name == name }) > 0
}

// UnregisterWhere removes every capability of a kind whose Meta holds all of
// meta, and returns how many there were.
func (r *Registry) UnregisterWhere(kind Kind, meta map[string]string) int {
	return r.remove(func(c *Capability) bool { return c.matches(kind, meta) })
}

// Replace swaps the family of that kind and meta for another at once: a reader
// sees the old one or the new one. On error the old one stays.
func (r *Registry) Replace(kind Kind, meta map[string]string, cs ...Capability) error {
	return r.change(func(list []*Capability) ([]*Capability, error) {
		list = slices.DeleteFunc(list, func(c *Capability) bool { return c.matches(kind, meta) })
		return add(list, cs)
	})
}

func (r *Registry) remove(gone func(*Capability) bool) (n int) {
	_ = r.change(func(list []*Capability) ([]*Capability, error) { // removing never makes a duplicate
		before := len(list)
		list = slices.DeleteFunc(list, gone)
		n = before - len(list)
		return list, nil
	})
	return n
}

// change builds the next snapshot from a copy of the list and stores it.
func (r *Registry) change(edit func([]*Capability) ([]*Capability, error)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.load()
	list, err := edit(slices.Clone(old.list))
	if err != nil {
		return err
	}
	byName := make(map[string]*Capability, 2*len(list))
	for _, c := range list {
		if err := index(byName, c); err != nil {
			return err
		}
	}
	r.snap.Store(&snapshot{list, byName, old.version + 1})
	r.notify()
	return nil
}

// index enters c under its name and aliases.
func index(byName map[string]*Capability, c *Capability) error {
	for _, n := range append([]string{c.Name}, c.Aliases...) {
		if other := byName[n]; other != nil {
			return fmt.Errorf("%w: %q of %s is taken by %s", ErrDuplicate, n, c.Name, other.Name)
		}
		byName[n] = c
	}
	return nil
}

// add checks cs and appends a copy of each, so that a caller's later change
// does not reach the registry.
func add(list []*Capability, cs []Capability) ([]*Capability, error) {
	for _, c := range cs {
		if err := c.check(); err != nil {
			return nil, err
		}
		c.Aliases, c.Meta = slices.Clone(c.Aliases), maps.Clone(c.Meta)
		c.document = &document{}
		if c.Deferrable {
			c.searched() // here, not when a model waits for its search
		}
		list = append(list, &c)
	}
	return list, nil
}

func (c *Capability) matches(kind Kind, meta map[string]string) bool {
	if c.Kind != kind {
		return false
	}
	for k, v := range meta {
		if got, ok := c.Meta[k]; !ok || got != v {
			return false
		}
	}
	return true
}

// Watch returns a channel that gets a value after changes, several changes
// possibly as one, and a function that ends the watch.
func (r *Registry) Watch() (changed <-chan struct{}, stop func()) {
	ch := make(chan struct{}, 1)
	r.watchMu.Lock()
	defer r.watchMu.Unlock()
	if r.watchers == nil {
		r.watchers = map[chan struct{}]bool{}
	}
	r.watchers[ch] = true
	return ch, func() {
		r.watchMu.Lock()
		defer r.watchMu.Unlock()
		delete(r.watchers, ch)
	}
}

func (r *Registry) notify() {
	r.watchMu.Lock()
	defer r.watchMu.Unlock()
	for ch := range r.watchers {
		select {
		case ch <- struct{}{}:
		default: // a notice is already waiting
		}
	}
}
