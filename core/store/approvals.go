package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// An Approval is what was asked of a person and how it was answered.
type Approval struct {
	ID          string
	Session     string
	Turn        string
	Call        string
	Tool        string
	Args        string // JSON
	Fingerprint string
	Reason      string
	Decision    string
	By          string
	At          time.Time
}

// RecordApproval keeps a request and its answer. One that has an answer never
// changes again; the same id adds the answer to one that has none.
func (s *Store) RecordApproval(ctx context.Context, a Approval) error {
	if a.At.IsZero() {
		a.At = s.now()
	}
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			"INSERT INTO approvals (id, session, turn, call, tool, args, fingerprint, reason, decision, decided_by, at) VALUES (?,?,?,?,?,?,?,?,?,?,?) "+
				"ON CONFLICT (id) DO UPDATE SET decision = excluded.decision, decided_by = excluded.decided_by, at = excluded.at WHERE decision = '' AND fingerprint = excluded.fingerprint",
			a.ID, a.Session, a.Turn, a.Call, a.Tool, a.Args, a.Fingerprint, a.Reason, a.Decision, a.By, micros(a.At))
		return err
	})
	if err != nil {
		return fmt.Errorf("store: recording an approval: %w", err)
	}
	return nil
}

// Approvals lists what was asked in a session, in order.
func (s *Store) Approvals(ctx context.Context, session string) ([]Approval, error) {
	rows, err := s.readers.QueryContext(ctx,
		"SELECT id, session, turn, call, tool, args, fingerprint, reason, decision, decided_by, at FROM approvals WHERE session = ? ORDER BY at, id", session)
	if err != nil {
		return nil, fmt.Errorf("store: approvals: %w", s.reading(ctx, err))
	}
	list, err := collect(rows, func(r *sql.Rows) (a Approval, err error) {
		var at int64
		err = r.Scan(&a.ID, &a.Session, &a.Turn, &a.Call, &a.Tool, &a.Args, &a.Fingerprint, &a.Reason, &a.Decision, &a.By, &at)
		a.At = fromMicros(at)
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("store: approvals: %w", s.reading(ctx, err))
	}
	return list, nil
}

// A Grant is a folder that a person let the agent use.
type Grant struct {
	Path   string
	Source string // who granted it
	At     time.Time
}

// AddGrant keeps a grant; one that is there already is left as it is.
func (s *Store) AddGrant(ctx context.Context, path, source string) error {
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO grants (path, source, at) VALUES (?,?,?)", path, source, micros(s.now()))
		return err
	})
	if err != nil {
		return fmt.Errorf("store: granting: %w", err)
	}
	return nil
}

// RemoveGrant forgets a grant; the error is [ErrNotFound] when there is none.
func (s *Store) RemoveGrant(ctx context.Context, path string) error {
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, "DELETE FROM grants WHERE path = ?", path))
	})
	if err != nil {
		return fmt.Errorf("store: revoking %s: %w", path, err)
	}
	return nil
}

// Grants lists the grants by path.
func (s *Store) Grants(ctx context.Context) ([]Grant, error) {
	rows, err := s.readers.QueryContext(ctx, "SELECT path, source, at FROM grants ORDER BY path")
	if err != nil {
		return nil, fmt.Errorf("store: grants: %w", s.reading(ctx, err))
	}
	list, err := collect(rows, func(r *sql.Rows) (g Grant, err error) {
		var at int64
		err = r.Scan(&g.Path, &g.Source, &at)
		g.At = fromMicros(at)
		return g, err
	})
	if err != nil {
		return nil, fmt.Errorf("store: grants: %w", s.reading(ctx, err))
	}
	return list, nil
}
