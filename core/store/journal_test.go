package store_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/store"
)

func TestMessagesAndEvents(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	x := session(t, s, "t")
	want := []provider.Message{
		say("hello"),
		{Role: provider.RoleAssistant, Parts: []provider.Part{
			provider.Reasoning{Text: "hm", Signature: "sig", Provider: "anthropic"},
			provider.ToolCall{ID: "1", Name: "file_read", Args: `{"broken": `},
		}},
		{Role: provider.RoleTool, Parts: []provider.Part{provider.ToolResult{CallID: "1", Text: "x", Images: []provider.Image{{MIME: "image/png", Data: []byte{0, 1}}}}}},
	}
	for _, m := range want {
		if err := s.AppendMessage(t.Context(), x.ID, "turn", m); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		e, err := s.AppendEvent(t.Context(), agent.Event{Session: x.ID, Turn: "turn", At: time.Unix(1, 0).UTC(), Payload: agent.Notice{Text: strconv.Itoa(i)}})
		if err != nil || e.Seq != int64(i+1) {
			t.Fatalf("event %d got number %d, %v", i, e.Seq, err)
		}
	}
	_ = s.Close()
	s = open(t, dir)
	got, warnings, err := s.Messages(t.Context(), x.ID)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("messages (-want +got):\n%s", d)
	}
	events, err := s.EventsFrom(t.Context(), x.ID, 2, 10)
	if err != nil || len(events) != 2 || events[0].Seq != 2 || events[0].Payload != (agent.Notice{Text: "1"}) {
		t.Errorf("EventsFrom(2) = %+v, %v", events, err)
	}
	if events, err := s.EventsFrom(t.Context(), x.ID, 0, 1); err != nil || len(events) != 1 || events[0].Seq != 1 {
		t.Errorf("EventsFrom(0), one of them = %+v, %v", events, err)
	}
	if err := s.AppendMessage(t.Context(), "no-such-session", "t", say("x")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a message of no session: %v", err)
	}
	if _, err := s.AppendEvent(t.Context(), agent.Event{Session: "no-such-session", Payload: agent.Notice{}}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an event of no session: %v", err)
	}
}

func texts(t *testing.T, s *store.Store, session string) string {
	t.Helper()
	list, warnings, err := s.Messages(t.Context(), session)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	var out []string
	for _, m := range list {
		out = append(out, m.Parts[0].(provider.Text).Text)
	}
	return strings.Join(out, " ")
}

// A message that was queued while another turn ran comes after that turn.
func TestMessagesComeTurnByTurn(t *testing.T) {
	s := open(t, t.TempDir())
	x, other := session(t, s, "t"), session(t, s, "other")
	for _, m := range []struct{ turn, text string }{{"1", "a"}, {"2", "d"}, {"1", "b"}, {"", "between"}, {"2", "e"}, {"1", "c"}, {"", "last"}} {
		if err := s.AppendMessage(t.Context(), x.ID, m.turn, say(m.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.AppendMessage(t.Context(), other.ID, "1", say("elsewhere")); err != nil {
		t.Fatal(err)
	}
	if got, want := texts(t, s, x.ID), "a b c d e between last"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := texts(t, s, other.ID); got != "elsewhere" {
		t.Errorf("the other session has %q", got)
	}
}

func TestAppendIsSafeToRepeat(t *testing.T) {
	s := open(t, t.TempDir())
	x := session(t, s, "t")
	for range 3 {
		if err := s.AppendMessageOnce(t.Context(), x.ID, "1", "the-id", say("once")); err != nil {
			t.Fatal(err)
		}
	}
	if got := texts(t, s, x.ID); got != "once" {
		t.Errorf("messages %q", got)
	}
	if y, err := s.Session(t.Context(), x.ID); err != nil || y.Messages != 1 {
		t.Errorf("the session counts %d messages, %v", y.Messages, err)
	}
	if _, err := s.CreateSession(t.Context(), store.NewSession{ID: x.ID, Title: "again"}); !errors.Is(err, store.ErrExists) {
		t.Errorf("the same session again: %v", err)
	}
}

// A row that cannot be read does not hide the others.
func TestDamagedRow(t *testing.T) {
	s := open(t, t.TempDir())
	x := session(t, s, "t")
	for _, text := range []string{"one", "two", "three"} {
		if err := s.AppendMessage(t.Context(), x.ID, "t", say(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AppendEvent(t.Context(), agent.Event{Session: x.ID, Payload: agent.Notice{Text: text}}); err != nil {
			t.Fatal(err)
		}
	}
	s.Exec(t, "UPDATE messages SET parts = CAST('[{' AS BLOB) WHERE id & 255 = 2")
	s.Exec(t, "UPDATE events SET event = CAST('{\"type\":\"of the future\"}' AS BLOB) WHERE seq = 2")
	got, warnings, err := s.Messages(t.Context(), x.ID)
	if err != nil || len(got) != 2 || len(warnings) != 1 || !strings.Contains(warnings[0], "Message 2 is damaged") {
		t.Errorf("%d messages, warnings %q, %v", len(got), warnings, err)
	}
	events, err := s.EventsFrom(t.Context(), x.ID, 1, 10)
	if err != nil || len(events) != 3 || events[2].Seq != 3 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	if n, ok := events[1].Payload.(agent.Notice); !ok || events[1].Seq != 2 || !strings.Contains(n.Text, "damaged") {
		t.Errorf("in place of the damaged event came %+v", events[1])
	}
}

func TestNumbersHaveNoGap(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	x := session(t, a, "t")
	const writers, each = 6, 30
	var wg sync.WaitGroup
	for i := range writers {
		s := []*store.Store{a, b}[i%2]
		wg.Go(func() {
			for n := range each {
				ctx, cancel := context.WithCancel(context.Background())
				if n%7 == 0 {
					cancel() // refused, and must not take a number
				}
				e, err := s.AppendEvent(ctx, agent.Event{Session: x.ID, Payload: agent.Notice{}})
				cancel()
				if (err == nil) != (n%7 != 0) || (err == nil) != (e.Seq > 0) {
					t.Errorf("number %d, error %v", e.Seq, err)
				}
			}
		})
	}
	wg.Wait()
	events, err := a.EventsFrom(t.Context(), x.ID, 1, 1000)
	if want := writers * (each - 5); err != nil || len(events) != want {
		t.Fatalf("%d events, want %d, %v", len(events), want, err)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i, e.Seq)
		}
	}
}
