package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

func init() {
	capability.Add(&Tools, spec(capability.Capability{
		Name:        "list_jobs",
		Aliases:     []string{"CronList"},
		Title:       "List the jobs",
		Description: "Lists the jobs and reminders: what each means in words, its next runs, and why one is paused or has ended.",
		Class:       capability.ReadOnly,
		Hints:       capability.Hints{ReadOnly: capability.Yes, Exact: true},
		Docs: capability.Docs{
			When: "when the person asks what is scheduled, and before a job is changed, for its name",
			Examples: []capability.Example{
				{When: "all that will run", In: listIn{}},
				{When: "also those that have ended", In: listIn{All: true}},
			},
		},
	}), (*Host).list)
}

type listIn struct {
	All bool `json:"all,omitempty" jsonschema:"also those that have ended"`
}

func (h *Host) list(ctx context.Context, _ capability.Call, in listIn) (capability.Result, error) {
	list, err := h.Jobs.List(ctx)
	if err != nil {
		return capability.Result{}, err
	}
	var b strings.Builder
	out, ended := []map[string]any{}, 0
	for _, j := range list {
		if j.State == "ended" && !in.All {
			ended++
			continue
		}
		kind := "job"
		if j.Reminder {
			kind = "reminder"
		}
		fmt.Fprintf(&b, "- %s %s: %s, %s. %s\n", kind, quoted(j.Name), j.Meaning(), j.ZoneText(), h.ahead(j))
		if j.Overdue(h.now()) {
			b.WriteString("  It should have run already: no Hobkin runs the jobs at the moment.\n")
		}
		out = append(out, h.data(j))
	}
	if len(out) == 0 {
		b.WriteString("Nothing is scheduled.\n")
	}
	if ended > 0 {
		fmt.Fprintf(&b, "%d more have ended; with all they are listed too.\n", ended)
	}
	raw, err := json.Marshal(map[string]any{"jobs": out})
	return capability.Result{Text: strings.TrimSpace(b.String()), Summary: fmt.Sprintf("%d scheduled", len(out)), Data: raw}, err
}
