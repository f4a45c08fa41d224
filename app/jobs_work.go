package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/hobkin/hobkin/app/notify"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/jobs"
	"github.com/hobkin/hobkin/core/store"
)

// jobWorker does the runs of jobs: reminders are shown, all others are turns of
// the agent, each in a session of its own.
type jobWorker struct{ c *Core }

// Work implements [jobs.Worker].
func (w *jobWorker) Work(ctx context.Context, j jobs.Job, r jobs.Run, began func(string) error, beat func()) jobs.Result {
	if j.Reminder {
		if err := began(""); err != nil {
			return failedRun(err)
		}
		return w.remind(ctx, j)
	}
	s, err := w.c.store.CreateSession(ctx, store.Session{
		Title: j.Name + ", " + j.In(r.Instant).Format("2 Jan 15:04"), Workspace: or(j.Workspace, w.c.workspace()), Mode: j.Mode, Model: j.Model, Channel: jobChannel,
	})
	if err != nil {
		return failedRun(err)
	}
	if err := began(s.ID); err != nil {
		return failedRun(err)
	}
	w.c.jobs.enter(s.ID, j)
	defer w.c.jobs.leave(s.ID)
	w.c.needServers(ctx)
	sent, err := w.c.agent.Send(ctx, agent.Input{
		Session: s.ID, Text: j.Task, Channel: jobChannel, Trust: j.Trust, Mode: j.Mode, Model: j.Model, Role: "job",
		Workspace: s.Workspace, Locale: j.Locale, Provenance: capability.FromSchedule,
	})
	if err != nil {
		return failedRun(err)
	}
	return w.follow(ctx, s.ID, sent, beat)
}

// jobFacts tell the model of a run where its task comes from: no one typed it
// now, and no one is there.
func (c *Core) jobFacts(turn capability.Turn) []string {
	j, ok := c.jobs.of(turn)
	if !ok {
		return nil
	}
	return []string{fmt.Sprintf("# This job\n\nThe message is the task of the job “%s”, which runs %s. It was laid down before; no one typed it now. "+
		"What you say last is shown to the person. If there is nothing to tell, answer %s.", j.Name, j.Meaning(), jobs.Silent)}
}

// follow waits for the end of a turn, or ends it with ctx.
func (w *jobWorker) follow(ctx context.Context, session string, sent agent.Sent, beat func()) jobs.Result {
	last := ""
	for e, err := range w.c.hub.Watch(ctx, session, sent.From) {
		if err != nil {
			return failedRun(err)
		}
		beat()
		if e.Turn != sent.Turn {
			continue
		}
		switch p := e.Payload.(type) {
		case agent.OutputCompleted:
			last = p.Text
		case agent.TurnCompleted:
			return jobs.Result{Text: last}
		case agent.TurnFailed:
			return jobs.Result{Text: p.Message, Code: or(p.Code, "failed")}
		case agent.TurnSealed:
			return jobs.Result{Text: "It was ended: " + p.Reason + ".", Code: "sealed"}
		case agent.TurnCancelled:
			return jobs.Result{Text: "It was stopped: " + p.Reason + ".", Code: "cancelled"}
		default: // what happens on the way says nothing about the end
		}
	}
	w.c.agent.StopTurn(session, sent.Turn)
	return jobs.Result{Text: "It was ended.", Code: "cancelled"}
}

func failedRun(err error) jobs.Result {
	if u, ok := capability.AsUserError(err); ok {
		return jobs.Result{Text: u.Message, Code: u.Code}
	}
	return jobs.Result{Text: err.Error(), Code: "failed"}
}

func (s *scheduled) enter(session string, j jobs.Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.under == nil {
		s.under = map[string]jobs.Job{}
	}
	s.under[session] = j
}

func (s *scheduled) leave(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.under, session)
}

// The buttons of a reminder.
const (
	keyLater    = "snooze-10m"
	keyHour     = "snooze-1h"
	keyTomorrow = "snooze-tomorrow"
	keyDone     = "done"
)

