package setup

import (
	"context"
	"strconv"

	"fyne.io/fyne/v2"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/say"
)

func itoa(n int) string { return strconv.Itoa(n) }

// A jobsPage shows jobs and reminders.
type jobsPage struct {
	*Window

	list  control.JobList
	sheet *sheet
	tried JobForm // whose meaning was shown: the next click makes it
}

func newJobsPage(w *Window) *jobsPage {
	p := &jobsPage{Window: w}
	p.sheet = newSheet(look.L("Jobs and reminders"), look.L("What runs at its time while you are away. Each job may do what was chosen when it was made, and no more."), nil,
		look.Wrap(8,
			look.NewButton(look.L("New reminder…"), look.ButtonAccent, func() { p.form(control.Job{Reminder: true}) }),
			look.NewButton(look.L("New job…"), look.ButtonPlain, func() { p.form(control.Job{}) }),
			look.NewButton(look.L("Calendar"), look.ButtonQuiet, func() {
				popup(w.win, look.L("Calendar"), CalendarText(Calendar(p.list.Jobs)), closing())
			}),
		))
	return p
}

func (*jobsPage) title() say.Phrase { return say.P("Jobs and reminders") }

func (p *jobsPage) object() fyne.CanvasObject { return p.sheet.root }

func (p *jobsPage) ask(ctx context.Context) func() {
	list, err := p.opts.Client.Jobs(ctx)
	return func() { p.set(list, err) }
}

func (p *jobsPage) set(list control.JobList, err error) {
	if err == nil {
		p.list = list
	}
	cards := make([]fyne.CanvasObject, 0, len(p.list.Jobs))
	for _, j := range p.list.Jobs {
		status, mood := JobStatus(j)
		cards = append(cards, card(j.Name, look.Say(JobAbout(j)), look.Say(status), mood, p.buttons(j)...))
	}
	p.sheet.show(cards, true, err, look.L("There are no jobs yet. Say for example: remind me to call Ada tomorrow at 9"))
}

func (p *jobsPage) buttons(j control.Job) []fyne.CanvasObject {
	plain := func(text string, do func()) fyne.CanvasObject { return look.NewButton(text, look.ButtonPlain, do) }
	c := p.opts.Client
	out := []fyne.CanvasObject{
		plain(look.L("Run now"), func() { p.do(func(ctx context.Context) error { _, err := c.RunJob(ctx, j.ID); return err }) }),
	}
	if len(j.NextText) > 1 {
		out = append(out, plain(look.L("Next runs"), func() { popup(p.win, j.Name, NextRuns(j), closing()) }))
	}
	out = append(out, plain(look.L("History"), func() { p.history(j) }), plain(look.L("Edit…"), func() { p.form(j) }))
	switch j.State {
	case "active":
		out = append(out, plain(look.L("Pause"), func() { p.do(func(ctx context.Context) error { _, err := c.PauseJob(ctx, j.ID); return err }) }))
	case "paused":
		out = append(out, plain(look.L("Go on"), func() { p.do(func(ctx context.Context) error { _, err := c.ResumeJob(ctx, j.ID); return err }) }))
	}
	return append(out, look.NewButton(look.L("Remove"), look.ButtonQuiet, func() {
		popup(p.win, look.L("Remove {{.Name}}?", "Name", j.Name), look.L("Its history goes with it."),
			look.NewButton(look.L("Remove"), look.ButtonPlain, func() {
				p.do(func(ctx context.Context) error { return c.RemoveJob(ctx, j.ID) })
			}), cancelling())
	}))
}

// do asks the core for something, and for the list after it.
func (p *jobsPage) do(ask func(context.Context) error) {
	var list control.JobList
	p.run(func(ctx context.Context) (err error) {
		if err = ask(ctx); err == nil {
			list, err = p.opts.Client.Jobs(ctx)
		}
		return err
	}, func(err error) { p.set(list, err) })
}

func (p *jobsPage) history(j control.Job) {
	var runs []control.JobRun
	p.run(func(ctx context.Context) (err error) {
		runs, err = p.opts.Client.JobHistory(ctx, control.JobQuery{ID: j.ID})
		return err
	}, func(err error) {
		text := History(runs)
		switch {
		case err != nil:
			text = fault(err)
		case text == "":
			text = look.L("It has not run yet.")
		}
		popup(p.win, j.Name, text, closing())
	})
}

// form makes or changes a job. The first click shows what it means and when it
// would run, the second takes it.
func (p *jobsPage) form(j control.Job) {
	title := look.L("New job")
	switch {
	case j.ID != "":
		title = look.L("Change {{.Name}}", "Name", j.Name)
	case j.Reminder:
		title = look.L("New reminder")
	}
	p.tried = JobForm{}
	question{
		title: title, action: look.L("Check, then take it"), busy: look.L("Checking…"),
		fields: []field{
			{label: look.L("What"), value: j.Task, lines: 3},
			{label: look.L("When"), value: j.Schedule, hint: "0 9 * * 1-5"},
			{label: look.L("Time zone; empty is this computer's"), value: j.Zone, hint: "Europe/Berlin"},
			{label: look.L("Name"), value: j.Name},
		},
		do: func(a []string, told func(string, error)) {
			p.take(j, JobForm{Task: a[0], When: a[1], Zone: a[2], Name: a[3]}, told)
		},
	}.ask(p.win)
}

func (p *jobsPage) take(j control.Job, f JobForm, told func(string, error)) {
	spec, err := f.Spec(j.Reminder)
	if err != nil {
		told("", err)
		return
	}
	known := p.tried == f
	var list control.JobList
	var words string
	p.run(func(ctx context.Context) (err error) {
		if !known {
			meant, err := p.opts.Client.TryJob(ctx, spec)
			words = Meaning(meant)
			return err
		}
		if j.ID == "" {
			_, err = p.opts.Client.AddJob(ctx, spec)
		} else {
			spec.Reminder = nil
			_, err = p.opts.Client.ChangeJob(ctx, control.JobChange{ID: j.ID, Spec: spec})
		}
		if err == nil {
			list, err = p.opts.Client.Jobs(ctx)
		}
		return err
	}, func(err error) {
		if err == nil && !known {
			p.tried = f
		}
		if err == nil && known {
			p.set(list, nil)
		}
		told(words, err)
	})
}
