package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

//go:embed migrations/*.sql
var migrations embed.FS

// scripts are the migrations in order; the first makes version 1.
func scripts() ([]string, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
}

// migrate brings the schema up to date. A database that has data is copied
// first; each step is one transaction.
func (s *Store) migrate(ctx context.Context) error {
	names, err := scripts()
	if err != nil {
		return err
	}
	version, err := s.version(ctx)
	switch {
	case err != nil:
		return err
	case version > len(names):
		return ErrNewer
	case version == len(names):
		return nil
	case version > 0:
		if err := s.copyTo(ctx, fmt.Sprintf("%s.before-%d", s.path(), version+1)); err != nil {
			return fmt.Errorf("copying before a migration: %w", err)
		}
	}
	for i, name := range names {
		if err := s.step(ctx, i+1, name); err != nil {
			return fmt.Errorf("migration %s: %w", filepath.Base(name), err)
		}
	}
	return nil
}

// step runs one migration unless it was run, also by another process meanwhile.
func (s *Store) step(ctx context.Context, to int, name string) error {
	script, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	return s.write(ctx, true, func(tx *sql.Tx) error {
		var have int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil || have >= to {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(script)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version=%d", to)) // a pragma takes no parameter
		return err
	})
}

// version reads the schema's version, and with it the head of the file: one
// that is no database fails here.
func (s *Store) version(ctx context.Context) (version int, err error) {
	if err = s.writer.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, err
	}
	var tables int
	err = s.writer.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	return version, err
}

// copyTo writes a compact copy of the database, complete or not at all.
func (s *Store) copyTo(ctx context.Context, path string) error {
	tmp := path + ".tmp"
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	if _, err := s.writer.ExecContext(ctx, "VACUUM INTO ?", tmp); err != nil {
		_ = os.Remove(tmp)
		return explain(err)
	}
	if err := os.Chmod(tmp, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
