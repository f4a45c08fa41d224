package setup

import (
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/say"
)

// JobStatus is the state of a job in words: when it runs next, or why it does
// not.
func JobStatus(j control.Job) (say.Phrase, Mood) {
	switch {
	case j.State == "paused" && j.Reason != "":
		return say.P("Paused: {{.Reason}}", "Reason", short(j.Reason)), Bad
	case j.State == "paused":
		return say.P("Paused"), Quiet
	case j.State == "ended":
		return say.P("Over: it runs no more"), Quiet
	case j.Overdue:
		return say.P("Late: it should have run already"), Bad
	case len(j.NextText) == 0:
		return say.P("It has no next run"), Ask
	}
	return say.P("Next: {{.When}}", "When", j.NextText[0]), Good
}

// JobAbout is what a job means: its schedule in words, and its zone.
func JobAbout(j control.Job) say.Phrase {
	return say.Raw(strings.Join(slices.DeleteFunc([]string{j.Meaning, j.ZoneText, j.MayDo}, func(s string) bool { return s == "" }), " · "))
}

// NextRuns are the next three runs of a job, a line each.
func NextRuns(j control.Job) string { return strings.Join(j.NextText, "\n") }

// History is the text of a job's runs, the newest first.
func History(runs []control.JobRun) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(r.Instant.Local().Format("2006-01-02 15:04") + "  " + r.State)
		if r.Count > 1 {
			b.WriteString(" ×" + itoa(r.Count))
		}
		if len(r.Failed) > 0 {
			b.WriteString("  (" + strings.Join(r.Failed, ", ") + ")")
		}
		b.WriteString("\n")
		if text := strings.TrimSpace(r.Text); text != "" {
			b.WriteString("    " + strings.ReplaceAll(short(text), "\n", "\n    ") + "\n")
		}
	}
	return b.String()
}

// A Day is a day of the calendar with what runs on it.
type Day struct {
	Date time.Time // its midnight
	Runs []Occurrence
}

// An Occurrence is one run to come.
type Occurrence struct {
	At   time.Time
	Name string
}

// Calendar is the runs to come of all jobs, day by day, in the zone of the
// person.
func Calendar(jobs []control.Job) []Day {
	var all []Occurrence
	for _, j := range jobs {
		if j.State != "active" {
			continue
		}
		for _, at := range j.Next {
			all = append(all, Occurrence{at.Local(), j.Name})
		}
	}
	slices.SortStableFunc(all, func(a, b Occurrence) int { return a.At.Compare(b.At) })
	var out []Day
	for _, o := range all {
		y, m, d := o.At.Date()
		date := time.Date(y, m, d, 0, 0, 0, 0, o.At.Location())
		if len(out) == 0 || !out[len(out)-1].Date.Equal(date) {
			out = append(out, Day{Date: date})
		}
		last := &out[len(out)-1]
		last.Runs = append(last.Runs, o)
	}
	return out
}

// CalendarText is the calendar as lines: a day, and below it when what runs.
func CalendarText(days []Day) string {
	var b strings.Builder
	for _, d := range days {
		b.WriteString(d.Date.Format("2006-01-02") + "\n")
		for _, o := range d.Runs {
			b.WriteString("    " + o.At.Format("15:04") + "  " + o.Name + "\n")
		}
	}
	return b.String()
}

// A JobForm is a job that is being made or changed.
type JobForm struct{ Name, When, Zone, Task string }

// Spec makes a form into what the core takes; a reminder only shows its text.
func (f JobForm) Spec(reminder bool) (control.JobSpec, error) {
	name, when, zone, task := strings.TrimSpace(f.Name), strings.TrimSpace(f.When), strings.TrimSpace(f.Zone), strings.TrimSpace(f.Task)
	switch {
	case task == "":
		return control.JobSpec{}, say.Err("Say what is to be done")
	case when == "":
		return control.JobSpec{}, say.Err("Say when: such as every 2 hours, 0 9 * * 1-5, or 2027-01-31T09:00:00+01:00")
	case name == "":
		name = short(task)
	}
	return control.JobSpec{Name: &name, Schedule: &when, Zone: &zone, Task: &task, Reminder: &reminder}, nil
}

// Meaning is what a job that is about to be made would do: for the person to
// see a mistake.
func Meaning(j control.Job) string {
	return strings.Join(append([]string{j.Meaning + " · " + j.ZoneText}, j.NextText...), "\n")
}
