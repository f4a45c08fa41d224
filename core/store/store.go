// Package store keeps what the agent must not forget: sessions with their
// messages and events, the undo journal, outputs, approvals, grants and usage.
//
// All of it is one SQLite database beside a few folders of files. There is one
// writer connection and a pool of readers; several processes may have the
// database open at once. What a method has returned nil for survives a kill of
// the process at the next instant; messages, sessions, approvals, grants and
// undo records are also flushed to the disk before it returns.
//
// Nothing that is damaged is ever deleted or hidden: a row that cannot be read
// is left out with a warning, a database that cannot be used is put aside, what
// can still be read of it is brought over, and [Store.Degraded] says so.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// A Store is an open database. Make one with [Open].
type Store struct {
	dir     string
	now     func() time.Time
	scripts fs.FS // the migrations
	lock    lock
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
	// Care has the database checked, backed up and cleared of what was deleted
	// long ago, in the background: for a process that stays, not for one command.
	Care bool
}

const fileName = "hobkin.db"

// Open opens the database in opts.Dir, and makes it when there is none. One that
// is damaged is put aside, never deleted, and [Store.Degraded] says so. The
// errors a person can do something about are [ErrReadOnly], [ErrDiskFull],
// [ErrNewer] and [ErrInUse].
func Open(ctx context.Context, opts Options) (*Store, error) {
	return open(ctx, opts, migrations)
}

func open(ctx context.Context, opts Options, scripts fs.FS) (*Store, error) {
	if !filepath.IsAbs(opts.Dir) {
		return nil, fmt.Errorf("store: the data folder %q is not an absolute path", opts.Dir)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	s := &Store{dir: opts.Dir, now: opts.Now, scripts: scripts, lock: newLock(filepath.Join(opts.Dir, "hobkin.lock"))}
	if err := s.start(ctx); err != nil {
		return nil, fmt.Errorf("store: opening %s: %w", s.path(), s.explain(err))
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	if opts.Care {
		s.work.Go(func() { s.care(life) })
	}
	return s, nil
}

// start makes the folder and connects; where the database is damaged it mends.
func (s *Store) start(ctx context.Context) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if err := s.join(ctx); err != nil {
		return err
	}
	err := s.connect(ctx)
	if isDamaged(err) {
		err = s.mend(ctx)
	}
	if err != nil {
		return errors.Join(err, s.lock.release())
	}
	return nil
}

// maxJoins bounds how often a start looks whether another process has made the
// database meanwhile.
const maxJoins = 100

// join takes a share of the lock. Where there is no database yet, one process
// makes it while the others wait.
func (s *Store) join(ctx context.Context) error {
	for range maxJoins {
		if isNew(s.path()) {
			if err := s.lock.ifFree(func() error { return s.create(ctx) }); err != nil {
				return err
			}
		}
		if err := s.lock.share(ctx); err != nil {
			return err
		}
		if !isNew(s.path()) {
			return nil
		}
		if err := s.lock.release(); err != nil { // whoever was making it was killed
			return err
		}
	}
	return ErrInUse
}

func isNew(path string) bool {
	fi, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && fi.Size() == 0
}

// Close ends background work and closes the database.
func (s *Store) Close() error {
	s.stop()
	s.work.Wait()
	return errors.Join(s.disconnect(), s.lock.release())
}

// Degraded says, in sentences, what is broken and was worked around; empty when
// nothing is. It can change while the store is open.
func (s *Store) Degraded() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.degraded
}

// degrade sets what [Store.Degraded] says; the first thing said stays.
func (s *Store) degrade(sentence string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.degraded == "" {
		s.degraded = sentence
	}
}

func (s *Store) path() string { return filepath.Join(s.dir, fileName) }

// maxReaders bounds the pool; more would only wait for the same disk.
const maxReaders = 4

// connect opens both handles, looks at the database and brings its schema up to
// date.
func (s *Store) connect(ctx context.Context) error {
	if err := touch(s.path()); err != nil {
		return err
	}
	var err error
	if s.writer, err = sql.Open("sqlite", dsn(s.path(), "_txlock=immediate", "_pragma=synchronous(normal)", "_pragma=journal_size_limit(16777216)")); err != nil {
		return err
	}
	s.writer.SetMaxOpenConns(1)
	if s.readers, err = sql.Open("sqlite", dsn(s.path(), "_pragma=query_only(1)")); err != nil {
		return errors.Join(err, s.writer.Close())
	}
	s.readers.SetMaxOpenConns(maxReaders)
	s.readers.SetMaxIdleConns(maxReaders)
	if err := s.bringUp(ctx); err != nil {
		return errors.Join(err, s.disconnect())
	}
	return nil
}

// bringUp refuses a newer schema before anything else, so that it stays as it is.
func (s *Store) bringUp(ctx context.Context) error {
	names, err := scriptNames(s.scripts)
	if err != nil {
		return err
	}
	cut, err := isCut(s.path())
	switch {
	case err != nil:
		return err
	case cut:
		return fmt.Errorf("%w: the file is cut off", errIntegrity)
	}
	version, err := s.version(ctx)
	switch {
	case err != nil:
		return err
	case version > len(names):
		return ErrNewer
	case version > 0:
		if err := s.look(ctx); err != nil {
			return err
		}
	}
	return s.migrate(ctx, names, version)
}

func (s *Store) disconnect() error { return errors.Join(s.readers.Close(), s.writer.Close()) }

// touch makes the file private before SQLite makes it by its own rules; the
// journal files take over its mode.
func touch(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil || fi.Mode().Perm()&0o077 == 0 || !modesCount {
		return err
	}
	return f.Chmod(0o600)
}

// dsn names the file and what every connection to it sets: waiting for another
// process's write takes up to ten seconds.
func dsn(path string, more ...string) string {
	return fileURL(path, append(more, "_pragma=busy_timeout(10000)", "_pragma=journal_mode(WAL)", "_pragma=foreign_keys(1)")...)
}

// fileURL is how SQLite is told a path, whatever characters it has.
func fileURL(path string, params ...string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: strings.Join(params, "&")}
	return u.String()
}

// write runs fn in a transaction of the writer. With flush the commit reaches
// the disk before write returns, so that it survives a loss of power too. fn may
// be run twice: a damaged search index is made again and hinders nothing.
func (s *Store) write(ctx context.Context, flush bool, fn func(*sql.Tx) error) error {
	err := s.transact(ctx, flush, fn)
	if isIndexDamage(err) && s.rebuildIndex(ctx) == nil {
		err = s.transact(ctx, flush, fn)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // what SQLite says of it only follows from that
	}
	return s.explain(err)
}

func (s *Store) transact(ctx context.Context, flush bool, fn func(*sql.Tx) error) error {
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // gives it back to the pool
	if flush {
		if _, err := conn.ExecContext(ctx, "PRAGMA synchronous=FULL"); err != nil {
			return err
		}
		defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA synchronous=NORMAL") }()
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, ignoreDone(tx.Rollback()))
	}
	return tx.Commit()
}

// ignoreDone drops the error of a rollback that a cancelled context did already.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}
