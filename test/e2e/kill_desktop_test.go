package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/test/desk"
)

const (
	windowEvery  = 5                      // kills of which one also meets a window, which takes longest
	sessionEvery = 5                      // kills after which another session is begun
	sendEvery    = 120 * time.Millisecond // so that some messages wait for the turn before
)

// TestKillDesktop kills the desktop's background process at random instants,
// from its start on, while it plays scripted turns.
func TestKillDesktop(t *testing.T) {
	t.Parallel()
	d := desk.Start(t)
	address := script(t)
	t.Run("worker", func(t *testing.T) { // the desk stays until all have ended
		for worker := range workers {
			t.Run(strconv.Itoa(worker), func(t *testing.T) {
				t.Parallel()
				v := &victim{person: newPerson(t, d.Env()...), t: t, program: program(t, "hobkin-desktop")}
				playScript(v.person, address)
				rnd := chance(t, worker)
				whole := v.unkilled()
				for i := range kills / workers {
					v.once(time.Duration(rnd.Int64N(int64(whole))), i)
					v.whole()
				}
				if len(v.acked) < kills/workers {
					t.Errorf("only %d messages were acknowledged in %d starts", len(v.acked), kills/workers)
				}
				t.Logf("%d messages were acknowledged, %d windows met a kill", len(v.acked), v.windows)
				if v.windows == 0 {
					t.Error("no window met a kill")
				}
				v.recovered()
				v.sound()
				v.tidy()
			})
		}
	})
}

// A victim is a desktop that is started and killed over and over.
type victim struct {
	*person
	t       *testing.T
	program string
	session string // that messages go to; empty begins another
	acked   []ack
	windows int // that were killed with it
}

// An ack is a message that the desktop took in.
type ack struct {
	control.Sent
	text string
}

func (v *victim) start() *exec.Cmd {
	v.t.Helper()
	cmd := exec.Command(v.program, "--background") //nolint:noctx // it is killed when its time has come
	cmd.Dir, cmd.Env = v.project, v.env
	if err := cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	return cmd
}

// dial waits for the control socket; nil when ctx ends before.
func (v *victim) dial(ctx context.Context) *control.Client {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if c, err := control.Dial(ctx, filepath.Join(v.home, "run", "control.sock")); err == nil {
			return c
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// send sends a message and remembers it when it was acknowledged.
func (v *victim) send(ctx context.Context, c *control.Client, text string) error {
	sent, err := c.Send(ctx, control.SendRequest{Session: v.session, Text: text, Workspace: v.project, Mode: "auto", Channel: "desktop"})
	if err != nil {
		return err
	}
	v.session = sent.Session
	v.acked = append(v.acked, ack{sent, text})
	return nil
}

// turn sends a message and waits for the end of its turn.
func (v *victim) turn(ctx context.Context, c *control.Client, text string) {
	v.t.Helper()
	if err := v.send(ctx, c, text); err != nil {
		v.t.Fatal(err)
	}
	last := v.acked[len(v.acked)-1]
	var list []agent.Event
	for e, err := range c.Watch(ctx, control.WatchRequest{Session: last.Session, From: last.From}) {
		if err != nil {
			v.t.Fatal(err)
		}
		if e.Turn != last.Turn {
			continue
		}
		if list = append(list, e); agent.EndsTurn(e.Payload) {
			break
		}
	}
	checkScript(v.t, list)
}

// unkilled plays one turn, quits as a person does, and returns how long it was
// from the start to the turn's end.
func (v *victim) unkilled() time.Duration {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), runTime)
	defer cancel()
	start := time.Now()
	cmd := v.start()
	defer func() { _ = cmd.Process.Kill() }() // should anything below fail
	c := v.dial(ctx)
	if c == nil {
		v.t.Fatal("the desktop does not answer")
	}
	v.turn(ctx, c, "a turn that is not killed")
	whole := time.Since(start)
	before := below(v.t, cmd.Process.Pid)
	if err := c.Quit(ctx); err != nil {
		v.t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		v.t.Errorf("after Quit: %v", err)
	}
	noOrphans(v.t, before, v.dir())
	return whole
}

// once starts the desktop, sends messages until it is killed, and looks at what
// is left of it.
func (v *victim) once(after time.Duration, i int) {
	v.t.Helper()
	if i%sessionEvery == 0 {
		v.session = ""
	}
	window := i%windowEvery == 0
	if window {
		after *= 2 // it needs time to come up
	}
	cmd := v.start()
	ctx, cancel := context.WithCancel(v.t.Context())
	var talk sync.WaitGroup
	talk.Go(func() { v.talk(ctx, window, fmt.Sprintf("start %d, killed after %v", i, after)) })
	<-time.After(after)
	before := below(v.t, cmd.Process.Pid)
	if slices.ContainsFunc(before, func(p proc) bool { return strings.Contains(whatIs(p), " --window") }) {
		v.windows++
	}
	_ = cmd.Process.Kill() // told below when it had ended
	_ = cmd.Wait()         // killed
	cancel()
	talk.Wait()
	if cmd.ProcessState.Exited() {
		v.t.Errorf("the desktop ended by itself: %v", cmd.ProcessState)
	}
	noOrphans(v.t, before, v.dir())
}

// talk sends messages until the desktop is gone.
func (v *victim) talk(ctx context.Context, window bool, text string) {
	c := v.dial(ctx)
	if c == nil {
		return
	}
	if window {
		_ = c.ShowWindow(ctx, "") // the kill may come before the answer
	}
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	for n := 1; v.send(ctx, c, fmt.Sprintf("%s: message %d", text, n)) == nil; n++ {
		<-tick.C
	}
}

// recovered starts the desktop a last time: every message that was acknowledged
// is there, no turn is left open, and the conversation goes on.
func (v *victim) recovered() {
	v.t.Helper()
	v.unkilled()
	sessions := map[string][]agent.Event{}
	for _, a := range v.acked {
		if sessions[a.Session] == nil {
			sessions[a.Session] = exported(v.t, v.must("sessions", "export", "-f", "json", a.Session))
		}
		list := sessions[a.Session]
		at := slices.IndexFunc(list, func(e agent.Event) bool { return e.Turn == a.Turn })
		if at < 0 {
			v.t.Errorf("lost: %q, turn %s", a.text, a.Turn)
			continue
		}
		if in, ok := list[at].Payload.(agent.InputMessage); !ok || in.Text != a.text || list[at].Seq != a.From {
			v.t.Errorf("%q: the session has %s in its place", a.text, brief(list[at]))
		}
		if !slices.ContainsFunc(list, func(e agent.Event) bool { return e.Turn == a.Turn && agent.EndsTurn(e.Payload) }) {
			v.t.Errorf("%q: its turn was left open", a.text)
		}
	}
}

func brief(e agent.Event) string {
	s := line(e)
	return strings.ToValidUTF8(s[:min(len(s), 300)], "")
}
