package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/store"
)

// bench is a scheduler whose clock stands until a test moves it.
type bench struct {
	*Scheduler
	t      *testing.T
	clock  *handClock
	worker *handWorker
	dir    string
}

type handClock struct {
	mu    sync.Mutex
	now   time.Time
	awake time.Duration
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

func (c *handClock) Awake() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.awake
}

func (c *handClock) Wait(ctx context.Context, _ time.Duration, _ <-chan struct{}) { <-ctx.Done() }

// handWorker does what the test says.
type handWorker struct {
	mu        sync.Mutex
	do        func(ctx context.Context, j Job, beat func()) Result
	acted     bool
	begun     []string
	delivered []string
	told      []string
}

func (w *handWorker) Work(ctx context.Context, j Job, r store.Run, began func(string) error, beat func()) Result {
	if err := began("session-" + r.ID); err != nil {
		return failure(err)
	}
	w.mu.Lock()
	w.begun = append(w.begun, j.Name)
	do := w.do
	w.mu.Unlock()
	if do == nil {
		return Result{Text: "well"}
	}
	return do(ctx, j, beat)
}

func (w *handWorker) Acted(context.Context, string) (bool, error) { return w.acted, nil }

func (w *handWorker) Deliver(_ context.Context, j Job, r store.Run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delivered = append(w.delivered, j.Name+": "+r.Text)
}

func (w *handWorker) Tell(_ context.Context, _, title, body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, title+": "+body)
}

func (w *handWorker) all() (begun, delivered, told []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.begun), slices.Clone(w.delivered), slices.Clone(w.told)
}

var benchStart = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC) // a Monday

func newBench(t *testing.T) *bench {
	t.Helper()
	clock := &handClock{now: benchStart}
	w := &handWorker{}
	dir := t.TempDir()
	db := openSim(t, dir)
	b := &bench{t: t, dir: dir, clock: clock, worker: w, Scheduler: &Scheduler{Book: &Book{Store: db, Clock: clock.Now}, Worker: w, Clock: clock}}
	b.prepare()
	t.Cleanup(func() {
		b.work.Wait()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	b.recover(t.Context())
	return b
}

// full lets every write to jobs and runs fail, as on a disk without room, or no
// more.
func (b *bench) full(on bool) {
	b.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(b.dir, "data", "hobkin.db"))
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, what := range []string{"UPDATE ON jobs", "UPDATE ON runs", "INSERT ON runs"} {
		name := strings.ReplaceAll(what, " ", "_")
		query := "DROP TRIGGER " + name
		if on {
			query = "CREATE TRIGGER " + name + " BEFORE " + what + " BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
		}
		if _, err := db.ExecContext(b.t.Context(), query); err != nil {
			b.t.Error(err)
		}
	}
}

// pass lets time pass while the machine is awake, or asleep, and looks.
func (b *bench) pass(d time.Duration, awake bool) {
	b.t.Helper()
	b.clock.mu.Lock()
	b.clock.now = b.clock.now.Add(d)
	if awake {
		b.clock.awake += d
	}
	b.clock.mu.Unlock()
	b.tick(b.t.Context())
	b.work.Wait()
}

func (b *bench) add(name, when string, change func(*Spec)) Job {
	b.t.Helper()
	s := Spec{Schedule: when, Zone: "UTC", Task: "work", Trust: capability.Operator}
	if change != nil {
		change(&s)
	}
	j, err := b.Book.Create(b.t.Context(), name, s)
	if err != nil {
		b.t.Fatal(err)
	}
	return j
}

// history is what became of the runs of a job, the oldest first.
func (b *bench) history(name string) string {
	b.t.Helper()
	_, runs, err := b.Book.Runs(b.t.Context(), name, 1000)
	if err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for _, r := range slices.Backward(runs) {
		out = append(out, r.Instant.Format("2 15:04 ")+r.State)
	}
	return strings.Join(out, ", ")
}

func (b *bench) job(name string) Job {
	b.t.Helper()
	j, err := b.Book.Get(b.t.Context(), name)
	if err != nil {
		b.t.Fatal(err)
	}
	return j
}

func (b *bench) want(name, history string) {
	b.t.Helper()
	if got := b.history(name); got != history {
		b.t.Errorf("the runs of %s are %q, want %q", name, got, history)
	}
}

func TestRunsOnTime(t *testing.T) {
	b := newBench(t)
	b.add("daily", "0 9 * * *", nil)
	b.pass(59*time.Minute, true)
	b.want("daily", "")
	b.pass(time.Minute, true)
	b.pass(time.Minute, true)
	b.want("daily", "2 09:00 done")
	_, delivered, told := b.worker.all()
	if len(delivered) != 1 || len(told) != 0 {
		t.Errorf("delivered %q, told %q", delivered, told)
	}
}

// What passed while the machine slept leaves records, and runs once where the
// policy says so.
func TestMissed(t *testing.T) {
	for name, c := range map[string]struct {
		when, missed string
		asleep       time.Duration
		want         string
	}{
		"within half a period":      {"0 9 * * *", "", 2 * time.Hour, "2 09:00 done"},
		"later than two hours":      {"0 9 * * *", "", 4 * time.Hour, "2 09:00 missed"},
		"half of a short period":    {"0 * * * *", "", 3*time.Hour + 20*time.Minute, "2 09:00 missed, 2 10:00 missed, 2 11:00 done"},
		"past half a short period":  {"0 * * * *", "", 3*time.Hour + 40*time.Minute, "2 09:00 missed, 2 10:00 missed, 2 11:00 missed"},
		"skip":                      {"0 9 * * *", SkipLate, 90 * time.Minute, "2 09:00 missed"},
		"younger than":              {"0 9 * * *", "6h", 6 * time.Hour, "2 09:00 done"},
		"older than":                {"0 9 * * *", "6h", 8 * time.Hour, "2 09:00 missed"},
		"a single instant is late":  {"2026-03-02T09:00:00Z", "", 100 * time.Hour, "2 09:00 done"},
		"a single instant, skipped": {"2026-03-02T09:00:00Z", SkipLate, 100 * time.Hour, "2 09:00 missed"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.add("j", c.when, func(s *Spec) { s.Missed = c.missed })
			b.pass(c.asleep, false)
			b.pass(time.Minute, true)
			b.want("j", c.want)
		})
	}
}

