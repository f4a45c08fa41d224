package schedule

import (
	"context"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/jobs"
)

func init() {
	capability.AddPreviewed(&Tools, spec(capability.Capability{
		Name:        "remove_job",
		Aliases:     []string{"CronDelete"},
		Title:       "Remove a job",
		Description: "Removes a job and its history for good. The transcripts of its runs stay among the sessions.",
		Class:       capability.ReadWrite,
		Hints:       capability.Hints{Destructive: capability.Yes},
		Docs: capability.Docs{
			When: "when a job is not needed any more; to stop it for a while use pause_job",
			Examples: []capability.Example{
				{When: "by its name", In: nameIn{"stretch"}},
				{When: "by its id", In: nameIn{"01jd3x7k2m9p4q8r6s5t0v1w2y"}},
			},
			Fails: []*capability.Failure{jobs.NoJob},
		},
	}), (*Host).remove, (*Host).removeView)
}

func (h *Host) remove(ctx context.Context, _ capability.Call, in nameIn) (capability.Result, error) {
	j, err := h.Jobs.Remove(ctx, in.Name)
	if err != nil {
		return capability.Result{}, err
	}
	return capability.Result{Text: quoted(j.Name) + " and its history are removed.", Summary: j.Name + " removed"}, nil
}

func (h *Host) removeView(ctx context.Context, _ capability.Call, in nameIn) (capability.Preview, error) {
	j, err := h.Jobs.Get(ctx, in.Name)
	if err != nil {
		return capability.Preview{}, err
	}
	p := h.view("Remove a job and its history?", j)
	p.Destructive = true
	return p, nil
}
