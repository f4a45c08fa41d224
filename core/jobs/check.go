package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/schedule"
)

// The failures that making, changing and finding jobs has.
var (
	BadSchedule = &capability.Failure{Code: "bad_schedule", When: "the schedule cannot be read, or never happens", Try: `write "every 30 minutes", a cron line of five fields, an instant with its offset, or an RRULE`}
	BadZone     = &capability.Failure{Code: "bad_zone", When: "the time zone is not known", Try: "write an IANA name such as Europe/Berlin"}
	InThePast   = &capability.Failure{Code: "in_the_past", When: "the schedule has no instant ahead", Try: "give an instant that is still to come"}
	NameTaken   = &capability.Failure{Code: "name_taken", When: "another job has the name", Try: "choose another name, or change that job with update_job"}
	NoJob       = &capability.Failure{Code: "no_job", When: "no job has that name or id", Try: "list them with list_jobs"}
	NoRun       = &capability.Failure{Code: "no_run", When: "no run has that id", Try: "list them with list_job_runs"}
	BadJob      = &capability.Failure{Code: "bad_job", When: "something in the job does not fit", Try: "correct what the message names"}
	HasEnded    = &capability.Failure{Code: "job_ended", When: "the job has no run ahead", Try: "give it a new schedule with update_job"}
)

// Bounds of a job.
const (
	maxName    = 100
	maxTask    = 16_000
	maxTimeout = 24 * time.Hour
	maxJitter  = 6 * time.Hour
	minEvery   = time.Minute
)

// check looks a job over before it is kept, and fills in what it leaves open.
func (b *Book) check(ctx context.Context, name string, s *Spec) (schedule.Schedule, error) {
	s.Task, name = strings.TrimSpace(s.Task), strings.TrimSpace(name)
	switch {
	case name == "" || len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }):
		return schedule.Schedule{}, BadJob.Becausef("the name must have 1 to %d characters on one line", maxName)
	case s.Task == "":
		return schedule.Schedule{}, BadJob.Becausef("the job has no task: it would run and do nothing")
	case len(s.Task) > maxTask:
		return schedule.Schedule{}, BadJob.Becausef("the task has %d bytes; at most %d are kept", len(s.Task), maxTask)
	case s.Timeout < 0 || s.Timeout > maxTimeout:
		return schedule.Schedule{}, BadJob.Becausef("the time-out %v is not from 1s to %v", s.Timeout, maxTimeout)
	case s.Jitter < 0 || s.Jitter > maxJitter:
		return schedule.Schedule{}, BadJob.Becausef("the jitter %v is not from 0s to %v", s.Jitter, maxJitter)
	}
	if err := s.choices(); err != nil {
		return schedule.Schedule{}, err
	}
	if b.Known != nil && !s.Reminder {
		if err := b.Known(ctx, *s); err != nil {
			return schedule.Schedule{}, err
		}
	}
	return b.checkWhen(*s)
}

// choices checks what has a few values.
func (s *Spec) choices() error {
	if s.Delivery == "" {
		s.Delivery = ToNotification
	}
	switch s.Delivery {
	case ToNotification, ToNone:
	case ToSession:
		if s.Session == "" {
			return BadJob.Becausef("the delivery session needs a conversation that the job was made in").Trying("choose notification or none")
		}
	default:
		return BadJob.Becausef("the delivery %q is not notification, session or none", s.Delivery)
	}
	if _, _, err := missedPolicy(s.Missed); err != nil {
		return err
	}
	mode, err := permission.ParseMode(s.Mode)
	if err != nil {
		return BadJob.Becausef("%v", err)
	}
	if s.Mode = string(mode); mode == permission.Ask {
		s.Mode = string(permission.Unattended) // no one is there to be asked
	}
	for _, r := range s.Rules {
		if err := r.Check(); err != nil {
			return BadJob.Becausef("%v", err)
		}
	}
	return nil
}

// checkWhen reads the schedule and looks whether it has an instant ahead.
func (b *Book) checkWhen(s Spec) (schedule.Schedule, error) {
	when, err := schedule.Parse(s.Schedule, s.options())
	var e *schedule.Error
	switch {
	case errors.As(err, &e) && e.Zone:
		return when, BadZone.Becausef("%s", e.What).Trying(e.Try)
	case errors.As(err, &e):
		return when, BadSchedule.Becausef("%s", e.What).Trying(e.Try)
	case err != nil:
		return when, err
	}
	now := b.now()
	next, ok := when.Next(now)
	switch {
	case !ok:
		return when, InThePast.Becausef("%s: that is over; it is %s now", when.Words(), now.In(zoneOf(s)).Format(time.RFC3339))
	case !s.Expires.IsZero() && !next.Before(s.Expires):
		return when, InThePast.Becausef("the job would expire on %s, before its first run on %s", s.Expires.In(zoneOf(s)).Format(time.RFC3339), next.Format(time.RFC3339)).Trying("give a later end, or none")
	}
	if p := when.Period(next); p > 0 && p < minEvery {
		return when, BadSchedule.Becausef("the runs lie %v apart; at least %v is needed", p, minEvery)
	}
	return when, nil
}

func zoneOf(s Spec) *time.Location { return Job{Spec: s}.location() }

// missedPolicy reads what becomes of runs whose time passed: late is how old
// one may be, 0 the default.
func missedPolicy(text string) (late time.Duration, skip bool, err error) {
	switch text {
	case "", RunOnce:
		return 0, false, nil
	case SkipLate:
		return 0, true, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, false, BadJob.Becausef("missed is %q, which is not run_once, skip or a time span such as 6h", text)
	}
	return d, false, nil
}

func span(d time.Duration) string {
	if d >= time.Minute {
		return strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s")
	}
	return fmt.Sprint(d.Truncate(time.Second))
}

// Narrower is the mode of two in which less is done.
func Narrower(a, b string) string {
	rank := func(mode string) int {
		m, err := permission.ParseMode(mode)
		if err != nil {
			return 0
		}
		return map[permission.Mode]int{permission.Plan: 0, permission.Unattended: 1, permission.Ask: 1, permission.AcceptEdits: 2, permission.Auto: 3}[m]
	}
	if rank(b) < rank(a) {
		return b
	}
	return a
}
