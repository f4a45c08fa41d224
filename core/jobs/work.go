package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/store"
)

// maxAttempts is how often a run is begun that was interrupted before it did
// anything.
const maxAttempts = 3

// recover ends what a killed program left under way, and aims all jobs: what
// the store says may be of before a change of clock or zones.
func (s *Scheduler) recover(ctx context.Context) {
	now := s.Clock.Now()
	s.now, s.awake = 0, 0
	open, err := s.Book.Store.OpenRuns(ctx)
	if err != nil {
		s.trouble(ctx, "store", "Runs of jobs cannot be read", err)
	}
	for _, r := range open {
		j, err := s.Book.Get(ctx, r.Job)
		if err != nil {
			continue
		}
		if r.State == Running {
			s.interrupted(ctx, j, r, now)
			continue
		}
		if why := j.tooLate(r.Due, now); r.Kind == Scheduled && j.Bad == nil && why != "" {
			r.State, r.Finished, r.Text = Missed, now, why
			s.save(ctx, r)
		}
	}
	s.aim(ctx, now)
}

// interrupted ends a run whose process has ended. It waits again where nothing
// had been done yet.
func (s *Scheduler) interrupted(ctx context.Context, j Job, r store.Run, now time.Time) {
	if !s.acted(ctx, j, r) && r.Attempt < maxAttempts {
		r.State, r.Due, r.Started, r.Session = Queued, now, time.Time{}, ""
		s.save(ctx, r)
		return
	}
	r.State, r.Finished, r.Code = Interrupted, now, Interrupted
	r.Text = "Hobkin ended while it ran. It is not begun again, because it may have done something already."
	s.save(ctx, r)
	body := r.Text
	if j.Reminder {
		body = j.Task
	}
	s.Worker.Tell(ctx, j.Name, "“"+j.Name+"” was interrupted", body)
}

// acted reports whether a run may have done something. A reminder may have been
// shown.
func (s *Scheduler) acted(ctx context.Context, j Job, r store.Run) bool {
	if j.Reminder {
		return true
	}
	acted, err := s.Worker.Acted(ctx, r.Session)
	if err != nil {
		slog.WarnContext(ctx, "jobs: the transcript of an interrupted run", "error", err)
	}
	return acted || err != nil
}

// start begins the runs that wait, as many as may run at once.
func (s *Scheduler) start(ctx context.Context, now time.Time) {
	open, err := s.Book.Store.OpenRuns(ctx)
	if err != nil {
		s.trouble(ctx, "store", "Runs of jobs cannot be read", err)
		return
	}
	for _, r := range open {
		if r.State != Queued || r.Due.After(now) {
			continue
		}
		free, beside := s.room(r)
		if !free {
			return
		}
		s.begin(ctx, r, now, beside)
	}
}

// room reports whether another run may begin, and whether one of the same job
// is under way.
func (s *Scheduler) room(r store.Run) (free, beside bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, job := range s.running {
		beside = beside || job == r.Job
	}
	_, is := s.running[r.ID]
	return len(s.running) < s.Limits.AtOnce && !is, beside
}

func (s *Scheduler) begin(ctx context.Context, r store.Run, now time.Time, beside bool) {
	j, err := s.Book.Get(ctx, r.Job)
	if err != nil {
		slog.WarnContext(ctx, "jobs: a run without its job", "run", r.ID, "error", err)
		return
	}
	why := ""
	switch {
	case j.State == Paused && r.Kind == Scheduled:
		why = "The job is paused."
	case beside && r.Kind == Scheduled:
		why = "The run before was still under way."
	case beside:
		return // it waits its turn
	}
	if why != "" {
		r.State, r.Finished, r.Text = Skipped, now, why
		s.save(ctx, r)
		return
	}
	r.State, r.Started, r.Attempt = Running, now, r.Attempt+1
	if err := s.Book.Store.SetRun(ctx, r); err != nil {
		s.trouble(ctx, r.ID, "The job “"+j.Name+"” is due and cannot be recorded, so it waits", err)
		return
	}
	s.mu.Lock()
	s.running[r.ID] = r.Job
	s.mu.Unlock()
	s.work.Go(func() { s.run(ctx, j, r) }) // Run waits for it
}

// Why a run was ended.
var (
	errTimeout = errors.New("it took longer than it may")
	errIdle    = errors.New("nothing happened in it for too long")
)

