package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// errIntegrity is what a failed check of the database wraps.
var errIntegrity = errors.New("the database is damaged")

const (
	backupEvery = 24 * time.Hour
	backupsKept = 3
	checkTime   = time.Minute // a check that takes longer is left to the doctor
)

// care checks the database and keeps a few backups of it.
func (s *Store) care(ctx context.Context) {
	check, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if err := s.Check(check); errors.Is(err, errIntegrity) {
		slog.Error("store: check", "error", err)
		s.mu.Lock()
		s.degraded = "The database is damaged in part; what can be read is shown." + s.backupHint()
		s.mu.Unlock()
		return // a backup of a damaged database would push out a good one
	}
	if err := s.backup(ctx); err != nil && ctx.Err() == nil {
		slog.Warn("store: backup", "error", err)
	}
}

// Check reads the whole database and reports the first thing that is wrong.
func (s *Store) Check(ctx context.Context) error {
	var result string
	err := s.readers.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&result)
	switch {
	case isDamaged(err):
		return fmt.Errorf("%w: %w", errIntegrity, err)
	case err != nil:
		return explain(err)
	case result != "ok":
		return fmt.Errorf("%w: %s", errIntegrity, result)
	}
	return nil
}

// Backups lists the copies that can be restored, the newest first.
func (s *Store) Backups() []string {
	names, _ := filepath.Glob(s.path() + ".backup-*") // the pattern is well formed
	names = slices.DeleteFunc(names, func(n string) bool { return strings.HasSuffix(n, ".tmp") })
	slices.Sort(names)
	slices.Reverse(names)
	return names
}

// backup writes a copy at most once a day and removes the oldest.
func (s *Store) backup(ctx context.Context) error {
	have := s.Backups()
	if len(have) > 0 {
		if fi, err := os.Stat(have[0]); err == nil && s.now().Sub(fi.ModTime()) < backupEvery {
			return nil
		}
	}
	path := s.path() + ".backup-" + s.now().UTC().Format("20060102-150405")
	if err := s.copyTo(ctx, path); err != nil {
		return err
	}
	if err := verify(ctx, path); err != nil {
		return errors.Join(fmt.Errorf("the backup is not sound: %w", err), os.Remove(path))
	}
	for _, old := range s.Backups()[min(backupsKept, len(have)+1):] {
		if err := os.Remove(old); err != nil {
			return err
		}
	}
	return nil
}

// verify checks a copy from end to end.
func verify(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro"}).String())
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var result string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&result); err != nil {
		return err
	}
	if result != "ok" {
		return fmt.Errorf("%w: %s", errIntegrity, result)
	}
	return nil
}

// RestoreBackup puts a verified backup into the place of the database in dir,
// which no process may have open. The database of before is put aside, and its
// path returned.
func RestoreBackup(ctx context.Context, dir, backup string) (aside string, err error) {
	if err := verify(ctx, backup); err != nil {
		return "", fmt.Errorf("store: %s cannot be restored: %w", backup, err)
	}
	s := &Store{dir: dir, now: time.Now}
	if aside, err = s.putAside(); err != nil {
		return "", fmt.Errorf("store: %w", err)
	}
	data, err := os.ReadFile(backup)
	if err != nil {
		return aside, fmt.Errorf("store: %w", err)
	}
	if err := writeFile(s.path(), data); err != nil {
		return aside, fmt.Errorf("store: %w", err)
	}
	return aside, nil
}

// putAside renames the database and its journals, so that nothing of it is lost.
func (s *Store) putAside() (string, error) {
	aside := s.path() + ".damaged-" + s.now().UTC().Format("20060102-150405.000")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(s.path()+suffix, aside+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return aside, nil
}

// backupHint names the backup that could be restored, as a sentence.
func (s *Store) backupHint() string {
	if have := s.Backups(); len(have) > 0 {
		return " The newest backup is " + have[0] + "."
	}
	return ""
}
