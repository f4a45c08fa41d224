package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"
)

// A MemoryState says whether a memory counts.
type MemoryState string

// The states. Only what is active is recalled; nothing is ever removed.
const (
	MemoryActive   MemoryState = "active"
	MemoryHeld     MemoryState = "held"     // waits for the owner
	MemoryReplaced MemoryState = "replaced" // another took its place
	MemoryArchived MemoryState = "archived" // forgotten
	MemoryDenied   MemoryState = "denied"   // the owner turned it down
	MemoryApplied  MemoryState = "applied"  // a held request that was agreed to and is no memory itself
)

// A Memory is one thing that is remembered, or that waits to be.
type Memory struct {
	ID         string
	Scope      string // owner, agent, session or job
	Subject    string // which session or job; empty for the others
	Category   string
	Key, Value string
	Confidence float64 // 0 to 1
	State      MemoryState
	Action     string // what a held one asks for: add, replace or archive
	Target     string // id of the memory whose place it took or would take
	Session    string // where it was said, as far as that is known
	Turn, Call string
	Source     string // who or what told it, for people
	Reason     string // why it was held; empty when it was not
	At         time.Time
	Changed    time.Time // when its state changed last
}

// A MemoryEvent is one thing that became of a memory.
type MemoryEvent struct {
	Action string // added, held, approved, denied, replaced, archived or restored
	By     string
	At     time.Time
}

// AddMemory keeps a new memory. An active one takes the place of what is active
// under the same key, and of its target; held ones change nothing. It returns it
// with id and times.
func (s *Store) AddMemory(ctx context.Context, m Memory, by string) (Memory, error) {
	m.ID = NewID()
	m.At = s.now().UTC().Truncate(time.Microsecond)
	m.Changed = m.At
	action := "added"
	if m.State == MemoryHeld {
		action = "held"
	}
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		if m.State == MemoryActive {
			old, err := s.makeRoom(ctx, tx, m, by)
			if err != nil {
				return err
			}
			if m.Target == "" {
				m.Target = old
			}
		}
		if err := insertMemory(ctx, tx, m); err != nil {
			return err
		}
		return s.noteMemory(ctx, tx, m.ID, action, by)
	})
	if err != nil {
		return Memory{}, fmt.Errorf("store: keeping a memory: %w", err)
	}
	return m, nil
}

const insertMemories = "INSERT INTO memories (id, scope, subject, category, key, value, grams, digest, confidence, state, action, target, session, turn, call, source, reason, at, changed) " +
	"VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"

func insertMemory(ctx context.Context, tx *sql.Tx, m Memory) error {
	_, err := tx.ExecContext(ctx, insertMemories, memoryValues(m)...)
	return err
}

func memoryValues(m Memory) []any {
	return []any{
		m.ID, m.Scope, m.Subject, m.Category, m.Key, m.Value, grams(clip(m.Key + " " + m.Value)), digest(m.Value), m.Confidence,
		m.State, m.Action, m.Target, m.Session, m.Turn, m.Call, m.Source, m.Reason, micros(m.At), micros(m.Changed),
	}
}

// digest tells values apart but for case and white space.
func digest(value string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(fold(strings.Join(strings.Fields(value), " ")))) // never fails
	return int64(h.Sum64())
}

// makeRoom retires what a memory takes the place of, and names it.
func (s *Store) makeRoom(ctx context.Context, tx *sql.Tx, m Memory, by string) (old string, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT id FROM memories WHERE state = 'active' AND scope = ? AND subject = ? AND key = ? AND id <> ? UNION SELECT id FROM memories WHERE id = ? AND id <> ? AND state = 'active'",
		m.Scope, m.Subject, m.Key, m.ID, m.Target, m.ID)
	if err != nil {
		return "", err
	}
	ids, err := collect(rows, func(r *sql.Rows) (id string, err error) { return id, r.Scan(&id) })
	if err != nil {
		return "", err
	}
	for _, id := range ids {
		if err := s.moveMemory(ctx, tx, id, move{MemoryReplaced, "replaced", by}); err != nil {
			return "", err
		}
		old = id
	}
	return old, nil
}

// A move brings a memory into another state, and says so in its history.
type move struct {
	to         MemoryState
	action, by string
}

func (s *Store) moveMemory(ctx context.Context, tx *sql.Tx, id string, m move) error {
	if err := one(tx.ExecContext(ctx, "UPDATE memories SET state = ?, changed = ? WHERE id = ? AND state <> ?", m.to, micros(s.now()), id, m.to)); err != nil {
		return err
	}
	return s.noteMemory(ctx, tx, id, m.action, m.by)
}

func (s *Store) noteMemory(ctx context.Context, tx *sql.Tx, id, action, by string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO memory_history (memory, action, by, at) VALUES (?,?,?,?)", id, action, by, micros(s.now()))
	return err
}

// ActivateMemory has a memory count, in place of what is active under its key
// and of its target. Action is what the history says of it: approved or
// restored. One that counts already stays as it is.
func (s *Store) ActivateMemory(ctx context.Context, id, action, by string) error {
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		m, err := scanMemory(tx.QueryRowContext(ctx, "SELECT "+memoryColumns+" FROM memories WHERE id = ?", id))
		if err != nil || m.State == MemoryActive {
			return err
		}
		if action == "restored" {
			m.Target = "" // it comes back beside what it once replaced
		}
		if _, err := s.makeRoom(ctx, tx, m, by); err != nil {
			return err
		}
		return s.moveMemory(ctx, tx, id, move{MemoryActive, action, by})
	})
	if err != nil {
		return fmt.Errorf("store: memory %s: %w", id, err)
	}
	return nil
}

// RetireMemory has a memory no longer count, or a held one no longer wait. One
// that is in the state already stays as it is.
func (s *Store) RetireMemory(ctx context.Context, id string, to MemoryState, by string) error {
	action := map[MemoryState]string{MemoryArchived: "archived", MemoryDenied: "denied", MemoryApplied: "approved"}[to]
	if action == "" {
		return fmt.Errorf("store: a memory cannot be made %q", to)
	}
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		err := s.moveMemory(ctx, tx, id, move{to, action, by})
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var found int
		return tx.QueryRowContext(ctx, "SELECT 1 FROM memories WHERE id = ?", id).Scan(&found)
	})
	if err != nil {
		return fmt.Errorf("store: memory %s: %w", id, err)
	}
	return nil
}

const memoryColumns = "id, scope, subject, category, key, value, confidence, state, action, target, session, turn, call, source, reason, at, changed"

func scanMemory(row interface{ Scan(...any) error }, more ...any) (m Memory, err error) {
	var at, changed int64
	err = row.Scan(append([]any{
		&m.ID, &m.Scope, &m.Subject, &m.Category, &m.Key, &m.Value, &m.Confidence, &m.State, &m.Action, &m.Target,
		&m.Session, &m.Turn, &m.Call, &m.Source, &m.Reason, &at, &changed,
	}, more...)...)
	m.At, m.Changed = fromMicros(at), fromMicros(changed)
	return m, err
}