// A year without the program: the newest instants have a record each, all
// others share one.
func TestLongAbsence(t *testing.T) {
	b := newBench(t)
	b.add("j", "every 5 minutes", nil)
	b.pass(365*24*time.Hour, false)
	_, runs, err := b.Book.Runs(t.Context(), "j", 10_000)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, r := range runs {
		total += r.Count
	}
	if want := 365 * 24 * 12; total != want || len(runs) > 2*maxRecorded+1 {
		t.Errorf("%d records stand for %d instants, want %d", len(runs), total, want)
	}
}

// Jobs that were due meanwhile run one after another, and are listed first.
func TestCatchUpIsStaggered(t *testing.T) {
	b := newBench(t)
	for i := range 3 {
		b.add(fmt.Sprint("job ", i), "0 9 * * *", nil)
	}
	b.pass(90*time.Minute, false)
	begun, _, told := b.worker.all()
	if len(begun) != 1 || len(told) != 1 || !strings.Contains(told[0], "3 jobs") || !strings.Contains(told[0], "job 2") {
		t.Errorf("begun %q, told %q", begun, told)
	}
	b.pass(3*time.Second, true)
	b.pass(3*time.Second, true)
	if begun, _, _ := b.worker.all(); len(begun) != 3 {
		t.Errorf("begun %q", begun)
	}
}

