package schedule

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/jobs"
)

func init() {
	capability.Add(&Tools, spec(capability.Capability{
		Name:        "get_job_run",
		Title:       "Look at a run of a job",
		Description: "Tells all about one run: when it was due, began and ended, what came of it, which of its tools failed, and the session with its transcript.",
		Class:       capability.ReadOnly,
		Hints:       capability.Hints{ReadOnly: capability.Yes, Exact: true},
		Docs: capability.Docs{
			When: "when list_job_runs does not say enough about a run",
			Examples: []capability.Example{
				{When: "a run that failed", In: runIn{ID: "01jd3x7k2m9p4q8r6s5t0v1w2y"}},
				{When: "the run of this morning", In: runIn{ID: "01jd5b0c4e8g2h6k9m3n7p1q5r"}},
			},
			Fails: []*capability.Failure{jobs.NoRun},
		},
	}), (*Host).run)
}

type runIn struct {
	ID string `json:"id" min:"1" jsonschema:"id of the run, from list_job_runs"`
}

func (h *Host) run(ctx context.Context, _ capability.Call, in runIn) (capability.Result, error) {
	j, r, err := h.Jobs.Run(ctx, in.ID)
	if err != nil {
		return capability.Result{}, err
	}
	var b strings.Builder
	line := func(label, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", label, value)
		}
	}
	line("Job", j.Name)
	line("State", r.State)
	line("Due", local(j, r.Instant))
	line("Begun", local(j, r.Started))
	line("Ended", local(j, r.Finished))
	line("Session with the transcript", r.Session)
	line("Code", r.Code)
	if h.Failed != nil && r.Session != "" {
		failed, err := h.Failed(ctx, r.Session)
		if err != nil {
			return capability.Result{}, err
		}
		line("Tools that failed", strings.Join(failed, "; "))
	}
	if r.Text != "" {
		b.WriteString("\n" + r.Text)
	}
	return capability.Result{Text: strings.TrimSpace(b.String()), Summary: j.Name + ": " + r.State, Untrusted: true}, nil
}

// local is a time in the zone of a job; empty for none.
func local(j jobs.Job, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return j.In(t).Format("Mon 2 Jan 2006 15:04:05")
}
