package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/agent"
)

// kills is how often each program is killed, by two at a time.
const (
	kills   = 50
	workers = 2
)

// chance is a worker's source of instants; its seed is told.
func chance(t *testing.T, worker int) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("worker %d kills by the seed %d", worker, seed)
	return rand.New(rand.NewPCG(seed, uint64(worker)))
}

// TestKillCommandLine kills the command line at random instants of a scripted
// turn.
func TestKillCommandLine(t *testing.T) {
	t.Parallel()
	address := script(t)
	for worker := range workers {
		t.Run(strconv.Itoa(worker), func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			playScript(p, address)
			rnd := chance(t, worker)
			start := time.Now()
			seen := p.ask("--mode", "auto", "the turn that is not killed")
			whole := time.Since(start)
			checkScript(t, seen)
			struck := 0
			for i := range kills / workers {
				after := time.Duration(rnd.Int64N(int64(whole)))
				out, died := p.killed(after, i)
				seen = append(seen, out...)
				if died {
					struck++
				}
				p.whole()
			}
			if struck < kills/workers/2 {
				t.Errorf("only %d of %d kills struck a running program", struck, kills/workers)
			}
			last := p.ask("--mode", "auto", "--session", "last", "the turn after all kills")
			checkScript(t, last)
			noOrphans(t, nil, p.dir())
			p.kept(append(seen, last...))
			p.sound()
			p.tidy()
		})
	}
}

// killed runs a turn, kills the program after a while, and returns the events
// that were printed until then, and whether the program was still running.
func (p *person) killed(after time.Duration, i int) (seen []agent.Event, died bool) {
	p.tb.Helper()
	args := []string{"ask", "--json", "--mode", "auto", fmt.Sprintf("turn %d, killed after %v", i, after)}
	if i%2 == 1 {
		args = append(args, "--session", "last")
	}
	cmd := p.cmd(context.WithoutCancel(p.tb.Context()), args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		p.tb.Fatal(err)
	}
	<-time.After(after)
	before := below(p.tb, cmd.Process.Pid)
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()         // killed
	noOrphans(p.tb, before, p.dir())
	if errs.Len() > 0 {
		p.tb.Errorf("killed after %v it printed: %s", after, errs.String())
	}
	return events(p.tb, out.String()), !cmd.ProcessState.Exited()
}

// checkScript checks that a turn was the scripted one, whole.
func checkScript(t *testing.T, list []agent.Event) {
	t.Helper()
	var tools []string
	for _, done := range of[agent.ToolCompleted](list) {
		if done.Failed {
			t.Fatalf("%s failed: %s", done.Tool, done.Text)
		}
		tools = append(tools, done.Tool)
	}
	if got := strings.Join(tools, " "); got != "shell file_write shell file_write" {
		t.Fatalf("the turn did %s", got)
	}
	if of[agent.ContextCompacting](list) != nil {
		t.Fatal("the conversation was shortened, though the settings give the model a large window")
	}
	if len(of[agent.TurnCompleted](list)) != 1 {
		t.Fatalf("the turn ended with %s", line(list[len(list)-1]))
	}
}
