package schedule

import (
	"context"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/jobs"
)

func init() {
	capability.AddPreviewed(&Tools, spec(capability.Capability{
		Name:        "schedule_job",
		Aliases:     []string{"CronCreate"},
		Title:       "Schedule a job",
		Description: "Makes a job that runs by itself, or a reminder. Work out the schedule from what the person said, then tell them the meaning and the next runs of the answer.",
		Class:       capability.ReadWrite,
		Docs: capability.Docs{
			When: "when something is to happen later or again and again: a reminder (reminder true, the task is the text that is shown) or work for the agent; not to wait for something in this conversation",
			Examples: []capability.Example{
				{When: "a reminder on weekdays", In: scheduleIn{Name: "stretch", Schedule: "0 9 * * 1-5", Task: "Stretch", Reminder: true}},
				{When: "every other Friday before lunch", In: scheduleIn{Name: "time sheet", Schedule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=11;BYMINUTE=30", Task: "Remind me of the time sheet, with the hours that git log shows."}},
				{When: "once, in another zone", In: scheduleIn{Name: "call Tokyo", Schedule: "2026-12-24T09:00:00+09:00", Task: "Call Tokyo", Reminder: true, options: options{Timezone: "Asia/Tokyo"}}},
			},
			Fails: []*capability.Failure{jobs.BadSchedule, jobs.BadZone, jobs.InThePast, jobs.NameTaken, jobs.BadJob},
		},
	}), (*Host).schedule, (*Host).scheduleView)
}

type scheduleIn struct {
	Name     string `json:"name" min:"1" max:"100" jsonschema:"a few words; no other job may have it"`
	Schedule string `json:"schedule" min:"1" max:"1000" jsonschema:"\"every 30 minutes\" (hours, days, weeks), a cron line of five fields, one instant with offset, or an RRULE such as FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=11;BYMINUTE=30"`
	Task     string `json:"task" min:"1" max:"16000" jsonschema:"what to do, complete in itself: the run sees nothing of this conversation; of a reminder the text that is shown"`
	Reminder bool   `json:"reminder,omitempty" jsonschema:"the task is only shown, with buttons for later and done; no model works"`
	options
}

// options are what can be said of a job beside that.
type options struct {
	Timezone    string   `json:"timezone,omitempty" jsonschema:"IANA name; left out it is the computer's, wherever that travels"`
	Description string   `json:"description,omitempty" max:"1000" jsonschema:"what it is for"`
	ExpiresAt   string   `json:"expires_at,omitempty" jsonschema:"instant with offset from which on it does not run"`
	Delivery    string   `json:"delivery,omitempty" enum:"notification,session,none" jsonschema:"where its result goes: a notification (the default), this conversation, or nowhere; failures are always told"`
	Tools       []string `json:"allowed_tools,omitempty" jsonschema:"names of the only tools its runs may use"`
	Skill       string   `json:"skill,omitempty" jsonschema:"name of a skill that its runs follow"`
	Provider    string   `json:"provider,omitempty" jsonschema:"where its model is, with model"`
	Model       string   `json:"model,omitempty" jsonschema:"the provider's name of the model"`
	TimeoutS    int      `json:"timeout_s,omitempty" min:"1" max:"86400" jsonschema:"seconds that a run may take; 3600 when left out"`
	Missed      string   `json:"missed,omitempty" jsonschema:"what becomes of a run whose time passed while the computer was off: run_once (the default), skip, or the age up to which it runs, such as 6h"`
	JitterS     int      `json:"jitter_s,omitempty" min:"0" max:"21600" jsonschema:"seconds by which a run may begin later, at random"`
}

// spec is what the arguments say of a job. What its runs may do comes from the
// turn alone.
func (h *Host) spec(in scheduleIn, turn capability.Turn) (s jobs.Spec, err error) {
	s = jobs.Spec{
		Schedule: in.Schedule, Task: in.Task, Reminder: in.Reminder,
		Trust: turn.Trust, Mode: turn.Mode, Workspace: turn.Workspace, Locale: turn.Locale, Session: turn.Session,
	}
	if h.Folder != nil && !h.Folder(s.Workspace) {
		s.Workspace = ""
	}
	err = in.apply(&s)
	return s, err
}

func (o options) apply(s *jobs.Spec) (err error) {
	s.Zone, s.Description, s.Delivery, s.Skill, s.Missed = o.Timezone, o.Description, o.Delivery, o.Skill, o.Missed
	s.Tools, s.Timeout, s.Jitter = o.Tools, seconds(o.TimeoutS), seconds(o.JitterS)
	if s.Expires, err = moment("expires_at", o.ExpiresAt); err != nil {
		return err
	}
	s.Model, err = model(o.Provider, o.Model)
	return err
}

func (h *Host) schedule(ctx context.Context, call capability.Call, in scheduleIn) (capability.Result, error) {
	s, err := h.spec(in, call.Turn)
	if err != nil {
		return capability.Result{}, err
	}
	j, err := h.Jobs.Create(ctx, in.Name, s)
	if err != nil {
		return capability.Result{}, err
	}
	return h.result("Scheduled. ", j)
}

func (h *Host) scheduleView(ctx context.Context, call capability.Call, in scheduleIn) (capability.Preview, error) {
	s, err := h.spec(in, call.Turn)
	if err != nil {
		return capability.Preview{}, err
	}
	j, err := h.Jobs.Try(ctx, in.Name, s)
	if err != nil {
		return capability.Preview{}, err
	}
	return h.view("Schedule a job?", j), nil
}

// view shows a job to a person who is asked.
func (h *Host) view(question string, j jobs.Job) capability.Preview {
	return capability.Preview{
		Question: question,
		Summary:  j.Name + ": " + j.Meaning() + ", " + j.ZoneText() + ". " + h.ahead(j) + " " + j.MayDo() + "\n" + j.Task,
	}
}
