package store_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/store"
)

// play runs the test program as another process in a role.
func play(ctx context.Context, t *testing.T, role, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), roleEnv+"="+role+":"+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

// say1 tells the test one line.
func say1(kind string, n any) {
	if _, err := fmt.Fprintln(os.Stdout, kind, n); err != nil {
		panic(err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// writeUntilKilled writes one of each kind and says each time that it is
// acknowledged. dir is round:folder.
func writeUntilKilled(dir string) {
	round, dir, _ := strings.Cut(dir, ":")
	ctx := context.Background()
	s := must(store.Open(ctx, store.Options{Dir: dir}))
	if _, err := s.CreateSession(ctx, store.NewSession{ID: "round-" + round}); err != nil {
		panic(err)
	}
	base, err := strconv.Atoi(round)
	if err != nil {
		panic(err)
	}
	say1("session", "round-"+round)
	for i := base * 1_000_000; ; i++ {
		n := strconv.Itoa(i)
		must(0, s.AppendMessage(ctx, "round-"+round, "t", say("message "+n)))
		say1("message", n)
		e := must(s.AppendEvent(ctx, agent.Event{Session: "round-" + round, Payload: agent.Notice{Text: n}}))
		say1("event", e.Seq)
		must(s.RecordChange(ctx, bigChange("/"+n, uint64(i))))
		say1("change", n)
		must(0, s.AddGrant(ctx, "/"+n, "test"))
		say1("grant", n)
		must(0, s.RecordApproval(ctx, store.Approval{ID: n, Session: "round-" + round, Decision: "once"}))
		say1("approval", n)
		say1("output", must(s.SaveOutput(ctx, "round-"+round, n, "the whole output")))
	}
}

// TestKill kills a writing process at random instants: whatever it
// acknowledged must be there, whole, and nothing half.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	rounds, total := 30, 0
	if testing.Short() {
		rounds = 5
	}
	for round := range rounds {
		acked := killedAfter(t, strconv.Itoa(round)+":"+dir, time.Duration(rand.IntN(150_000))*time.Microsecond)
		total += len(acked)
		s := open(t, dir)
		if s.Degraded() != "" {
			t.Fatal(s.Degraded())
		}
		expect(t, s, fmt.Sprint("round-", round), acked)
		_ = s.Close()
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	s := open(t, dir)
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for _, pattern := range []string{"*.tmp", "undo/*.tmp", "sessions/*/*/*.tmp", "*.damaged*", "*.suspect"} {
		if left, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(left) > 0 {
			t.Errorf("left over: %v, %v", left, err)
		}
	}
	if total < rounds {
		t.Errorf("only %d acknowledged; the test shows little", total)
	}
	t.Logf("%d acknowledged over %d kills", total, rounds)
}

// killedAfter lets a process write for a while and returns what it acknowledged.
func killedAfter(t *testing.T, dir string, d time.Duration) (acked []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := play(ctx, t, "until killed", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var timer *time.Timer
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		acked = append(acked, lines.Text())
		if timer == nil {
			timer = time.AfterFunc(d, func() { _ = cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait() // it was killed
	if timer == nil {
		t.Fatal("it did not begin")
	}
	timer.Stop()
	return acked
}

func expect(t *testing.T, s *store.Store, session string, acked []string) {
	t.Helper()
	ctx := t.Context()
	have := map[string]bool{}
	messages, warnings, err := s.Messages(ctx, session)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	for _, m := range messages {
		have[m.Parts[0].(provider.Text).Text] = true
	}
	events, err := s.EventsFrom(ctx, session, 1, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has number %d", i, e.Seq)
		}
		have[fmt.Sprint("event ", e.Seq)] = true
	}
	grants, err := s.Grants(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range grants {
		have["grant "+g.Path[1:]] = true
	}
	approvals, err := s.Approvals(ctx, session)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range approvals {
		have["approval "+a.ID] = true
	}
	for _, line := range acked {
		kind, what, _ := strings.Cut(line, " ")
		switch kind {
		case "session":
			_, err = s.Session(ctx, what)
			have[line] = err == nil
		case "change":
			c, err := s.LastChange(ctx, "", "/"+what)
			have[line] = err == nil && len(c.Before) == 70<<10+8
		case "output":
			b, err := os.ReadFile(what)
			have[line] = err == nil && string(b) == "the whole output"
		}
		if !have[line] {
			t.Errorf("acknowledged and lost: %s", line)
		}
	}
}

const besideEach = 60

// writeBeside writes a fixed number of events and messages.
func writeBeside(dir string) {
	ctx := context.Background()
	s := must(store.Open(ctx, store.Options{Dir: dir}))
	for i := range besideEach {
		must(s.AppendEvent(ctx, agent.Event{Session: "shared", Payload: agent.Notice{}}))
		must(0, s.AppendMessage(ctx, "shared", "", say(strconv.Itoa(i))))
	}
	must(0, s.Close())
}

// Several processes write at once, as the command line does beside the desktop.
func TestProcessesWriteBesideEachOther(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := s.CreateSession(t.Context(), store.NewSession{ID: "shared"}); err != nil {
		t.Fatal(err)
	}
	const others = 3
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for range others {
		cmd := play(ctx, t, "writer", dir)
		all.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Error(err)
			}
		})
	}
	for range besideEach {
		if _, err := s.AppendEvent(t.Context(), agent.Event{Session: "shared", Payload: agent.Notice{}}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Sessions(t.Context(), store.Query{Search: "1"}); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	events, err := s.EventsFrom(t.Context(), "shared", 1, 1000)
	if want := (others + 1) * besideEach; err != nil || len(events) != want {
		t.Fatalf("%d events, want %d, %v", len(events), want, err)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i, e.Seq)
		}
	}
	x, err := s.Session(t.Context(), "shared")
	if err != nil || x.Messages != others*besideEach || len(strings.Fields(texts(t, s, "shared"))) != x.Messages {
		t.Errorf("%d messages, %v", x.Messages, err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err, store.Cause(err))
	}
}