// run does one run and leaves the record of it.
func (s *Scheduler) run(ctx context.Context, j Job, r store.Run) {
	defer s.Wake()
	timeout := s.Limits.Timeout
	if j.Timeout > 0 {
		timeout = j.Timeout
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer time.AfterFunc(timeout, func() { cancel(fmt.Errorf("%w (%s)", errTimeout, span(timeout))) }).Stop()
	idle := time.AfterFunc(s.Limits.Idle, func() { cancel(fmt.Errorf("%w (%s)", errIdle, span(s.Limits.Idle))) })
	defer idle.Stop()
	began := func(session string) error {
		r.Session = session
		return s.Book.Store.SetRun(ctx, r)
	}
	res := s.safely(ctx, j, r, began, func() { idle.Reset(s.Limits.Idle) })
	after := context.WithoutCancel(ctx)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errTimeout) && !errors.Is(cause, errIdle) {
		s.mu.Lock()
		delete(s.running, r.ID)
		s.mu.Unlock()
		return // the program ends: the next start sees what was done
	} else if cause != nil {
		res = Result{Text: "It was ended: " + cause.Error() + ".", Code: "timed_out"}
	}
	r.Finished, r.State, r.Text, r.Code = s.Clock.Now(), Done, res.Text, res.Code
	if res.Code != "" {
		r.State = Failed
	}
	saved := s.save(after, r)
	s.mu.Lock()
	if saved {
		delete(s.running, r.ID)
	}
	s.mu.Unlock()
	s.finish(after, j, r)
}

// safely is the worker's work; a panic in it is a failure of the run.
func (s *Scheduler) safely(ctx context.Context, j Job, r store.Run, began func(string) error, beat func()) (res Result) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "jobs: panic in a run", "job", j.Name, "panic", p)
			res = Result{Text: "An internal error ended it; the log has the details.", Code: "internal"}
		}
	}()
	if j.Bad != nil {
		return Result{Text: j.Bad.Error(), Code: BadSchedule.Code}
	}
	if s.Book.Known != nil && !j.Reminder {
		if err := s.Book.Known(ctx, j.Spec); err != nil {
			return failure(err)
		}
	}
	return s.Worker.Work(ctx, j, r, began, beat)
}

// failure is an error as the result of a run.
func failure(err error) Result {
	if u, ok := capability.AsUserError(err); ok {
		return Result{Text: u.Message, Code: u.Code}
	}
	return Result{Text: err.Error(), Code: "failed"}
}

// save writes the end of a run; where that fails it is tried again later, and
// reports whether it was written.
func (s *Scheduler) save(ctx context.Context, r store.Run) bool {
	err := s.Book.Store.SetRun(ctx, r)
	if err == nil || errors.Is(err, store.ErrNotFound) { // the job was removed meanwhile
		return true
	}
	slog.ErrorContext(ctx, "jobs: the end of a run cannot be stored yet", "run", r.ID, "error", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsaved = append(s.unsaved, r)
	return false
}

func (s *Scheduler) saveUnsaved(ctx context.Context) {
	s.mu.Lock()
	list := s.unsaved
	s.unsaved = nil
	s.mu.Unlock()
	for _, r := range list {
		if s.save(ctx, r) {
			s.mu.Lock()
			delete(s.running, r.ID)
			s.mu.Unlock()
		}
	}
}

// Silent begins what a run says when there is nothing to tell.
const Silent = "[SILENT]"

// finish tells what came of a run, and pauses a job that fails again and again.
func (s *Scheduler) finish(ctx context.Context, j Job, r store.Run) {
	if r.State == Done {
		if !strings.HasPrefix(strings.TrimSpace(r.Text), Silent) && j.Delivery != ToNone {
			s.Worker.Deliver(ctx, j, r)
		}
		return
	}
	s.Worker.Tell(ctx, j.Name, "The job “"+j.Name+"” failed", r.Text)
	now, err := s.Book.Get(ctx, j.ID)
	if err != nil || now.State != Active || now.Failures < s.Limits.Failures {
		return
	}
	reason := fmt.Sprintf("it failed %d times in a row, the last time with: %s", now.Failures, r.Text)
	if _, err := s.Book.Pause(ctx, j.ID, reason); err != nil {
		slog.ErrorContext(ctx, "jobs: pausing a job that fails", "error", err)
		return
	}
	s.Worker.Tell(ctx, j.Name, "The job “"+j.Name+"” is paused", "It failed "+strconv.Itoa(now.Failures)+" times in a row. Resume it when the cause is gone.")
}
