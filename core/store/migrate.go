package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

//go:embed migrations/*.sql
var migrations embed.FS

// scriptNames lists the migrations in order; the first makes version 1.
func scriptNames(scripts fs.FS) ([]string, error) {
	names, err := fs.Glob(scripts, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
}

// migrate brings the schema up to date, one transaction a step. A database that
// has data is copied before each.
func (s *Store) migrate(ctx context.Context, names []string, version int) error {
	for to := version + 1; to <= len(names); to++ {
		if to > 1 {
			if err := s.copyTo(ctx, fmt.Sprintf("%s.before-%d", s.path(), to)); err != nil {
				return fmt.Errorf("copying before a migration: %w", err)
			}
		}
		if err := s.step(ctx, to, names[to-1]); err != nil {
			return fmt.Errorf("migration %s: %w", filepath.Base(names[to-1]), err)
		}
	}
	return nil
}

// create makes a new database; the caller holds the lock alone. As long as
// nothing is in it, nothing needs to wait for the disk, but once, at the end:
// that makes the very first start several times faster.
func (s *Store) create(ctx context.Context) error {
	if !isNew(s.path()) {
		return nil // another process was first
	}
	names, err := scriptNames(s.scripts)
	if err != nil {
		return err
	}
	if err := touch(s.path()); err != nil {
		return err
	}
	s.writer, err = sql.Open("sqlite", dsn(s.path(), "_txlock=immediate", "_pragma=synchronous(off)"))
	if err != nil {
		return err
	}
	s.writer.SetMaxOpenConns(1)
	for i, name := range names {
		if err := s.step(ctx, i+1, name); err != nil {
			return errors.Join(fmt.Errorf("making the tables: %w", err), s.writer.Close())
		}
	}
	if err := s.writer.Close(); err != nil {
		return err
	}
	if err := syncFile(s.path()); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir, "README.txt"), []byte(folderText), 0o600); err != nil {
		return err
	}
	return syncDir(s.dir)
}

// folderText is for people who find the folder.
const folderText = `This folder holds Hobkin's conversations, the journal for undoing its changes to
files, and what its tools put out. It is not a cache: nothing here can be made
again. Hobkin keeps copies of the database here too (hobkin.db.backup-...).
To move it, quit Hobkin first.
`

// step runs one migration unless it was run, also by another process meanwhile.
func (s *Store) step(ctx context.Context, to int, name string) error {
	script, err := fs.ReadFile(s.scripts, name)
	if err != nil {
		return err
	}
	return s.transact(ctx, to > 1, func(tx *sql.Tx) error {
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
	return version, readSchema(ctx, s.writer)
}

func readSchema(ctx context.Context, db *sql.DB) error {
	var tables int
	return db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
}

// copyTo writes a compact copy of the database, checked and on the disk, or
// nothing. It reads through a connection of its own, so that writers need not
// wait for it.
func (s *Store) copyTo(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", dsn(s.path()))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	tmp := path + ".tmp"
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	if err := touch(tmp); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", tmp)
	if err == nil {
		err = verify(ctx, tmp)
	}
	if err == nil {
		err = syncFile(tmp)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return syncDir(s.dir)
}