// The clock is set back: nothing runs again, and nothing waits for the old time.
func TestClockSetBack(t *testing.T) {
	b := newBench(t)
	b.add("j", "0 * * * *", nil)
	b.pass(time.Hour, true)
	b.pass(time.Hour, true)
	b.pass(14*24*time.Hour, false) // set ahead by mistake
	b.pass(-14*24*time.Hour-90*time.Minute, false)
	if next := b.job("j").Next; !next.Equal(benchStart.Add(time.Hour)) {
		t.Errorf("the next is %v", next)
	}
	for range 4 {
		b.pass(30*time.Minute, true)
	}
	b.pass(time.Hour, true)
	begun, _, _ := b.worker.all()
	if len(begun) != 4 { // 9:00, 10:00, the one of the wrong time, and 11:00, which came after all
		t.Errorf("it ran %d times: %s", len(begun), b.history("j")[:60])
	}
}

// A traveller's jobs follow the zone of the machine.
func TestZoneChanges(t *testing.T) {
	t.Setenv("TZ", "Europe/Berlin")
	b := newBench(t)
	b.add("here", "0 12 * * *", func(s *Spec) { s.Zone = "" })
	b.add("there", "0 12 * * *", func(s *Spec) { s.Zone = "Asia/Tokyo" })
	b.pass(time.Second, true)
	t.Setenv("TZ", "America/New_York")
	b.pass(time.Second, true)
	for name, want := range map[string]string{"here": "2026-03-02T17:00:00Z", "there": "2026-03-03T03:00:00Z"} {
		if got := b.job(name).Next.Format(time.RFC3339); got != want {
			t.Errorf("%s is next at %s, want %s", name, got, want)
		}
	}
}

// What a killed program left under way is marked; it begins again only where
// nothing had been done.
func TestInterrupted(t *testing.T) {
	for name, c := range map[string]struct {
		acted, reminder bool
		attempt         int
		want            string
	}{
		"nothing was done": {false, false, 1, "2 09:00 done"},
		"a tool had run":   {true, false, 1, "2 09:00 interrupted"},
		"again and again":  {false, false, maxAttempts, "2 09:00 interrupted"},
		"a reminder":       {false, true, 1, "2 09:00 interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.worker.acted = c.acted
			j := b.add("j", "0 9 * * *", func(s *Spec) { s.Reminder = c.reminder })
			at := benchStart.Add(time.Hour)
			made, err := b.Book.Store.FireJob(t.Context(), store.Fire{Job: j.ID, At: at, Next: at.AddDate(0, 0, 1), State: Active, Runs: []store.Run{{Kind: Scheduled, Instant: at, State: Running, Due: at, Attempt: c.attempt, Session: "s"}}})
			if err != nil || len(made) != 1 {
				t.Fatal(err)
			}
			b.clock.set(at.Add(time.Minute))
			b.recover(t.Context())
			b.pass(time.Second, true)
			b.want("j", c.want)
			if _, _, told := b.worker.all(); (len(told) > 0) != strings.Contains(c.want, Interrupted) {
				t.Errorf("told %q", told)
			}
		})
	}
}

func TestFailuresPause(t *testing.T) {
	b := newBench(t)
	b.worker.do = func(context.Context, Job, func()) Result { return Result{Text: "no model", Code: "no_model"} }
	b.add("j", "0 * * * *", nil)
	for range 7 {
		b.pass(time.Hour, true)
	}
	j := b.job("j")
	_, delivered, told := b.worker.all()
	if j.State != Paused || j.Failures != 5 || !strings.Contains(j.Reason, "no model") {
		t.Errorf("the job is %s after %d failures: %s", j.State, j.Failures, j.Reason)
	}
	if len(told) != 6 || len(delivered) != 0 || !strings.Contains(told[5], "paused") {
		t.Errorf("told %q", told)
	}
	b.worker.do = nil
	if _, err := b.Book.Resume(t.Context(), "j"); err != nil {
		t.Fatal(err)
	}
	b.pass(time.Hour, true)
	if j := b.job("j"); j.State != Active || j.Failures != 0 {
		t.Errorf("after it went well: %s, %d failures", j.State, j.Failures)
	}
}

