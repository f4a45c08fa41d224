package atspi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A snapshot is what one look at a window found, and what its references mean.
type snapshot struct {
	id      string
	window  wire.Window
	program string

	mu    sync.Mutex
	nodes []*node // e1 is the first
}

// snapshots holds the newest one of each window.
type snapshots struct {
	mu   sync.Mutex
	next int
	list []*snapshot // the oldest first
}

const mostSnapshots = 32

// add keeps a new snapshot; the one before it of the same window is forgotten.
func (s *snapshots) add(w wire.Window, program string, nodes []*node) *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	shot := &snapshot{id: "s" + strconv.Itoa(s.next), window: w, program: program, nodes: nodes}
	s.list = slices.DeleteFunc(s.list, func(old *snapshot) bool { return old.window.ID == w.ID })
	s.list = append(s.list, shot)
	if len(s.list) > mostSnapshots {
		s.list = slices.Delete(s.list, 0, 1)
	}
	return shot
}

// of returns the snapshot of a window, or nil.
func (s *snapshots) of(window string) *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, shot := range s.list {
		if shot.window.ID == window {
			return shot
		}
	}
	return nil
}

// get returns what a reference means.
func (s *snapshots) get(id, ref string) (*node, *snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.list, func(shot *snapshot) bool { return shot.id == id })
	if i < 0 {
		return nil, nil, stale("The snapshot %q is not the newest of its window, or was never taken, so %q may mean something else by now.", short(id, maxName), short(ref, maxName))
	}
	n := s.list[i].at(ref)
	if n == nil {
		return nil, nil, stale("The snapshot %s has no element %q.", id, short(ref, maxName))
	}
	return n, s.list[i], nil
}

func (s *snapshot) at(ref string) *node {
	s.mu.Lock()
	defer s.mu.Unlock()
	digits, ok := strings.CutPrefix(ref, "e")
	i, err := strconv.Atoi(digits)
	if !ok || err != nil || i < 1 || i > len(s.nodes) {
		return nil
	}
	return s.nodes[i-1]
}

// elements tells of all of them.
func (s *snapshot) elements() []wire.Element {
	refs := make(map[*node]string, len(s.nodes))
	out := make([]wire.Element, len(s.nodes))
	for i, n := range s.nodes {
		refs[n] = fmt.Sprintf("e%d", i+1)
		parent := ""
		for a := n.parent; a != nil && parent == ""; a = a.parent {
			parent = refs[a]
		}
		out[i] = n.element(refs[n], parent)
	}
	return out
}

// refer returns the reference to n, a new one where the snapshot has none yet.
func (s *snapshot) refer(n *node) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.nodes, func(o *node) bool { return o.object == n.object })
	if i < 0 {
		s.nodes = append(s.nodes, n)
		i = len(s.nodes) - 1
	}
	return fmt.Sprintf("e%d", i+1)
}
