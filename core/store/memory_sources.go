package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// A MemorySource is a file that the owner lets recall look into.
type MemorySource struct {
	ID       string
	Path     string    // absolute
	Bytes    int64     // of the file as it was read
	Modified time.Time // the same
	Problem  string    // why it could not be read, in a sentence; empty when it could
	Added    time.Time
	Read     time.Time
	Passages int
}

// A Passage is a piece of a source's text.
type Passage struct {
	Path  string
	Place int // from 1
	Text  string
}

// PutMemorySource keeps a source as it was read now, in place of what was kept
// of the same path.
func (s *Store) PutMemorySource(ctx context.Context, x MemorySource, passages []string) (MemorySource, error) {
	x.Read = s.now().UTC().Truncate(time.Microsecond)
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		var added int64
		err := tx.QueryRowContext(ctx, "SELECT id, added FROM memory_sources WHERE path = ?", x.Path).Scan(&x.ID, &added)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			x.ID, x.Added = NewID(), x.Read
		case err != nil:
			return err
		default:
			x.Added = fromMicros(added)
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO memory_sources (id, path, bytes, modified, problem, added, read) VALUES (?,?,?,?,?,?,?) "+
			"ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes, modified = excluded.modified, problem = excluded.problem, read = excluded.read",
			x.ID, x.Path, x.Bytes, micros(x.Modified), x.Problem, micros(x.Added), micros(x.Read))
		if err != nil {
			return err
		}
		return putPassages(ctx, tx, x.ID, passages)
	})
	if err != nil {
		return MemorySource{}, fmt.Errorf("store: keeping a source: %w", err)
	}
	x.Passages = len(passages)
	return x, nil
}

func putPassages(ctx context.Context, tx *sql.Tx, source string, passages []string) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM memory_passages WHERE source = ?", source); err != nil {
		return err
	}
	for i, text := range passages {
		text = clip(text)
		if _, err := tx.ExecContext(ctx, "INSERT INTO memory_passages (source, place, text, grams) VALUES (?,?,?,?)", source, i+1, text, grams(text)); err != nil {
			return err
		}
	}
	return nil
}

// MemorySources lists the sources by path.
func (s *Store) MemorySources(ctx context.Context) ([]MemorySource, error) {
	rows, err := s.readers.QueryContext(ctx, "SELECT id, path, bytes, modified, problem, added, read, (SELECT count(*) FROM memory_passages WHERE source = x.id) FROM memory_sources x ORDER BY path")
	if err != nil {
		return nil, fmt.Errorf("store: sources: %w", s.reading(ctx, err))
	}
	list, err := collect(rows, func(r *sql.Rows) (x MemorySource, err error) {
		var modified, added, read int64
		err = r.Scan(&x.ID, &x.Path, &x.Bytes, &modified, &x.Problem, &added, &read, &x.Passages)
		x.Modified, x.Added, x.Read = fromMicros(modified), fromMicros(added), fromMicros(read)
		return x, err
	})
	if err != nil {
		return nil, fmt.Errorf("store: sources: %w", s.reading(ctx, err))
	}
	return list, nil
}

// RemoveMemorySource forgets a source by its path; the file stays. The error is
// [ErrNotFound] when there is none.
func (s *Store) RemoveMemorySource(ctx context.Context, path string) error {
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, "DELETE FROM memory_sources WHERE path = ?", path))
	})
	if err != nil {
		return fmt.Errorf("store: removing a source: %w", err)
	}
	return nil
}