func TestEnds(t *testing.T) {
	b := newBench(t)
	b.add("expires", "0 * * * *", func(s *Spec) { s.Expires = benchStart.Add(150 * time.Minute) })
	b.add("once", "2026-03-02T09:30:00Z", nil)
	for range 8 {
		b.pass(30*time.Minute, true)
	}
	b.want("expires", "2 09:00 done, 2 10:00 done")
	b.want("once", "2 09:30 done")
	if j := b.job("expires"); j.State != Ended || !strings.Contains(j.Reason, "expired") {
		t.Errorf("expires is %s: %s", j.State, j.Reason)
	}
	if j := b.job("once"); j.State != Ended || !strings.Contains(j.Reason, "come") {
		t.Errorf("once is %s: %s", j.State, j.Reason)
	}
}

// At most four at once, and none beside itself; what nothing happens in ends.
func TestSideBySide(t *testing.T) {
	b := newBench(t)
	b.Limits.Idle = 300 * time.Millisecond
	release := make(chan struct{})
	b.worker.do = func(ctx context.Context, _ Job, _ func()) Result {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return Result{Text: "well"}
	}
	for i := range 6 {
		b.add(fmt.Sprint("j", i), "every 5 minutes", nil)
	}
	for range 2 {
		b.clock.set(b.clock.Now().Add(5 * time.Minute))
		b.tick(t.Context())
	}
	b.mu.Lock()
	n := len(b.running)
	b.mu.Unlock()
	if n != 4 {
		t.Errorf("%d run at once", n)
	}
	b.work.Wait()
	if !strings.HasPrefix(b.history("j0"), "2 08:05 failed") {
		t.Errorf("an idle run is %q", b.history("j0"))
	}
	close(release)
}

// Run now is a run of its own beside the schedule.
func TestRunNow(t *testing.T) {
	b := newBench(t)
	j := b.add("j", "0 9 * * *", nil)
	if _, _, err := b.Book.RunNow(t.Context(), "j"); err != nil {
		t.Fatal(err)
	}
	b.pass(0, true)
	if now := b.job("j"); !now.Next.Equal(j.Next) {
		t.Errorf("the next instant moved to %v", now.Next)
	}
	b.pass(time.Hour, true)
	b.want("j", "2 08:00 done, 2 09:00 done")
}

func TestSilentAndSnooze(t *testing.T) {
	b := newBench(t)
	b.worker.do = func(context.Context, Job, func()) Result { return Result{Text: " " + Silent + " nothing new"} }
	b.add("j", "0 9 * * *", nil)
	b.pass(time.Hour, true)
	if _, err := b.Book.Snooze(t.Context(), "j", b.clock.Now().Add(10*time.Minute)); err != nil {
		t.Fatal(err)
	}
	b.pass(9*time.Minute, true)
	b.want("j", "2 09:00 done, 2 09:10 queued")
	b.pass(time.Minute, true)
	b.want("j", "2 09:00 done, 2 09:10 done")
	if _, delivered, told := b.worker.all(); len(delivered)+len(told) != 0 {
		t.Errorf("delivered %q, told %q", delivered, told)
	}
}

// What a job needs is gone: each run says so, and nothing else stops.
func TestGone(t *testing.T) {
	b := newBench(t)
	b.add("j", "0 9 * * *", nil)
	b.Book.Known = func(context.Context, Spec) error { return BadJob.Becausef("there is no tool %q any more", "mcp_x") }
	b.pass(time.Hour, true)
	_, runs, err := b.Book.Runs(t.Context(), "j", 1)
	if err != nil || len(runs) != 1 || runs[0].State != Failed || runs[0].Code != "bad_job" || !strings.Contains(runs[0].Text, "mcp_x") {
		t.Errorf("its run is %+v, %v", runs, err)
	}
}

