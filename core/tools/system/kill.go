package system

import (
	"context"

	"github.com/hobkin/hobkin/core/capability"
)

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:        "shell_kill",
		Aliases:     []string{"KillShell", "KillBash"},
		Title:       "End background command",
		Description: "Ends a command that shell started in the background, with everything that it started, and tells what it printed last.",
		Class:       capability.Exec,
		Category:    capability.CategorySystem,
		Hints:       capability.Hints{Idempotent: capability.Yes, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "when a background command is not needed any more, or does not do what it should; all of them end with the session",
			Examples: []capability.Example{
				{When: "the server is not needed any more", In: killIn{ID: "bg-1"}},
				{When: "a second command must make room", In: killIn{ID: "bg-2"}},
			},
			Fails: []*capability.Failure{noJob},
		},
	}, (*Host).kill)
}

type killIn struct {
	ID string `json:"id" jsonschema:"the id that shell returned"`
}

func (h *Host) kill(ctx context.Context, call capability.Call, in killIn) (capability.Result, error) {
	j, err := h.find(call, in.ID)
	if err != nil {
		return capability.Result{}, err
	}
	if !j.running() {
		r := h.read(j, nil)
		r.Text = "It had ended before.\n" + r.Text
		return r, nil
	}
	j.stop(Killed)
	select {
	case <-j.done: // the kill follows the polite signal, so this comes soon
	case <-ctx.Done():
		return capability.Result{}, ctx.Err()
	}
	return h.read(j, nil), nil
}
