package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hobkin/hobkin/core/schedule"
	"github.com/hobkin/hobkin/core/store"
)

// A Book makes, changes and lists jobs. Its fields are set before the first
// use.
type Book struct {
	Store *store.Store
	Clock func() time.Time // nil is the real one

	// Known reports what a job names that is not there: a tool, a skill, a
	// model. It is asked when a job is kept and before each run. May be nil.
	Known func(ctx context.Context, s Spec) error
	// Days says how days of a cron line go together; nil is [schedule.Vixie].
	Days func() schedule.Days
	// Changed is told that a job or run came or changed, after it is stored. May
	// be nil.
	Changed func()
}

func (b *Book) now() time.Time {
	if b.Clock != nil {
		return b.Clock()
	}
	return time.Now()
}

func (b *Book) changed() {
	if b.Changed != nil {
		b.Changed()
	}
}

// settle lays down what a schedule's text does not say.
func (b *Book) settle(s *Spec) {
	s.Anchor = b.now().UTC().Truncate(time.Minute)
	if b.Days != nil {
		s.Days = b.Days()
	}
}

// Try tells what a job would be, and makes none.
func (b *Book) Try(ctx context.Context, name string, s Spec) (Job, error) {
	b.settle(&s)
	when, err := b.check(ctx, name, &s)
	if err != nil {
		return Job{}, err
	}
	return Job{Name: name, State: Active, Spec: s, When: when}, nil
}

// Create makes a job. Intervals count from now.
func (b *Book) Create(ctx context.Context, name string, s Spec) (Job, error) {
	b.settle(&s)
	when, err := b.check(ctx, name, &s)
	if err != nil {
		return Job{}, err
	}
	spec, err := json.Marshal(s)
	if err != nil {
		return Job{}, fmt.Errorf("jobs: %w", err)
	}
	next, _ := when.Next(b.now())
	got, err := b.Store.CreateJob(ctx, store.Job{Name: name, State: Active, Next: next, Spec: spec})
	if err != nil {
		return Job{}, named(name, err)
	}
	b.changed()
	return of(got), nil
}

// named says errors of the store about a job in a sentence.
func named(name string, err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return NoJob.Becausef("there is no job %q", name)
	case errors.Is(err, store.ErrExists):
		return NameTaken.Becausef("there is a job %q already", name)
	}
	return err
}

// Get returns a job by its name or id.
func (b *Book) Get(ctx context.Context, name string) (Job, error) {
	j, err := b.Store.Job(ctx, name)
	if err != nil {
		return Job{}, named(name, err)
	}
	return of(j), nil
}

// List returns all jobs, those that come next first.
func (b *Book) List(ctx context.Context) ([]Job, error) {
	list, err := b.Store.Jobs(ctx)
	out := make([]Job, len(list))
	for i, j := range list {
		out[i] = of(j)
	}
	return out, err
}

// Update changes what a job is. A new schedule counts from now; a job that had
// ended or was paused for its failures goes on with it.
func (b *Book) Update(ctx context.Context, name string, change func(name *string, s *Spec)) (Job, error) {
	return b.change(ctx, name, func(j *Job) error {
		was := j.Spec
		change(&j.Name, &j.Spec)
		moved := j.Schedule != was.Schedule || j.Zone != was.Zone
		if moved {
			b.settle(&j.Spec)
		}
		if j.State == Ended && !moved && j.Expires.Equal(was.Expires) {
			_, err := b.check(ctx, j.Name, &j.Spec)
			if errors.Is(err, InThePast) {
				return nil // its words can be changed all the same
			}
			return err
		}
		when, err := b.check(ctx, j.Name, &j.Spec)
		if err != nil {
			return err
		}
		j.When, j.Bad = when, nil
		if j.State == Ended {
			j.State, j.Reason = Active, ""
		}
		j.aim(b.now(), moved)
		return nil
	})
}

// aim sets the next instant. One that is due and stands stays: it is the
// scheduler's to record it.
func (j *Job) aim(now time.Time, moved bool) {
	if !moved && !j.Next.IsZero() && !j.Next.After(now) {
		return
	}
	j.Next = j.next(now)
}