// remind shows a reminder with its buttons.
func (w *jobWorker) remind(ctx context.Context, j jobs.Job) jobs.Result {
	if w.c.opts.Notifier == nil {
		return jobs.Result{Text: "It could not be shown: " + notify.ErrUnavailable.Error() + ".", Code: "no_notifier"}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, err := w.c.opts.Notifier.Show(ctx, notify.Notification{
		Session: "reminder " + j.ID, Title: j.Name, Body: j.Task, Urgency: notify.Critical, // it stays until it is answered
		Actions: []notify.Action{{Key: keyDone, Label: "Done"}, {Key: keyLater, Label: "In 10 min"}, {Key: keyHour, Label: "In 1 h"}, {Key: keyTomorrow, Label: "Tomorrow"}},
		Do:      func(key string) { w.answered(context.WithoutCancel(ctx), j, key) },
	})
	if err != nil {
		return jobs.Result{Text: "It could not be shown: " + err.Error() + ".", Code: "no_notifier"}
	}
	return jobs.Result{Text: j.Task}
}

// answered does what a button of a reminder says. Done and a click need
// nothing: the run is over.
func (w *jobWorker) answered(ctx context.Context, j jobs.Job, key string) {
	now := time.Now()
	later := map[string]time.Time{keyLater: now.Add(10 * time.Minute), keyHour: now.Add(time.Hour), keyTomorrow: j.In(now).AddDate(0, 0, 1)}
	at, ok := later[key]
	if !ok {
		return
	}
	if _, err := w.c.jobs.book.Snooze(ctx, j.ID, at); err != nil {
		w.Tell(ctx, j.Name, "The reminder “"+j.Name+"” does not come again", err.Error())
	}
}

// Acted implements [jobs.Worker].
func (w *jobWorker) Acted(ctx context.Context, session string) (acted bool, err error) {
	if session == "" {
		return false, nil
	}
	if _, err := w.c.agent.Recover(ctx, []string{session}); err != nil { // the transcript says where it ended
		slog.WarnContext(ctx, "app: closing an interrupted run", "error", err)
	}
	err = w.c.eachEvent(ctx, session, func(e agent.Event) {
		if _, ok := e.Payload.(agent.ToolStarted); ok {
			acted = true
		}
	})
	return acted, err
}

// maxShown bounds what a notification says of a run, in bytes.
const maxShown = 500

// Deliver implements [jobs.Worker].
func (w *jobWorker) Deliver(ctx context.Context, j jobs.Job, r jobs.Run) {
	if j.Reminder {
		return // it was shown
	}
	text := w.c.redactor.Redact(strings.TrimSpace(r.Text))
	if j.Delivery == jobs.ToSession {
		err := w.c.publish(ctx, j.Session, "", agent.Notice{Text: "The job “" + j.Name + "” says:\n\n" + text})
		if err == nil {
			return
		}
		slog.WarnContext(ctx, "app: delivering to a session", "job", j.Name, "error", err)
	}
	w.show(ctx, r.Session, j.Name, text)
}

// Tell implements [jobs.Worker].
func (w *jobWorker) Tell(ctx context.Context, job, title, body string) {
	slog.WarnContext(ctx, "app: jobs: "+title, "job", job, "text", body)
	w.show(ctx, "", title, w.c.redactor.Redact(body))
}

// show shows a notification; a click opens the transcript.
func (w *jobWorker) show(ctx context.Context, session, title, body string) {
	if w.c.opts.Notifier == nil {
		return
	}
	_, err := w.c.opts.Notifier.Show(ctx, notify.Notification{
		Session: session, Title: title, Body: capability.CutText(body, maxShown), Urgency: notify.Normal,
		Do: func(string) {
			if w.c.opts.Show == nil {
				return
			}
			if err := w.c.opts.Show(session); err != nil {
				slog.Warn("app: showing the window", "error", err)
			}
		},
	})
	if err != nil {
		slog.WarnContext(ctx, "app: a notification of a job", "error", err)
	}
}
