package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/app/notify"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/jobs"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/schedule"
	scheduletools "github.com/hobkin/hobkin/core/tools/schedule"
)

// scheduled is what the core has of jobs.
type scheduled struct {
	book *jobs.Book

	mu        sync.Mutex
	scheduler *jobs.Scheduler     // while this process runs the jobs
	under     map[string]jobs.Job // under way, by the session of the run
}

// joinJobs makes the book of jobs. It comes after the registry was made.
func (c *Core) joinJobs() {
	c.jobs.book = &jobs.Book{Store: c.store, Known: c.knownToJobs, Days: c.daysOfSettings, Changed: c.jobs.wake}
	c.gate.Granted = c.jobs.granted
}

// scheduleHost is what the tools of jobs work with.
func (c *Core) scheduleHost() *scheduletools.Host {
	return &scheduletools.Host{Jobs: c.jobs.book, Failed: c.failedTools, Runs: c.jobsRun, Folder: c.jobFolder}
}

// jobsRun reports whether some process runs the jobs.
func (c *Core) jobsRun() bool { return jobs.Taken(c.opts.Paths.Data) }

func (s *scheduled) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scheduler != nil {
		s.scheduler.Wake()
	}
}

// granted are the rules that were laid down for the job of a turn.
func (s *scheduled) granted(turn capability.Turn) []permission.Rule {
	if j, ok := s.of(turn); ok {
		return slices.Clone(j.Rules)
	}
	return nil
}

