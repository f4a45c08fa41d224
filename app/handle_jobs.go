package app

import (
	"context"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/jobs"
	"github.com/hobkin/hobkin/core/permission"
)

func (c *Core) listJobs(ctx context.Context, _ none) (control.JobList, error) {
	list, err := c.jobs.book.List(ctx)
	out := control.JobList{Jobs: make([]control.Job, len(list)), Running: c.jobsRun()}
	for i, j := range list {
		out.Jobs[i] = jobCard(j)
	}
	return out, err
}

// nextShown is how many runs ahead are told.
const nextShown = 3

func jobCard(j jobs.Job) control.Job {
	now := time.Now()
	out := control.Job{
		ID: j.ID, Name: j.Name, State: j.State, Reason: j.Reason, Schedule: j.Schedule, Meaning: j.Meaning(), Zone: j.Zone, ZoneText: j.ZoneText(),
		Next: []time.Time{}, NextText: []string{}, Overdue: j.Overdue(now), Task: j.Task, Description: j.Description, Reminder: j.Reminder, Expires: j.Expires,
		Missed: j.Missed, Delivery: j.Delivery, Mode: j.Mode, Tools: j.Tools, Model: j.Model, Workspace: j.Workspace,
		TimeoutS: int(j.Timeout / time.Second), JitterS: int(j.Jitter / time.Second), MayDo: j.MayDo(), Failures: j.Failures, Created: j.Created,
	}
	for _, t := range j.Upcoming(now, nextShown) {
		out.Next = append(out.Next, t)
		out.NextText = append(out.NextText, t.Format("Mon 2 Jan 2006 15:04"))
	}
	for _, r := range j.Rules {
		out.Allow = append(out.Allow, control.JobRule{Tool: r.Tool, Match: r.Match})
	}
	return out
}

func (c *Core) getJob(ctx context.Context, id control.ID) (control.Job, error) {
	return card1(c.jobs.book.Get(ctx, id.ID))
}

// card1 is jobCard for what comes with an error.
func card1(j jobs.Job, err error) (control.Job, error) {
	if err != nil {
		return control.Job{}, err
	}
	return jobCard(j), nil
}

func (c *Core) tryJob(ctx context.Context, s control.JobSpec) (control.Job, error) {
	name, spec := c.newJob(s)
	return card1(c.jobs.book.Try(ctx, name, spec))
}

func (c *Core) addJob(ctx context.Context, s control.JobSpec) (control.Job, error) {
	name, spec := c.newJob(s)
	return card1(c.jobs.book.Create(ctx, name, spec))
}

// newJob is a job as its owner makes it.
func (c *Core) newJob(s control.JobSpec) (name string, spec jobs.Spec) {
	spec = jobs.Spec{Trust: capability.Operator, Mode: string(permission.Unattended)}
	applyJob(s, &name, &spec)
	return name, spec
}

func applyJob(s control.JobSpec, name *string, to *jobs.Spec) {
	put(name, s.Name)
	put(&to.Schedule, s.Schedule)
	put(&to.Zone, s.Zone)
	put(&to.Task, s.Task)
	put(&to.Reminder, s.Reminder)
	put(&to.Description, s.Description)
	put(&to.Expires, s.Expires)
	put(&to.Missed, s.Missed)
	put(&to.Delivery, s.Delivery)
	put(&to.Mode, s.Mode)
	put(&to.Tools, s.Tools)
	put(&to.Model, s.Model)
	put(&to.Workspace, s.Workspace)
	if s.TimeoutS != nil {
		to.Timeout = time.Duration(*s.TimeoutS) * time.Second
	}
	if s.JitterS != nil {
		to.Jitter = time.Duration(*s.JitterS) * time.Second
	}
	if s.Allow != nil {
		to.Rules = nil
		for _, r := range *s.Allow {
			to.Rules = append(to.Rules, permission.Rule{Tool: r.Tool, Match: r.Match, Action: permission.Allow})
		}
	}
}

// put sets a field to what is given.
func put[T any](field *T, given *T) {
	if given != nil {
		*field = *given
	}
}

func (c *Core) changeJob(ctx context.Context, ch control.JobChange) (control.Job, error) {
	return card1(c.jobs.book.Update(ctx, ch.ID, func(name *string, s *jobs.Spec) { applyJob(ch.Spec, name, s) }))
}

func (c *Core) removeJob(ctx context.Context, id control.ID) error {
	_, err := c.jobs.book.Remove(ctx, id.ID)
	return err
}

func (c *Core) pauseJob(ctx context.Context, id control.ID) (control.Job, error) {
	return card1(c.jobs.book.Pause(ctx, id.ID, ""))
}

func (c *Core) resumeJob(ctx context.Context, id control.ID) (control.Job, error) {
	return card1(c.jobs.book.Resume(ctx, id.ID))
}

func (c *Core) runJob(ctx context.Context, id control.ID) (control.JobRun, error) {
	_, r, err := c.jobs.book.RunNow(ctx, id.ID)
	return runCard(r), err
}

// historyShown is how many runs a history has when the request does not say.
const historyShown = 50

func (c *Core) jobHistory(ctx context.Context, q control.JobQuery) ([]control.JobRun, error) {
	if q.Limit <= 0 {
		q.Limit = historyShown
	}
	_, list, err := c.jobs.book.Runs(ctx, q.ID, q.Limit)
	if err != nil {
		return nil, err
	}
	out := make([]control.JobRun, len(list))
	for i, r := range list {
		out[i] = runCard(r)
		if r.Session == "" {
			continue
		}
		if out[i].Failed, err = c.failedTools(ctx, r.Session); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func runCard(r jobs.Run) control.JobRun {
	out := control.JobRun{
		ID: r.ID, Job: r.Job, Kind: r.Kind, Instant: r.Instant, Count: r.Count, State: r.State, Started: r.Started, Finished: r.Finished,
		Session: r.Session, Code: r.Code, Text: r.Text,
	}
	if r.Kind == jobs.Span {
		out.Until = r.Until
	}
	return out
}
