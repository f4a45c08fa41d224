package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// PurgeDeleted removes for good the sessions that were deleted before a time,
// with their messages, events, approvals, undo records and outputs, and returns
// how many there were. What tools put out outside any session goes at the same
// age. The account of what models cost stays.
func (s *Store) PurgeDeleted(ctx context.Context, before time.Time) (int, error) {
	rows, err := s.readers.QueryContext(ctx, "SELECT id FROM sessions WHERE deleted > 0 AND deleted < ?", micros(before))
	if err != nil {
		return 0, fmt.Errorf("store: purging: %w", s.reading(ctx, err))
	}
	ids, err := collect(rows, func(r *sql.Rows) (id string, err error) { return id, r.Scan(&id) })
	if err != nil {
		return 0, fmt.Errorf("store: purging: %w", s.reading(ctx, err))
	}
	purged := 0
	for _, id := range ids {
		gone, err := s.purge(ctx, id, before)
		if err != nil {
			return purged, fmt.Errorf("store: purging %s: %w", id, err)
		}
		if gone {
			purged++
		}
	}
	if err := s.purgeLoose(ctx, before); err != nil {
		return purged, fmt.Errorf("store: purging: %w", err)
	}
	return purged, nil
}

// purge removes one session, unless it was restored meanwhile.
func (s *Store) purge(ctx context.Context, id string, before time.Time) (gone bool, err error) {
	err = s.write(ctx, true, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "DELETE FROM sessions WHERE id = ? AND deleted > 0 AND deleted < ?", id, micros(before))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		gone = true
		rows, err := tx.QueryContext(ctx, "DELETE FROM changes WHERE session = ? RETURNING kept", id)
		if err != nil {
			return err
		}
		kept, err := collect(rows, func(r *sql.Rows) (hash string, err error) { return hash, r.Scan(&hash) })
		if err != nil {
			return err
		}
		for _, q := range []string{"DELETE FROM outputs WHERE session = ?", "DELETE FROM approvals WHERE session = ?"} {
			if _, err := tx.ExecContext(ctx, q, id); err != nil {
				return err
			}
		}
		return s.dropKept(ctx, tx, kept)
	})
	if err != nil || !gone {
		return false, err
	}
	return true, os.RemoveAll(s.sessionDir(id))
}

// dropKept removes pre-images that no change needs any more. It runs inside a
// transaction of the writer: see [Store.RecordChange].
func (s *Store) dropKept(ctx context.Context, tx *sql.Tx, hashes []string) error {
	for _, hash := range hashes {
		if hash == "" {
			continue
		}
		var needed bool
		if err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM changes WHERE kept = ?)", hash).Scan(&needed); err != nil {
			return err
		}
		if needed {
			continue
		}
		if err := ignoreMissing(os.Remove(s.keptPath(hash))); err != nil {
			return err
		}
	}
	return nil
}

// purgeLoose removes old outputs of no session.
func (s *Store) purgeLoose(ctx context.Context, before time.Time) error {
	return s.write(ctx, false, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "DELETE FROM outputs WHERE session = '' AND at < ? RETURNING path", micros(before))
		if err != nil {
			return err
		}
		paths, err := collect(rows, func(r *sql.Rows) (path string, err error) { return path, r.Scan(&path) })
		if err != nil {
			return err
		}
		for _, path := range paths {
			path = filepath.FromSlash(path)
			if !filepath.IsLocal(path) {
				continue // not one of ours
			}
			if err := ignoreMissing(os.Remove(filepath.Join(s.dir, path))); err != nil {
				return err
			}
		}
		return nil
	})
}