func (b *Book) change(ctx context.Context, name string, change func(*Job) error) (Job, error) {
	got, err := b.Get(ctx, name)
	if err != nil {
		return Job{}, err
	}
	var was, is store.Job
	changed, err := b.Store.ChangeJob(ctx, got.ID, func(s *store.Job) error {
		was = *s
		j := of(*s)
		if err := change(&j); err != nil {
			return err
		}
		spec, err := json.Marshal(j.Spec)
		if err != nil {
			return err
		}
		s.Name, s.State, s.Reason, s.Next, s.Failures, s.Spec = j.Name, j.State, j.Reason, j.Next, j.Failures, spec
		is = *s
		return nil
	})
	if err != nil {
		return Job{}, named(got.Name, err)
	}
	if err := b.passedOver(ctx, was, is); err != nil {
		return Job{}, err
	}
	b.changed()
	return of(changed), nil
}

// passedOver leaves a record of an instant that was due when its job was
// changed or paused, so that it does not run.
func (b *Book) passedOver(ctx context.Context, was, is store.Job) error {
	now := b.now()
	if was.State != Active || was.Next.IsZero() || was.Next.After(now) || is.State == Active && is.Next.Equal(was.Next) {
		return nil
	}
	_, err := b.Store.AddRun(ctx, store.Run{Job: was.ID, Kind: Scheduled, Instant: was.Next, State: Skipped, Finished: now, Text: "The job was changed or paused before it began."})
	if errors.Is(err, store.ErrExists) {
		return nil
	}
	return err
}

// Pause keeps a job from running until it is resumed.
func (b *Book) Pause(ctx context.Context, name, reason string) (Job, error) {
	return b.change(ctx, name, func(j *Job) error {
		if j.State == Ended {
			return HasEnded.Becausef("the job %q has ended: %s", j.Name, j.Reason)
		}
		j.State, j.Reason = Paused, reason
		return nil
	})
}

// Resume lets a paused job go on with its next instant. What passed meanwhile
// does not run.
func (b *Book) Resume(ctx context.Context, name string) (Job, error) {
	return b.change(ctx, name, func(j *Job) error {
		if j.State == Active {
			return nil
		}
		if _, err := b.check(ctx, j.Name, &j.Spec); err != nil {
			return err
		}
		j.State, j.Reason, j.Failures = Active, "", 0
		j.Next = j.next(b.now())
		return nil
	})
}

// Remove forgets a job and its history.
func (b *Book) Remove(ctx context.Context, name string) (Job, error) {
	j, err := b.Get(ctx, name)
	if err != nil {
		return Job{}, err
	}
	if err := b.Store.RemoveJob(ctx, j.ID); err != nil {
		return Job{}, named(j.Name, err)
	}
	b.changed()
	return j, nil
}

// RunNow queues a run beside the schedule, which it does not touch.
func (b *Book) RunNow(ctx context.Context, name string) (Job, store.Run, error) {
	j, err := b.Get(ctx, name)
	if err != nil {
		return Job{}, store.Run{}, err
	}
	r, err := b.add(ctx, j, Now, b.now())
	return j, r, err
}

// Snooze brings a reminder again at a later time.
func (b *Book) Snooze(ctx context.Context, name string, at time.Time) (store.Run, error) {
	j, err := b.Get(ctx, name)
	if err != nil {
		return store.Run{}, err
	}
	return b.add(ctx, j, Snoozed, at)
}

func (b *Book) add(ctx context.Context, j Job, kind string, at time.Time) (store.Run, error) {
	at = at.UTC().Truncate(time.Microsecond)
	r, err := b.Store.AddRun(ctx, store.Run{Job: j.ID, Kind: kind, Instant: at, State: Queued, Due: at})
	if errors.Is(err, store.ErrExists) {
		return r, BadJob.Becausef("the job %q is asked for at this very moment already", j.Name)
	}
	if err == nil {
		b.changed()
	}
	return r, err
}

// Runs lists the newest runs of a job.
func (b *Book) Runs(ctx context.Context, name string, limit int) (Job, []store.Run, error) {
	j, err := b.Get(ctx, name)
	if err != nil {
		return Job{}, nil, err
	}
	list, err := b.Store.Runs(ctx, j.ID, limit)
	return j, list, err
}

// Run returns a run by its id, with its job.
func (b *Book) Run(ctx context.Context, id string) (Job, store.Run, error) {
	r, err := b.Store.Run(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return Job{}, r, NoRun.Becausef("there is no run %q", id)
	}
	if err != nil {
		return Job{}, r, err
	}
	j, err := b.Get(ctx, r.Job)
	return j, r, err
}
