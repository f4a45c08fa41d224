package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// A Session is a conversation's card.
type Session struct {
	ID        string
	Title     string
	Workspace string // absolute
	Mode      string // permission mode; empty is the default
	Model     string // provider/model; empty is the main role's
	Channel   string // where it began
	Pinned    bool
	Messages  int
	Created   time.Time
	Updated   time.Time
	Deleted   time.Time // zero when it is not
	Snippet   string    // where a search matched; the match is in [ ]
}

// CreateSession stores a new session and returns it with id and times.
func (s *Store) CreateSession(ctx context.Context, n Session) (Session, error) {
	if n.ID == "" {
		n.ID = NewID()
	}
	n.Created = s.now().UTC().Truncate(time.Microsecond)
	n.Updated = n.Created
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			"INSERT INTO sessions (id, title, workspace, mode, model, channel, pinned, created, updated) VALUES (?,?,?,?,?,?,?,?,?)",
			n.ID, n.Title, n.Workspace, n.Mode, n.Model, n.Channel, n.Pinned, micros(n.Created), micros(n.Updated))
		if err != nil {
			return err
		}
		return index(ctx, tx, n.ID, n.Title)
	})
	if err != nil {
		return Session{}, fmt.Errorf("store: creating a session: %w", err)
	}
	return n, nil
}

const sessionColumns = "id, title, workspace, mode, model, channel, pinned, messages, created, updated, deleted"

func scanSession(row interface{ Scan(...any) error }, more ...any) (Session, error) {
	var x Session
	var created, updated, deleted int64
	err := row.Scan(append([]any{&x.ID, &x.Title, &x.Workspace, &x.Mode, &x.Model, &x.Channel, &x.Pinned, &x.Messages, &created, &updated, &deleted}, more...)...)
	x.Created, x.Updated, x.Deleted = fromMicros(created), fromMicros(updated), fromMicros(deleted)
	return x, err
}

// minPrefix is how many characters of an id are enough to name a session.
const minPrefix = 6

// Session returns a session by its id, or by the beginning of its id when no
// other begins so. The error is [ErrNotFound] when there is none.
func (s *Store) Session(ctx context.Context, id string) (Session, error) {
	x, err := scanSession(s.readers.QueryRowContext(ctx, "SELECT "+sessionColumns+" FROM sessions WHERE id = ?", id))
	if !errors.Is(err, sql.ErrNoRows) || len(id) < minPrefix {
		return x, wrapSession(id, err)
	}
	rows, err := s.readers.QueryContext(ctx, "SELECT "+sessionColumns+" FROM sessions WHERE id >= ? AND id < ? LIMIT 2", id, id+"~")
	if err != nil {
		return Session{}, wrapSession(id, err)
	}
	found, err := collect(rows, func(r *sql.Rows) (Session, error) { return scanSession(r) })
	switch {
	case err != nil:
		return Session{}, wrapSession(id, err)
	case len(found) == 0:
		return Session{}, wrapSession(id, sql.ErrNoRows)
	case len(found) > 1:
		return Session{}, fmt.Errorf("store: several sessions begin with %q; give more of the id: %w", id, ErrNotFound)
	}
	return found[0], nil
}

func wrapSession(id string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("store: there is no session %q: %w", id, ErrNotFound)
	}
	return fmt.Errorf("store: session %q: %w", id, explain(err))
}

