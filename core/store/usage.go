package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

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
	if u.At.IsZero() {
		u.At = s.now()
	}
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

// A UsageQuery picks accounts; what is empty picks all.
type UsageQuery struct {
	Session, Turn string
	From, To      time.Time // From counts, To does not
}

// Used sums what was used. At is the time of the sum's beginning.
func (s *Store) Used(ctx context.Context, q UsageQuery) (Usage, error) {
	where, args := []string{"true"}, []any{}
	add := func(condition string, v any) { where, args = append(where, condition), append(args, v) }
	if q.Session != "" {
		add("session = ?", q.Session)
	}
	if q.Turn != "" {
		add("turn = ?", q.Turn)
	}
	if !q.From.IsZero() {
		add("at >= ?", micros(q.From))
	}
	if !q.To.IsZero() {
		add("at < ?", micros(q.To))
	}
	sum := Usage{Session: q.Session, Turn: q.Turn, At: q.From}
	err := s.readers.QueryRowContext(ctx,
		"SELECT coalesce(sum(input),0), coalesce(sum(output),0), coalesce(sum(cached),0), coalesce(sum(cost),0.0) FROM usage WHERE "+strings.Join(where, " AND "), args...).
		Scan(&sum.Input, &sum.Output, &sum.Cached, &sum.CostUSD)
	if err != nil {
		return Usage{}, fmt.Errorf("store: usage: %w", s.reading(ctx, err))
	}
	return sum, nil
}

// UsageSince sums what was used from a time on.
func (s *Store) UsageSince(ctx context.Context, from time.Time) (Usage, error) {
	return s.Used(ctx, UsageQuery{From: from})
}

// UsageByDay sums what was used on each of so many days in a zone, the first day
// first; the last is the day of until. At is the day's midnight.
func (s *Store) UsageByDay(ctx context.Context, until time.Time, days int) ([]Usage, error) {
	year, month, day := until.Date()
	sums := make([]Usage, 0, max(days, 0))
	for i := days - 1; i >= 0; i-- {
		from := time.Date(year, month, day-i, 0, 0, 0, 0, until.Location())
		to := time.Date(year, month, day-i+1, 0, 0, 0, 0, until.Location())
		sum, err := s.Used(ctx, UsageQuery{From: from, To: to})
		if err != nil {
			return nil, err
		}
		sums = append(sums, sum)
	}
	return sums, nil
}
