package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The failures that a person can do something about.
var (
	ErrDiskFull  = errors.New("the disk is full: free some space and try again")
	ErrReadOnly  = errors.New("the data folder cannot be written: check its owner and permissions")
	ErrNewer     = errors.New("the database was written by a newer version of Hobkin: use that version, or another data folder")
	ErrInUse     = errors.New("another Hobkin has the database open: quit it and try again")
	ErrDamaged   = errors.New("the database is damaged here: quit Hobkin and start it again, it then mends what can be mended")
	ErrBusy      = errors.New("another program keeps the database locked: quit it and try again")
	ErrNotFound  = errors.New("not found")
	ErrExists    = errors.New("it is there already")
	ErrAmbiguous = errors.New("several sessions begin so: give more of the id")
)

// errIntegrity is what a failed check of the database wraps.
var errIntegrity = errors.New("the check found damage")

// A fault says one thing to people and keeps the cause for errors.Is and As.
type fault struct{ said, cause error }

func (f *fault) Error() string   { return f.said.Error() }
func (f *fault) Unwrap() []error { return []error{f.said, f.cause} }

// explain turns what SQLite and the system say into what a person can act on,
// and notes damage, so that the next start looks closer.
func (s *Store) explain(err error) error {
	var se *sqlite.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return &fault{ErrNotFound, err}
	case errors.Is(err, ErrInUse):
		return err
	case isDamaged(err):
		s.noteDamage()
		return &fault{ErrDamaged, err}
	case isDiskFull(err):
		return &fault{ErrDiskFull, err}
	case isReadOnly(err):
		return &fault{ErrReadOnly, err}
	case !errors.As(err, &se):
		return err
	}
	switch se.Code() & 0xff { // the low byte is the primary code
	case sqlite3.SQLITE_FULL:
		return &fault{ErrDiskFull, err}
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return &fault{ErrReadOnly, err}
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return &fault{ErrBusy, err}
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR:
		return s.probe(err)
	}
	return err
}

// probe finds out why SQLite could not use the folder, which it does not tell.
func (s *Store) probe(cause error) error {
	f, err := os.CreateTemp(s.dir, "probe-*.tmp")
	if err == nil {
		_, err = f.Write(make([]byte, 4096))
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	switch {
	case isDiskFull(err):
		return &fault{ErrDiskFull, cause}
	case isReadOnly(err):
		return &fault{ErrReadOnly, cause}
	}
	return cause
}

func isReadOnly(err error) bool { return errors.Is(err, os.ErrPermission) || isReadOnlyErrno(err) }

func isDamaged(err error) bool {
	if errors.Is(err, errIntegrity) {
		return true
	}
	code := sqliteCode(err) & 0xff
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB || isIndexBeyondRepair(err)
}

// isIndexBeyondRepair reports whether a search index cannot even be made again,
// because what it says of itself is damaged. SQLite has no code for that.
func isIndexBeyondRepair(err error) bool {
	return sqliteCode(err) == sqlite3.SQLITE_ERROR && strings.Contains(err.Error(), "invalid fts5 file format")
}

// isConstraint reports whether a row was refused by the schema.
func isConstraint(err error) bool { return sqliteCode(err)&0xff == sqlite3.SQLITE_CONSTRAINT }

// isIndexDamage reports whether only the search index is damaged, which can be
// made again. A primary key that is taken can only be one inside the index: our
// own statements give new ones or say what to do.
func isIndexDamage(err error) bool {
	code := sqliteCode(err)
	return code == sqlite3.SQLITE_CORRUPT_VTAB || code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}

func sqliteCode(err error) int {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return 0
	}
	return se.Code()
}

// reading explains the error of a query. One that comes of a cancelled context
// is just that.
func (s *Store) reading(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return s.explain(err)
}
