package schedule

import (
	"context"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/jobs"
)

func init() {
	capability.Add(&Tools, spec(capability.Capability{
		Name:        "resume_job",
		Title:       "Resume a job",
		Description: "Lets a paused job go on with its next instant. What passed meanwhile does not run.",
		Class:       capability.ReadWrite,
		Hints:       capability.Hints{Idempotent: capability.Yes},
		Docs: capability.Docs{
			When: "when a paused job is to run again, also one that was paused for its failures",
			Examples: []capability.Example{
				{When: "by its name", In: nameIn{"stretch"}},
				{When: "by its id", In: nameIn{"01jd3x7k2m9p4q8r6s5t0v1w2y"}},
			},
			Fails: []*capability.Failure{jobs.NoJob, jobs.InThePast, jobs.BadSchedule, jobs.BadZone, jobs.BadJob},
		},
	}), (*Host).resume)
}

func (h *Host) resume(ctx context.Context, _ capability.Call, in nameIn) (capability.Result, error) {
	j, err := h.Jobs.Resume(ctx, in.Name)
	if err != nil {
		return capability.Result{}, err
	}
	return h.result("Resumed. ", j)
}
