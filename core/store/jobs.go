package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// A Job is something that happens by itself, as it is kept. Spec is the
// business of who made it.
type Job struct {
	ID       string
	Name     string // unique, whatever its capitals
	State    string // active, paused or ended
	Reason   string // why it is paused or ended, a sentence
	Next     time.Time
	Failures int // in a row
	Spec     []byte
	Created  time.Time
	Updated  time.Time
}

// ErrMoved is returned by [Store.FireJob] where the job is not as its caller
// knew it: it was changed, or another process was first.
var ErrMoved = errors.New("the job has changed meanwhile")

const jobColumns = "id, name, state, reason, next, failures, spec, created, updated"

func scanJob(row interface{ Scan(...any) error }) (j Job, err error) {
	var next, created, updated int64
	err = row.Scan(&j.ID, &j.Name, &j.State, &j.Reason, &next, &j.Failures, &j.Spec, &created, &updated)
	j.Next, j.Created, j.Updated = fromMicros(next), fromMicros(created), fromMicros(updated)
	return j, err
}

// CreateJob stores a new job and returns it with its id and times. The error is
// [ErrExists] when the name is taken.
func (s *Store) CreateJob(ctx context.Context, j Job) (Job, error) {
	j.ID = NewID()
	j.Created = s.now().UTC().Truncate(time.Microsecond)
	j.Updated = j.Created
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		if err := nameIsFree(ctx, tx, j); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO jobs ("+jobColumns+") VALUES (?,?,?,?,?,?,?,?,?)",
			j.ID, j.Name, j.State, j.Reason, moment(j.Next), j.Failures, j.Spec, micros(j.Created), micros(j.Updated))
		return err
	})
	if err != nil {
		return Job{}, fmt.Errorf("store: creating job %q: %w", j.Name, err)
	}
	return j, nil
}

func nameIsFree(ctx context.Context, tx *sql.Tx, j Job) error {
	var taken bool
	err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM jobs WHERE name = ? AND id <> ?)", j.Name, j.ID).Scan(&taken)
	if err == nil && taken {
		return ErrExists
	}
	return err
}

// moment is a time as it is kept; the zero time is 0.
func moment(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return micros(t)
}

// Job returns a job by its id or its name.
func (s *Store) Job(ctx context.Context, name string) (Job, error) {
	j, err := scanJob(s.readers.QueryRowContext(ctx, "SELECT "+jobColumns+" FROM jobs WHERE id = ? OR name = ? ORDER BY id = ? DESC LIMIT 1", name, name, name))
	if err != nil {
		return Job{}, fmt.Errorf("store: job %q: %w", name, s.reading(ctx, err))
	}
	return j, nil
}

// Jobs lists all jobs: those that come next first, then those that never do.
func (s *Store) Jobs(ctx context.Context) ([]Job, error) {
	return s.jobs(ctx, "ORDER BY next = 0, next, num")
}

// DueJobs lists the active jobs whose next instant is not after now, the
// longest due first.
func (s *Store) DueJobs(ctx context.Context, now time.Time) ([]Job, error) {
	return s.jobs(ctx, "WHERE state = 'active' AND next > 0 AND next <= ? ORDER BY next, num", micros(now))
}

func (s *Store) jobs(ctx context.Context, where string, args ...any) ([]Job, error) {
	rows, err := s.readers.QueryContext(ctx, "SELECT "+jobColumns+" FROM jobs "+where, args...)
	if err != nil {
		return nil, fmt.Errorf("store: jobs: %w", s.reading(ctx, err))
	}
	list, err := collect(rows, func(r *sql.Rows) (Job, error) { return scanJob(r) })
	if err != nil {
		return list, fmt.Errorf("store: jobs: %w", s.reading(ctx, err))
	}
	return list, nil
}

// NextJob is when the first active job is due; zero when none ever is.
func (s *Store) NextJob(ctx context.Context) (time.Time, error) {
	var next int64
	err := s.readers.QueryRowContext(ctx, "SELECT coalesce(min(next), 0) FROM jobs WHERE state = 'active' AND next > 0").Scan(&next)
	if err != nil {
		return time.Time{}, fmt.Errorf("store: the next job: %w", s.reading(ctx, err))
	}
	return fromMicros(next), nil
}

// ChangeJob reads a job, has it changed, and writes it, in one transaction.
func (s *Store) ChangeJob(ctx context.Context, id string, change func(*Job) error) (j Job, err error) {
	err = s.write(ctx, true, func(tx *sql.Tx) error {
		if j, err = scanJob(tx.QueryRowContext(ctx, "SELECT "+jobColumns+" FROM jobs WHERE id = ?", id)); err != nil {
			return err
		}
		if err := change(&j); err != nil {
			return err
		}
		j.ID, j.Updated = id, s.now().UTC().Truncate(time.Microsecond)
		if err := nameIsFree(ctx, tx, j); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE jobs SET name = ?, state = ?, reason = ?, next = ?, failures = ?, spec = ?, updated = ? WHERE id = ?",
			j.Name, j.State, j.Reason, moment(j.Next), j.Failures, j.Spec, micros(j.Updated), id)
		return err
	})
	if err != nil {
		return Job{}, fmt.Errorf("store: changing job %s: %w", id, err)
	}
	return j, nil
}

// RemoveJob forgets a job and its runs. The sessions of the runs stay.
func (s *Store) RemoveJob(ctx context.Context, id string) error {
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, "DELETE FROM jobs WHERE id = ?", id))
	})
	if err != nil {
		return fmt.Errorf("store: removing job %s: %w", id, err)
	}
	return nil
}

// A Fire is what becomes of a job whose time has come: its runs, and what it is
// after them.
type Fire struct {
	Job    string
	At     time.Time // the job's next instant as the caller knew it
	Next   time.Time // the one after; zero when there is none
	State  string
	Reason string
	Runs   []Run
}

// FireJob makes the runs of a job and moves it on, in one transaction: so no
// instant is lost and none comes twice, whenever the program is killed. It
// returns the runs that are new; an instant that has a run already makes none.
func (s *Store) FireJob(ctx context.Context, f Fire) (made []Run, err error) {
	err = s.write(ctx, true, func(tx *sql.Tx) error {
		made = nil
		res, err := tx.ExecContext(ctx, "UPDATE jobs SET next = ?, state = ?, reason = ? WHERE id = ? AND next = ? AND state = 'active'",
			moment(f.Next), f.State, f.Reason, f.Job, moment(f.At))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, ErrMoved)
		}
		for _, r := range f.Runs {
			r.Job = f.Job
			added, err := addRun(ctx, tx, &r)
			if err != nil {
				return err
			}
			if added {
				made = append(made, r)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("store: a run of job %s: %w", f.Job, err)
	}
	return made, nil
}
