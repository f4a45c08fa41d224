package agent

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

const (
	askedIt   = `input.message {"text":"do it","channel":"cli","trust":"operator"}`
	startedIt = `turn.started {"provider":"test","model":"scripted","mode":"auto"}`
)

func TestTurn(t *testing.T) {
	for name, tt := range map[string]struct {
		replies []reply
		edit    func(*Input)
		want    []string
	}{
		"words only": {
			replies: []reply{says("hello")},
			want:    []string{"model.generation end $0.0020", `output.completed {"text":"hello"}`, "turn.completed 1"},
		},
		"a call, then words": {
			replies: []reply{calls(call("1", "echo", `{"text":"a"}`)), says("done")},
			want: []string{
				"model.generation tools $0.0000", `tool.started echo {"text":"a"}`, "tool.completed echo  1 echo",
				"model.generation end $0.0020", `output.completed {"text":"done"}`, "turn.completed 2",
			},
		},
		"a failed call does not end the turn": {
			replies: []reply{calls(call("1", "echo", `{"text":"fail"}`)), says("sorry")},
			want: []string{
				"model.generation tools $0.0000", `tool.started echo {"text":"fail"}`, "tool.completed echo bad_input it failed",
				"model.generation end $0.0020", `output.completed {"text":"sorry"}`, "turn.completed 2",
			},
		},
		"broken arguments are mended and said": {
			replies: []reply{calls(call("1", "echo", `{text: 'a'`)), says("done")},
			want: []string{
				"model.generation tools $0.0000", `tool.started echo {"text":"a"}`, "tool.repaired mended the JSON", "tool.completed echo  1 echo",
				"model.generation end $0.0020", `output.completed {"text":"done"}`, "turn.completed 2",
			},
		},
		"a tool that is not there starts and fails": {
			replies: []reply{calls(call("1", "ecco", `{}`)), says("done")},
			want: []string{
				"model.generation tools $0.0000", `tool.started ecco {}`, `tool.completed ecco unknown_tool no tool is called "ecco"; the closest are echo, wait, rest, write`,
				"model.generation end $0.0020", `output.completed {"text":"done"}`, "turn.completed 2",
			},
		},
		"plan mode refuses a change, whatever the model calls": {
			replies: []reply{calls(call("1", "write", `{"text":"a"}`)), says("done")},
			edit:    func(in *Input) { in.Mode = "plan" },
			want: []string{
				"model.generation tools $0.0000", `tool.started write {"text":"a"}`, `tool.completed write not_allowed write is not offered in this turn`,
				"model.generation end $0.0020", `output.completed {"text":"done"}`, "turn.completed 2",
			},
		},
		"a guest cannot change anything": {
			replies: []reply{calls(call("1", "write", `{"text":"a"}`)), says("done")},
			edit:    func(in *Input) { in.Trust = "" },
			want: []string{
				"model.generation tools $0.0000", `tool.started write {"text":"a"}`, `tool.completed write not_allowed write is not offered in this turn`,
				"model.generation end $0.0020", `output.completed {"text":"done"}`, "turn.completed 2",
			},
		},
		"a tool ends the turn": {
			replies: []reply{calls(call("1", "rest", `{"text":"later"}`))},
			want: []string{
				"model.generation tools $0.0000", `tool.started rest {"text":"later"}`, "tool.completed rest",
				`output.completed {"text":"later"}`, "turn.completed 1",
			},
		},
		"an empty answer is asked for again, once": {
			replies: []reply{calls(), calls()},
			want: []string{
				"model.generation tools $0.0000", "model.generation tools $0.0000",
				`turn.failed {"code":"empty_answer","message":"the model answered nothing, twice","try":"send the message again, or pick another model"}`,
			},
		},
		"a refusal": {
			replies: []reply{{events: []provider.Event{provider.Done{Stop: provider.StopRefused}}}},
			want: []string{
				"model.generation refused $0.0000",
				`turn.failed {"code":"refused","message":"the model declined to answer","try":"say it in other words, or pick another model"}`,
			},
		},
		"a provider that fails": {
			replies: []reply{{err: &provider.Error{Provider: "test", Kind: provider.KindQuota, Message: "the allowance is used up", Try: "top it up"}}},
			want:    []string{`turn.failed {"code":"provider_quota","message":"test: the allowance is used up","try":"top it up"}`},
		},
		"an answer that breaks off keeps what was shown": {
			replies: []reply{{events: []provider.Event{provider.TextDelta("half an")}}},
			want: []string{
				`output.completed {"text":"half an"}`,
				`turn.failed {"code":"provider_network","message":"test: the answer broke off","try":"send the message again"}`,
			},
		},
		"an answer at the limit": {
			replies: []reply{{events: []provider.Event{provider.PartDone{Part: provider.Text{Text: "and"}}, provider.Done{Stop: provider.StopLength}}}},
			want: []string{
				"model.generation length $0.0000", `output.completed {"text":"and"}`,
				`notice {"text":"The answer ends here because it reached the model's limit for one answer."}`, "turn.completed 1",
			},
		},
		"arguments that were cut off are not mended and run": {
			replies: []reply{
				{events: []provider.Event{provider.PartDone{Part: call("1", "write", `{"text":"half`)}, provider.Done{Stop: provider.StopLength}}},
				says("done"),
			},
			want: []string{
				"model.generation length $0.0000", `tool.started write "{\"text\":\"half"`, "tool.completed write cut_off the arguments of write were cut off, because the answer reached its limit",
				"model.generation end $0.0020", `output.completed {"text":"done"}`, "turn.completed 2",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tt.replies...)
			in := input("do it")
			if tt.edit != nil {
				tt.edit(&in)
			}
			got := shown(b.turn(t, in))
			if d := cmp.Diff(tt.want, got[2:]); d != "" {
				t.Errorf("events (-want +got):\n%s", d)
			}
		})
	}
}