// of is the job whose run a turn is.
func (s *scheduled) of(turn capability.Turn) (jobs.Job, bool) {
	if turn.Channel != jobChannel {
		return jobs.Job{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	j, ok := s.under[turn.Session]
	return j, ok
}

// jobChannel is where the messages of jobs come in.
const jobChannel = "job"

// jobOffer narrows what the run of a job is offered: its own tools where it
// names some, and nothing that schedules.
func (c *Core) jobOffer(turn capability.Turn, f capability.Filter) capability.Filter {
	if turn.Channel != jobChannel {
		return f
	}
	f.ExcludedCategories = append(f.ExcludedCategories, capability.CategoryScheduling)
	if j, ok := c.jobs.of(turn); ok && j.Tools != nil {
		f.Allowed = j.Tools
	}
	return f
}

// knownToJobs reports what a job names that is not there.
func (c *Core) knownToJobs(ctx context.Context, s jobs.Spec) error {
	if s.Skill != "" {
		return jobs.BadJob.Becausef("there is no skill %q", s.Skill).Trying("say in the task what is to be done")
	}
	if s.Workspace != "" && !c.jobFolder(s.Workspace) {
		return jobs.BadJob.Becausef("jobs may not use the folder %s: it lies outside those that are open to the agent when no one is there", s.Workspace).Trying("open it first with: hobkin grant " + s.Workspace + "; or name no folder")
	}
	if s.Model != "" {
		if _, err := c.choose(ctx, "job", s.Model); err != nil {
			return jobs.BadJob.Becausef("the model %s cannot be used: %v", s.Model, err).Trying("name another model, or none")
		}
	}
	for _, name := range s.Tools {
		if _, ok := c.registry.Find(name); ok {
			continue
		}
		c.needServers(ctx)
		if _, ok := c.registry.Find(name); !ok {
			var names []string
			for _, t := range c.registry.All() {
				names = append(names, t.Name)
			}
			return jobs.BadJob.Becausef("there is no tool %q now", name).Trying("the closest are " + strings.Join(capability.Nearest(name, names, 3), ", "))
		}
	}
	return nil
}

// jobFolder reports whether a job may work in a folder.
func (c *Core) jobFolder(dir string) bool {
	at, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for _, root := range c.policy.Roots(capability.Turn{Channel: jobChannel, Trust: capability.Operator, Workspace: dir}) {
		if rel, err := filepath.Rel(root, at); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// takeAgain is how often a process looks whether it may run the jobs.
const takeAgain = 20 * time.Second

// RunJobs runs the jobs until ctx ends, as soon as no other process does.
func (c *Core) RunJobs(ctx context.Context) error {
	for said := false; ; said = true {
		lock, err := jobs.Take(c.opts.Paths.Data)
		if err == nil {
			defer func() { _ = lock.Release() }() // the kernel does it too
			break
		}
		if !errors.Is(err, jobs.ErrElsewhere) {
			return err
		}
		if !said {
			slog.InfoContext(ctx, "app: another process runs the jobs")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(takeAgain):
		}
	}
	cfg := c.cfg.Load().Jobs
	s := &jobs.Scheduler{Book: c.jobs.book, Worker: &jobWorker{c}, Limits: jobs.Limits{
		AtOnce: cfg.AtOnce, Timeout: cfg.Timeout.Std(), Idle: cfg.IdleTimeout.Std(), Failures: cfg.PauseAfterFailures, Keep: cfg.KeepRuns, Days: cfg.KeepDays,
	}}
	c.jobs.set(s)
	defer c.jobs.set(nil)
	return s.Run(ctx)
}

// RunJobs opens a core and runs the jobs, for a process that does nothing else.
func RunJobs(ctx context.Context, o ConnectOptions) (err error) {
	paths, err := config.DefaultPaths()
	if err != nil {
		return err
	}
	slog.SetDefault(slog.New(o.Redactor.Handler(slog.NewTextHandler(o.LogTo, &slog.HandlerOptions{Level: o.LogLevel}))))
	notifier, err := notify.Open(ctx)
	if err != nil {
		slog.WarnContext(ctx, "app: notifications", "error", err)
		notifier = nil
	} else {
		defer func() { err = errors.Join(err, notifier.Close()) }()
	}
	c, err := Open(ctx, Options{Paths: paths, Redactor: o.Redactor, Notifier: notifier})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }() //nolint:contextcheck // it must close after ctx has ended
	if err := c.MakeWorkspace(); err != nil {
		return err
	}
	var settings sync.WaitGroup
	settings.Go(func() {
		if err := c.Follow(ctx); err != nil {
			slog.ErrorContext(ctx, "app: watching the settings", "error", err)
		}
	})
	err = c.RunJobs(ctx)
	settings.Wait()
	return err
}

func (s *scheduled) set(scheduler *jobs.Scheduler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scheduler = scheduler
}

// daysOfSettings is how days of a cron line go together.
func (c *Core) daysOfSettings() schedule.Days { return schedule.Days(c.cfg.Load().Jobs.CronDays) }

// failedTools lists the tools that failed in a session.
func (c *Core) failedTools(ctx context.Context, session string) (out []string, err error) {
	err = c.eachEvent(ctx, session, func(e agent.Event) {
		if p, ok := e.Payload.(agent.ToolCompleted); ok && p.Failed {
			out = append(out, p.Tool+": "+p.Code)
		}
	})
	return out, err
}

// eachEvent goes through the stored events of a session.
func (c *Core) eachEvent(ctx context.Context, session string, do func(agent.Event)) error {
	for from := int64(1); ; {
		page, err := c.store.EventsFrom(ctx, session, from, exportPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, e := range page {
			do(e)
		}
		from = page[len(page)-1].Seq + 1
	}
}

// checkJobs tells what should have run and did not.
func (c *Core) checkJobs(ctx context.Context) control.Check {
	list, err := c.jobs.book.List(ctx)
	if err != nil {
		return control.Check{Status: "failed", Detail: err.Error()}
	}
	var late, paused []string
	for _, j := range list {
		switch {
		case j.Overdue(time.Now()):
			late = append(late, j.Name)
		case j.State == jobs.Paused && j.Reason != "":
			paused = append(paused, j.Name+": "+j.Reason)
		}
	}
	switch {
	case len(late) > 0:
		return warning("due, and not run: "+strings.Join(late, ", "), "start the desktop, or run: hobkin jobs daemon")
	case len(paused) > 0:
		return warning("paused: "+strings.Join(paused, "; "), "see to the cause, then run: hobkin jobs resume NAME")
	}
	return passed("%s", fmt.Sprintf("%d kept; none is late", len(list)))
}
