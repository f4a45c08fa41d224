package agent_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/store"
)

// A reader is a model that reads one large file in every turn and then says so.
// It keeps what its last request had.
type reader struct {
	info provider.Info

	mu       sync.Mutex
	last     []provider.Message
	requests int
}

func (m *reader) Info() provider.Info { return m.info }

func (m *reader) Stream(_ context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	m.mu.Lock()
	m.last, m.requests = req.Messages, m.requests+1
	m.mu.Unlock()
	return func(yield func(provider.Event, error) bool) {
		var part provider.Part = provider.Text{Text: "I have read it."}
		stop := provider.StopEnd
		if req.Messages[len(req.Messages)-1].Role != provider.RoleTool {
			part, stop = provider.ToolCall{ID: "1", Name: "read", Args: `{"path":"large.txt"}`}, provider.StopTools
		}
		_ = yield(provider.PartDone{Part: part}, nil) && yield(provider.Done{Stop: stop}, nil)
	}
}

// summariser answers every request with a short summary.
type summariser struct{ reader }

func (m *summariser) Stream(_ context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	m.mu.Lock()
	m.last, m.requests = req.Messages, m.requests+1
	m.mu.Unlock()
	return func(yield func(provider.Event, error) bool) {
		_ = yield(provider.PartDone{Part: provider.Text{Text: "## Task\n\nRead large.txt."}}, nil) && yield(provider.Done{Stop: provider.StopEnd}, nil)
	}
}

// A clocked store says how long was waited for it.
type clocked struct {
	*store.Store
	waited atomic.Int64
}

func (c *clocked) AppendMessage(ctx context.Context, session, turn string, m provider.Message) error {
	defer c.clock(time.Now())
	return c.Store.AppendMessage(ctx, session, turn, m)
}

func (c *clocked) AppendEvent(ctx context.Context, e agent.Event) (agent.Event, error) {
	defer c.clock(time.Now())
	return c.Store.AppendEvent(ctx, e)
}

func (c *clocked) SaveCompaction(ctx context.Context, session, turn string, history []provider.Message) error {
	defer c.clock(time.Now())
	return c.Store.SaveCompaction(ctx, session, turn, history)
}

func (c *clocked) clock(start time.Time) { c.waited.Add(int64(time.Since(start))) }

// long is an agent with a real store, whose tool returns size bytes.
type long struct {
	*agent.Agent
	store *clocked
	main  *reader
	aside *summariser
}

func newLong(tb testing.TB, s *store.Store, size int) *long {
	tb.Helper()
	reg := &capability.Registry{}
	l := &long{
		store: &clocked{Store: s}, main: &reader{info: provider.Info{Provider: "test", Model: "main", Tools: true, Window: 100_000}},
		aside: &summariser{reader{info: provider.Info{Provider: "test", Model: "aside", Window: 100_000}}},
	}
	text := strings.Repeat("a line of a large file\n", size/23)
	c, err := capability.Func("read", "Reads.", func(context.Context, struct {
		Path string `json:"path"`
	},
	) (capability.Result, error) {
		return capability.Result{Text: text}, nil
	})
	if err == nil {
		err = reg.Register(c)
	}
	if err != nil {
		tb.Fatal(err)
	}
	l.Agent = &agent.Agent{
		Registry: reg, Journal: l.store, Hub: &agent.Hub{Journal: l.store}, Compactions: l.store,
		Runner: &capability.Runner{Registry: reg},
		Models: func(_ context.Context, role, _ string) ([]agent.Choice, error) {
			if role == "background" {
				return []agent.Choice{{Model: l.aside}}, nil
			}
			return []agent.Choice{{Model: l.main}}, nil
		},
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := l.Close(ctx); err != nil {
			tb.Error(err)
		}
	})
	return l
}

// turn plays one turn to its end, and leaves the session idle after it.
func (l *long) turn(tb testing.TB, text string) (payloads []agent.Payload) {
	tb.Helper()
	sent, err := l.Send(tb.Context(), agent.Input{Session: "long", Text: text, Trust: capability.Operator})
	if err != nil {
		tb.Fatal(err)
	}
	return l.events(tb, sent)
}

