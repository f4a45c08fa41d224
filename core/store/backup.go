package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	backupEvery = 24 * time.Hour
	backupsKept = 3
)

// Backups lists the copies that could be restored, the newest first, as
// absolute paths.
func (s *Store) Backups() []string { return s.files("backup-") }

// files lists the files beside the database whose names go on so and end in a
// time, the newest first.
func (s *Store) files(kind string) []string {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil
	}
	var paths []string
	for _, e := range slices.Backward(entries) { // they are sorted by name
		when, ok := strings.CutPrefix(e.Name(), fileName+"."+kind)
		if ok && strings.Trim(when, "0123456789.-") == "" {
			paths = append(paths, filepath.Join(s.dir, e.Name()))
		}
	}
	return paths
}

// backup writes a copy at most once a day and removes the oldest.
func (s *Store) backup(ctx context.Context) error {
	have := s.Backups()
	if len(have) > 0 {
		if fi, err := os.Stat(have[0]); err == nil && s.now().Sub(fi.ModTime()) < backupEvery {
			return nil
		}
	}
	if err := s.copyTo(ctx, s.path()+".backup-"+s.now().UTC().Format("20060102-150405")); err != nil {
		return err
	}
	all := s.Backups()
	precious := s.beforeDamage(all)
	for _, old := range all[min(backupsKept, len(all)):] {
		if old == precious {
			continue
		}
		if err := os.Remove(old); err != nil {
			return err
		}
	}
	return nil
}

// beforeDamage returns the newest backup of the time before the database was
// put aside as damaged: as long as that lies here, someone may want it back.
func (s *Store) beforeDamage(backups []string) string {
	aside := s.files("damaged-")
	if len(aside) == 0 {
		return ""
	}
	when := strings.TrimPrefix(aside[0], s.path()+".damaged-")
	for _, b := range backups {
		if strings.TrimPrefix(b, s.path()+".backup-") < when {
			return b
		}
	}
	return ""
}

// verify checks a copy from end to end: that it is sound, and ours.
func verify(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", fileURL(path, "mode=ro", "_pragma=cell_size_check(1)"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	found, err := checkFile(ctx, db, "integrity_check")
	switch {
	case err != nil:
		return err
	case found != "":
		return fmt.Errorf("%w: %s", errIntegrity, found)
	}
	var sessions int
	return db.QueryRowContext(ctx, "SELECT count(*) FROM sessions").Scan(&sessions)
}

// RestoreBackup checks a backup and puts it into the place of the database in
// dir. The backup is a name in dir or a path. No process may have the database
// open, else the error is [ErrInUse]. The database of before is put aside, and
// its path returned; it is empty where there was none.
func RestoreBackup(ctx context.Context, dir, backup string) (aside string, err error) {
	if !filepath.IsAbs(backup) {
		backup = filepath.Join(dir, backup)
	}
	s := &Store{dir: dir, now: time.Now, lock: newLock(filepath.Join(dir, "hobkin.lock"))}
	aside, err = s.restore(ctx, backup)
	if err != nil {
		return aside, fmt.Errorf("store: restoring %s: %w", backup, err)
	}
	return aside, nil
}

// errNoBackup says that a file cannot serve as a backup.
var errNoBackup = errors.New("it is no sound backup; the database was left as it is")

func (s *Store) restore(ctx context.Context, backup string) (aside string, err error) {
	if err := s.lock.alone(ctx); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.lock.release()) }()
	tmp := s.path() + ".restore.tmp"
	defer func() { _ = os.Remove(tmp) }() // gone already when all went well
	if err := copyFile(backup, tmp); err != nil {
		return "", err
	}
	if err := verify(ctx, tmp); err != nil { // the very bytes that will be used
		return "", &fault{errNoBackup, err}
	}
	if aside, err = s.putAside("replaced"); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, s.path()); err != nil {
		return aside, err
	}
	return aside, syncDir(s.dir)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// putAside renames the database and its journals, so that nothing of it is
// lost. It returns "" when there is no database.
func (s *Store) putAside(why string) (string, error) {
	aside := s.path() + "." + why + "-" + s.now().UTC().Format("20060102-150405.000")
	if _, err := os.Lstat(s.path()); errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	// The journal goes first: alone it would be applied to a new database.
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if err := ignoreMissing(os.Rename(s.path()+suffix, aside+suffix)); err != nil {
			return "", err
		}
	}
	return aside, syncDir(s.dir)
}

// backupHint names the newest backup that is sound, as a sentence.
func (s *Store) backupHint(ctx context.Context) string {
	for _, path := range s.Backups() {
		if verify(ctx, path) == nil {
			return " The backup " + filepath.Base(path) + " is sound and can be restored."
		}
	}
	return ""
}
