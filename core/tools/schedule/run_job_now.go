package schedule

import (
	"context"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/jobs"
)

func init() {
	capability.Add(&Tools, spec(capability.Capability{
		Name:        "run_job_now",
		Title:       "Run a job now",
		Description: "Queues a run of a job at once, beside its schedule, which stays as it is. It does not wait for the run.",
		Class:       capability.ReadWrite,
		Hints:       capability.Hints{},
		Docs: capability.Docs{
			When: "when the person wants the job done now, or to try it",
			Examples: []capability.Example{
				{When: "by its name", In: nameIn{"stretch"}},
				{When: "by its id", In: nameIn{"01jd3x7k2m9p4q8r6s5t0v1w2y"}},
			},
			Fails: []*capability.Failure{jobs.NoJob, jobs.BadJob},
		},
	}), (*Host).runNow)
}

func (h *Host) runNow(ctx context.Context, _ capability.Call, in nameIn) (capability.Result, error) {
	j, r, err := h.Jobs.RunNow(ctx, in.Name)
	if err != nil {
		return capability.Result{}, err
	}
	text := quoted(j.Name) + " is queued as run " + r.ID + "; look at it with get_job_run. " + h.ahead(j)
	if h.Runs != nil && !h.Runs() {
		text += " No Hobkin runs the jobs at the moment, so it waits."
	}
	return capability.Result{Text: text, Summary: j.Name + " queued"}, nil
}
