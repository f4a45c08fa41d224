package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	checkAtOnce = 1 << 20     // bytes of a database that is checked while it opens: 2 ms a megabyte
	checkTime   = time.Minute // a check in the background that takes longer is left to the doctor
	staleAfter  = time.Hour   // a temporary file this old belongs to nobody

	// KeepDeleted is how long a deleted session can be restored.
	KeepDeleted = 30 * 24 * time.Hour
)

// look checks a database that is opening: a small one, and one in which damage
// was met before. Others are checked by [Store.care].
func (s *Store) look(ctx context.Context) error {
	fi, err := os.Stat(s.path())
	if err != nil {
		return err
	}
	suspect := exists(s.suspect())
	if fi.Size() > checkAtOnce && !suspect {
		return nil
	}
	if err := s.check(ctx, "quick_check"); err != nil || !suspect {
		return err
	}
	return ignoreMissing(os.Remove(s.suspect()))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// suspect is a file that tells the next start to check all of the database.
func (s *Store) suspect() string { return s.path() + ".suspect" }

// noteDamage is called where damage is met while working.
func (s *Store) noteDamage() {
	s.degrade("The database is damaged in part; what can be read is shown. At the next start Hobkin mends what can be mended.")
	if err := os.WriteFile(s.suspect(), nil, 0o600); err != nil {
		slog.Warn("store: noting damage", "error", err)
	}
}

// check runs one of SQLite's checks. A search index that alone is damaged is
// made again.
func (s *Store) check(ctx context.Context, pragma string) error {
	found, err := s.checkFresh(ctx, pragma)
	if err == nil && found != "" && onlyIndex(found) {
		slog.WarnContext(ctx, "store: the search index is damaged and is made again", "found", found)
		if err := s.rebuildIndex(ctx); err != nil {
			return err
		}
		found, err = s.checkFresh(ctx, pragma)
	}
	if err == nil && found != "" {
		return fmt.Errorf("%w: %s", errIntegrity, found)
	}
	return err
}

// checkFresh checks over a connection of its own. One that has searched before
// remembers how the index was then, and takes what other connections wrote
// since for damage.
func (s *Store) checkFresh(ctx context.Context, pragma string) (string, error) {
	db, err := sql.Open("sqlite", dsn(s.path(), "_pragma=query_only(1)"))
	if err != nil {
		return "", err
	}
	defer func() { _ = db.Close() }()
	return checkFile(ctx, db, pragma)
}

// checkFile returns the first things that are wrong, one a line.
func checkFile(ctx context.Context, db *sql.DB, pragma string) (string, error) {
	rows, err := db.QueryContext(ctx, "PRAGMA "+pragma+"(5)")
	if err != nil {
		return "", err
	}
	lines, err := collect(rows, func(r *sql.Rows) (line string, err error) { return line, r.Scan(&line) })
	if len(lines) == 1 && lines[0] == "ok" {
		return "", err
	}
	return strings.Join(lines, "\n"), err
}

// onlyIndex reports whether every line of a check is about the search.
func onlyIndex(found string) bool {
	for line := range strings.Lines(found) {
		if !strings.Contains(line, "fts5") && !strings.Contains(line, "FTS5") {
			return false
		}
	}
	return true
}

// rebuildIndex makes the search index from the tables.
func (s *Store) rebuildIndex(ctx context.Context) error {
	return s.transact(ctx, false, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE % USING fts5%'") // an older schema has fewer
		if err != nil {
			return err
		}
		indexes, err := collect(rows, func(r *sql.Rows) (name string, err error) { return name, r.Scan(&name) })
		if err != nil {
			return err
		}
		for _, index := range indexes {
			if _, err := tx.ExecContext(ctx, "INSERT INTO "+index+" ("+index+") VALUES ('rebuild')"); err != nil {
				return err
			}
		}
		return nil
	})
}

// Check reads the whole database, its indexes and references too, and reports
// what is wrong: for the doctor. The error is [ErrDamaged] where it is damaged.
func (s *Store) Check(ctx context.Context) error {
	if err := s.check(ctx, "integrity_check"); err != nil {
		return fmt.Errorf("store: check: %w", s.reading(ctx, err))
	}
	var orphans int
	err := s.readers.QueryRowContext(ctx, "SELECT count(*) FROM pragma_foreign_key_check").Scan(&orphans)
	if err == nil && orphans > 0 {
		err = fmt.Errorf("%w: %d rows belong to no session", errIntegrity, orphans)
	}
	if err != nil {
		return fmt.Errorf("store: check: %w", s.reading(ctx, err))
	}
	return nil
}

// care is the background work of a process that stays. One process at a time
// does it.
func (s *Store) care(ctx context.Context) {
	only := flock.New(filepath.Join(s.dir, "hobkin.care"), flock.SetPermissions(0o600))
	if ok, err := only.TryLock(); !ok || err != nil {
		return
	}
	defer func() { _ = only.Close() }()
	check, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if err := s.check(check, "quick_check"); isDamaged(err) {
		slog.ErrorContext(ctx, "store: check", "error", err)
		s.noteDamage()
		return // a backup of a damaged database would push out a good one
	}
	for _, job := range []struct {
		name string
		do   func(context.Context) error
	}{{"clearing leftovers", s.clear}, {"backup", s.backup}, {"purging", s.purgeOld}} {
		if err := job.do(ctx); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "store: "+job.name, "error", err)
		}
	}
}

func (s *Store) purgeOld(ctx context.Context) error {
	_, err := s.PurgeDeleted(ctx, s.now().Add(-KeepDeleted))
	return err
}

// clear removes temporary files that a killed process left.
func (s *Store) clear(ctx context.Context) error {
	return filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".tmp") {
			return errors.Join(ctx.Err(), ignoreMissing(err))
		}
		fi, err := d.Info()
		if err != nil || s.now().Sub(fi.ModTime()) < staleAfter {
			return ignoreMissing(err)
		}
		return ignoreMissing(os.Remove(path))
	})
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// isCut reports whether the file is shorter than its head says, which SQLite
// may notice only much later. A journal that is waiting may hold the rest.
func isCut(path string) (bool, error) {
	if fi, err := os.Stat(path + "-wal"); err == nil && fi.Size() > 0 {
		return false, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil {
		return false, err
	}
	var head [100]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return fi.Size() > 0, nil // an empty file is a new database
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = 65536
	}
	same := binary.BigEndian.Uint32(head[24:]) == binary.BigEndian.Uint32(head[92:]) // else the count is not valid
	return same && fi.Size() < page*int64(binary.BigEndian.Uint32(head[28:])), nil
}