func TestTurnBegins(t *testing.T) {
	got := shown(newBench(t, says("hello")).turn(t, input("do it")))
	if d := cmp.Diff([]string{askedIt, startedIt}, got[:2]); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
}

// TestTurnOffer holds that what is listed is what is called: one filter.
func TestTurnOffer(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(*Input)
		off  []string
		want []string
	}{
		"operator":         {want: []string{"echo", "write", "wait", "rest"}},
		"plan":             {edit: func(in *Input) { in.Mode = "plan" }, want: []string{"echo", "wait", "rest"}},
		"guest":            {edit: func(in *Input) { in.Trust = capability.Guest }, want: []string{"echo", "wait", "rest"}},
		"switched off":     {off: []string{"echo"}, want: []string{"write", "wait", "rest"}},
		"off, plan, guest": {off: []string{"echo"}, edit: func(in *Input) { in.Mode, in.Trust = "plan", "" }, want: []string{"wait", "rest"}},
	} {
		t.Run(name, func(t *testing.T) {
			var cs []provider.ToolCall
			for i, n := range []string{"echo", "write", "rest"} {
				cs = append(cs, call(strconv.Itoa(i), n, `{"text":"x"}`))
			}
			b := newBench(t, calls(cs...), says("done"))
			b.Offer = func(capability.Turn) capability.Filter { return capability.Filter{ExcludedNames: tt.off} }
			in := input("do it")
			if tt.edit != nil {
				tt.edit(&in)
			}
			events := b.turn(t, in)
			var listed []string
			for _, tool := range b.model.requests()[0].Tools {
				listed = append(listed, tool.Name)
			}
			if d := cmp.Diff(tt.want, listed); d != "" {
				t.Errorf("offered (-want +got):\n%s", d)
			}
			for _, e := range events {
				done, ok := e.Payload.(ToolCompleted)
				if ok && (done.Code == "not_allowed") == slices.Contains(tt.want, done.Tool) {
					t.Errorf("%s: code %q, offered %v", done.Tool, done.Code, listed)
				}
			}
		})
	}
}

