package jobs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/store"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	if dir := os.Getenv("HOBKIN_SIM_DIR"); dir != "" { // a child of TestSimulated
		if err := simulate(dir); err != nil {
			panic(err)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

var simStart = time.Date(2026, 1, 15, 10, 30, 0, 0, time.UTC)

// simDays is how long the simulation lasts, and simJobs how many jobs it has:
// in everyday tests a while, with HOBKIN_SIM=year a year with 500 jobs.
func simSize() (days, jobs int) {
	if os.Getenv("HOBKIN_SIM") == "year" {
		return 365, 500
	}
	return 14, 40
}

// TestSimulated plays days with many jobs in a process of its own, with a real
// database and a fake clock that sleeps, jumps ahead and is set back, and kills
// that process again and again. In the end every instant has one record, and
// none ran twice.
func TestSimulated(t *testing.T) {
	dir := t.TempDir()
	days, count := simSize()
	makeJobs(t, dir, count)
	kills := 0
	for ended := false; !ended; {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "HOBKIN_SIM_DIR="+dir, "HOBKIN_SIM_SEED="+strconv.Itoa(kills))
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }() // ends with the process
		life := time.Duration(150+rand.IntN(600)) * time.Millisecond
		if days > 100 {
			life *= 40
		}
		life += time.Duration(kills) * 300 * time.Millisecond // a busy machine takes long to start it
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("the scheduler ended: %v\n%s", err, errs.String())
			}
			ended = true
		case <-time.After(life):
			_ = cmd.Process.Kill() // the SIGKILL of kill -9
			<-done                 //nolint:errcheck // it was killed
			kills++
		}
		if kills > 10_000 {
			t.Fatal("it never comes to its end")
		}
	}
	checkSim(t, dir, kills)
}

// makeJobs fills a database with jobs of all sorts.
func makeJobs(t *testing.T, dir string, count int) {
	t.Helper()
	db := openSim(t, dir)
	defer func() { _ = db.Close() }()
	b := &Book{Store: db, Clock: func() time.Time { return simStart }}
	rnd := rand.New(rand.NewPCG(7, 7))
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	for i := range count {
		s := Spec{
			Task: "do it", Trust: "operator", Mode: "plan", Delivery: ToNone,
			Schedule: pick("every 12 hours", "every day", "0 9 * * *", "30 2 * * *", "0 2,14 * * 1-5", "15 1 1,15 * *", "FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=8", "FREQ=DAILY;COUNT=9;BYHOUR=3", "*/20 4 * * sun", "every 2 days",
				simStart.Add(time.Duration(rnd.IntN(8*24))*time.Hour+time.Hour).Format(time.RFC3339)),
			Zone:   pick("UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/New_York", "Africa/Casablanca"),
			Missed: pick("", "", SkipLate, "6h"),
		}
		if rnd.IntN(5) == 0 {
			s.Jitter = 10 * time.Minute
		}
		s.Reminder = rnd.IntN(6) == 0
		if _, err := b.Create(t.Context(), fmt.Sprint("job ", i), s); err != nil {
			t.Fatal(err)
		}
	}
}

func openSim(tb testing.TB, dir string) *store.Store {
	tb.Helper()
	db, err := store.Open(context.Background(), store.Options{Dir: filepath.Join(dir, "data")})
	if err != nil {
		tb.Fatal(err)
	}
	return db
}

// simulate is the process that is killed.
func simulate(dir string) error {
	db, err := store.Open(context.Background(), store.Options{Dir: filepath.Join(dir, "data")})
	if err != nil {
		return err
	}
	lock, err := Take(filepath.Join(dir, "data"))
	if err != nil {
		return err
	}
	seed, err := strconv.ParseUint(os.Getenv("HOBKIN_SIM_SEED"), 10, 64)
	if err != nil {
		return err
	}
	days, _ := simSize()
	ctx, cancel := context.WithCancel(context.Background())
	clock := &simClock{dir: dir, rnd: rand.New(rand.NewPCG(seed, 1)), end: simStart.AddDate(0, 0, days), stop: cancel}
	if err := clock.load(); err != nil {
		return err
	}
	s := &Scheduler{Book: &Book{Store: db, Clock: clock.Now}, Worker: &simWorker{dir: dir}, Clock: clock, Limits: Limits{Keep: 1 << 30, Days: 10_000, Look: 6 * time.Hour}}
	clock.idle = s.work.Wait
	err = s.Run(ctx)
	return errors.Join(err, db.Close(), lock.Release())
}

// simClock goes as fast as the work is done. It is kept in a file, so that the
// next process goes on where this one was killed.
type simClock struct {
	dir  string
	rnd  *rand.Rand
	end  time.Time
	stop context.CancelFunc
	idle func()

	mu    sync.Mutex
	now   time.Time
	awake time.Duration
}

func (c *simClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *simClock) Awake() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.awake
}

