// Package store keeps what the agent must not forget: sessions with their
// messages and events, the undo journal, outputs, approvals, grants and usage.
//
// All of it is one SQLite database beside a few folders of files. There is one
// writer connection and a pool of readers; several processes may have the
// database open at once. What a method has returned nil for survives a kill of
// the process at the next instant; messages, sessions, approvals, grants and
// undo records are also flushed to the disk before it returns.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A Store is an open database. Make one with [Open].
type Store struct {
	dir     string
	now     func() time.Time
	writer  *sql.DB // one connection
	readers *sql.DB

	mu       sync.Mutex
	degraded string
	work     sync.WaitGroup // background check and backup
	stop     context.CancelFunc
}

// Options say where and how to open.
type Options struct {
	Dir string           // absolute data folder; made with mode 0700
	Now func() time.Time // nil is the real clock
	// Care has the database checked and backed up in the background: for a
	// process that stays, not for one command.
	Care bool
}

// The failures that a person can do something about.
var (
	ErrDiskFull = errors.New("the disk is full: free some space and try again")
	ErrReadOnly = errors.New("the data folder cannot be written: check its owner and permissions")
	ErrNewer    = errors.New("the database was written by a newer version of Hobkin: use that version, or another data folder")
	ErrNotFound = errors.New("not found")
)

const fileName = "hobkin.db"

// Open opens the database in opts.Dir, and makes it when there is none. One that
// is damaged is put aside, never deleted, and [Store.Degraded] says so.
func Open(ctx context.Context, opts Options) (*Store, error) {
	if !filepath.IsAbs(opts.Dir) {
		return nil, fmt.Errorf("store: the data folder %q is not an absolute path", opts.Dir)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("store: %w", explain(err))
	}
	s := &Store{dir: opts.Dir, now: opts.Now}
	err := s.connect(ctx)
	if isDamaged(err) {
		var aside string
		if aside, err = s.putAside(); err == nil {
			s.degraded = "The database was damaged and was put aside as " + aside + "; a new one was started." + s.backupHint()
			err = s.connect(ctx)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("store: opening %s: %w", s.path(), explain(err))
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	if opts.Care {
		s.work.Go(func() { s.care(life) })
	}
	return s, nil
}

// Close ends background work and closes the database.
func (s *Store) Close() error {
	s.stop()
	s.work.Wait()
	return errors.Join(s.readers.Close(), s.writer.Close())
}

// Degraded says, in a sentence, what is broken and was worked around; empty when
// nothing is.
func (s *Store) Degraded() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.degraded
}

func (s *Store) path() string { return filepath.Join(s.dir, fileName) }

// maxReaders bounds the pool; more would only wait for the same disk.
const maxReaders = 4

// connect opens both handles and brings the schema up to date.
func (s *Store) connect(ctx context.Context) error {
	if err := touch(s.path()); err != nil {
		return err
	}
	var err error
	if s.writer, err = sql.Open("sqlite", dsn(s.path(), "_txlock=immediate", "_pragma=synchronous(normal)")); err != nil {
		return err
	}
	s.writer.SetMaxOpenConns(1)
	if s.readers, err = sql.Open("sqlite", dsn(s.path(), "_pragma=query_only(1)")); err != nil {
		return errors.Join(err, s.writer.Close())
	}
	s.readers.SetMaxOpenConns(maxReaders)
	if err := s.migrate(ctx); err != nil {
		_, _ = s.readers.Close(), s.writer.Close()
		return err
	}
	return nil
}

// touch makes the file private before SQLite makes it by its own rules; the
// journal files take over its mode.
func touch(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// dsn names the file and what every connection to it sets: waiting for another
// process's write takes up to ten seconds.
func dsn(path string, more ...string) string {
	u := url.URL{Scheme: "file", Path: path}
	u.RawQuery = strings.Join(append(more, "_pragma=busy_timeout(10000)", "_pragma=journal_mode(WAL)", "_pragma=foreign_keys(1)"), "&")
	return u.String()
}

// write runs fn in a transaction of the writer. With flush the commit reaches
// the disk before write returns, so that it survives a loss of power too.
func (s *Store) write(ctx context.Context, flush bool, fn func(*sql.Tx) error) error {
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return explain(err)
	}
	defer func() { _ = conn.Close() }() // gives it back to the pool
	if flush {
		if _, err := conn.ExecContext(ctx, "PRAGMA synchronous=FULL"); err != nil {
			return explain(err)
		}
		defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA synchronous=NORMAL") }()
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return explain(err)
	}
	if err := fn(tx); err != nil {
		return errors.Join(explain(err), ignoreDone(tx.Rollback()))
	}
	return explain(tx.Commit())
}

// ignoreDone drops the error of a rollback that a cancelled context did already.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// explain turns what SQLite and the system say into what a person can act on.
func explain(err error) error {
	var se *sqlite.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return ErrNotFound
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%w (%w)", ErrReadOnly, err)
	case !errors.As(err, &se):
		return err
	}
	switch se.Code() & 0xff { // the low byte is the primary code
	case sqlite3.SQLITE_FULL:
		return ErrDiskFull
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%w (%w)", ErrReadOnly, err)
	}
	return err
}

func isDamaged(err error) bool {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return errors.Is(err, errIntegrity)
	}
	code := se.Code() & 0xff
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}
