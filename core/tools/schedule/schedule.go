// Package schedule has the tools that make and look after jobs and reminders.
//
// What a job may do is laid down by the turn that makes it: its trust, its
// mode, its folder. Every answer says in words what a schedule means and when
// its next runs are, so that a person can see a mistake. None of the tools is
// offered inside the run of a job: what is scheduled cannot schedule itself.
package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/jobs"
)

// Tools is the group's set. Each tool file adds itself.
var Tools capability.Set[*Host]

// A Host is what the tools work with. Jobs must be set before a call.
type Host struct {
	Jobs *jobs.Book
	// Failed lists the tools that failed in a session, a line each. Nil knows of
	// none.
	Failed func(ctx context.Context, session string) ([]string, error)
	// Folder reports whether jobs may work in a folder; nil lets them. Where they
	// may not they work in the one of the settings.
	Folder func(dir string) bool
	// Runs says whether some process runs the jobs now; nil is yes.
	Runs func() bool
}

// outsideJobs is where the tools are offered.
func outsideJobs(turn capability.Turn) bool { return turn.Channel != "job" }

// spec fills in what all tools of the group share.
func spec(c capability.Capability) capability.Capability {
	c.Category, c.Available = capability.CategoryScheduling, outsideJobs
	c.OwnerData = true
	c.Hints.OpenWorld = capability.No
	return c
}

func (h *Host) now() time.Time {
	if h.Jobs.Clock != nil {
		return h.Jobs.Clock()
	}
	return time.Now()
}

// shown is how many runs ahead an answer names.
const shown = 3

// say tells all that matters of a job.
func (h *Host) say(j jobs.Job) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s) runs %s; zone %s.\n", quoted(j.Name), j.ID, j.Meaning(), j.ZoneText())
	b.WriteString(h.ahead(j) + "\n")
	b.WriteString(j.MayDo())
	if h.Runs != nil && !h.Runs() {
		b.WriteString("\nNo Hobkin runs the jobs at the moment: the desktop must be running, or hobkin jobs daemon.")
	}
	return b.String()
}

// ahead names the next runs, or why there are none.
func (h *Host) ahead(j jobs.Job) string {
	var times []string
	for _, t := range j.Upcoming(h.now(), shown) {
		times = append(times, t.Format("Mon 2 Jan 2006 15:04"))
	}
	switch {
	case len(times) > 0:
		return "Next: " + strings.Join(times, "; ") + "."
	case j.State == jobs.Active:
		return "It has no run ahead."
	}
	return "It is " + j.State + why(j.Reason) + "."
}

func why(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func quoted(name string) string { return "“" + name + "”" }

// data is a job for programs.
func (h *Host) data(j jobs.Job) map[string]any {
	next := []string{}
	for _, t := range j.Upcoming(h.now(), shown) {
		next = append(next, t.Format(time.RFC3339))
	}
	return map[string]any{"id": j.ID, "name": j.Name, "state": j.State, "schedule": j.Schedule, "meaning": j.Meaning(), "timezone": j.ZoneText(), "next": next}
}

func (h *Host) result(lead string, j jobs.Job) (capability.Result, error) {
	raw, err := json.Marshal(h.data(j))
	return capability.Result{Text: lead + h.say(j), Summary: j.Name + ": " + j.Meaning(), Data: raw}, err
}

// nameIn is the parameter of tools that need nothing but a job.
type nameIn struct {
	Name string `json:"name" min:"1" jsonschema:"name or id of the job"`
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// model joins provider and model.
func model(provider, name string) (string, error) {
	switch {
	case provider == "" && name == "":
		return "", nil
	case name == "" && provider != "offline", provider == "":
		return "", capability.BadInput.Becausef("/model: provider and model go together")
	case provider == "offline":
		return provider, nil
	}
	return provider + "/" + name, nil
}

func moment(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, capability.BadInput.Becausef("/%s: %q is no instant such as 2026-12-24T18:00:00+01:00", field, text)
	}
	return t, nil
}
