//go:build !windows

package permission

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
)

// asked starts a question and waits until it is on the list.
func asked(t *testing.T, b *Broker, ctx context.Context, req agent.ApprovalRequested) (id string, answer func() Answer) { //nolint:revive // t comes first in helpers
	t.Helper()
	shown := make(chan string, 1)
	b.OnRequest = func(_ capability.Turn, r agent.ApprovalRequested) { shown <- r.ID }
	got := make(chan Answer, 1)
	go func() {
		a, _ := b.Ask(ctx, capability.Turn{Session: "s"}, req)
		got <- a
	}()
	return <-shown, func() Answer { return <-got }
}

func TestBrokerAnswer(t *testing.T) {
	var ended []agent.ApprovalResolved
	b := &Broker{OnResolve: func(_ capability.Turn, r agent.ApprovalResolved) { ended = append(ended, r) }}
	id, answer := asked(t, b, t.Context(), agent.ApprovalRequested{Call: "c", Tool: "shell", Fingerprint: "f"})
	if p := b.Pending(); len(p) != 1 || p[0].Request.ID != id || p[0].Turn.Session != "s" || p[0].Request.Expires.IsZero() {
		t.Errorf("pending %+v", p)
	}
	for name, c := range map[string]struct {
		id, print string
		d         Decision
		want      error
	}{
		"unknown question":  {"nope", "f", Once, NoRequest},
		"another call":      {id, "g", Once, OtherCall},
		"no fingerprint":    {id, "", Once, OtherCall},
		"no decision":       {id, "f", "", BadDecision},
		"nobody's decision": {id, "f", Expired, BadDecision},
		"always, no rule":   {id, "f", Always, BadDecision},
	} {
		if err := b.Answer(c.id, c.print, c.d, "x"); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	if err := b.Answer(id, "f", Once, "cli"); err != nil {
		t.Fatal(err)
	}
	if got := answer(); got != (Answer{Once, "cli"}) {
		t.Errorf("got %+v", got)
	}
	if err := b.Answer(id, "f", DenyOnce, "window"); !errors.Is(err, Answered) {
		t.Errorf("a second answer: %v", err)
	}
	if len(ended) != 1 || ended[0] != (agent.ApprovalResolved{ID: id, Call: "c", Decision: "once", By: "cli"}) || len(b.Pending()) != 0 {
		t.Errorf("ended %+v, pending %v", ended, b.Pending())
	}
}

func TestBrokerFirstAnswerWins(t *testing.T) {
	for range 20 {
		b := &Broker{}
		id, answer := asked(t, b, t.Context(), agent.ApprovalRequested{Fingerprint: "f"})
		var won atomic.Int32
		var by atomic.Value
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i := range 100 {
			wg.Go(func() {
				<-start
				who := string(rune('A' + i%26))
				err := b.Answer(id, "f", []Decision{Once, DenyOnce}[i%2], who)
				switch {
				case err == nil:
					won.Add(1)
					by.Store(who)
				case !errors.Is(err, Answered):
					t.Errorf("a loser got %v", err)
				}
			})
		}
		close(start)
		wg.Wait()
		if got := answer(); won.Load() != 1 || got.By != by.Load() {
			t.Fatalf("%d answers won; the asker got %+v, the winner was %v", won.Load(), got, by.Load())
		}
	}
}

func TestBrokerExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Broker{Timeout: time.Minute}
		id, answer := asked(t, b, t.Context(), agent.ApprovalRequested{Fingerprint: "f"})
		began := time.Now()
		if got := answer(); got.Decision != Expired || time.Since(began) != time.Minute {
			t.Errorf("got %+v after %v", got, time.Since(began))
		}
		if err := b.Answer(id, "f", Once, "late"); !errors.Is(err, Answered) {
			t.Errorf("a late answer: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := &Broker{}
		began := time.Now()
		_, answer := asked(t, b, t.Context(), agent.ApprovalRequested{})
		if got := answer(); got.Decision != Expired || time.Since(began) != QuestionTimeout {
			t.Errorf("without a time-out of its own: got %+v after %v", got, time.Since(began))
		}
	})
}

func TestBrokerCancelled(t *testing.T) {
	b := &Broker{}
	ctx, cancel := context.WithCancel(t.Context())
	id, answer := asked(t, b, ctx, agent.ApprovalRequested{Fingerprint: "f"})
	cancel()
	if got := answer(); got.Decision != Cancelled {
		t.Errorf("got %+v", got)
	}
	if err := b.Answer(id, "f", Once, "late"); !errors.Is(err, Answered) {
		t.Errorf("an answer to a stopped turn: %v", err)
	}
	if _, err := b.Ask(ctx, capability.Turn{}, agent.ApprovalRequested{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a question of a stopped turn: %v", err)
	}
}

// An answer and the end of the turn at the same instant: both sides agree.
func TestBrokerCancelRace(t *testing.T) {
	for range 300 {
		b := &Broker{}
		ctx, cancel := context.WithCancel(t.Context())
		id, answer := asked(t, b, ctx, agent.ApprovalRequested{Fingerprint: "f"})
		taken := make(chan bool, 1)
		go func() { taken <- b.Answer(id, "f", Once, "x") == nil }()
		cancel()
		if got, ok := answer(), <-taken; (got.Decision == Once) != ok {
			t.Fatalf("the asker got %+v, the answerer was told %v", got, ok)
		}
	}
}

// The gate and the broker together, as the app joins them.
func TestGateWithBroker(t *testing.T) {
	b := newBench(t)
	broker := &Broker{}
	broker.OnRequest = func(_ capability.Turn, r agent.ApprovalRequested) {
		if r.Rule != "allow shell: git commit *" {
			t.Errorf("the rule shown is %q", r.Rule)
		}
		if err := broker.Answer(r.ID, r.Fingerprint, Always, "window"); err != nil {
			t.Error(err)
		}
	}
	b.Asker = broker
	if err := b.approve(t, "git commit -m x", `{}`); err != nil {
		t.Fatal(err)
	}
	if len(b.rules.list) != 1 || b.rules.list[0].String() != "allow shell: git commit *" {
		t.Errorf("saved %v", b.rules.list)
	}
}

func TestFingerprint(t *testing.T) {
	call := func(name, args, session string) capability.Call {
		return capability.Call{Name: name, Args: []byte(args), Turn: capability.Turn{Session: session}}
	}
	same := Fingerprint(call("shell", `{"a":1,"b":[1,2]}`, "s"))
	for _, c := range []capability.Call{call("shell", `{ "b":[1, 2], "a":1 }`, "s"), {ID: "other", Name: "shell", Args: []byte(`{"a":1,"b":[1,2]}`), Turn: capability.Turn{Session: "s", ID: "t"}}} {
		if Fingerprint(c) != same {
			t.Errorf("%s: another fingerprint", c.Args)
		}
	}
	for _, c := range []capability.Call{
		call("shel", `{"a":1,"b":[1,2]}`, "s"), call("shell", `{"a":1,"b":[2,1]}`, "s"), call("shell", `{"a":1,"b":[1,2]}`, "s2"), call("shell", `{"a":1.0,"b":[1,2]}`, "s"),
		call("shell", `{"a":1,"b":[1,2]} `+"x", "s"), call("shell", ``, "s"),
	} {
		if Fingerprint(c) == same {
			t.Errorf("%s %s %s: the same fingerprint", c.Name, c.Args, c.Turn.Session)
		}
	}
	if Fingerprint(call("a", `{"x":9007199254740993}`, "")) == Fingerprint(call("a", `{"x":9007199254740992}`, "")) {
		t.Error("large numbers fall together")
	}
}
