package schedule

import (
	"context"
	"encoding/json"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/jobs"
)

func init() {
	capability.AddPreviewed(&Tools, spec(capability.Capability{
		Name:        "update_job",
		Title:       "Change a job",
		Description: "Changes what is given of a job and leaves the rest. A new schedule counts from now. Tell the person the meaning and the next runs of the answer.",
		Class:       capability.ReadWrite,
		Docs: capability.Docs{
			When: "when a job is to run at another time or do something else; to stop it for a while use pause_job",
			Examples: []capability.Example{
				{When: "another time", In: updateIn{Name: "stretch", Schedule: "30 9 * * 1-5"}},
				{When: "until the end of the year", In: updateIn{Name: "stretch", options: options{ExpiresAt: "2027-01-01T00:00:00+01:00"}}},
			},
			Fails: []*capability.Failure{jobs.NoJob, jobs.BadSchedule, jobs.BadZone, jobs.InThePast, jobs.NameTaken, jobs.BadJob},
		},
	}), (*Host).update, (*Host).updateView)
}

type updateIn struct {
	Name     string `json:"name" min:"1" jsonschema:"name or id of the job"`
	NewName  string `json:"new_name,omitempty" max:"100" jsonschema:"what it is called from now on"`
	Schedule string `json:"schedule,omitempty" max:"1000" jsonschema:"as in schedule_job"`
	Task     string `json:"task,omitempty" max:"16000" jsonschema:"as in schedule_job"`
	options
}

// change puts what is given into a job. What its runs may do stays as it was
// laid down, or becomes less: the task may be another's now.
func (in updateIn) change(call capability.Call) (func(*string, *jobs.Spec), error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(call.Args, &given); err != nil {
		return nil, capability.BadInput.Becausef("%v", err)
	}
	var fresh jobs.Spec
	if err := in.apply(&fresh); err != nil {
		return nil, err
	}
	return func(name *string, s *jobs.Spec) {
		_, tools := given["allowed_tools"]
		if tools || in.Task != "" && in.Task != s.Task {
			s.Mode, s.Rules, s.Trust = jobs.Narrower(s.Mode, call.Turn.Mode), nil, call.Turn.Trust
		}
		set(&s.Schedule, in.Schedule)
		set(&s.Task, in.Task)
		set(name, in.NewName)
		for field, put := range map[string]func(){
			"timezone": func() { s.Zone = fresh.Zone }, "description": func() { s.Description = fresh.Description },
			"expires_at": func() { s.Expires = fresh.Expires }, "delivery": func() { s.Delivery = fresh.Delivery },
			"allowed_tools": func() { s.Tools = fresh.Tools }, "skill": func() { s.Skill = fresh.Skill },
			"model": func() { s.Model = fresh.Model }, "timeout_s": func() { s.Timeout = fresh.Timeout },
			"missed": func() { s.Missed = fresh.Missed }, "jitter_s": func() { s.Jitter = fresh.Jitter },
		} {
			if _, ok := given[field]; ok {
				put()
			}
		}
	}, nil
}

func set(field *string, value string) {
	if value != "" {
		*field = value
	}
}

func (h *Host) update(ctx context.Context, call capability.Call, in updateIn) (capability.Result, error) {
	change, err := in.change(call)
	if err != nil {
		return capability.Result{}, err
	}
	j, err := h.Jobs.Update(ctx, in.Name, change)
	if err != nil {
		return capability.Result{}, err
	}
	return h.result("Changed. ", j)
}

func (h *Host) updateView(ctx context.Context, call capability.Call, in updateIn) (capability.Preview, error) {
	change, err := in.change(call)
	if err != nil {
		return capability.Preview{}, err
	}
	j, err := h.Jobs.Get(ctx, in.Name)
	if err != nil {
		return capability.Preview{}, err
	}
	change(&j.Name, &j.Spec)
	if j, err = h.Jobs.Try(ctx, j.Name, j.Spec); err != nil {
		return capability.Preview{}, err
	}
	return h.view("Change a job?", j), nil
}
