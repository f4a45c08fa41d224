package jobs

import (
	"fmt"
	"hash/fnv"
	"time"

	"github.com/hobkin/hobkin/core/store"
)

// Bounds of what was missed.
const (
	onTime      = 2 * time.Minute // so late a run is not late at all
	maxLate     = 2 * time.Hour   // by default an older one does not run any more
	maxRecorded = 100             // instants with a record each; older ones share one
)

// plan is what becomes of a job whose next instant has come, and whether its
// run comes late. It is a function of the job and the time alone.
func plan(j Job, now time.Time) (f store.Fire, late bool) {
	f = store.Fire{Job: j.ID, At: j.Next, State: Active}
	var list []time.Time
	first, left := j.Next, 0
	for at := j.Next; !at.IsZero() && !at.After(now); at = j.next(at) {
		if list = append(list, at); len(list) > 2*maxRecorded {
			left += len(list) - maxRecorded
			list = list[len(list)-maxRecorded:]
		}
	}
	last := list[len(list)-1]
	if f.Next = j.next(now); f.Next.IsZero() {
		f.State, f.Reason = Ended, j.endReason()
	}
	if left > 0 {
		until := j.before(first, list[0])
		f.Runs = append(f.Runs, store.Run{Kind: Span, Instant: first, Until: until, Count: left, State: Missed, Finished: now, Text: fmt.Sprintf("%d runs were missed: Hobkin was not running, or the computer slept.", left)})
	}
	for _, at := range list[:len(list)-1] {
		f.Runs = append(f.Runs, store.Run{Kind: Scheduled, Instant: at, State: Missed, Finished: now, Text: "Missed: Hobkin was not running, or the computer slept. Only the last one runs."})
	}
	r := store.Run{Kind: Scheduled, Instant: last, State: Queued, Due: last.Add(j.jitter(last))}
	if why := j.tooLate(last, now); why != "" {
		r.State, r.Due, r.Finished, r.Text = Missed, time.Time{}, now, why
	}
	f.Runs = append(f.Runs, r)
	return f, r.State == Queued && now.Sub(last) > onTime
}

// before is the last instant before another, from one on.
func (j Job) before(from, limit time.Time) time.Time {
	last := from
	for at := from; !at.IsZero() && at.Before(limit); at = j.next(at) {
		last = at
	}
	return last
}

func (j Job) endReason() string {
	if !j.Expires.IsZero() {
		if _, more := j.When.Next(j.Expires.Add(-time.Second)); more {
			return "it expired on " + j.Expires.In(j.location()).Format("Mon 2 Jan 2006 15:04")
		}
	}
	if j.When.Once() {
		return "its time has come"
	}
	return "its schedule has no more runs"
}

// tooLate says why a run whose instant has passed does not run any more; empty
// when it does.
func (j Job) tooLate(at, now time.Time) string {
	late := now.Sub(at)
	if late <= onTime {
		return ""
	}
	most, skip, err := missedPolicy(j.Missed)
	switch {
	case skip || err != nil:
		return fmt.Sprintf("Missed by %s; the job skips runs that are late.", span(late))
	case most > 0 && late > most:
		return fmt.Sprintf("Missed by %s; the job runs late by %s at most.", span(late), span(most))
	case most > 0 || j.When.Once():
		return ""
	}
	if most = maxLate; j.When.Period(at) > 0 {
		most = min(most, j.When.Period(at)/2)
	}
	if late > most {
		return fmt.Sprintf("Missed by %s; by default a run is caught up on within half its period, two hours at most.", span(late))
	}
	return ""
}

// jitter is how much later a run begins: the same for the same instant, however
// often it is asked.
func (j Job) jitter(at time.Time) time.Duration {
	if j.Jitter <= 0 {
		return 0
	}
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s %d", j.ID, at.Unix()) // never fails
	return time.Duration(h.Sum64() % uint64(j.Jitter))
}
