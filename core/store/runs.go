package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// A Run is one time that a job ran, or should have.
type Run struct {
	ID      string
	Job     string
	Kind    string    // scheduled, now or snoozed
	Instant time.Time // of the schedule, or when it was asked for
	Until   time.Time // the last one, where the run stands for several that were missed
	Count   int       // how many it stands for
	State   string    // queued, running, done, failed, missed, skipped or interrupted

	Due      time.Time // it does not begin before
	Started  time.Time
	Finished time.Time
	Session  string // with the transcript; empty when there is none
	Code     string // of a failure
	Text     string // what came of it, or why it did not run
	Attempt  int    // how often it was begun
}

const runColumns = "id, job, kind, instant, until, count, state, due, started, finished, session, code, text, attempt"

func scanRun(row interface{ Scan(...any) error }) (r Run, err error) {
	var instant, until, due, started, finished int64
	err = row.Scan(&r.ID, &r.Job, &r.Kind, &instant, &until, &r.Count, &r.State, &due, &started, &finished, &r.Session, &r.Code, &r.Text, &r.Attempt)
	r.Instant, r.Until, r.Due, r.Started, r.Finished = fromMicros(instant), fromMicros(until), fromMicros(due), fromMicros(started), fromMicros(finished)
	return r, err
}

// addRun stores a run unless its instant has one already. One that was missed
// can still run: the clock was ahead then, and the instant comes after all.
func addRun(ctx context.Context, tx *sql.Tx, r *Run) (added bool, err error) {
	r.ID = NewID()
	r.Count = max(r.Count, 1)
	if r.Until.IsZero() {
		r.Until = r.Instant
	}
	res, err := tx.ExecContext(ctx, "INSERT INTO runs ("+runColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (job, kind, instant) DO UPDATE "+
		"SET state = excluded.state, due = excluded.due, finished = 0, text = excluded.text WHERE runs.state = 'missed' AND excluded.state = 'queued'",
		r.ID, r.Job, r.Kind, moment(r.Instant), moment(r.Until), r.Count, r.State, moment(r.Due), moment(r.Started), moment(r.Finished), r.Session, r.Code, r.Text, r.Attempt)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// AddRun stores a run that no schedule asked for.
func (s *Store) AddRun(ctx context.Context, r Run) (Run, error) {
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		added, err := addRun(ctx, tx, &r)
		if err == nil && !added {
			err = ErrExists
		}
		return err
	})
	if err != nil {
		return Run{}, fmt.Errorf("store: a run of job %s: %w", r.Job, err)
	}
	return r, nil
}

// SetRun writes how far a run is: all but its job, kind and instant. With it
// goes the count of the job's failures in a row, which the run's state says.
func (s *Store) SetRun(ctx context.Context, r Run) error {
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		err := one(tx.ExecContext(ctx, "UPDATE runs SET state = ?, due = ?, started = ?, finished = ?, session = ?, code = ?, text = ?, attempt = ? WHERE id = ?",
			r.State, moment(r.Due), moment(r.Started), moment(r.Finished), r.Session, r.Code, r.Text, r.Attempt, r.ID))
		if err != nil {
			return err
		}
		switch r.State {
		case "done":
			_, err = tx.ExecContext(ctx, "UPDATE jobs SET failures = 0 WHERE id = ?", r.Job)
		case "failed":
			_, err = tx.ExecContext(ctx, "UPDATE jobs SET failures = failures + 1 WHERE id = ?", r.Job)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("store: run %s: %w", r.ID, err)
	}
	return nil
}

// Run returns a run by its id.
func (s *Store) Run(ctx context.Context, id string) (Run, error) {
	r, err := scanRun(s.readers.QueryRowContext(ctx, "SELECT "+runColumns+" FROM runs WHERE id = ?", id))
	if err != nil {
		return Run{}, fmt.Errorf("store: run %q: %w", id, s.reading(ctx, err))
	}
	return r, nil
}

// RunOf returns the run whose transcript a session is.
func (s *Store) RunOf(ctx context.Context, session string) (Run, error) {
	r, err := scanRun(s.readers.QueryRowContext(ctx, "SELECT "+runColumns+" FROM runs WHERE session = ? AND session <> '' ORDER BY num DESC LIMIT 1", session))
	if err != nil {
		return Run{}, fmt.Errorf("store: the run of session %q: %w", session, s.reading(ctx, err))
	}
	return r, nil
}

// Runs lists the runs of a job, the newest first.
func (s *Store) Runs(ctx context.Context, job string, limit int) ([]Run, error) {
	return s.runs(ctx, "WHERE job = ? ORDER BY instant DESC, num DESC LIMIT ?", job, limit)
}

// OpenRuns lists the runs that wait or are under way, the first due first.
func (s *Store) OpenRuns(ctx context.Context) ([]Run, error) {
	return s.runs(ctx, "WHERE state IN ('queued', 'running') ORDER BY due, num")
}

func (s *Store) runs(ctx context.Context, where string, args ...any) ([]Run, error) {
	rows, err := s.readers.QueryContext(ctx, "SELECT "+runColumns+" FROM runs "+where, args...)
	if err != nil {
		return nil, fmt.Errorf("store: runs: %w", s.reading(ctx, err))
	}
	list, err := collect(rows, func(r *sql.Rows) (Run, error) { return scanRun(r) })
	if err != nil {
		return list, fmt.Errorf("store: runs: %w", s.reading(ctx, err))
	}
	return list, nil
}

// PruneRuns forgets ended runs: of each job those beyond the newest most, and
// those before a time beyond the newest few. It returns the sessions of what
// it forgot.
func (s *Store) PruneRuns(ctx context.Context, most, few int, before time.Time) (sessions []string, err error) {
	err = s.write(ctx, false, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "DELETE FROM runs WHERE state NOT IN ('queued', 'running') AND num IN "+
			"(SELECT num FROM (SELECT num, until, row_number() OVER (PARTITION BY job ORDER BY num DESC) AS rank FROM runs) WHERE rank > ? OR rank > ? AND until < ?) RETURNING session",
			most, few, micros(before))
		if err != nil {
			return err
		}
		sessions, err = collect(rows, func(r *sql.Rows) (id string, err error) { return id, r.Scan(&id) })
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("store: forgetting old runs: %w", err)
	}
	return sessions, nil
}
