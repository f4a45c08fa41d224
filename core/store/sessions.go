package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Session is a conversation's card.
type Session struct {
	ID        string // letters, digits, - and _; at most 64
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

// NewSession is a session that is to be created: its times and counts are set
// by the store, and its id too when it has none.
type NewSession = Session

// CreateSession stores a new session and returns it with id and times. The
// error is [ErrExists] when the id is taken.
func (s *Store) CreateSession(ctx context.Context, n NewSession) (Session, error) {
	if n.ID == "" {
		n.ID = NewID()
	}
	if !isName(n.ID) {
		return Session{}, fmt.Errorf("store: %q cannot be the id of a session", n.ID)
	}
	n.Title = clip(n.Title)
	n.Created = s.now().UTC().Truncate(time.Microsecond)
	n.Updated, n.Deleted, n.Messages, n.Snippet = n.Created, time.Time{}, 0, ""
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		switch _, err := sessionNum(ctx, tx, n.ID); {
		case err == nil:
			return ErrExists
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		_, err := tx.ExecContext(ctx,
			"INSERT INTO sessions (id, title, grams, workspace, mode, model, channel, pinned, created, updated) VALUES (?,?,?,?,?,?,?,?,?,?)",
			n.ID, n.Title, grams(n.Title), n.Workspace, n.Mode, n.Model, n.Channel, n.Pinned, micros(n.Created), micros(n.Updated))
		return err
	})
	if err != nil {
		return Session{}, fmt.Errorf("store: creating session %s: %w", n.ID, err)
	}
	return n, nil
}

// isName reports whether id can be a file's name on every system.
func isName(id string) bool {
	const allowed = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
	return id != "" && len(id) <= 64 && strings.Trim(id, allowed) == ""
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

// Session returns a session, also a deleted one, by its id or by the beginning
// of its id (6 characters at least). The error is [ErrNotFound] when there is
// none, [ErrAmbiguous] when several begin so.
func (s *Store) Session(ctx context.Context, id string) (Session, error) {
	x, err := scanSession(s.readers.QueryRowContext(ctx, "SELECT "+sessionColumns+" FROM sessions WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) && len(id) >= minPrefix && isName(id) {
		x, err = s.sessionByPrefix(ctx, id)
	}
	if err != nil {
		return Session{}, fmt.Errorf("store: session %q: %w", id, s.reading(ctx, err))
	}
	return x, nil
}

// sessionByPrefix also takes the letters of our own ids, which are small, in
// capitals.
func (s *Store) sessionByPrefix(ctx context.Context, prefix string) (Session, error) {
	for _, p := range []string{prefix, strings.ToLower(prefix)} {
		rows, err := s.readers.QueryContext(ctx, "SELECT "+sessionColumns+" FROM sessions WHERE id >= ? AND id < ? LIMIT 2", p, p+"~")
		if err != nil {
			return Session{}, err
		}
		found, err := collect(rows, func(r *sql.Rows) (Session, error) { return scanSession(r) })
		switch {
		case err != nil:
			return Session{}, err
		case len(found) > 1:
			return Session{}, ErrAmbiguous
		case len(found) == 1:
			return found[0], nil
		}
	}
	return Session{}, sql.ErrNoRows
}

// A Change sets what is not nil.
type Change struct {
	Title, Mode, Model, Workspace *string
	Pinned                        *bool
}

// UpdateSession changes a session's card and returns it.
func (s *Store) UpdateSession(ctx context.Context, id string, c Change) (Session, error) {
	var pieces *string
	if c.Title != nil {
		title := clip(*c.Title)
		g := grams(title)
		c.Title, pieces = &title, &g
	}
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		return one(tx.ExecContext(ctx,
			"UPDATE sessions SET title = coalesce(?, title), grams = coalesce(?, grams), mode = coalesce(?, mode), model = coalesce(?, model), "+
				"workspace = coalesce(?, workspace), pinned = coalesce(?, pinned) WHERE id = ?",
			c.Title, pieces, c.Mode, c.Model, c.Workspace, c.Pinned, id))
	})
	if err != nil {
		return Session{}, fmt.Errorf("store: changing session %q: %w", id, err)
	}
	return s.Session(ctx, id)
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
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, "UPDATE sessions SET deleted = ? WHERE id = ?", at, id))
	})
	if err != nil {
		return fmt.Errorf("store: session %q: %w", id, err)
	}
	return nil
}
