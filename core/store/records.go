package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"time"
)

// SaveOutput keeps a whole output of a call beside its session and returns the
// absolute path of the file.
func (s *Store) SaveOutput(ctx context.Context, session, call, text string) (string, error) {
	sum := sha256.Sum256([]byte(call + "\x00" + text))
	path := filepath.Join(s.dir, "sessions", filepath.Base(filepath.Clean("/"+session)), "outputs", hex.EncodeToString(sum[:8])+".txt")
	if err := writeFile(path, []byte(text)); err != nil {
		return "", fmt.Errorf("store: saving an output: %w", explain(err))
	}
	err := s.write(ctx, false, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO outputs (session, call, path, bytes, at) VALUES (?,?,?,?,?)", session, call, path, len(text), micros(s.now()))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("store: saving an output: %w", err)
	}
	return path, nil
}

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

// RecordApproval keeps an answered request. The same id replaces.
func (s *Store) RecordApproval(ctx context.Context, a Approval) error {
	if a.At.IsZero() {
		a.At = s.now()
	}
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			"INSERT OR REPLACE INTO approvals (id, session, turn, call, tool, args, fingerprint, reason, decision, decided_by, at) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
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
		return nil, fmt.Errorf("store: approvals: %w", explain(err))
	}
	list, err := collect(rows, func(r *sql.Rows) (a Approval, err error) {
		var at int64
		err = r.Scan(&a.ID, &a.Session, &a.Turn, &a.Call, &a.Tool, &a.Args, &a.Fingerprint, &a.Reason, &a.Decision, &a.By, &at)
		a.At = fromMicros(at)
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("store: approvals: %w", explain(err))
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
		return nil, fmt.Errorf("store: grants: %w", explain(err))
	}
	list, err := collect(rows, func(r *sql.Rows) (g Grant, err error) {
		var at int64
		err = r.Scan(&g.Path, &g.Source, &at)
		g.At = fromMicros(at)
		return g, err
	})
	if err != nil {
		return nil, fmt.Errorf("store: grants: %w", explain(err))
	}
	return list, nil
}

// A Usage is the account of one model call.
type Usage struct {
	Session, Turn         string
	Provider, Model       string
	Input, Output, Cached int     // tokens
	CostUSD               float64 // US dollars
	At                    time.Time
}

// RecordUsage keeps the account of one model call.
func (s *Store) RecordUsage(ctx context.Context, u Usage) error {
	err := s.write(ctx, false, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			"INSERT INTO usage (session, turn, provider, model, input, output, cached, cost, at) VALUES (?,?,?,?,?,?,?,?,?)",
			u.Session, u.Turn, u.Provider, u.Model, u.Input, u.Output, u.Cached, u.CostUSD, micros(u.At))
		return err
	})
	if err != nil {
		return fmt.Errorf("store: recording usage: %w", err)
	}
	return nil
}

// UsageSince sums what was used from a time on.
func (s *Store) UsageSince(ctx context.Context, from time.Time) (sum Usage, err error) {
	err = s.readers.QueryRowContext(ctx,
		"SELECT coalesce(sum(input),0), coalesce(sum(output),0), coalesce(sum(cached),0), coalesce(sum(cost),0) FROM usage WHERE at >= ?", micros(from)).
		Scan(&sum.Input, &sum.Output, &sum.Cached, &sum.CostUSD)
	if err != nil {
		return Usage{}, fmt.Errorf("store: usage: %w", explain(err))
	}
	return sum, nil
}
