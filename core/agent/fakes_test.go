package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a journal in memory.
type memory struct {
	mu       sync.Mutex
	messages []memoryRow
	events   map[string][]Event
	warnings []string
	failing  error // answers every write when set
}

type memoryRow struct {
	session, turn string
	provider.Message
}

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failing = err
}

func (m *memory) AppendMessage(_ context.Context, session, turn string, msg provider.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing != nil {
		return m.failing
	}
	m.messages = append(m.messages, memoryRow{session, turn, msg})
	return nil
}

// Messages keeps the promise of [Journal.Messages]: turn by turn.
func (m *memory) Messages(_ context.Context, session string) ([]provider.Message, []string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []provider.Message
	done := map[string]bool{}
	for _, first := range m.messages {
		if first.session != session || done[first.turn] {
			continue
		}
		done[first.turn] = true
		for _, row := range m.messages {
			if row.session == session && row.turn == first.turn {
				out = append(out, row.Message)
			}
		}
	}
	return out, m.warnings, nil
}

func (m *memory) AppendEvent(_ context.Context, e Event) (Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing != nil {
		return Event{}, m.failing
	}
	if m.events == nil {
		m.events = map[string][]Event{}
	}
	e.Seq = int64(len(m.events[e.Session]) + 1)
	m.events[e.Session] = append(m.events[e.Session], e)
	return e, nil
}

func (m *memory) EventsFrom(_ context.Context, session string, from int64, limit int) ([]Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.events[session]
	from = min(max(from, 1)-1, int64(len(all)))
	return slices.Clone(all[from:min(int(from)+limit, len(all))]), nil
}

// reply is one scripted answer.
type reply struct {
	events []provider.Event
	err    error
	wait   bool         // after the events it waits for its context's end
	also   func(*reply) // runs when asked, before the events
}

// scripted is a model that plays replies and remembers what it was asked.
type scripted struct {
	info    provider.Info
	replies []reply

	mu    sync.Mutex
	asked []provider.Request
}

func (s *scripted) Info() provider.Info { return s.info }

var errScript = errors.New("the script is over")

func (s *scripted) next(req provider.Request) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, req)
	if len(s.asked) > len(s.replies) {
		return reply{err: errScript}
	}
	return s.replies[len(s.asked)-1]
}

func (s *scripted) requests() []provider.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *scripted) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		r := s.next(req)
		if r.also != nil {
			r.also(&r)
		}
		for _, e := range r.events {
			if !yield(e, nil) {
				return
			}
		}
		if r.wait {
			<-ctx.Done()
			yield(nil, ctx.Err())
			return
		}
		if r.err != nil {
			yield(nil, r.err)
		}
	}
}

func says(text string) reply {
	return reply{events: []provider.Event{
		provider.TextDelta(text),
		provider.PartDone{Part: provider.Text{Text: text}},
		provider.Done{Stop: provider.StopEnd, Usage: provider.Usage{Input: 1000, Output: 100}},
	}}
}

func calls(cs ...provider.ToolCall) reply {
	var r reply
	for _, c := range cs {
		r.events = append(r.events, provider.PartDone{Part: c})
	}
	r.events = append(r.events, provider.Done{Stop: provider.StopTools})
	return r
}

func call(id, tool, args string) provider.ToolCall {
	return provider.ToolCall{ID: id, Name: tool, Args: args}
}

// bench is an agent with a journal in memory, a scripted model and a few tools.
type bench struct {
	*Agent
	journal *memory
	model   *scripted
	aside   *scripted   // the background model; without replies it can sum up nothing
	entered chan string // a tool "wait" says that it runs
}

type sayIn struct {
	Text string `json:"text"`
}

func newBench(tb testing.TB, replies ...reply) *bench {
	tb.Helper()
	j := &memory{}
	reg := &capability.Registry{}
	b := &bench{journal: j, entered: make(chan string, 8), aside: &scripted{info: provider.Info{Provider: "test", Model: "small"}}}
	b.model = &scripted{info: provider.Info{Provider: "test", Model: "scripted", Tools: true, Price: provider.Price{Input: 1, Output: 10}}, replies: replies}
	b.Agent = &Agent{
		Registry: reg, Journal: j, Hub: &Hub{Journal: j},
		Runner: &capability.Runner{Registry: reg, Approve: func(context.Context, *capability.Capability, capability.Call, capability.Preview) error { return nil }},
		Models: b.choose,
	}
	tools(tb, b)
	if t, ok := tb.(*testing.T); ok {
		watchAll(t, b.Hub, j)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := b.Close(ctx); err != nil {
			tb.Errorf("closing: %v", err)
		}
	})
	return b
}

