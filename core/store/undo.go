package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hobkin/hobkin/core/undo"
)

// inlineBytes is the largest pre-image kept in the database; a larger one is a
// file named by its hash, so that the same contents are kept once.
const inlineBytes = 64 << 10

// RecordChange keeps a change and returns its id. It is on the disk when
// RecordChange returns: call it before the file is changed. A change that has
// an id already is kept once, so that it is safe to repeat after a failure.
func (s *Store) RecordChange(ctx context.Context, c undo.Change) (string, error) {
	if c.ID == "" {
		c.ID = NewID()
	}
	if c.At.IsZero() {
		c.At = s.now()
	}
	inline, kept := c.Before, ""
	if len(c.Before) > inlineBytes {
		inline, kept = nil, hashOf(c.Before)
		if err := keepFile(s.keptPath(kept), c.Before); err != nil {
			return "", fmt.Errorf("store: keeping what was before: %w", s.explain(err))
		}
	}
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		if kept != "" { // again, now that nobody can purge: it is cheap when it is there
			if err := keepFile(s.keptPath(kept), c.Before); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx,
			"INSERT INTO changes (id, session, call, path, at, existed, mode, before, kept, after, undone) VALUES (?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (id) DO NOTHING",
			c.ID, c.Session, c.Call, c.Path, micros(c.At), c.Existed, int64(c.Mode), inline, kept, c.After, c.Undone)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("store: recording a change: %w", err)
	}
	return c.ID, nil
}

func (s *Store) keptPath(hash string) string { return filepath.Join(s.dir, "undo", hash) }

const changeColumns = "id, session, call, path, at, existed, mode, before, kept, after, undone"

// LastChange returns the newest change that was not taken back: of a session,
// of a path, or of both; empty means any. The error is [undo.ErrNone] when
// there is none.
func (s *Store) LastChange(ctx context.Context, session, path string) (undo.Change, error) {
	where, args := "undone = 0", []any{}
	if session != "" {
		where, args = where+" AND session = ?", append(args, session)
	}
	if path != "" {
		where, args = where+" AND path = ?", append(args, path)
	}
	return s.change(ctx, where+" ORDER BY num DESC LIMIT 1", args...)
}

// ChangeByID returns one change, or [undo.ErrNone].
func (s *Store) ChangeByID(ctx context.Context, id string) (undo.Change, error) {
	return s.change(ctx, "id = ?", id)
}

func (s *Store) change(ctx context.Context, where string, args ...any) (undo.Change, error) {
	c, kept, err := scanChange(s.readers.QueryRowContext(ctx, "SELECT "+changeColumns+" FROM changes WHERE "+where, args...))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return undo.Change{}, undo.ErrNone
	case err != nil:
		return undo.Change{}, fmt.Errorf("store: undo journal: %w", s.reading(ctx, err))
	case kept == "":
		return c, nil
	}
	c.Before, err = os.ReadFile(s.keptPath(kept))
	if err == nil && hashOf(c.Before) != kept {
		err = errLostBefore
	}
	if err != nil {
		return undo.Change{}, &fault{errLostBefore, err}
	}
	return c, nil
}

var errLostBefore = errors.New("what the file held before this change is lost or damaged, so it cannot be brought back")

func scanChange(row interface{ Scan(...any) error }) (c undo.Change, kept string, err error) {
	var at, mode int64
	err = row.Scan(&c.ID, &c.Session, &c.Call, &c.Path, &at, &c.Existed, &mode, &c.Before, &kept, &c.After, &c.Undone)
	c.At, c.Mode = fromMicros(at), fs.FileMode(mode)
	return c, kept, err
}

// Changes lists the changes of a session, the newest first, without what was
// before; session "" means all.
func (s *Store) Changes(ctx context.Context, session string, limit int) ([]undo.Change, error) {
	where, args := "", []any{}
	if session != "" {
		where, args = "WHERE session = ?", append(args, session)
	}
	rows, err := s.readers.QueryContext(ctx,
		"SELECT id, session, call, path, at, existed, mode, NULL, kept, after, undone FROM changes "+where+" ORDER BY num DESC LIMIT ?", append(args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("store: undo journal: %w", s.reading(ctx, err))
	}
	list, err := collect(rows, func(r *sql.Rows) (undo.Change, error) {
		c, _, err := scanChange(r)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("store: undo journal: %w", s.reading(ctx, err))
	}
	return list, nil
}

// MarkUndone notes that a change was taken back.
func (s *Store) MarkUndone(ctx context.Context, id string) error {
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, "UPDATE changes SET undone = 1 WHERE id = ?", id))
	})
	switch {
	case errors.Is(err, ErrNotFound):
		return undo.ErrNone
	case err != nil:
		return fmt.Errorf("store: undo journal: %w", err)
	}
	return nil
}