func (l *long) events(tb testing.TB, sent agent.Sent) (payloads []agent.Payload) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 20*time.Second)
	defer cancel()
	for e, err := range l.Hub.Watch(ctx, "long", sent.From) {
		if err != nil {
			tb.Fatal(err)
		}
		if e.Turn != sent.Turn {
			continue
		}
		payloads = append(payloads, e.Payload)
		if agent.EndsTurn(e.Payload) {
			return payloads
		}
	}
	tb.Fatal("the turn did not end")
	return nil
}

// sound fails where the last request does not fit the window, does not begin
// with the first message, or has a call or a result without the other.
func (l *long) sound(tb testing.TB) {
	tb.Helper()
	if n := policy.Tokens(l.main.last); n > l.main.info.Window {
		tb.Fatalf("%d tokens were sent to a window of %d", n, l.main.info.Window)
	}
	if text := fmt.Sprint(l.main.last); !strings.Contains(text, "this is request 0") {
		tb.Fatal("the first message is no longer sent")
	}
	open := map[string]bool{}
	for _, m := range l.main.last {
		if m.Role != provider.RoleTool && len(open) > 0 {
			tb.Fatalf("calls without results: %v", open)
		}
		for _, p := range m.Parts {
			switch p := p.(type) {
			case provider.ToolCall:
				open[p.ID] = true
			case provider.ToolResult:
				if !open[p.CallID] {
					tb.Fatalf("the result of %s stands without its call", p.CallID)
				}
				delete(open, p.CallID)
			case provider.Text, provider.Image, provider.Reasoning:
			}
		}
	}
}