// Wait lets the time pass, and now and then more or less than that.
func (c *simClock) Wait(ctx context.Context, d time.Duration, _ <-chan struct{}) {
	c.idle()
	if ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now.After(c.end) {
		c.stop() // what was due until now is recorded
		return
	}
	c.now, c.awake = c.now.Add(d), c.awake+d
	switch n := c.rnd.IntN(300); {
	case n < 3: // asleep
		c.now = c.now.Add(time.Duration(c.rnd.IntN(60*60)) * time.Minute / 2)
	case n < 5: // set ahead
		c.now = c.now.Add(time.Duration(c.rnd.IntN(20)) * time.Hour)
	case n < 7: // set back
		c.now = c.now.Add(-time.Duration(c.rnd.IntN(20*60)) * time.Minute)
	}
	if c.now.Before(simStart) {
		c.now = simStart
	}
	if err := c.save(); err != nil {
		c.stop()
	}
}

func (c *simClock) file() string { return filepath.Join(c.dir, "now") }

func (c *simClock) save() error {
	tmp := c.file() + ".tmp"
	if err := os.WriteFile(tmp, []byte(c.now.Format(time.RFC3339Nano)), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, c.file())
}

func (c *simClock) load() error {
	text, err := os.ReadFile(c.file())
	if errors.Is(err, os.ErrNotExist) {
		c.now = simStart
		return nil
	}
	if err == nil {
		c.now, err = time.Parse(time.RFC3339Nano, string(text))
	}
	return err
}

// simWorker leaves a line in a file for each run: what it did to the world.
type simWorker struct{ dir string }

func (w *simWorker) log() string { return filepath.Join(w.dir, "done.log") }

func (w *simWorker) Work(_ context.Context, j Job, r store.Run, began func(string) error, _ func()) Result {
	session := ""
	if !j.Reminder {
		session = "sim-" + r.ID + "-" + strconv.Itoa(r.Attempt)
	}
	if err := began(session); err != nil {
		return Result{Text: err.Error(), Code: "failed"}
	}
	f, err := os.OpenFile(w.log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, "%s %d %s\n", j.ID, r.Instant.Unix(), session)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return Result{Text: err.Error(), Code: "failed"}
	}
	return Result{Text: "done"}
}

func (w *simWorker) Acted(_ context.Context, session string) (bool, error) {
	b, err := os.ReadFile(w.log())
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return session != "" && strings.Contains(string(b), " "+session+"\n"), err
}

func (w *simWorker) Deliver(context.Context, Job, store.Run)      {}
func (w *simWorker) Tell(context.Context, string, string, string) {}

// checkSim looks at every instant of every job.
func checkSim(t *testing.T, dir string, kills int) {
	t.Helper()
	ran := doneLog(t, dir)
	db := openSim(t, dir)
	defer func() { _ = db.Close() }()
	clock := &simClock{dir: dir}
	if err := clock.load(); err != nil {
		t.Fatal(err)
	}
	b := &Book{Store: db, Clock: clock.Now}
	list, err := b.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	instants, states := 0, map[string]int{}
	for _, j := range list {
		runs, err := db.Runs(t.Context(), j.ID, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		at := map[int64]string{}
		for _, r := range runs {
			states[r.State] += r.Count
			if r.Kind == Span {
				for i := r.Instant; !i.IsZero() && !i.After(r.Until); i = j.next(i) {
					at[i.Unix()] = r.State
				}
				continue
			}
			if _, twice := at[r.Instant.Unix()]; twice {
				t.Errorf("%s has two records of %v", j.Name, r.Instant)
			}
			at[r.Instant.Unix()] = r.State
			if r.State == Done && ran[fmt.Sprint(j.ID, " ", r.Instant.Unix())] != 1 {
				t.Errorf("%s: the run of %v is recorded as done and was done %d times", j.Name, r.Instant, ran[fmt.Sprint(j.ID, " ", r.Instant.Unix())])
			}
		}
		for i := j.next(simStart); !i.IsZero() && !i.After(clock.now.Add(-time.Minute)); i = j.next(i) {
			instants++
			if at[i.Unix()] == "" {
				t.Errorf("%s (%s in %s) has no record of %v", j.Name, j.Schedule, j.Zone, i)
			}
		}
	}
	for key, n := range ran {
		if n > 1 {
			t.Errorf("%s was run %d times", key, n)
		}
	}
	t.Logf("%d jobs, %d instants, %d runs, %d kills; records by state: %v", len(list), instants, len(ran), kills, states)
	if len(ran) == 0 || kills == 0 || states[Missed] == 0 {
		t.Errorf("it is no simulation: %d runs, %d kills, %v", len(ran), kills, states)
	}
}

// doneLog counts what was done, by job and instant.
func doneLog(t *testing.T, dir string) map[string]int {
	t.Helper()
	f, err := os.Open((&simWorker{dir: dir}).log())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	out := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		job, rest, _ := strings.Cut(lines.Text(), " ")
		instant, _, _ := strings.Cut(rest, " ")
		out[job+" "+instant]++
	}
	return out
}