func (b *bench) choose(_ context.Context, role, _ string) ([]Choice, error) {
	if role != "background" {
		return []Choice{{Model: b.model}}, nil
	}
	b.aside.info.Grammar = len(b.aside.replies) == 0
	return []Choice{{Model: b.aside}}, nil
}

// tools registers echo (read-only), write (changes), wait (until cancelled)
// and rest (ends the turn).
func tools(tb testing.TB, b *bench) {
	tb.Helper()
	add := func(name string, class capability.Class, do func(context.Context, sayIn) (capability.Result, error)) {
		c, err := capability.Func(name, "A tool of the test.", do)
		if err != nil {
			tb.Fatal(err)
		}
		c.Class = class
		if err := b.Registry.Register(c); err != nil {
			tb.Fatal(err)
		}
	}
	add("echo", capability.ReadOnly, func(_ context.Context, in sayIn) (capability.Result, error) {
		if strings.HasPrefix(in.Text, "fail") {
			return capability.Result{}, capability.BadInput.Becausef("it failed")
		}
		return capability.Result{Text: in.Text, Summary: "1 echo"}, nil
	})
	add("write", capability.ReadWrite, func(_ context.Context, in sayIn) (capability.Result, error) {
		return capability.Result{Text: "wrote " + in.Text}, nil
	})
	add("wait", capability.ReadOnly, func(ctx context.Context, in sayIn) (capability.Result, error) {
		b.entered <- in.Text
		<-ctx.Done()
		return capability.Result{}, ctx.Err()
	})
	add("rest", capability.ReadOnly, func(_ context.Context, in sayIn) (capability.Result, error) {
		return capability.Result{Text: in.Text, EndsTurn: true}, nil
	})
}

func input(text string) Input {
	return Input{Session: "s", Text: text, Channel: "cli", Trust: capability.Operator, Attended: true, Mode: "auto"}
}

// turn sends a message and returns the durable events of its turn.
func (b *bench) turn(tb testing.TB, in Input) []Event {
	tb.Helper()
	sent, err := b.Send(tb.Context(), in)
	if err != nil {
		tb.Fatal(err)
	}
	return b.events(tb, in.Session, sent)
}

// events waits for the end of a turn.
func (b *bench) events(tb testing.TB, session string, sent Sent) []Event {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 10*time.Second)
	defer cancel()
	var out []Event
	for e, err := range b.Hub.Watch(ctx, session, sent.From) {
		if err != nil {
			tb.Fatal(err)
		}
		if e.Turn != sent.Turn || e.Seq == 0 && !EndsTurn(e.Payload) {
			continue
		}
		out = append(out, e)
		if EndsTurn(e.Payload) {
			return out
		}
	}
	tb.Fatalf("the turn did not end; so far:\n%s", strings.Join(shown(out), "\n"))
	return nil
}

// shown writes events down in a line each, without ids and times.
func shown(events []Event) []string {
	var out []string
	for _, e := range events {
		switch p := e.Payload.(type) {
		case ToolStarted:
			out = append(out, fmt.Sprintf("%s %s %s", p.Name(), p.Tool, p.Args))
		case ToolCompleted:
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", p.Name(), p.Tool, p.Code, p.Summary)))
		case ToolRepaired:
			out = append(out, p.Name()+" "+p.Note)
		case TurnCompleted:
			out = append(out, fmt.Sprintf("%s %d", p.Name(), p.Steps))
		case ModelGeneration:
			out = append(out, fmt.Sprintf("%s %s $%.4f", p.Name(), p.Stop, p.CostUSD))
		default:
			raw, err := json.Marshal(p)
			if err != nil {
				panic(err)
			}
			out = append(out, p.Name()+" "+string(raw))
		}
	}
	return out
}

// history writes the stored messages down in a line each.
func (b *bench) history(tb testing.TB) []string {
	tb.Helper()
	msgs, _, err := b.journal.Messages(tb.Context(), "s")
	if err != nil {
		tb.Fatal(err)
	}
	return lines(msgs)
}

func lines(msgs []provider.Message) []string {
	var out []string
	for _, m := range msgs {
		var parts []string
		for _, p := range m.Parts {
			switch p := p.(type) {
			case provider.Text:
				parts = append(parts, p.Text)
			case provider.Image:
				parts = append(parts, p.MIME)
			case provider.Reasoning:
				parts = append(parts, "("+p.Text+")")
			case provider.ToolCall:
				parts = append(parts, "→"+p.Name+" "+p.Args)
			case provider.ToolResult:
				parts = append(parts, "←"+p.Name+" "+p.Text)
			}
		}
		out = append(out, string(m.Role)+": "+strings.Join(parts, " | "))
	}
	return out
}