// TestTurnNotOffered registers a tool after the list was sent: it cannot be
// called in that step.
func TestTurnNotOffered(t *testing.T) {
	first := calls(call("1", "late", `{"text":"x"}`))
	b := newBench(t, first, calls(call("2", "late", `{"text":"x"}`)), says("done"))
	b.model.replies[0].also = func(*reply) {
		c, err := capability.Func("late", "Comes late.", func(_ context.Context, in sayIn) (string, error) { return in.Text, nil })
		if err != nil {
			panic(err)
		}
		if err := b.Registry.Register(c); err != nil {
			panic(err)
		}
	}
	var codes []string
	for _, e := range b.turn(t, input("do it")) {
		if p, ok := e.Payload.(ToolCompleted); ok {
			codes = append(codes, p.Code)
		}
	}
	if d := cmp.Diff([]string{"not_allowed", ""}, codes); d != "" {
		t.Errorf("codes (-want +got):\n%s", d)
	}
}

func TestTurnHistory(t *testing.T) {
	b := newBench(t,
		calls(call("1", "echo", `{"text":"a"}`), call("1", "echo", `{"text":"b"}`), call("", "echo", `{"text":"c"}`)),
		says("one"), calls(call("1", "echo", `{"text":"d"}`)), says("two"))
	b.turn(t, input("first"))
	b.turn(t, input("second"))
	want := []string{
		"user: first",
		`assistant: →echo {"text":"a"} | →echo {"text":"b"} | →echo {"text":"c"}`,
		"tool: ←echo a | ←echo b | ←echo c",
		"assistant: one",
		"user: second",
		`assistant: →echo {"text":"d"}`,
		"tool: ←echo d",
		"assistant: two",
	}
	if d := cmp.Diff(want, b.history(t)); d != "" {
		t.Errorf("history (-want +got):\n%s", d)
	}
	ids := map[string]bool{}
	for _, m := range b.journal.messages {
		for _, p := range m.Parts {
			if c, ok := p.(provider.ToolCall); ok {
				if c.ID == "" || ids[c.ID] {
					t.Errorf("the id %q is empty or used twice", c.ID)
				}
				ids[c.ID] = true
			}
		}
	}
	reqs := b.model.requests()
	if d := cmp.Diff(want[:7], lines(reqs[3].Messages)); d != "" {
		t.Errorf("last request (-want +got):\n%s", d)
	}
	if reqs[0].System != reqs[3].System || reqs[0].CacheKey != "s" {
		t.Error("the prompt changed between turns, or no cache key")
	}
}

func TestTurnSeals(t *testing.T) {
	var steps []reply
	for i := range 10 {
		steps = append(steps, calls(call("", "echo", fmt.Sprintf(`{"text":"%d"}`, i))))
	}
	b := newBench(t, steps...)
	b.MaxSteps = 3
	events := b.turn(t, input("do it"))
	want := TurnSealed{"it took 3 steps, which is the limit"}
	if got := events[len(events)-1].Payload; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	h := b.history(t)
	if got, want := h[len(h)-1], "assistant: [The turn ended here: it took 3 steps, which is the limit.]"; got != want {
		t.Errorf("marker: got %q, want %q", got, want)
	}
}

func TestTurnGoesInCircles(t *testing.T) {
	var steps []reply
	for range 10 {
		steps = append(steps, calls(call("", "echo", `{"text":"same"}`)))
	}
	b := newBench(t, steps...)
	events := b.turn(t, input("do it"))
	want := TurnSealed{"the same call was made 5 times with the same result"}
	if got := events[len(events)-1].Payload; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	var warned []bool
	for _, line := range b.history(t) {
		if strings.HasPrefix(line, "tool:") {
			warned = append(warned, strings.Contains(line, "Note:"))
		}
	}
	if d := cmp.Diff([]bool{false, false, true, true, true}, warned); d != "" {
		t.Errorf("warned (-want +got):\n%s", d)
	}
}

