package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/app/notify"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

// desk is a desktop's notification server that remembers what it showed.
type desk struct {
	mu    sync.Mutex
	shown []notify.Notification
}

func (d *desk) Show(_ context.Context, n notify.Notification) (uint32, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shown = append(d.shown, n)
	return uint32(len(d.shown)), nil
}

func (*desk) Withdraw(uint32) {}
func (*desk) Actions() bool   { return true }
func (*desk) Close() error    { return nil }

func (d *desk) all() []notify.Notification {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.shown)
}

// working is a core that runs jobs, on a desk.
func working(t *testing.T, answers ...providertest.Answer) (*scripted, *desk) {
	t.Helper()
	s := openScripted(t, answers...)
	d := &desk{}
	s.opts.Notifier = d
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.RunJobs(ctx) }() // until the end of the test
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s, d
}

// ran waits until the newest run of a job has ended.
func (s *scripted) ran(t *testing.T, job string) control.JobRun {
	t.Helper()
	for end := time.Now().Add(turnTime); time.Now().Before(end); {
		list, err := s.client.JobHistory(t.Context(), control.JobQuery{ID: job})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 && !list[0].Finished.IsZero() {
			return list[0]
		}
		<-time.After(20 * time.Millisecond)
	}
	t.Fatalf("no run of %s has ended", job)
	return control.JobRun{}
}

