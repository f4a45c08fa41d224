package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestWatchJoins publishes while watchers join at random points and from
// random numbers: each sees every durable event once, in order, and no piece
// of an answer after that answer is whole.
func TestWatchJoins(t *testing.T) {
	const events, watchers = 1300, 24 // three events each: less than the buffer, so that none may lag
	h := &Hub{Journal: &memory{}}
	reached := make([]chan struct{}, events+1) // closed when that many are out
	for i := range reached {
		reached[i] = make(chan struct{})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for range watchers {
		join := rand.IntN(events)
		from := 1 + rand.IntN(join+1)
		wg.Go(func() {
			<-reached[join]
			if err := follow(ctx, h, int64(from), events); err != nil {
				t.Errorf("joined after %d, from %d: %v", join, from, err)
			}
		})
	}
	close(reached[0])
	for i := range events {
		text := strconv.Itoa(i + 1)
		for range 2 {
			if _, err := h.Publish(ctx, "s", "t", OutputDelta{text}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.Publish(ctx, "s", "t", OutputCompleted{text}); err != nil {
			t.Fatal(err)
		}
		close(reached[i+1])
	}
	wg.Wait()
}

func follow(ctx context.Context, h *Hub, from, last int64) error {
	next := from
	for e, err := range h.Watch(ctx, "s", from) {
		if err != nil {
			return err
		}
		switch p := e.Payload.(type) {
		case OutputDelta:
			if want := strconv.FormatInt(next, 10); p.Text != want {
				return fmt.Errorf("a piece of %s came where %s is due", p.Text, want)
			}
		case OutputCompleted:
			if e.Seq != next || p.Text != strconv.FormatInt(next, 10) {
				return fmt.Errorf("got event %d (%s), want %d", e.Seq, p.Text, next)
			}
			if next++; next > last {
				return nil
			}
		case Lagged:
			return fmt.Errorf("lagged by %d", p.Missed)
		default:
			return fmt.Errorf("unexpected %s", p.Name())
		}
	}
	return fmt.Errorf("the watch ended before event %d", next)
}

func TestWatchLags(t *testing.T) {
	h := &Hub{Journal: &memory{}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watch := h.Watch(ctx, "s", 0)
	const over = 100
	for i := range lagBuffer + over {
		if _, err := h.Publish(ctx, "s", "t", OutputDelta{strconv.Itoa(i)}); err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	for e, err := range watch {
		if err != nil {
			t.Fatal(err)
		}
		switch p := e.Payload.(type) {
		case OutputDelta:
			if p.Text == "after" {
				return
			}
			seen++
		case Lagged:
			if seen != lagBuffer || p.Missed != over {
				t.Errorf("saw %d and missed %d, want %d and %d", seen, p.Missed, lagBuffer, over)
			}
			if _, err := h.Publish(ctx, "s", "t", OutputDelta{"after"}); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("unexpected %s", p.Name())
		}
	}
	t.Error("the watch ended")
}

func TestWatchAllAndFromNow(t *testing.T) {
	h := &Hub{Journal: &memory{}}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	publish := func(session, text string) {
		t.Helper()
		if _, err := h.Publish(ctx, session, "t", Notice{text}); err != nil {
			t.Fatal(err)
		}
	}
	publish("a", "before")
	all, one := h.Watch(ctx, "", 1), h.Watch(ctx, "a", 0)
	publish("a", "1")
	publish("b", "2")
	publish("a", "3")
	read := func(watch iter.Seq2[Event, error], n int) string {
		var got strings.Builder
		for e, err := range watch {
			if err != nil {
				t.Fatal(err)
			}
			got.WriteString(e.Session + e.Payload.(Notice).Text + " ")
			if n--; n == 0 {
				break
			}
		}
		return got.String()
	}
	if got, want := read(all, 3), "a1 b2 a3 "; got != want {
		t.Errorf("all sessions: got %q, want %q", got, want)
	}
	if got, want := read(one, 2), "a1 a3 "; got != want {
		t.Errorf("one session: got %q, want %q", got, want)
	}
	if n := len(h.all.set) + len(h.stream("a").subs.set); n != 0 {
		t.Errorf("%d watchers are left", n)
	}
}

func TestPublishNotStored(t *testing.T) {
	full := errors.New("disk full")
	h := &Hub{Journal: &memory{failing: full}}
	ctx, cancel := context.WithCancel(t.Context())
	watch := h.Watch(ctx, "s", 0)
	if _, err := h.Publish(ctx, "s", "t", Notice{"x"}); !errors.Is(err, full) {
		t.Errorf("err = %v, want %v", err, full)
	}
	h.tell("s", "t", TurnFailed{Code: "x"})
	for e, err := range watch {
		if err != nil || e.Payload.Name() != "turn.failed" || e.Seq != 0 {
			t.Errorf("got %s %d, want the end alone, without a number", e.Payload.Name(), e.Seq)
		}
		break
	}
	cancel()
	for e, err := range h.Watch(ctx, "s", 1) {
		t.Errorf("an ended context yields %v, %v", e, err)
	}
}

func TestEventJSON(t *testing.T) {
	for name := range decoders {
		p, err := decoders[name]([]byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := Event{Seq: 3, Session: "s", Turn: "t", At: now(), Payload: p}.MarshalJSON()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var back Event
		if err := back.UnmarshalJSON(raw); err != nil || back.Payload.Name() != name || back.Seq != 3 {
			t.Errorf("%s: came back as %+v, %v", name, back, err)
		}
	}
	for name, raw := range map[string]string{"unknown": `{"type":"nope","data":{}}`, "no JSON": `{`, "bad data": `{"type":"notice","data":[]}`} {
		var e Event
		if err := e.UnmarshalJSON([]byte(raw)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := (Event{}).MarshalJSON(); err == nil {
		t.Error("an event without a payload marshals")
	}
}

func FuzzEventJSON(f *testing.F) {
	f.Add([]byte(`{"type":"notice","session":"s","seq":1,"time":"2026-01-02T03:04:05Z","data":{"text":"hi"}}`))
	f.Add([]byte(`{"type":"tool.started","data":{"args":{}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var e Event
		if e.UnmarshalJSON(raw) != nil {
			return
		}
		if _, err := e.MarshalJSON(); err != nil && e.Payload != nil {
			if _, ok := e.Payload.(ToolStarted); !ok { // its arguments may be missing
				t.Errorf("%s: read, but not written: %v", raw, err)
			}
		}
	})
}