func TestTurnFallsBack(t *testing.T) {
	down := &provider.Error{Provider: "test", Kind: provider.KindOverloaded, Message: "it is overloaded"}
	second := func(replies ...reply) *scripted {
		return &scripted{info: provider.Info{Provider: "other", Model: "m", Title: "Other", Tools: true}, replies: replies}
	}
	for name, tt := range map[string]struct {
		first []reply
		want  []string // notices, replacements and the end
	}{
		"on the first call": {
			first: []reply{{err: down}},
			want:  []string{`notice {"text":"test: it is overloaded. Other answers instead."}`, "turn.completed 1"},
		},
		"what was shown is taken back": {
			first: []reply{{events: []provider.Event{provider.TextDelta("ha")}, err: down}},
			want: []string{
				`output.replaced {"text":"","reason":"another model answers"}`,
				`notice {"text":"test: it is overloaded. Other answers instead."}`, "turn.completed 1",
			},
		},
		"not later": {
			first: []reply{calls(call("1", "echo", `{"text":"a"}`)), {err: down}},
			want:  []string{`turn.failed {"code":"provider_overloaded","message":"test: it is overloaded"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tt.first...)
			other := second(says("hello"))
			b.Models = func(context.Context, string, string) ([]Choice, error) {
				return []Choice{{Model: b.model}, {Model: other}}, nil
			}
			var got []string
			for _, line := range shown(b.turn(t, input("do it"))) {
				if strings.HasPrefix(line, "notice") || strings.HasPrefix(line, "output.replaced") || strings.HasPrefix(line, "turn.") && !strings.HasPrefix(line, "turn.started") {
					got = append(got, line)
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("events (-want +got):\n%s", d)
			}
		})
	}
}

func TestTurnTooLong(t *testing.T) {
	long := &provider.Error{Provider: "test", Kind: provider.KindContext, Message: "the conversation is too long"}
	var replies []reply
	for i := range 6 {
		replies = append(replies, calls(call("", "echo", fmt.Sprintf(`{"text":"%d%s"}`, i, strings.Repeat("x", 4000)))))
	}
	b := newBench(t, append(replies, reply{err: long}, says("done"))...)
	got := shown(b.turn(t, input("the task")))
	if i := slices.IndexFunc(got, func(s string) bool { return strings.HasPrefix(s, "context.compacting") }); i < 0 || !strings.HasPrefix(got[i+1], "context.compacted") {
		t.Errorf("nothing says that it was shortened:\n%s", strings.Join(got, "\n"))
	}
	reqs := b.model.requests()
	before, after := reqs[len(reqs)-2].Messages, reqs[len(reqs)-1].Messages
	if len(fmt.Sprint(after)) > len(fmt.Sprint(before))/2 {
		t.Errorf("the request went from %d to %d bytes", len(fmt.Sprint(before)), len(fmt.Sprint(after)))
	}
	sent := lines(after)
	if !strings.HasPrefix(sent[0], "user: the task") {
		t.Errorf("the task is lost: %s", sent[0])
	}
	stored := b.history(t)
	if n := strings.Count(strings.Join(stored, ""), strings.Repeat("x", 4000)); n != 12 {
		t.Errorf("the stored history has %d whole texts, want 12 (call and result of each)", n)
	}
}

func TestTurnTooLongTwice(t *testing.T) {
	long := &provider.Error{Provider: "test", Kind: provider.KindContext, Message: "the conversation is too long"}
	b := newBench(t, reply{err: long}, reply{err: long})
	events := b.turn(t, input("do it"))
	if p, ok := events[len(events)-1].Payload.(TurnFailed); !ok || p.Code != "provider_context" {
		t.Errorf("got %v, want provider_context", events[len(events)-1].Payload)
	}
	if n := len(b.model.requests()); n != 2 {
		t.Errorf("%d requests, want 2: shortened once, no loop", n)
	}
}
