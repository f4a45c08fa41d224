package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/schedule"
	"github.com/hobkin/hobkin/core/store"
)

// A Clock tells the time and waits. Tests have one of their own.
type Clock interface {
	Now() time.Time       // on the wall, which people set
	Awake() time.Duration // how long the machine was awake since some point; it never goes back
	Wait(ctx context.Context, d time.Duration, wake <-chan struct{})
}

// A Worker does the work of runs.
type Worker interface {
	// Work does one run and says what came of it, until ctx ends. Before
	// anything is done it calls began with the session that has the transcript,
	// empty for a reminder; an error of that ends the run. It calls beat whenever
	// something happens.
	Work(ctx context.Context, j Job, r store.Run, began func(session string) error, beat func()) Result
	// Acted reports whether a tool had run in a session.
	Acted(ctx context.Context, session string) (bool, error)
	// Deliver brings what came of a run to the person.
	Deliver(ctx context.Context, j Job, r store.Run)
	// Tell tells the person of something about jobs. Job is empty when it is
	// about several.
	Tell(ctx context.Context, job, title, body string)
}

// A Result is what came of a run.
type Result struct {
	Text string // what it said last, or the failure in a sentence
	Code string // of a failure; empty when it went well
}

// A Scheduler runs jobs. One process at a time has one, see [Take]. Its fields
// are set before [Scheduler.Run].
//
//	tick:  due jobs ─► plan ─► store: runs, next instant     (one transaction)
//	       runs that wait ─► begin ─► Worker ─► end ─► deliver
type Scheduler struct {
	Book   *Book
	Worker Worker
	Clock  Clock // nil is the machine's
	Limits Limits

	wake chan struct{}
	once sync.Once

	mu      sync.Mutex
	running map[string]string // job by run
	unsaved []store.Run       // ended, and the store did not take it
	work    sync.WaitGroup

	now, awake time.Duration // of the tick before; now since 1970
	zone       string        // the system's, at the tick before
	told       map[string]bool
	pruned     time.Time
}

// Limits bound the runs. A zero field means its default.
type Limits struct {
	AtOnce   int           // runs side by side; 4
	Timeout  time.Duration // of a run that does not say; 1 h
	Idle     time.Duration // without anything happening; 10 min
	Failures int           // in a row, after which a job is paused; 5
	Stagger  time.Duration // between runs that are caught up on; 3 s
	Keep     int           // runs of a job that are remembered; 500
	Days     int           // that runs are remembered; 90

	// Look is how long the scheduler sleeps at most, for the clock may be set and
	// other processes may add jobs; 20 s.
	Look time.Duration
}

func (l Limits) full() Limits {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	long := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	def(&l.AtOnce, 4)
	def(&l.Failures, 5)
	def(&l.Keep, 500)
	def(&l.Days, 90)
	long(&l.Timeout, time.Hour)
	long(&l.Idle, 10*time.Minute)
	long(&l.Stagger, 3*time.Second)
	long(&l.Look, 20*time.Second)
	return l
}

// Wake has the scheduler look at once. It may be called at any time.
func (s *Scheduler) Wake() {
	s.prepare()
	select {
	case s.wake <- struct{}{}:
	default: // it is about to look anyway
	}
}

func (s *Scheduler) prepare() {
	s.once.Do(func() {
		s.wake = make(chan struct{}, 1)
		s.running, s.told = map[string]string{}, map[string]bool{}
		s.Limits = s.Limits.full()
		if s.Clock == nil {
			s.Clock = newClock()
		}
	})
}

// Run schedules until ctx ends, and then waits for the runs to be told so.
func (s *Scheduler) Run(ctx context.Context) error {
	s.prepare()
	defer s.work.Wait()
	s.recover(ctx)
	for ctx.Err() == nil {
		s.Clock.Wait(ctx, s.tick(ctx), s.wake)
	}
	return nil
}

// tick does what is due, and returns how long nothing is.
func (s *Scheduler) tick(ctx context.Context) time.Duration {
	now := s.Clock.Now()
	s.lookAtClock(ctx, now)
	s.saveUnsaved(ctx)
	s.fire(ctx, now)
	s.start(ctx, now)
	s.prune(ctx, now)
	return s.until(ctx, s.Clock.Now())
}

// lookAtClock notices that the machine slept, that the clock was set, or that
// it is in another zone, and aims the jobs anew.
func (s *Scheduler) lookAtClock(ctx context.Context, now time.Time) {
	at, awake := time.Duration(now.UnixNano()), s.Clock.Awake()
	jump := (at - s.now) - (awake - s.awake)
	first := s.now == 0
	s.now, s.awake = at, awake
	zone := schedule.System().String()
	moved := zone != s.zone
	s.zone = zone
	if first || !moved && jump < time.Minute && jump > -2*time.Second {
		return
	}
	slog.InfoContext(ctx, "jobs: the clock was set, the machine slept, or the zone changed", "by", jump, "zone", zone)
	s.aim(ctx, now)
}

