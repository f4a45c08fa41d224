package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/hobkin/hobkin/core/undo"
)

// inlineBytes is the largest pre-image kept in the database; a larger one is a
// file named by its hash, so that the same contents are kept once.
const inlineBytes = 64 << 10

// RecordChange keeps a change and returns its id. It is on the disk when
// RecordChange returns: call it before the file is changed.
func (s *Store) RecordChange(ctx context.Context, c undo.Change) (string, error) {
	c.ID = NewID()
	if c.At.IsZero() {
		c.At = s.now()
	}
	before, kept := c.Before, ""
	if len(before) > inlineBytes {
		sum := sha256.Sum256(before)
		kept = hex.EncodeToString(sum[:])
		if err := s.keep(kept, before); err != nil {
			return "", fmt.Errorf("store: keeping what was before: %w", explain(err))
		}
		before = nil
	}
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			"INSERT INTO changes (id, session, call, path, at, existed, mode, before, kept, after, undone) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
			c.ID, c.Session, c.Call, c.Path, micros(c.At), c.Existed, int64(c.Mode), before, kept, c.After, c.Undone)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("store: recording a change: %w", err)
	}
	return c.ID, nil
}

func (s *Store) keep(hash string, data []byte) error {
	path := filepath.Join(s.dir, "undo", hash)
	if fi, err := os.Stat(path); err == nil && fi.Size() == int64(len(data)) {
		return nil
	}
	return writeFile(path, data)
}

// writeFile writes a private file, complete or not at all.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(path, data, 0o600)
}

const changeColumns = "id, session, call, path, at, existed, mode, before, kept, after, undone"

// LastChange returns the newest change that was not taken back: of a session,
// of a path, or of both; empty means any. The error is [undo.ErrNone] when
// there is none.
func (s *Store) LastChange(ctx context.Context, session, path string) (undo.Change, error) {
	return s.change(ctx, "undone = 0 AND (?1 = '' OR session = ?1) AND (?2 = '' OR path = ?2) ORDER BY at DESC, id DESC LIMIT 1", session, path)
}

// ChangeByID returns one change, or [undo.ErrNone].
func (s *Store) ChangeByID(ctx context.Context, id string) (undo.Change, error) {
	return s.change(ctx, "id = ?1", id)
}

func (s *Store) change(ctx context.Context, where string, args ...any) (undo.Change, error) {
	c, kept, err := scanChange(s.readers.QueryRowContext(ctx, "SELECT "+changeColumns+" FROM changes WHERE "+where, args...))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return undo.Change{}, undo.ErrNone
	case err != nil:
		return undo.Change{}, fmt.Errorf("store: undo journal: %w", explain(err))
	case kept == "":
		return c, nil
	}
	if c.Before, err = os.ReadFile(filepath.Join(s.dir, "undo", kept)); err != nil {
		return undo.Change{}, fmt.Errorf("store: what was before the change is gone: %w", err)
	}
	return c, nil
}

func scanChange(row interface{ Scan(...any) error }) (c undo.Change, kept string, err error) {
	var at, mode int64
	err = row.Scan(&c.ID, &c.Session, &c.Call, &c.Path, &at, &c.Existed, &mode, &c.Before, &kept, &c.After, &c.Undone)
	c.At, c.Mode = fromMicros(at), fs.FileMode(mode)
	return c, kept, err
}

// Changes lists the changes of a session, the newest first, without what was
// before; session "" means all.
func (s *Store) Changes(ctx context.Context, session string, limit int) ([]undo.Change, error) {
	rows, err := s.readers.QueryContext(ctx,
		"SELECT id, session, call, path, at, existed, mode, NULL, kept, after, undone FROM changes WHERE ?1 = '' OR session = ?1 ORDER BY at DESC, id DESC LIMIT ?2", session, limit)
	if err != nil {
		return nil, fmt.Errorf("store: undo journal: %w", explain(err))
	}
	list, err := collect(rows, func(r *sql.Rows) (undo.Change, error) {
		c, _, err := scanChange(r)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("store: undo journal: %w", explain(err))
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