// The rules of a zone are not what they were when the next instant was worked
// out: it is worked out again; a zone that is gone pauses the job and says so.
func TestZoneDatabaseChanged(t *testing.T) {
	b := newBench(t)
	j := b.add("moved", "0 9 * * *", nil)
	gone := b.add("gone", "0 9 * * *", nil)
	for id, change := range map[string]func(*store.Job) error{
		j.ID: func(s *store.Job) error { s.Next = s.Next.Add(30 * time.Minute); return nil },
		gone.ID: func(s *store.Job) error {
			s.Spec = []byte(strings.Replace(string(s.Spec), `"UTC"`, `"Mars/Olympus"`, 1))
			return nil
		},
	} {
		if _, err := b.Book.Store.ChangeJob(t.Context(), id, change); err != nil {
			t.Fatal(err)
		}
	}
	b.recover(t.Context())
	if got := b.job("moved").Next; !got.Equal(j.Next) {
		t.Errorf("the next is %v, want %v", got, j.Next)
	}
	if got := b.job("gone"); got.State != Paused || !strings.Contains(got.Reason, "Mars/Olympus") {
		t.Errorf("the job of a zone that is gone is %s: %s", got.State, got.Reason)
	}
	if _, _, told := b.worker.all(); len(told) != 1 {
		t.Errorf("told %q", told)
	}
}

func TestCheckedWhenMade(t *testing.T) {
	b := newBench(t)
	b.add("taken", "@daily", nil)
	for name, c := range map[string]struct {
		name   string
		change func(*Spec)
		want   *capability.Failure
	}{
		"no task":    {"j", func(s *Spec) { s.Task = " " }, BadJob},
		"no name":    {" ", nil, BadJob},
		"name taken": {"Taken", nil, NameTaken},
		"past":       {"j", func(s *Spec) { s.Schedule = "2020-01-01T00:00:00Z" }, InThePast},
		"expired":    {"j", func(s *Spec) { s.Expires = benchStart.Add(time.Hour) }, InThePast},
		"impossible": {"j", func(s *Spec) { s.Schedule = "0 9 30 2 *" }, BadSchedule},
		"quartz":     {"j", func(s *Spec) { s.Schedule = "0 0 9 ? * MON" }, BadSchedule},
		"zone":       {"j", func(s *Spec) { s.Zone = "Berlin" }, BadZone},
		"missed":     {"j", func(s *Spec) { s.Missed = "perhaps" }, BadJob},
		"delivery":   {"j", func(s *Spec) { s.Delivery = "pigeon" }, BadJob},
		"mode":       {"j", func(s *Spec) { s.Mode = "yolo" }, BadJob},
		"time-out":   {"j", func(s *Spec) { s.Timeout = 48 * time.Hour }, BadJob},
	} {
		s := Spec{Schedule: "@daily", Zone: "UTC", Task: "work", Trust: capability.Operator}
		if c.change != nil {
			c.change(&s)
		}
		if _, err := b.Book.Create(t.Context(), c.name, s); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want.Code)
		}
	}
}

// One process schedules.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	l, err := Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Take(dir); !errors.Is(err, ErrElsewhere) {
		t.Errorf("a second one: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if l, err = Take(dir); err != nil {
		t.Fatal(err)
	}
	_ = l.Release()
}

// The disk is full when a job is due: nothing is lost, the person is told once,
// and the job runs as soon as there is room.
func TestDiskFull(t *testing.T) {
	b := newBench(t)
	b.add("j", "0 9 * * *", nil)
	b.full(true)
	b.pass(time.Hour, true)
	b.pass(time.Minute, true)
	if begun, _, told := b.worker.all(); len(begun) != 0 || len(told) != 1 || !strings.Contains(told[0], "waits") {
		t.Errorf("begun %q, told %q", begun, told)
	}
	b.full(false)
	b.pass(time.Minute/2, true)
	b.want("j", "2 09:00 done")
}

// The disk is full when a run ends: its end is kept and stored later, and no
// second one begins beside it.
func TestDiskFullDuringRun(t *testing.T) {
	b := newBench(t)
	b.add("j", "0 9 * * *", nil)
	b.worker.do = func(context.Context, Job, func()) Result {
		b.full(true) //nolint:contextcheck // the test's own
		return Result{Text: "well"}
	}
	b.pass(time.Hour, true)
	b.want("j", "2 09:00 running")
	b.full(false)
	b.pass(time.Second, true)
	b.want("j", "2 09:00 done")
	if begun, _, _ := b.worker.all(); len(begun) != 1 {
		t.Errorf("it was begun %d times", len(begun))
	}
}
