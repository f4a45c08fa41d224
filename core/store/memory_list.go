package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A MemoryPlace is where memories belong: a scope, and the session or job of
// those that have one.
type MemoryPlace struct{ Scope, Subject string }

// A MemoryQuery picks memories. What is empty picks all.
type MemoryQuery struct {
	Places     []MemoryPlace
	Categories []string
	Key        string
	State      MemoryState
	Limit      int // 0 means 50, and 10,000 is the most
	Offset     int
}

// Memories lists memories, the newest first.
func (s *Store) Memories(ctx context.Context, q MemoryQuery) ([]Memory, error) {
	if q.Limit <= 0 {
		q.Limit = 50
	}
	q.Limit, q.Offset = min(q.Limit, maxList), max(q.Offset, 0)
	parts, args := q.parts()
	return s.memories(ctx, "SELECT "+memoryColumns+" FROM ("+strings.Join(parts, " UNION ALL ")+") JOIN memories ON num = hit ORDER BY num DESC LIMIT ? OFFSET ?", append(args, q.Limit, q.Offset)...)
}

// parts are the queries for the numbers of what a query picks, one for each
// place and category: so each goes by an index, however many memories others
// have.
func (q MemoryQuery) parts() (parts []string, args []any) {
	places, categories := q.Places, q.Categories
	if len(places) == 0 {
		places = []MemoryPlace{{}}
	}
	if len(categories) == 0 {
		categories = []string{""}
	}
	for _, p := range places {
		for _, category := range categories {
			where, values := q.where(p, category)
			parts = append(parts, "SELECT * FROM (SELECT num AS hit FROM memories WHERE "+where+" ORDER BY num DESC LIMIT ?)")
			args = append(append(args, values...), q.Limit+q.Offset)
		}
	}
	return parts, args
}

func (s *Store) memories(ctx context.Context, query string, args ...any) ([]Memory, error) {
	rows, err := s.readers.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("store: listing memories: %w", s.reading(ctx, err))
	}
	list, err := collect(rows, func(r *sql.Rows) (Memory, error) { return scanMemory(r) })
	if err != nil {
		return nil, fmt.Errorf("store: listing memories: %w", s.reading(ctx, err))
	}
	return list, nil
}

func (q MemoryQuery) where(p MemoryPlace, category string) (where string, args []any) {
	parts := []string{"true"}
	is := func(column, value string) { parts, args = append(parts, column+" = ?"), append(args, value) }
	if p.Scope != "" {
		is("scope", p.Scope)
		is("subject", p.Subject)
	}
	if category != "" {
		is("category", category)
	}
	if q.Key != "" {
		is("key", q.Key)
	}
	switch q.State {
	case "":
	case MemoryActive: // in the words of the indexes
		parts = append(parts, "state = 'active'")
	default:
		is("state", string(q.State))
	}
	return strings.Join(parts, " AND "), args
}

func placesIn(places []MemoryPlace) (where string, args []any) {
	for _, p := range places {
		args = append(args, p.Scope, p.Subject)
	}
	return "(scope, subject) IN (VALUES (?,?)" + strings.Repeat(",(?,?)", len(places)-1) + ")", args
}

// Memory returns a memory by its id or the beginning of it (6 characters at
// least). The error is [ErrNotFound] or [ErrAmbiguous].
func (s *Store) Memory(ctx context.Context, id string) (Memory, error) {
	m, err := scanMemory(s.readers.QueryRowContext(ctx, "SELECT "+memoryColumns+" FROM memories WHERE id = ?", id))
	if !errors.Is(err, sql.ErrNoRows) || len(id) < minPrefix || !isName(id) {
		if err != nil {
			return Memory{}, fmt.Errorf("store: memory %q: %w", id, s.reading(ctx, err))
		}
		return m, nil
	}
	low := strings.ToLower(id)
	found, err := s.memories(ctx, "SELECT "+memoryColumns+" FROM memories WHERE id >= ? AND id < ? LIMIT 2", low, low+"~")
	switch {
	case err != nil:
		return Memory{}, err
	case len(found) == 0:
		return Memory{}, fmt.Errorf("store: memory %q: %w", id, ErrNotFound)
	case len(found) > 1:
		return Memory{}, fmt.Errorf("store: memory %q: %w", id, ErrAmbiguous)
	}
	return found[0], nil
}

// SameMemory returns the memory that counts in a place and has the same value,
// but for case and white space.
func (s *Store) SameMemory(ctx context.Context, p MemoryPlace, value string) (m Memory, ok bool, err error) {
	list, err := s.memories(ctx, "SELECT "+memoryColumns+" FROM memories WHERE state = 'active' AND digest = ? AND scope = ? AND subject = ? LIMIT 1", digest(value), p.Scope, p.Subject)
	if err != nil || len(list) == 0 {
		return Memory{}, false, err
	}
	return list[0], true, nil
}

// CountMemories counts those in a state.
func (s *Store) CountMemories(ctx context.Context, state MemoryState) (n int, err error) {
	if err := s.readers.QueryRowContext(ctx, "SELECT count(*) FROM memories WHERE state = ?", state).Scan(&n); err != nil {
		return 0, fmt.Errorf("store: counting memories: %w", s.reading(ctx, err))
	}
	return n, nil
}

// maxChain bounds how many versions of one memory are shown.
const maxChain = 200

// MemoryVersions returns a memory and all that took its place or whose place it
// took, the oldest first.
func (s *Store) MemoryVersions(ctx context.Context, id string) ([]Memory, error) {
	list, err := s.memories(ctx, `WITH RECURSIVE line (id) AS (
  VALUES (?)
  UNION SELECT m.id FROM line JOIN memories m ON m.target = line.id AND m.target <> ''
  UNION SELECT m.target FROM line JOIN memories m ON m.id = line.id WHERE m.target <> ''
  LIMIT ?
) SELECT `+memoryColumns+` FROM memories WHERE id IN (SELECT id FROM line) ORDER BY num DESC`, id, maxChain)
	slices.Reverse(list)
	return list, err
}

// MemoryHistory returns what became of a memory, the oldest first.
func (s *Store) MemoryHistory(ctx context.Context, id string) ([]MemoryEvent, error) {
	rows, err := s.readers.QueryContext(ctx, "SELECT action, by, at FROM memory_history WHERE memory = ? ORDER BY num DESC LIMIT ?", id, maxChain)
	if err != nil {
		return nil, fmt.Errorf("store: a memory's history: %w", s.reading(ctx, err))
	}
	list, err := collect(rows, func(r *sql.Rows) (e MemoryEvent, err error) {
		var at int64
		err = r.Scan(&e.Action, &e.By, &at)
		e.At = fromMicros(at)
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("store: a memory's history: %w", s.reading(ctx, err))
	}
	slices.Reverse(list)
	return list, nil
}

// reviewed is what the history says of a look at all memories.
const reviewed = "reviewed"

// NoteMemoryReview notes that the memories were gone through.
func (s *Store) NoteMemoryReview(ctx context.Context, by string) error {
	err := s.write(ctx, true, func(tx *sql.Tx) error { return s.noteMemory(ctx, tx, "", reviewed, by) })
	if err != nil {
		return fmt.Errorf("store: noting a review of memories: %w", err)
	}
	return nil
}

// LastMemoryReview is when the memories were gone through last; zero when never.
func (s *Store) LastMemoryReview(ctx context.Context) (e MemoryEvent, err error) {
	list, err := s.MemoryHistory(ctx, "")
	if err != nil || len(list) == 0 {
		return MemoryEvent{}, err
	}
	return list[len(list)-1], nil
}
