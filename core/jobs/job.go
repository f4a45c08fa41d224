// Package jobs has what happens by itself: jobs that the agent works on, and
// reminders that need no model.
//
//	Book       makes, changes and lists jobs, for tools, windows and commands
//	Scheduler  sees to it that they run, in the one process that does
//	Worker     is given a run and says what came of it; package app has it
//
// Every instant of a schedule leaves one record, a run, whatever happens: the
// record is made in the transaction that moves the job on to its next instant.
// Work is only begun for a record that waits. So an instant is neither lost nor
// run twice when the program is killed, the machine sleeps or the clock is set.
package jobs

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/schedule"
	"github.com/hobkin/hobkin/core/store"
)

// The states of a job.
const (
	Active = "active"
	Paused = "paused"
	Ended  = "ended"
)

// The states of a run.
const (
	Queued      = "queued"
	Running     = "running"
	Done        = "done"
	Failed      = "failed"
	Missed      = "missed"      // its time passed while nothing could run
	Skipped     = "skipped"     // it was not to run, such as beside another of its job
	Interrupted = "interrupted" // the program ended while it ran
)

// The kinds of a run.
const (
	Scheduled = "scheduled"
	Now       = "now"     // a person or the agent asked for it
	Snoozed   = "snoozed" // a reminder that comes again
	Span      = "span"    // stands for many that were missed
)

// The deliveries.
const (
	ToNotification = "notification"
	ToSession      = "session" // where the job was made
	ToNone         = "none"
)

// What becomes of a run whose time passed. Anything else is a time span: it
// runs if it is younger.
const (
	RunOnce  = "run_once"
	SkipLate = "skip"
)

// A Run is one time that a job ran, or should have.
type Run = store.Run

// A Spec is what a job does, when and how. It is kept as JSON.
type Spec struct {
	Schedule string        `json:"schedule"`
	Zone     string        `json:"zone,omitempty"` // IANA name; empty follows the system's
	Days     schedule.Days `json:"days,omitempty"`
	Anchor   time.Time     `json:"anchor"` // what intervals count from

	Task        string `json:"task"`
	Description string `json:"description,omitempty"`
	Reminder    bool   `json:"reminder,omitempty"` // Task is shown, no model works on it

	Expires  time.Time     `json:"expires,omitzero"`
	Missed   string        `json:"missed,omitempty"`
	Jitter   time.Duration `json:"jitter,omitempty"`  // a run begins up to so much later
	Timeout  time.Duration `json:"timeout,omitempty"` // of a run; 0 is the setting's
	Delivery string        `json:"delivery,omitempty"`
	Session  string        `json:"session,omitempty"` // where it was made

	// What its runs may do. It is laid down when the job is made, by whoever
	// makes it, and never by a run.
	Trust     capability.Trust  `json:"trust"`
	Mode      string            `json:"mode"`            // permission mode; nothing can be asked in it
	Rules     []permission.Rule `json:"rules,omitempty"` // beside the owner's
	Tools     []string          `json:"tools,omitempty"` // nil is all that trust and mode let through
	Skill     string            `json:"skill,omitempty"`
	Model     string            `json:"model,omitempty"` // provider/model; empty is the role's
	Workspace string            `json:"workspace,omitempty"`
	Locale    string            `json:"locale,omitempty"`
}

// A Job is a job as it stands.
type Job struct {
	ID, Name string
	State    string
	Reason   string    // why it is paused or ended
	Next     time.Time // zero when it has no next run
	Failures int       // in a row
	Created  time.Time
	Updated  time.Time
	Spec

	When schedule.Schedule
	Bad  error // why the schedule cannot be read any more; nil when it can
}

// of reads a job out of the store. What cannot be read is told by Bad.
func of(s store.Job) Job {
	j := Job{ID: s.ID, Name: s.Name, State: s.State, Reason: s.Reason, Next: s.Next, Failures: s.Failures, Created: s.Created, Updated: s.Updated}
	if err := json.Unmarshal(s.Spec, &j.Spec); err != nil {
		j.Bad = fmt.Errorf("the job cannot be read: %w", err)
		return j
	}
	j.When, j.Bad = schedule.Parse(j.Schedule, j.options())
	return j
}

func (s Spec) options() schedule.Options {
	return schedule.Options{Zone: s.Zone, Anchor: s.Anchor, Days: s.Days}
}

// next is the first instant after a time at which the job runs; zero when there
// is none.
func (j Job) next(after time.Time) time.Time {
	t, ok := j.When.Next(after)
	if !ok || !j.Expires.IsZero() && !t.Before(j.Expires) {
		return time.Time{}
	}
	return t.UTC()
}

// Upcoming are the next runs after a time, at most n.
func (j Job) Upcoming(after time.Time, n int) (out []time.Time) {
	if j.State != Active || j.Bad != nil {
		return nil
	}
	for len(out) < n {
		t := j.next(after)
		if t.IsZero() {
			break
		}
		out = append(out, t.In(j.location()))
		after = t
	}
	return out
}

func (j Job) location() *time.Location {
	if loc, err := schedule.Zone(j.Zone); err == nil {
		return loc
	}
	return time.UTC
}

// In is a time in the zone of the job.
func (j Job) In(t time.Time) time.Time { return t.In(j.location()) }

// ZoneText names the zone for people.
func (j Job) ZoneText() string {
	if j.Zone == "" {
		return j.location().String() + " (the system's zone)"
	}
	return j.Zone
}

// Meaning says in words when the job runs.
func (j Job) Meaning() string {
	if j.Bad != nil {
		return "not readable: " + j.Bad.Error()
	}
	text := j.When.Words()
	if !j.Expires.IsZero() {
		text += ", until " + j.Expires.In(j.location()).Format("Mon 2 Jan 2006 15:04")
	}
	return text
}

// Overdue reports whether the job should have run by now and did not: no
// process schedules, or something keeps it.
func (j Job) Overdue(now time.Time) bool {
	return j.State == Active && !j.Next.IsZero() && now.Sub(j.Next) > OverdueAfter
}

// OverdueAfter is how late a job is when someone is told.
const OverdueAfter = 5 * time.Minute

// MayDo says in a sentence what the job's runs may do with no one there.
func (j Job) MayDo() string {
	if j.Reminder {
		return "It only shows its text."
	}
	text := "It runs in mode " + j.Mode + " with no one to ask: what would ask is refused"
	if j.Mode == string(permission.Plan) {
		text = "It only looks and changes nothing"
	}
	if j.Workspace != "" {
		text += "; it works in " + j.Workspace
	}
	if len(j.Rules) > 0 {
		var rules []string
		for _, r := range j.Rules {
			rules = append(rules, r.String())
		}
		text += "; beside your rules it has: " + strings.Join(rules, ", ")
	}
	if j.Tools != nil {
		text += "; its tools are " + strings.Join(j.Tools, ", ")
	}
	return text + "."
}