// collect reads all rows and closes them.
func collect[T any](rows *sql.Rows, scan func(*sql.Rows) (T, error)) ([]T, error) {
	defer func() { _ = rows.Close() }()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// A Query picks sessions.
type Query struct {
	Search  string // words in titles and messages; any text is safe
	Limit   int    // 0 means 50
	Offset  int
	Deleted bool // the deleted ones instead of the others
}

// Sessions lists sessions: pinned ones first, then the newest first.
func (s *Store) Sessions(ctx context.Context, q Query) ([]Session, error) {
	if q.Limit <= 0 {
		q.Limit = 50
	}
	with, from, snippet, args := "", "sessions", "''", []any{}
	if match := matchQuery(q.Search); match != "" {
		with = "WITH hits AS MATERIALIZED (SELECT session, snippet(search, 1, '[', ']', '…', 12) AS snip, rank AS r FROM search WHERE search MATCH ?) "
		from = "sessions JOIN (SELECT session, snip, min(r) FROM hits GROUP BY session) m ON m.session = id"
		snippet = "m.snip"
		args = append(args, match)
	}
	where := "deleted = 0"
	if q.Deleted {
		where = "deleted > 0"
	}
	rows, err := s.readers.QueryContext(ctx,
		with+"SELECT "+sessionColumns+", "+snippet+" FROM "+from+" WHERE "+where+" ORDER BY pinned DESC, updated DESC LIMIT ? OFFSET ?",
		append(args, q.Limit, q.Offset)...)
	if err != nil {
		return nil, fmt.Errorf("store: listing sessions: %w", explain(err))
	}
	list, err := collect(rows, func(r *sql.Rows) (Session, error) {
		var snip string
		x, err := scanSession(r, &snip)
		x.Snippet = snip
		return x, err
	})
	if err != nil {
		return nil, fmt.Errorf("store: listing sessions: %w", explain(err))
	}
	return list, nil
}

// matchQuery makes any text into a query that finds all of its words, the last
// one by its beginning. Text without a word makes "".
func matchQuery(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	if len(words) == 0 {
		return ""
	}
	for i, w := range words {
		words[i] = `"` + w + `"`
	}
	return strings.Join(words, " ") + "*"
}

// A Change sets what is not nil.
type Change struct {
	Title, Mode, Model, Workspace *string
	Pinned                        *bool
}

// UpdateSession changes a session's card and returns it.
func (s *Store) UpdateSession(ctx context.Context, id string, c Change) (Session, error) {
	var sets []string
	var args []any
	for column, v := range map[string]*string{"title": c.Title, "mode": c.Mode, "model": c.Model, "workspace": c.Workspace} {
		if v != nil {
			sets, args = append(sets, column+" = ?"), append(args, *v)
		}
	}
	if c.Pinned != nil {
		sets, args = append(sets, "pinned = ?"), append(args, *c.Pinned)
	}
	if len(sets) > 0 {
		err := s.write(ctx, true, func(tx *sql.Tx) error {
			if err := one(tx.ExecContext(ctx, "UPDATE sessions SET "+strings.Join(sets, ", ")+" WHERE id = ?", append(args, id)...)); err != nil {
				return err
			}
			if c.Title == nil {
				return nil
			}
			return index(ctx, tx, id, *c.Title)
		})
		if err != nil {
			return Session{}, wrapSession(id, err)
		}
	}
	return s.Session(ctx, id)
}

// one makes an update that hit nothing into [sql.ErrNoRows].
func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return sql.ErrNoRows
}

// index makes text findable under its session.
func index(ctx context.Context, tx *sql.Tx, session, text string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO search (session, text) VALUES (?, ?)", session, text)
	return err
}

// DeleteSession takes a session out of the lists; it can be restored until it
// is purged.
func (s *Store) DeleteSession(ctx context.Context, id string) error {
	return s.setDeleted(ctx, id, micros(s.now()))
}

// RestoreSession brings a deleted session back.
func (s *Store) RestoreSession(ctx context.Context, id string) error {
	return s.setDeleted(ctx, id, 0)
}

func (s *Store) setDeleted(ctx context.Context, id string, at int64) error {
	return wrapSession(id, s.write(ctx, true, func(tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, "UPDATE sessions SET deleted = ? WHERE id = ?", at, id))
	}))
}

// PurgeDeleted removes sessions that were deleted before a time, with their
// messages, events and outputs, and returns how many there were.
func (s *Store) PurgeDeleted(ctx context.Context, before time.Time) (int, error) {
	rows, err := s.readers.QueryContext(ctx, "SELECT id FROM sessions WHERE deleted > 0 AND deleted < ?", micros(before))
	if err != nil {
		return 0, fmt.Errorf("store: purging: %w", explain(err))
	}
	ids, err := collect(rows, func(r *sql.Rows) (id string, err error) { return id, r.Scan(&id) })
	if err != nil {
		return 0, fmt.Errorf("store: purging: %w", explain(err))
	}
	for _, id := range ids {
		if err := s.purge(ctx, id); err != nil {
			return 0, fmt.Errorf("store: purging %s: %w", id, err)
		}
	}
	return len(ids), nil
}

func (s *Store) purge(ctx context.Context, id string) error {
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		for _, q := range []string{"DELETE FROM search WHERE session = ?", "DELETE FROM outputs WHERE session = ?", "DELETE FROM sessions WHERE id = ?"} {
			if _, err := tx.ExecContext(ctx, q, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(s.dir, "sessions", id))
}