// aim sets right the next instants that lie ahead: after the clock was set back
// they may lie too far ahead, and after a change of zone or of a zone's rules
// beside those of the schedule. Instants that have a run already make no second
// one.
func (s *Scheduler) aim(ctx context.Context, now time.Time) {
	list, err := s.Book.List(ctx)
	if err != nil {
		s.trouble(ctx, "store", "Jobs cannot be read", err)
		return
	}
	for _, j := range list {
		if j.State != Active || !j.Next.After(now) {
			continue
		}
		if j.Bad == nil && j.next(now).Equal(j.Next) {
			continue
		}
		_, err := s.Book.change(ctx, j.ID, func(j *Job) error {
			if j.State != Active || !j.Next.After(now) {
				return nil
			}
			j.aimAnew(now)
			return nil
		})
		if err != nil {
			s.trouble(ctx, j.ID, "A job cannot be aimed anew", fmt.Errorf("%s: %w", j.Name, err))
		}
		if j.Bad != nil {
			s.Worker.Tell(ctx, j.Name, "The job “"+j.Name+"” is paused", j.Bad.Error())
		}
	}
}

// aimAnew sets the next instant, or says why there is none.
func (j *Job) aimAnew(now time.Time) {
	if j.Bad != nil {
		j.State, j.Reason = Paused, j.Bad.Error()
		return
	}
	if j.Next = j.next(now); j.Next.IsZero() {
		j.State, j.Reason = Ended, j.endReason()
	}
}

// fire makes the runs of all jobs that are due.
func (s *Scheduler) fire(ctx context.Context, now time.Time) {
	due, err := s.Book.Store.DueJobs(ctx, now)
	if err != nil {
		s.trouble(ctx, "store", "Jobs cannot be read", err)
		return
	}
	var late []string
	for _, one := range due {
		j := of(one)
		if j.Bad != nil {
			if _, err := s.Book.Pause(ctx, j.ID, j.Bad.Error()); err == nil {
				s.Worker.Tell(ctx, j.Name, "The job “"+j.Name+"” is paused", j.Bad.Error())
			}
			continue
		}
		f, isLate := plan(j, now)
		if isLate {
			f.Runs[len(f.Runs)-1].Due = now.Add(time.Duration(len(late)) * s.Limits.Stagger)
		}
		_, err := s.Book.Store.FireJob(ctx, f)
		switch {
		case errors.Is(err, store.ErrMoved): // it was changed this very moment: the next look sees how
		case err != nil && ctx.Err() == nil:
			s.trouble(ctx, j.ID, "The job “"+j.Name+"” is due and cannot be recorded, so it waits", err)
		case err == nil:
			delete(s.told, j.ID)
			if isLate {
				late = append(late, j.Name)
			}
		}
	}
	s.tellLate(ctx, late)
}

// trouble tells once of something that keeps jobs from running; it is tried
// again all the time.
func (s *Scheduler) trouble(ctx context.Context, what, title string, err error) {
	slog.ErrorContext(ctx, "jobs: "+title, "error", err)
	if !s.told[what] {
		s.told[what] = true
		s.Worker.Tell(ctx, "", title, err.Error())
	}
}

// tellLate lists what is caught up on, before it begins.
func (s *Scheduler) tellLate(ctx context.Context, names []string) {
	if len(names) < 2 {
		return // a single one speaks for itself
	}
	const most = 8
	lines := names
	if len(names) > most {
		lines = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", len(names)-most))
	}
	s.Worker.Tell(ctx, "", fmt.Sprintf("%d jobs were due meanwhile and run now, one after another", len(names)), strings.Join(lines, "\n"))
}

// until is how long nothing is due.
func (s *Scheduler) until(ctx context.Context, now time.Time) time.Duration {
	wait := s.Limits.Look
	if next, err := s.Book.Store.NextJob(ctx); err == nil && !next.IsZero() {
		wait = min(wait, next.Sub(now))
		slog.DebugContext(ctx, "jobs: the next is due", "at", next)
	}
	if open, err := s.Book.Store.OpenRuns(ctx); err == nil {
		for _, r := range open {
			if r.State == Queued && r.Due.After(now) {
				wait = min(wait, r.Due.Sub(now))
				break
			}
		}
	}
	return max(wait, 100*time.Millisecond)
}

// prune forgets old runs, once a day.
func (s *Scheduler) prune(ctx context.Context, now time.Time) {
	if day := now.Sub(s.pruned); day >= 0 && day < 24*time.Hour {
		return
	}
	s.pruned = now
	const few = 20 // of each job stay however old they are
	sessions, err := s.Book.Store.PruneRuns(ctx, s.Limits.Keep, few, now.AddDate(0, 0, -s.Limits.Days))
	if err != nil {
		slog.WarnContext(ctx, "jobs: forgetting old runs", "error", err)
	}
	for _, id := range sessions {
		if id == "" {
			continue
		}
		if err := s.Book.Store.DeleteSession(ctx, id); err != nil {
			slog.DebugContext(ctx, "jobs: the transcript of a forgotten run", "error", err)
		}
	}
}