func openStore(tb testing.TB, dir string) *store.Store {
	tb.Helper()
	s, err := store.Open(tb.Context(), store.Options{Dir: dir})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func newSession(tb testing.TB, s *store.Store) {
	tb.Helper()
	if _, err := s.CreateSession(tb.Context(), store.NewSession{ID: "long"}); err != nil {
		tb.Fatal(err)
	}
}

// TestLongSession plays a session that is much larger than the window: what is
// sent always fits and has the first message, what is stored stays whole, and
// after a restart the conversation goes on where it was.
func TestLongSession(t *testing.T) {
	const window = 30_000 // tokens, of 80,000 that the session comes to
	dir := t.TempDir()
	s := openStore(t, dir)
	newSession(t, s)
	l := newLong(t, s, 8_000)
	l.main.info.Window = window
	const turns = 40
	compacted := 0
	for i := range turns {
		for _, p := range l.turn(t, fmt.Sprintf("this is request %d", i)) {
			switch p := p.(type) {
			case agent.ContextCompacted:
				compacted++
				if p.After >= p.Before || p.Method == "" {
					t.Errorf("turn %d: %+v", i, p)
				}
			case agent.TurnFailed:
				t.Fatalf("turn %d: %+v", i, p)
			case agent.Notice:
				t.Errorf("turn %d: %s", i, p.Text)
			default: // the rest is as in any turn
			}
		}
		l.sound(t)
		if want := fmt.Sprintf("this is request %d", i); !strings.Contains(fmt.Sprint(l.main.last), want) {
			t.Fatalf("%q is not sent", want)
		}
	}
	if compacted == 0 || compacted > turns/5 {
		t.Errorf("it was shortened %d times in %d turns", compacted, turns)
	}
	stored, _, err := s.Messages(t.Context(), "long")
	if err != nil || len(stored) != 4*turns || policy.Bytes(stored) < turns*7_500 {
		t.Errorf("%d messages of %d bytes are stored (%v)", len(stored), policy.Bytes(stored), err)
	}
	before := policy.Tokens(l.main.last)
	again := newLong(t, s, 8_000) // as after a restart: nothing is in memory
	again.main.info.Window = window
	again.turn(t, "and one more")
	if after := policy.Tokens(again.main.last); after < before/2 || after > before*2 {
		t.Errorf("after the restart %d tokens were sent, before it %d", after, before)
	}
	if again.aside.requests != 0 {
		t.Error("after the restart the summary was written again")
	}
}

// TestCompactNow shortens a session on request, and the next turn begins with that.
func TestCompactNow(t *testing.T) {
	s := openStore(t, t.TempDir())
	newSession(t, s)
	l := newLong(t, s, 2000)
	for i := range 3 {
		l.turn(t, fmt.Sprintf("this is request %d", i))
	}
	sent, err := l.Compact(t.Context(), agent.Input{Session: "long"})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(l.events(t, sent), func(p agent.Payload) bool {
		c, ok := p.(agent.ContextCompacted)
		return ok && c.Method == "summary" && c.After < c.Before
	})
	if i < 0 {
		t.Error("nothing says that it was shortened")
	}
	l.turn(t, "go on")
	if text := fmt.Sprint(l.main.last); !strings.Contains(text, "Read large.txt.") || !strings.Contains(text, "request 0") || strings.Contains(text, "request 1") {
		t.Errorf("sent was %s", text)
	}
	recalled, _, err := s.Recall(t.Context(), "long")
	if err != nil || len(recalled) > 10 {
		t.Errorf("%d messages are read at the next start (%v)", len(recalled), err)
	}
}

// TestCompactTooShort: what is short stays as it is, and no alarm is raised.
func TestCompactTooShort(t *testing.T) {
	s := openStore(t, t.TempDir())
	newSession(t, s)
	l := newLong(t, s, 100)
	l.turn(t, "hello")
	sent, err := l.Compact(t.Context(), agent.Input{Session: "long"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range l.events(t, sent) {
		if n, ok := p.(agent.Notice); ok && strings.Contains(n.Text, "window") {
			t.Errorf("it says: %s", n.Text)
		}
	}
	if l.turn(t, "go on"); !strings.Contains(fmt.Sprint(l.main.last), "hello") {
		t.Error("the beginning is lost")
	}
}

// TestWrittenElsewhere has another process write into an idle session: the next
// turn sees it.
func TestWrittenElsewhere(t *testing.T) {
	s := openStore(t, t.TempDir())
	newSession(t, s)
	l := newLong(t, s, 100)
	l.turn(t, "first")
	other := newLong(t, s, 100)
	other.turn(t, "from elsewhere")
	l.turn(t, "second")
	text := fmt.Sprint(l.main.last)
	for _, want := range []string{"first", "from elsewhere", "second"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q was sent %d times: %s", want, strings.Count(text, want), text)
		}
	}
}

// BenchmarkLongSession is a turn of sessions that have had 10, 100, 1,000 and
// 2,000 turns before, each with a result of 25 KB: 2,000 of them are 50 MB. They
// take turns, so that what else the machine does meets all of them alike. The
// first turn after a start is the same with the history read again.
func BenchmarkLongSession(b *testing.B) {
	for name, start := range map[string]bool{"turn": false, "first turn after a start": true} {
		b.Run(name, func(b *testing.B) { benchLong(b, start) })
	}
}

func benchLong(b *testing.B, start bool) {
	b.Helper()
	lengths := []int{10, 100, 1000, 2000}
	sessions := make([]*long, len(lengths))
	for i, turns := range lengths {
		s := openStore(b, b.TempDir())
		newSession(b, s)
		sessions[i] = newLong(b, s, 25_000)
		for n := range turns {
			sessions[i].turn(b, fmt.Sprintf("this is request %d", n))
			sessions[i].sound(b)
		}
		if stored, _, err := s.Messages(b.Context(), "long"); err != nil || policy.Bytes(stored) < turns*24_900 {
			b.Fatalf("of %d turns %d bytes are stored (%v)", turns, policy.Bytes(stored), err)
		}
	}
	took, waited := make([]time.Duration, len(lengths)), make([]time.Duration, len(lengths))
	for b.Loop() {
		for i, l := range sessions {
			if start {
				l = newLong(b, l.store.Store, 25_000)
			}
			before, begin := l.store.waited.Load(), time.Now()
			l.turn(b, "one more")
			took[i] += time.Since(begin)
			waited[i] += time.Duration(l.store.waited.Load() - before)
		}
	}
	for i, turns := range lengths {
		b.ReportMetric(float64(took[i].Microseconds())/float64(b.N), fmt.Sprintf("µs-after-%d", turns))
		b.ReportMetric(float64((took[i]-waited[i]).Microseconds())/float64(b.N), fmt.Sprintf("µs-beside-disk-after-%d", turns))
	}
}
