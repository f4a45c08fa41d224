package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/store"
)

// The runs of a job and its next instant come in one step: who is second gets
// nothing, and an instant has one run.
func TestFireJob(t *testing.T) {
	s := open(t, t.TempDir())
	at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	next := at.AddDate(0, 0, 1)
	j, err := s.CreateJob(t.Context(), store.Job{Name: "Report", State: "active", Next: at, Spec: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateJob(t.Context(), store.Job{Name: "report", State: "active", Spec: []byte("{}")}); !errors.Is(err, store.ErrExists) {
		t.Errorf("a second job of the name: %v", err)
	}
	f := store.Fire{Job: j.ID, At: at, Next: next, State: "active", Runs: []store.Run{{Kind: "scheduled", Instant: at, State: "queued", Due: at}}}
	if made, err := s.FireJob(t.Context(), f); err != nil || len(made) != 1 {
		t.Fatalf("the first made %v, %v", made, err)
	}
	if _, err := s.FireJob(t.Context(), f); !errors.Is(err, store.ErrMoved) {
		t.Errorf("the second is %v", err)
	}
	// The clock was set back: the instant comes again.
	if _, err := s.ChangeJob(t.Context(), j.ID, func(j *store.Job) error { j.Next = at; return nil }); err != nil {
		t.Fatal(err)
	}
	if made, err := s.FireJob(t.Context(), f); err != nil || len(made) != 0 {
		t.Errorf("the same instant made %v, %v", made, err)
	}
	got, err := s.Job(t.Context(), "REPORT")
	if err != nil || !got.Next.Equal(next) {
		t.Errorf("the job is %+v, %v", got, err)
	}
	runs, err := s.Runs(t.Context(), j.ID, 10)
	if err != nil || len(runs) != 1 || runs[0].Count != 1 || !runs[0].Until.Equal(at) {
		t.Errorf("its runs are %+v, %v", runs, err)
	}
}

// A run that was missed, because the clock was ahead, runs when its instant
// comes after all; one that ran does not run again.
func TestMissedRunsComeAfterAll(t *testing.T) {
	s := open(t, t.TempDir())
	at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	j, err := s.CreateJob(t.Context(), store.Job{Name: "a", State: "active", Next: at, Spec: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		state, want string
	}{{"missed", "missed"}, {"queued", "queued"}, {"queued", "queued"}, {"missed", "queued"}} {
		_, err := s.FireJob(t.Context(), store.Fire{Job: j.ID, At: at, Next: at, State: "active", Runs: []store.Run{{Kind: "scheduled", Instant: at, State: step.state}}})
		if err != nil {
			t.Fatal(err)
		}
		if runs, err := s.Runs(t.Context(), j.ID, 10); err != nil || len(runs) != 1 || runs[0].State != step.want {
			t.Errorf("step %d: the runs are %+v, %v", i, runs, err)
		}
	}
}

func TestRunsOfAJob(t *testing.T) {
	s := open(t, t.TempDir())
	j, err := s.CreateJob(t.Context(), store.Job{Name: "a", State: "active", Spec: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	for i := range 6 {
		r, err := s.AddRun(t.Context(), store.Run{Job: j.ID, Kind: "now", Instant: start.Add(time.Duration(i) * time.Hour), State: "queued"})
		if err != nil {
			t.Fatal(err)
		}
		if i == 5 {
			continue // waits
		}
		r.State, r.Session = "failed", "s"+r.ID
		if err := s.SetRun(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if got, err := s.RunOf(t.Context(), r.Session); err != nil || got.ID != r.ID {
			t.Errorf("the run of a session is %+v, %v", got, err)
		}
	}
	if got, err := s.Job(t.Context(), j.ID); err != nil || got.Failures != 5 {
		t.Errorf("the job failed %d times, %v", got.Failures, err)
	}
	if open, err := s.OpenRuns(t.Context()); err != nil || len(open) != 1 {
		t.Errorf("open are %+v, %v", open, err)
	}
	gone, err := s.PruneRuns(t.Context(), 4, 2, start.Add(3*time.Hour))
	if err != nil || len(gone) != 3 {
		t.Errorf("forgotten were %v, %v", gone, err)
	}
	if err := s.RemoveJob(t.Context(), j.ID); err != nil {
		t.Fatal(err)
	}
	if runs, err := s.Runs(t.Context(), j.ID, 10); err != nil || len(runs) != 0 {
		t.Errorf("runs of a removed job: %+v, %v", runs, err)
	}
	if _, err := s.Job(t.Context(), j.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a removed job: %v", err)
	}
}