func addJob(t *testing.T, s *scripted, spec control.JobSpec) control.Job {
	t.Helper()
	j, err := s.client.AddJob(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func daily(name, task string) control.JobSpec {
	return control.JobSpec{Name: new(name), Schedule: new("@daily"), Task: new(task), Zone: new("UTC")}
}

// A run is a turn of its own: the task comes in as scheduled, never as typed,
// what was allowed beforehand goes through and nothing else, and nothing that
// schedules is offered. Its result is shown, its transcript kept.
func TestJobRuns(t *testing.T) {
	s, d := working(t,
		providertest.Call(toolCall(t, "1", "file_write", map[string]any{"path": "allowed.txt", "content": "x"}), toolCall(t, "2", "shell", map[string]any{"command": "touch denied.txt"}), toolCall(t, "3", "schedule_job", map[string]any{"name": "again", "schedule": "@daily", "task": "x"})),
		providertest.Say("One was written."),
	)
	spec := daily("write", "Write the file.")
	spec.Allow = &[]control.JobRule{{Tool: "file_write", Match: filepath.Join(s.ws, "**")}}
	j := addJob(t, s, spec)
	if !strings.Contains(j.MayDo, "allow file_write") || len(j.NextText) != 3 || j.Meaning != "at 00:00 every day" {
		t.Errorf("the job is %+v", j)
	}
	if _, err := s.client.RunJob(t.Context(), "write"); err != nil {
		t.Fatal(err)
	}
	run := s.ran(t, "write")
	if run.State != "done" || run.Text != "One was written." || run.Kind != "now" {
		t.Errorf("the run is %+v", run)
	}
	if want := []string{"shell: denied", "schedule_job: not_allowed"}; !slices.Equal(run.Failed, want) {
		t.Errorf("the tools that failed are %q, want %q", run.Failed, want)
	}
	if !exists(filepath.Join(s.ws, "allowed.txt")) || exists(filepath.Join(s.ws, "denied.txt")) {
		t.Error("what was allowed beforehand was not done, or more was")
	}
	var in agent.InputMessage
	if err := s.eachEvent(t.Context(), run.Session, func(e agent.Event) {
		if p, ok := e.Payload.(agent.InputMessage); ok {
			in = p
		}
	}); err != nil {
		t.Fatal(err)
	}
	if in.Channel != jobChannel || in.Provenance != capability.FromSchedule || in.Text != "Write the file." || !strings.Contains(s.script.Requests()[0].System, "the job “write”, which runs at 00:00 every day") {
		t.Errorf("the message is %+v", in)
	}
	for _, tool := range s.script.Requests()[0].Tools {
		if strings.HasSuffix(tool.Name, "_job") || strings.HasSuffix(tool.Name, "_jobs") {
			t.Errorf("%s is offered inside a job", tool.Name)
		}
	}
	waitFor(t, func() bool { return len(d.all()) == 1 })
	if n := d.all()[0]; n.Title != "write" || n.Body != "One was written." || n.Session != run.Session {
		t.Errorf("the notification is %+v", n)
	}
	if list, err := s.client.Jobs(t.Context()); err != nil || !list.Running || len(list.Jobs) != 1 || list.Jobs[0].State != "active" {
		t.Errorf("the list is %+v, %v", list, err)
	}
}

func waitFor(t *testing.T, what func() bool) {
	t.Helper()
	for end := time.Now().Add(turnTime); time.Now().Before(end); <-time.After(10 * time.Millisecond) {
		if what() {
			return
		}
	}
	t.Fatal("it did not happen in time")
}

// A job has only the tools that it names; a failure is always told; a silent
// result is not.
func TestJobOutcomes(t *testing.T) {
	s, d := working(t,
		providertest.Say("[SILENT]"),
		providertest.Say(""), providertest.Say(""),
	)
	spec := daily("quiet", "Look.")
	spec.Tools = &[]string{"file_read"}
	addJob(t, s, spec)
	if _, err := s.client.RunJob(t.Context(), "quiet"); err != nil {
		t.Fatal(err)
	}
	if run := s.ran(t, "quiet"); run.State != "done" {
		t.Errorf("the run is %+v", run)
	}
	if tools := s.script.Requests()[0].Tools; len(tools) != 1 || tools[0].Name != "file_read" {
		t.Errorf("%d tools are offered", len(tools))
	}
	spec = daily("mute", "Speak.")
	spec.Delivery = new("none")
	addJob(t, s, spec)
	if _, err := s.client.RunJob(t.Context(), "mute"); err != nil {
		t.Fatal(err)
	}
	if run := s.ran(t, "mute"); run.State != "failed" || run.Code != "empty_answer" {
		t.Errorf("the run is %+v", run)
	}
	waitFor(t, func() bool { return len(d.all()) == 1 })
	if n := d.all()[0]; !strings.Contains(n.Title, "mute") || !strings.Contains(n.Title, "failed") {
		t.Errorf("the notification is %+v", n)
	}
}

// A reminder needs no model. Its buttons bring it again or end it.
func TestReminder(t *testing.T) {
	s, d := working(t)
	addJob(t, s, control.JobSpec{Name: new("oven"), Schedule: new(time.Now().Add(time.Hour).Format(time.RFC3339)), Task: new("Look after the oven"), Reminder: new(true)})
	if _, err := s.client.RunJob(t.Context(), "oven"); err != nil {
		t.Fatal(err)
	}
	if run := s.ran(t, "oven"); run.State != "done" || run.Session != "" {
		t.Errorf("the run is %+v", run)
	}
	n := d.all()[0]
	if n.Title != "oven" || n.Body != "Look after the oven" || len(n.Actions) != 4 || len(s.script.Requests()) != 0 {
		t.Fatalf("the reminder is %+v", n)
	}
	n.Do("done")
	if list, err := s.client.JobHistory(t.Context(), control.JobQuery{ID: "oven"}); err != nil || len(list) != 1 {
		t.Errorf("after done its runs are %+v, %v", list, err)
	}
	before := time.Now()
	n.Do("snooze-10m")
	list, err := s.client.JobHistory(t.Context(), control.JobQuery{ID: "oven"})
	if err != nil || len(list) != 2 || list[0].Kind != "snoozed" || list[0].State != "queued" {
		t.Fatalf("its runs are %+v, %v", list, err)
	}
	if in := list[0].Instant.Sub(before); in < 9*time.Minute || in > 11*time.Minute {
		t.Errorf("it comes again in %v", in)
	}
}

// What a job names and is not there is told when it is made.
func TestJobsNeedWhatThereIs(t *testing.T) {
	s := openScripted(t)
	for what, change := range map[string]func(*control.JobSpec){
		"tool":   func(j *control.JobSpec) { j.Tools = &[]string{"file_reed"} },
		"model":  func(j *control.JobSpec) { j.Model = new("nowhere/none") },
		"folder": func(j *control.JobSpec) { j.Workspace = new("/etc") },
		"rule":   func(j *control.JobSpec) { j.Allow = &[]control.JobRule{{Tool: "shell", Match: "rm -rf / ; ls"}} },
	} {
		spec := daily("j", "x")
		change(&spec)
		if _, err := s.client.AddJob(t.Context(), spec); err == nil || control.AsError(err).Code != "bad_job" {
			t.Errorf("%s: %v", what, err)
		}
	}
	// What was there and is gone fails the run.
	gone := capability.Capability{Name: "gone", Title: "x", Description: "x", Parameters: []byte(`{"type":"object"}`), Kind: capability.KindBuiltin, Class: capability.ReadOnly, Category: capability.CategorySystem, Handler: func(context.Context, capability.Call) (capability.Result, error) { return capability.Result{}, nil }}
	s.stand(t, gone)
	spec := daily("j", "x")
	spec.Tools = &[]string{"gone"}
	addJob(t, s, spec)
	s.registry.Unregister("gone")
	d := &desk{}
	s.opts.Notifier = d
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.RunJobs(ctx) }() // ends below
	if _, err := s.client.RunJob(t.Context(), "j"); err != nil {
		t.Fatal(err)
	}
	if run := s.ran(t, "j"); run.State != "failed" || !strings.Contains(run.Text, `"gone"`) {
		t.Errorf("the run is %+v", run)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
