package control

import (
	"context"
	"time"
)

// The methods of jobs.
const (
	MethodJobs       = "jobs.list"
	MethodJob        = "jobs.get"
	MethodJobTry     = "jobs.try"
	MethodJobAdd     = "jobs.add"
	MethodJobChange  = "jobs.change"
	MethodJobRemove  = "jobs.remove"
	MethodJobPause   = "jobs.pause"
	MethodJobResume  = "jobs.resume"
	MethodJobRun     = "jobs.run"
	MethodJobHistory = "jobs.history"
)

// JobSpec is what a person says of a job. In a change, what is nil stays as it
// is.
type JobSpec struct {
	Name        *string    `json:"name,omitempty"`
	Schedule    *string    `json:"schedule,omitempty"` // interval, cron line, instant or RRULE
	Zone        *string    `json:"zone,omitempty"`     // IANA name; empty follows the system's
	Task        *string    `json:"task,omitempty"`
	Reminder    *bool      `json:"reminder,omitempty"` // the task is only shown
	Description *string    `json:"description,omitempty"`
	Expires     *time.Time `json:"expires,omitempty"`
	Missed      *string    `json:"missed,omitempty"` // run_once, skip or a time span
	Delivery    *string    `json:"delivery,omitempty"`
	Mode        *string    `json:"mode,omitempty"`  // plan, unattended, accept_edits or auto
	Allow       *[]JobRule `json:"allow,omitempty"` // rules that hold for its runs alone
	Tools       *[]string  `json:"tools,omitempty"` // the only ones its runs may use; null is all
	Model       *string    `json:"model,omitempty"` // provider/model
	Workspace   *string    `json:"workspace,omitempty"`
	TimeoutS    *int       `json:"timeout_s,omitempty"`
	JitterS     *int       `json:"jitter_s,omitempty"`
}

// JobRule allows calls of a tool in the runs of a job.
type JobRule struct {
	Tool  string `json:"tool"`
	Match string `json:"match,omitempty"` // a command, path or host, as in the rules of the settings
}

// JobChange changes a job, which is named by its name or id.
type JobChange struct {
	ID   string  `json:"id"`
	Spec JobSpec `json:"spec"`
}

// Job is a job as it stands.
type Job struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	State       string      `json:"state"`            // active, paused or ended
	Reason      string      `json:"reason,omitempty"` // why it is paused or ended
	Schedule    string      `json:"schedule"`
	Meaning     string      `json:"meaning"`   // the schedule in words
	Zone        string      `json:"zone"`      // as it was said; empty follows the system's
	ZoneText    string      `json:"zone_text"` // for people
	Next        []time.Time `json:"next"`      // the next three runs, in the zone of the job
	NextText    []string    `json:"next_text"` // the same in words
	Overdue     bool        `json:"overdue,omitempty"`
	Task        string      `json:"task"`
	Description string      `json:"description,omitempty"`
	Reminder    bool        `json:"reminder,omitempty"`
	Expires     time.Time   `json:"expires,omitzero"`
	Missed      string      `json:"missed,omitempty"`
	Delivery    string      `json:"delivery"`
	Mode        string      `json:"mode"`
	Allow       []JobRule   `json:"allow,omitempty"`
	Tools       []string    `json:"tools,omitempty"`
	Model       string      `json:"model,omitempty"`
	Workspace   string      `json:"workspace,omitempty"`
	TimeoutS    int         `json:"timeout_s,omitempty"`
	JitterS     int         `json:"jitter_s,omitempty"`
	MayDo       string      `json:"may_do"` // what its runs may do, in a sentence
	Failures    int         `json:"failures,omitempty"`
	Created     time.Time   `json:"created"`
}

// NextTextOr is the next run in words; none where there is none.
func (j Job) NextTextOr(none string) string {
	if len(j.NextText) == 0 {
		return none
	}
	return j.NextText[0]
}

// JobRun is a run as lists show it.
type JobRun struct {
	ID       string    `json:"id"`
	Job      string    `json:"job"`  // id
	Kind     string    `json:"kind"` // scheduled, now, snoozed, or span for many that were missed
	Instant  time.Time `json:"instant"`
	Until    time.Time `json:"until,omitzero"` // of a span
	Count    int       `json:"count"`
	State    string    `json:"state"` // queued, running, done, failed, missed, skipped or interrupted
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	Session  string    `json:"session,omitempty"` // with the transcript
	Code     string    `json:"code,omitempty"`
	Text     string    `json:"text,omitempty"`
	Failed   []string  `json:"failed_tools,omitempty"` // tools that failed in it, also when it ended well
}

// JobQuery picks runs of a job, the newest first.
type JobQuery struct {
	ID    string `json:"id"`              // name or id of the job
	Limit int    `json:"limit,omitempty"` // 0 means 50
}

// JobList is all jobs, and whether some process runs them.
type JobList struct {
	Jobs    []Job `json:"jobs"` // those that come next first
	Running bool  `json:"running"`
}

// Jobs lists all jobs.
func (c *Client) Jobs(ctx context.Context) (JobList, error) {
	return ask[JobList](ctx, c, MethodJobs, nil)
}

// Job returns a job by its name or id.
func (c *Client) Job(ctx context.Context, name string) (Job, error) {
	return ask[Job](ctx, c, MethodJob, ID{name})
}

// TryJob tells what a job would mean, and makes none.
func (c *Client) TryJob(ctx context.Context, s JobSpec) (Job, error) {
	return ask[Job](ctx, c, MethodJobTry, s)
}

// AddJob makes a job.
func (c *Client) AddJob(ctx context.Context, s JobSpec) (Job, error) {
	return ask[Job](ctx, c, MethodJobAdd, s)
}

// ChangeJob changes a job.
func (c *Client) ChangeJob(ctx context.Context, ch JobChange) (Job, error) {
	return ask[Job](ctx, c, MethodJobChange, ch)
}

// RemoveJob removes a job and its history.
func (c *Client) RemoveJob(ctx context.Context, name string) error {
	return c.Do(ctx, MethodJobRemove, ID{name}, nil)
}

// PauseJob keeps a job from running until it is resumed.
func (c *Client) PauseJob(ctx context.Context, name string) (Job, error) {
	return ask[Job](ctx, c, MethodJobPause, ID{name})
}

// ResumeJob lets a paused job go on.
func (c *Client) ResumeJob(ctx context.Context, name string) (Job, error) {
	return ask[Job](ctx, c, MethodJobResume, ID{name})
}

// RunJob queues a run beside the schedule.
func (c *Client) RunJob(ctx context.Context, name string) (JobRun, error) {
	return ask[JobRun](ctx, c, MethodJobRun, ID{name})
}

// JobHistory lists the runs of a job.
func (c *Client) JobHistory(ctx context.Context, q JobQuery) ([]JobRun, error) {
	return ask[[]JobRun](ctx, c, MethodJobHistory, q)
}
