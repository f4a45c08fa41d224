package schedule

import (
	"context"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/jobs"
)

func init() {
	capability.Add(&Tools, spec(capability.Capability{
		Name:        "pause_job",
		Title:       "Pause a job",
		Description: "Keeps a job from running until it is resumed.",
		Class:       capability.ReadWrite,
		Hints:       capability.Hints{Idempotent: capability.Yes},
		Docs: capability.Docs{
			When: "when a job is not to run for a while",
			Examples: []capability.Example{
				{When: "by its name", In: nameIn{"stretch"}},
				{When: "by its id", In: nameIn{"01jd3x7k2m9p4q8r6s5t0v1w2y"}},
			},
			Fails: []*capability.Failure{jobs.NoJob, jobs.HasEnded},
		},
	}), (*Host).pause)
}

func (h *Host) pause(ctx context.Context, _ capability.Call, in nameIn) (capability.Result, error) {
	j, err := h.Jobs.Pause(ctx, in.Name, "")
	if err != nil {
		return capability.Result{}, err
	}
	return capability.Result{Text: quoted(j.Name) + " is paused. It does not run until resume_job.", Summary: j.Name + " paused"}, nil
}
