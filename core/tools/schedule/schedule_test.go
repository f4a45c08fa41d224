package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/capability/capabilitytest"
	"github.com/hobkin/hobkin/core/jobs"
	"github.com/hobkin/hobkin/core/jobs/jobstest"
	"github.com/hobkin/hobkin/core/permission"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is a Monday.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestTools(t *testing.T) {
	capabilitytest.Contract(t, Tools.Bind(nil))
	capabilitytest.Scripts(t, func(t *testing.T, _ string) []capability.Capability {
		t.Helper()
		t.Setenv("TZ", "Europe/Berlin")
		h := newHost(t)
		tools := Tools.Bind(h)
		for i := range tools {
			tools[i].Handler = nameless(t, h, tools[i].Handler)
		}
		return tools
	})
}

// newHost has a job with a history, on a clock that stands.
func newHost(t *testing.T) *Host {
	t.Helper()
	h := &Host{
		Jobs:   jobstest.Book(t, func() time.Time { return noon }),
		Failed: func(context.Context, string) ([]string, error) { return []string{"web_fetch: not_found"}, nil },
	}
	h.Jobs.Known = func(_ context.Context, s jobs.Spec) error {
		if s.Skill != "" {
			return jobs.BadJob.Becausef("there is no skill %q", s.Skill)
		}
		return nil
	}
	j, err := h.Jobs.Create(t.Context(), "report", jobs.Spec{Schedule: "0 18 * * 1-5", Task: "Write the report", Trust: capability.Operator, Mode: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	jobstest.Ran(t, h.Jobs, j, jobs.Run{Kind: jobs.Scheduled, Instant: noon.AddDate(0, 0, -3), State: jobs.Done, Started: noon.AddDate(0, 0, -3), Finished: noon.AddDate(0, 0, -3).Add(time.Minute), Session: "s1", Text: "The report is written."})
	jobstest.Ran(t, h.Jobs, j, jobs.Run{Kind: jobs.Scheduled, Instant: noon.AddDate(0, 0, -2), State: jobs.Missed, Text: "Missed by 3h."})
	return h
}

var ids = regexp.MustCompile(`\b0[0-9a-hjkmnp-tv-z]{25}\b`)

// nameless takes ids that differ from run to run out of results, and puts the
// newest run that went well in the place of $RUN.
func nameless(t *testing.T, h *Host, run capability.Handler) capability.Handler {
	t.Helper()
	clean := func(s string) string { return ids.ReplaceAllString(s, "$$ID") }
	return func(ctx context.Context, call capability.Call) (capability.Result, error) {
		if strings.Contains(string(call.Args), "$RUN") {
			_, list, err := h.Jobs.Runs(ctx, "report", 10)
			if err != nil {
				t.Fatal(err)
			}
			call.Args = json.RawMessage(strings.Replace(string(call.Args), "$RUN", list[len(list)-1].ID, 1))
		}
		r, err := run(ctx, call)
		r.Text, r.Data = clean(r.Text), []byte(clean(string(r.Data)))
		return r, err
	}
}

// What is scheduled cannot schedule: inside a job's run none of the tools is
// offered, and a guest has none either.
func TestNotInsideJobs(t *testing.T) {
	var reg capability.Registry
	if err := reg.RegisterAll(Tools.Bind(newHost(t))...); err != nil {
		t.Fatal(err)
	}
	for name, turn := range map[string]capability.Turn{
		"job":   {Trust: capability.Operator, Channel: "job"},
		"guest": {Trust: capability.Guest, Channel: "desktop"},
	} {
		if list := reg.List(capability.Filter{Turn: turn}); len(list) != 0 {
			t.Errorf("a %s sees %d of the tools", name, len(list))
		}
	}
	if list := reg.List(capability.Filter{Turn: capability.Turn{Trust: capability.Operator, Channel: "desktop"}}); len(list) != 9 {
		t.Errorf("the owner sees %d of the tools", len(list))
	}
}

// What a job may do comes from the turn that makes it, and the person who is
// asked sees it, with the meaning and the next runs.
func TestPermissionsOfTheCreator(t *testing.T) {
	t.Setenv("TZ", "Europe/Berlin")
	h := newHost(t)
	for _, c := range Tools.Bind(h) {
		if c.Name != "schedule_job" {
			continue
		}
		for mode, want := range map[string]string{"ask": "unattended", "accept_edits": "accept_edits", "auto": "auto"} {
			call := capability.Call{Args: json.RawMessage(`{"name":"` + mode + `","schedule":"0 9 * * *","task":"tidy up"}`), Turn: capability.Turn{Trust: capability.Operator, Mode: mode, Workspace: "/w"}}
			p, err := c.Preview(t.Context(), call)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{"at 09:00 every day", "Europe/Berlin", "Tue 1 Dec 2026 09:00; Wed", "mode " + want, "tidy up"} {
				if !strings.Contains(p.Summary, part) {
					t.Errorf("the question does not show %q: %s", part, p.Summary)
				}
			}
			if _, err := c.Handler(t.Context(), call); err != nil {
				t.Fatal(err)
			}
			if j, err := h.Jobs.Get(t.Context(), mode); err != nil || j.Mode != want || j.Trust != capability.Operator || j.Workspace != "/w" {
				t.Errorf("the job is %+v, %v", j, err)
			}
		}
	}
}

// A job that is given another task or other tools may do no more than the turn
// that changes it; another time alone leaves it as it was laid down.
func TestChangesDoNotWiden(t *testing.T) {
	for args, want := range map[string]string{
		`{"name":"report","task":"delete it"}`:        "unattended, 0 rules",
		`{"name":"report","allowed_tools":["shell"]}`: "unattended, 0 rules",
		`{"name":"report","schedule":"0 17 * * *"}`:   "auto, 1 rules",
		`{"name":"report","task":"Write the report"}`: "auto, 1 rules",
	} {
		h := newHost(t)
		if _, err := h.Jobs.Update(t.Context(), "report", func(_ *string, s *jobs.Spec) {
			s.Rules = []permission.Rule{{Tool: "shell", Match: "git pull", Action: permission.Allow}}
		}); err != nil {
			t.Fatal(err)
		}
		for _, c := range Tools.Bind(h) {
			if c.Name != "update_job" {
				continue
			}
			if _, err := c.Handler(t.Context(), capability.Call{Args: json.RawMessage(args), Turn: capability.Turn{Trust: capability.Operator, Mode: "ask"}}); err != nil {
				t.Fatal(err)
			}
		}
		j, err := h.Jobs.Get(t.Context(), "report")
		if got := fmt.Sprintf("%s, %d rules", j.Mode, len(j.Rules)); err != nil || got != want {
			t.Errorf("%s: the job has %s, want %s; %v", args, got, want, err)
		}
	}
}
