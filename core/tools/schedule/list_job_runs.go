package schedule

import (
	"context"
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/jobs"
)

func init() {
	capability.Add(&Tools, spec(capability.Capability{
		Name:        "list_job_runs",
		Title:       "List the runs of a job",
		Description: "Lists the runs of a job, the newest first: when, how each ended and its id. Runs that were missed or skipped are listed with the reason.",
		Class:       capability.ReadOnly,
		Hints:       capability.Hints{ReadOnly: capability.Yes, Exact: true},
		Docs: capability.Docs{
			When: "when the person asks whether a job ran, or why it did not",
			Examples: []capability.Example{
				{When: "the last runs", In: runsIn{Name: "stretch"}},
				{When: "more of them", In: runsIn{Name: "stretch", Limit: 100}},
			},
			Fails: []*capability.Failure{jobs.NoJob},
		},
	}), (*Host).runs)
}

type runsIn struct {
	Name  string `json:"name" min:"1" jsonschema:"name or id of the job"`
	Limit int    `json:"limit,omitempty" min:"1" max:"200" default:"20" jsonschema:"how many"`
}

func (h *Host) runs(ctx context.Context, _ capability.Call, in runsIn) (capability.Result, error) {
	if in.Limit == 0 {
		in.Limit = 20
	}
	j, list, err := h.Jobs.Runs(ctx, in.Name, in.Limit)
	if err != nil {
		return capability.Result{}, err
	}
	if len(list) == 0 {
		return capability.Result{Text: quoted(j.Name) + " has not run yet. " + h.ahead(j), Summary: "no runs"}, nil
	}
	lines := make([]string, len(list))
	for i, r := range list {
		lines[i] = "- " + runLine(j, r)
	}
	return capability.Result{Text: strings.Join(lines, "\n"), Summary: fmt.Sprintf("%d runs", len(list)), Untrusted: true}, nil
}

// runLine is a run on one line.
func runLine(j jobs.Job, r jobs.Run) string {
	text := r.ID + " " + local(j, r.Instant)
	if r.Kind == jobs.Span {
		text += " to " + local(j, r.Until)
	}
	if r.Kind == jobs.Now || r.Kind == jobs.Snoozed {
		text += " (" + r.Kind + ")"
	}
	text += " " + r.State
	if r.Text != "" {
		text += ": " + capability.CutText(strings.Join(strings.Fields(r.Text), " "), 200)
	}
	return text
}
