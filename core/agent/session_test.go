package agent

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

func TestSendRefuses(t *testing.T) {
	b := newBench(t)
	for name, tt := range map[string]struct {
		in   Input
		want error
	}{
		"nothing":     {Input{Session: "s", Text: " \n"}, EmptyMessage},
		"a huge text": {Input{Session: "s", Text: strings.Repeat("x", maxText+1)}, MessageTooLarge},
		"huge images": {Input{Session: "s", Images: []provider.Image{{Data: make([]byte, maxImages+1)}}}, MessageTooLarge},
		"no session":  {Input{Text: "x"}, nil},
	} {
		if _, err := b.Send(t.Context(), tt.in); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: err = %v, want %v", name, err, tt.want)
		}
	}
	if len(b.journal.messages) != 0 {
		t.Error("a refused message is stored")
	}
}

// TestQueue sends three messages while the first turn runs: they are played in
// order, and no turn sees a message that came after its own.
func TestQueue(t *testing.T) {
	b := newBench(t, calls(call("1", "wait", `{"text":"1"}`)), says("two"), says("three"))
	first, err := b.Send(t.Context(), input("one"))
	if err != nil {
		t.Fatal(err)
	}
	<-b.entered
	var rest []Sent
	for _, text := range []string{"2", "3"} {
		sent, err := b.Send(t.Context(), input(text))
		if err != nil {
			t.Fatal(err)
		}
		rest = append(rest, sent)
	}
	if got := b.Running()["s"]; got != first.Turn {
		t.Errorf("running %q, want %q", got, first.Turn)
	}
	if !b.Stop("s") {
		t.Error("nothing was stopped")
	}
	events := b.events(t, "s", first)
	if got, want := events[len(events)-1].Payload, (TurnCancelled{"stopped"}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, sent := range rest {
		events := b.events(t, "s", sent)
		if _, ok := events[len(events)-1].Payload.(TurnCompleted); !ok {
			t.Errorf("stop reached a later turn: %v", events[len(events)-1].Payload)
		}
	}
	before := []string{
		"user: one", `assistant: →wait {"text":"1"}`,
		"tool: ←wait {\"error\":{\"code\":\"cancelled\",\"message\":\"wait was stopped before it ended\",\"try\":\"do not go on unless asked to\"}}\nAnalyse the error above and try another way.",
		"assistant: [The turn was stopped here by the user.]", "user: 2",
	}
	reqs := b.model.requests()
	if d := cmp.Diff(before, lines(reqs[1].Messages)); d != "" {
		t.Errorf("second turn (-want +got):\n%s", d)
	}
	if d := cmp.Diff(append(before, "assistant: two", "user: 3"), lines(reqs[2].Messages)); d != "" {
		t.Errorf("third turn (-want +got):\n%s", d)
	}
}

func TestStop(t *testing.T) {
	b := newBench(t, reply{events: []provider.Event{provider.TextDelta("half")}, wait: true}, says("more"))
	if b.Stop("s") || b.Stop("other") {
		t.Error("stopped where nothing runs")
	}
	watch := b.Hub.Watch(t.Context(), "s", 0)
	sent, err := b.Send(t.Context(), input("one"))
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range watch {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.Payload.(OutputDelta); ok {
			break
		}
	}
	if b.StopTurn("s", "another") {
		t.Error("stopped a turn that is not the one that runs")
	}
	if !b.StopTurn("s", sent.Turn) {
		t.Error("did not stop the turn that runs")
	}
	b.events(t, "s", sent)
	want := []string{"user: one", "assistant: half | [The turn was stopped here by the user.]"}
	if d := cmp.Diff(want, b.history(t)); d != "" {
		t.Errorf("history (-want +got):\n%s", d)
	}
	if events := b.turn(t, input("two")); events[len(events)-1].Payload.Name() != "turn.completed" {
		t.Errorf("the next turn: %v", events[len(events)-1].Payload)
	}
}

// TestSideBySide has two sessions wait for each other.
func TestSideBySide(t *testing.T) {
	b := newBench(t, calls(call("1", "wait", `{"text":"x"}`)), calls(call("1", "wait", `{"text":"x"}`)))
	for _, s := range []string{"a", "b"} {
		in := input("go")
		in.Session = s
		if _, err := b.Send(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		select {
		case <-b.entered:
		case <-time.After(10 * time.Second):
			t.Fatal("one session waits for the other")
		}
	}
}

func TestClose(t *testing.T) {
	b := newBench(t, calls(call("1", "wait", `{"text":"x"}`)))
	first, err := b.Send(t.Context(), input("one"))
	if err != nil {
		t.Fatal(err)
	}
	<-b.entered
	second, err := b.Send(t.Context(), input("two"))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Send(t.Context(), input("three")); !errors.Is(err, ErrClosed) {
		t.Errorf("err = %v, want %v", err, ErrClosed)
	}
	if n := len(b.model.requests()); n != 1 {
		t.Errorf("%d requests: a queued turn was played after closing", n)
	}
	// The next start of the program, on the same journal.
	again := newBench(t, says("both"))
	again.journal = b.journal
	again.Journal, again.Hub.Journal = b.journal, b.journal
	waiting, err := again.Recover(t.Context(), []string{"s", "unknown"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Unanswered{
		{Session: "s", Turn: first.Turn, Text: "one", Trust: capability.Operator, Started: true},
		{Session: "s", Turn: second.Turn, Text: "two", Trust: capability.Operator},
	}
	if d := cmp.Diff(want, waiting); d != "" {
		t.Errorf("unanswered (-want +got):\n%s", d)
	}
	sent, err := again.Resume(t.Context(), input(""))
	if err != nil {
		t.Fatal(err)
	}
	again.events(t, "s", sent)
	if _, err := again.Resume(t.Context(), input("")); !errors.Is(err, NothingToResume) {
		t.Errorf("err = %v, want %v", err, NothingToResume)
	}
	got := lines(again.model.requests()[0].Messages)
	if last := got[len(got)-1]; !strings.Contains(last, "two") || !strings.Contains(last, resumeText) {
		t.Errorf("the model is not told what waits: %q", last)
	}
}

// TestRecoverKilled starts from journals as a kill leaves them.
func TestRecoverKilled(t *testing.T) {
	ask := ApprovalRequested{ID: "a1", Call: "t1.1"}
	for name, tt := range map[string]struct {
		events []Payload
		want   []string // what Recover adds
		marked bool
		waits  bool
	}{
		"stored, not started": {[]Payload{InputMessage{Text: "x"}}, []string{`turn.cancelled {"reason":"interrupted"}`}, false, true},
		"started":             {[]Payload{InputMessage{Text: "x"}, TurnStarted{}}, []string{`turn.cancelled {"reason":"interrupted"}`}, true, true},
		"asking": {
			[]Payload{InputMessage{Text: "x"}, TurnStarted{}, ask},
			[]string{`approval.resolved {"id":"a1","call":"t1.1","decision":"cancelled","by":"restart"}`, `turn.cancelled {"reason":"interrupted"}`},
			true, true,
		},
		"recovered before": {[]Payload{InputMessage{Text: "x"}, TurnStarted{}, TurnCancelled{interrupted}}, nil, false, true},
		"stopped":          {[]Payload{InputMessage{Text: "x"}, TurnStarted{}, TurnCancelled{"stopped"}}, nil, false, false},
		"completed":        {[]Payload{InputMessage{Text: "x"}, TurnStarted{}, TurnCompleted{}}, nil, false, false},
		"failed":           {[]Payload{InputMessage{Text: "x"}, TurnStarted{}, TurnFailed{}}, nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for _, p := range tt.events {
				if _, err := b.Hub.Publish(t.Context(), "s", "t1", p); err != nil {
					t.Fatal(err)
				}
			}
			waiting, err := b.Recover(t.Context(), []string{"s"})
			if err != nil {
				t.Fatal(err)
			}
			added, err := b.journal.EventsFrom(t.Context(), "s", int64(len(tt.events)+1), 100)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, shown(added)); d != "" {
				t.Errorf("added (-want +got):\n%s", d)
			}
			if got := len(b.journal.messages) > 0; got != tt.marked {
				t.Errorf("marked in the history: %v, want %v", got, tt.marked)
			}
			if got := len(waiting) > 0; got != tt.waits {
				t.Errorf("waits: %v, want %v", got, tt.waits)
			}
		})
	}
}

func TestResumeKeepsTrustLow(t *testing.T) {
	b := newBench(t, says("hi"))
	if _, err := b.Hub.Publish(t.Context(), "s", "t1", InputMessage{Text: "x", Trust: capability.Guest}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Recover(t.Context(), []string{"s"}); err != nil {
		t.Fatal(err)
	}
	sent, err := b.Resume(t.Context(), input(""))
	if err != nil {
		t.Fatal(err)
	}
	if p := b.events(t, "s", sent)[0].Payload.(InputMessage); p.Trust != capability.Guest {
		t.Errorf("the trust was raised to %q", p.Trust)
	}
}

func TestDamageIsToldOnce(t *testing.T) {
	b := newBench(t, says("a"), says("b"))
	b.journal.warnings = []string{"row 7 cannot be read"}
	b.turn(t, input("one"))
	b.turn(t, input("two"))
	n := 0
	for _, e := range b.journal.events["s"] {
		if p, ok := e.Payload.(Notice); ok && strings.Contains(p.Text, "row 7") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("told %d times, want once", n)
	}
}

// TestSessionsAreForgotten holds that an idle session costs nothing.
func TestSessionsAreForgotten(t *testing.T) {
	var replies []reply
	for range 50 {
		replies = append(replies, says("x"))
	}
	b := newBench(t, replies...)
	for i := range 50 {
		in := input("x")
		in.Session = strconv.Itoa(i)
		b.turn(t, in)
	}
	b.workers.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.sessions); n != 0 {
		t.Errorf("%d sessions are kept", n)
	}
}

func TestSendDoesNotHangOnContext(t *testing.T) {
	b := newBench(t, says("x"))
	ctx, cancel := context.WithCancel(t.Context())
	sent, err := b.Send(ctx, input("x"))
	cancel()
	if err != nil {
		t.Fatal(err)
	}
	events := b.events(t, "s", sent)
	if events[len(events)-1].Payload.Name() != "turn.completed" {
		t.Error("the end of the sender's context stopped the turn")
	}
}
