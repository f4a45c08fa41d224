package system

import (
	"context"
	"time"

	"github.com/hobkin/hobkin/core/capability"
)

var noJob = &capability.Failure{Code: "no_such_command", When: "no background command of this session has that id", Try: "use the id that shell returned; the message lists what there is"}

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:    "shell_output",
		Aliases: []string{"BashOutput"},
		Title:   "Read background command",
		Description: "Tells whether a command that shell started in the background still runs, and what it printed since it was read last, " +
			"or since an offset.",
		Class:    capability.Exec,
		Category: capability.CategorySystem,
		Hints:    capability.Hints{Idempotent: capability.No, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "to look after a background command; with wait_ms rather than again and again",
			Examples: []capability.Example{
				{When: "the server should be up by now", In: outputIn{ID: "bg-1", WaitMS: 2000}},
				{When: "all that it printed is wanted once more", In: outputIn{ID: "bg-1", Since: new(int64)}},
			},
			Fails: []*capability.Failure{noJob},
		},
	}, (*Host).output)
}

type outputIn struct {
	ID     string `json:"id" jsonschema:"the id that shell returned"`
	Since  *int64 `json:"since,omitempty" min:"0" jsonschema:"offset to read from, as an earlier answer gave it; 0 for all; what is new when left out"`
	WaitMS int    `json:"wait_ms,omitempty" min:"0" max:"60000" jsonschema:"milliseconds to wait for its end before answering; 0 when left out"`
}

func (h *Host) output(ctx context.Context, call capability.Call, in outputIn) (capability.Result, error) {
	j, err := h.find(call, in.ID)
	if err != nil {
		return capability.Result{}, err
	}
	if in.WaitMS > 0 {
		wait := time.NewTimer(time.Duration(in.WaitMS) * time.Millisecond)
		defer wait.Stop()
		select {
		case <-j.done:
		case <-wait.C:
		case <-ctx.Done():
			return capability.Result{}, ctx.Err()
		}
	}
	return h.read(j, in.Since), nil
}
