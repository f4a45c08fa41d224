package builder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type in struct {
	ID string `json:"id"`
}

// handler is a tool of the tests.
type handler struct {
	name  string
	class capability.Class
	do    func(ctx context.Context, id string) (string, error)
}

func (h handler) Name() string            { return h.name }
func (h handler) Description() string     { return "Is " + h.name + "." }
func (h handler) Class() capability.Class { return h.class }

func (h handler) Handle(ctx context.Context, in in) (string, error) {
	if h.do == nil {
		return h.name + " " + in.ID, nil
	}
	return h.do(ctx, in.ID)
}

func reads(name string) capability.Tool {
	return capability.Typed(handler{name: name, class: capability.ReadOnly})
}

func writes(name string) capability.Tool {
	return capability.Typed(handler{name: name, class: capability.ReadWrite})
}

func define(id string, tools ...capability.Tool) capability.Definition {
	d := capability.Define(id, "The "+id, "Does it.").Instructions("Use " + id + " with care.")
	for _, t := range tools {
		d = d.Tool(t)
	}
	return d
}

func function(t *testing.T, name string, class capability.Class) capability.Capability {
	t.Helper()
	c, err := capability.Func(name, "Is "+name+".", func(context.Context, in) (string, error) { return "f", nil })
	if err != nil {
		t.Fatal(err)
	}
	c.Class = class
	return c
}

func bridges(t *testing.T) (out []capability.Capability) {
	t.Helper()
	for _, name := range []string{capability.SearchTool, capability.DescribeTool, capability.CallTool} {
		out = append(out, function(t, name, capability.ReadOnly))
	}
	return out
}

func agrees(context.Context, *capability.Capability, capability.Call, capability.Preview) error {
	return nil
}

// vendor is a part as a third party writes one.
type vendor struct{ index string }

func (v vendor) Part() capability.Spec {
	return capability.Ref("vendor.search").Config(map[string]string{"index": v.index}).Part()
}

// nothing is a part that is none.
type nothing struct{}

func (nothing) Part() capability.Spec { return capability.Spec{} }

// wrong lists what an error says, each as ID/tool reason.
func wrong(err error) (out []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			out = append(out, wrong(e)...)
		}
		return out
	}
	if e, ok := errors.AsType[*capability.InvalidError](err); ok {
		where := e.ID
		if e.Tool != "" {
			where += "/" + e.Tool
		}
		return []string{where + " " + string(e.Reason)}
	}
	if err != nil {
		return []string{"untyped: " + err.Error()}
	}
	return nil
}

func TestBuildChecks(t *testing.T) {
	aliased := function(t, "f", capability.ReadOnly)
	aliased.Aliases = []string{"look"}
	parts := func(list ...capability.Part) Parts { return Parts{Model: Offline(), Capabilities: list} }
	ref := capability.Ref
	for name, tt := range map[string]struct {
		p    Parts
		want []string
	}{
		"nothing but a model":       {parts(), nil},
		"everything":                {Parts{Model: Offline(), Instructions: "Be kind.", Base: bridges(t), Functions: []capability.Capability{function(t, "f", capability.Exec)}, Approve: agrees, Capabilities: []capability.Part{define("a", reads("look"), writes("put")), vendor{"docs"}, ToolSearch{}, StepLimit{5}, Retries{}, ErrorDisclosure{capability.Minimal}, PromptCaching{}, OutputLimit{2048}, Compaction{At: 70}, LoopDetection{Stop: 9}, ProgressGuard{Looks: 50}, ToolCallRepair{}, AgentInstructions{Off: true}, CurrentTime{}, ref("unknown.one").Config(json.RawMessage(`{"any":1}`))}}, nil},
		"no model":                  {Parts{}, []string{"(agent) no_model"}},
		"blank instructions":        {Parts{Model: Offline(), Instructions: " \n"}, []string{"(agent) blank_text"}},
		"a part that is nil":        {parts(nil), []string{"(agent) not_a_part"}},
		"a part that is none":       {parts(nothing{}), []string{"(agent) not_a_part"}},
		"a bad definition":          {parts(capability.Define("1", "x", "x")), []string{"1 bad_id", "1 no_tools"}},
		"a bad reference":           {parts(ref("1").Config("x")), []string{"1 bad_id", "1 config_no_object"}},
		"the same definition twice": {parts(define("a", reads("x")), define("a", reads("y"))), []string{"a duplicate_id"}},
		"a reference twice":         {parts(ref("v.x"), ref("v.x")), []string{"v.x duplicate_id"}},
		"code and a reference":      {parts(define("a", reads("x")), ref("a")), []string{"a duplicate_id"}},
		"a built-in twice":          {parts(Retries{}, ref("retries")), []string{"retries duplicate_id"}},
		"a built-in by other name":  {parts(ref("agents_md"), ref("agent_instructions")), []string{"agent_instructions duplicate_id"}},
		"code in place of ours":     {parts(define("compaction", reads("x"))), []string{"compaction shadows_builtin"}},
		"code in place, other name": {parts(define("max_steps", reads("x"))), []string{"max_steps shadows_builtin"}},
		"a tool of two definitions": {parts(define("a", reads("x")), define("b", reads("x"))), []string{"b/x duplicate_tool"}},
		"a tool and a function":     {Parts{Model: Offline(), Functions: []capability.Capability{aliased}, Capabilities: []capability.Part{define("a", reads("look"))}}, []string{"a/look duplicate_tool"}},
		"a tool in place of ours":   {Parts{Model: Offline(), Base: bridges(t), Capabilities: []capability.Part{define("a", reads("tool_search"))}}, []string{"a/tool_search shadows_builtin"}},
		"a bridge without Base":     {parts(define("a", reads("tool_call"))), []string{"a/tool_call shadows_builtin"}},
		"a function for a bridge":   {Parts{Model: Offline(), Functions: bridges(t)[:1]}, []string{"tool_search shadows_builtin"}},
		"a function that is none":   {Parts{Model: Offline(), Functions: []capability.Capability{{Name: "x"}}}, []string{"x bad_tool"}},
		"nobody to agree":           {parts(define("a", reads("x"), writes("y"), writes("z"))), []string{"a/y no_approver", "a/z no_approver"}},
		"nobody, for a function":    {Parts{Model: Offline(), Functions: []capability.Capability{function(t, "f", capability.Network)}}, []string{"f no_approver"}},
		"a config that is refused":  {parts(StepLimit{0}), []string{"step_limit config_refused"}},
		"an unknown key":            {parts(ref("step_limit").Config(json.RawMessage(`{"most":5,"min":1}`))), []string{"step_limit config_refused"}},
		"another type":              {parts(ref("max_steps").Config(json.RawMessage(`{"most":"many"}`))), []string{"max_steps config_refused"}},
		"a late compaction":         {parts(Compaction{At: 99}), []string{"compaction config_refused"}},
		"a compaction to no avail":  {parts(Compaction{At: 60, To: 55}), []string{"compaction config_refused"}},
		"an end before a warning":   {parts(LoopDetection{Warn: 6}), []string{"loop_detection config_refused"}},
		"a warning at once":         {parts(LoopDetection{Warn: 1}), []string{"loop_detection config_refused"}},
		"too few looks":             {parts(ProgressGuard{Looks: 2}), []string{"progress_guard config_refused"}},
		"a key for what takes none": {parts(ref("compaction").Config(json.RawMessage(`{"share":1}`))), []string{"compaction config_refused"}},
		"an unknown level":          {parts(ErrorDisclosure{"all"}), []string{"error_disclosure config_refused"}},
		"too small an output":       {parts(OutputLimit{10}), []string{"output_limit config_refused"}},
		"what is not here":          {parts(ref("budgeting"), ref("ask_user")), []string{"budgeting not_here", "ask_user not_here"}},
		"code for what is not here": {parts(define("guardrails", reads("x"))), []string{"guardrails shadows_builtin"}},
		"search without bridges":    {parts(ToolSearch{}), []string{"tool_search config_refused"}},
		"search, below none":        {Parts{Model: Offline(), Base: bridges(t), Capabilities: []capability.Part{ToolSearch{Threshold: new(-1)}}}, []string{"tool_search config_refused"}},
		"several at once":           {Parts{Capabilities: []capability.Part{ref("1"), define("a"), StepLimit{-1}}}, []string{"(agent) no_model", "1 bad_id", "a no_tools", "step_limit config_refused"}},
	} {
		a, err := Build(tt.p)
		if d := cmp.Diff(tt.want, wrong(err)); d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
		if (a == nil) != (err != nil) {
			t.Errorf("%s: an agent of %v", name, err)
		}
	}
}

// TestConfigIsNotShown holds that no error tells what a configuration holds.
func TestConfigIsNotShown(t *testing.T) {
	for _, config := range []string{`{"most":"sk-4711"}`, `{"sk-4711":1}x`, `["sk-4711"]`, `{"most":{"a":"sk-4711"}}`} {
		_, err := Build(Parts{Model: Offline(), Capabilities: []capability.Part{capability.Ref("step_limit").Config(json.RawMessage(config))}})
		if err == nil || strings.Contains(err.Error(), "4711") {
			t.Errorf("%s: %v", config, err)
		}
	}
}

// scripted answers with the next of its replies and keeps what it was asked.
type scripted struct {
	mu      sync.Mutex
	replies [][]provider.Event
	asked   []provider.Request
}

func (s *scripted) Info() provider.Info {
	return provider.Info{Provider: "test", Model: "m", Tools: true}
}

func (s *scripted) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		s.mu.Lock()
		s.asked = append(s.asked, req)
		n := len(s.asked) - 1
		s.mu.Unlock()
		if n >= len(s.replies) {
			<-ctx.Done()
			yield(nil, ctx.Err())
			return
		}
		for _, e := range s.replies[n] {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func says(text string) []provider.Event {
	return []provider.Event{provider.PartDone{Part: provider.Text{Text: text}}, provider.Done{Stop: provider.StopEnd}}
}

func works(args string) []provider.Event {
	return []provider.Event{provider.PartDone{Part: provider.ToolCall{ID: "1", Name: "work", Args: args}}, provider.Done{Stop: provider.StopTools}}
}

func build(t *testing.T, p Parts) *Agent {
	t.Helper()
	a, err := Build(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := a.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return a
}

func TestAsk(t *testing.T) {
	worker := capability.Typed(handler{"work", capability.ReadOnly, func(ctx context.Context, id string) (string, error) {
		for i := range 3 {
			capability.Progress(ctx, fmt.Sprint("part ", i+1))
		}
		if id == "bad" {
			return "", &capability.UserError{Code: "no_such_thing", Message: "there is no bad"}
		}
		return "worked", nil
	}})
	m := &scripted{replies: [][]provider.Event{works(`{"id":"x"}`), works(`{"id":"bad"}`), says("done"), says("again")}}
	a := build(t, Parts{Model: m, Instructions: "Be kind.", Capabilities: []capability.Part{define("a", worker)}})
	got, err := a.Ask(t.Context(), "s", "do it")
	if err != nil || got.Text != "done" || len(got.Calls) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if c := got.Calls[0]; c.Tool != "work" || c.Text != "worked" || c.Code != "" || string(c.Args) != `{"id":"x"}` || strings.Join(c.Progress, ",") != "part 1,part 2,part 3" {
		t.Errorf("the first call: %+v", c)
	}
	if c := got.Calls[1]; c.Code != "no_such_thing" || !strings.Contains(c.Text, "there is no bad") {
		t.Errorf("the second call: %+v", c)
	}
	if got, err = a.Ask(t.Context(), "s", "more"); err != nil || got.Text != "again" {
		t.Errorf("%+v, %v", got, err)
	}
	last := m.asked[3]
	if n := len(last.Messages); n != 7 { // both messages, three answers, two results
		t.Errorf("%d messages are remembered", n)
	}
	for _, want := range []string{"Be kind.", "# The a\n\nUse a with care."} {
		if !strings.Contains(last.System, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, last.System)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := a.Ask(ctx, "s", "for ever"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a turn without an end: %v", err)
	}
}

func TestAskFails(t *testing.T) {
	m := &scripted{replies: [][]provider.Event{{provider.Done{Stop: provider.StopRefused}}, works(`{}`), works(`{}`)}}
	worker := capability.Typed(handler{name: "work", class: capability.ReadOnly})
	a := build(t, Parts{Model: m, Capabilities: []capability.Part{define("a", worker), StepLimit{2}}})
	for _, code := range []string{"refused", "sealed"} {
		_, err := a.Ask(t.Context(), "s", "x")
		if e, ok := errors.AsType[*TurnError](err); !ok || e.Code != code || e.Error() == "" {
			t.Errorf("%v, want %s", err, code)
		}
	}
	if _, err := a.Ask(t.Context(), "s", " "); err == nil {
		t.Error("an empty message is sent")
	}
}

func TestProvide(t *testing.T) {
	m := &scripted{replies: [][]provider.Event{says("1"), says("2"), says("3"), says("4")}}
	a := build(t, Parts{Model: m, Capabilities: []capability.Part{vendor{"docs"}, define("a", reads("mine"))}})
	offered := func() (string, bool) {
		if _, err := a.Ask(t.Context(), "s", "x"); err != nil {
			t.Fatal(err)
		}
		req := m.asked[len(m.asked)-1]
		var names []string
		for _, tool := range req.Tools {
			names = append(names, tool.Name)
		}
		return strings.Join(names, " "), strings.Contains(req.System, "Use vendor.search with care.")
	}
	if got, told := offered(); got != "mine" || told || cmp.Diff([]string{"vendor.search"}, a.Waiting()) != "" {
		t.Errorf("before: %q, %v, waiting %q", got, told, a.Waiting())
	}
	made := func(tools ...capability.Tool) Maker {
		return func(json.RawMessage) (capability.Definition, error) { return define("vendor.search", tools...), nil }
	}
	for name, tt := range map[string]struct {
		make Maker
		want []string
	}{
		"refused": {func(json.RawMessage) (capability.Definition, error) {
			return capability.Definition{}, errors.New("no such index")
		}, []string{"vendor.search config_refused"}},
		"another id":      {func(json.RawMessage) (capability.Definition, error) { return define("other", reads("x")), nil }, []string{"vendor.search bad_id"}},
		"no tools":        {made(), []string{"vendor.search no_tools"}},
		"nobody to agree": {made(writes("x")), []string{"vendor.search/x no_approver"}},
		"a bridge":        {made(reads("tool_call")), []string{"vendor.search/tool_call shadows_builtin"}},
		"a name of ours":  {made(reads("x"), reads("mine")), []string{"vendor.search duplicate_tool"}},
	} {
		if used, err := a.Provide("vendor.search", tt.make); used || cmp.Diff(tt.want, wrong(err)) != "" {
			t.Errorf("%s: %v, %v", name, used, err)
		}
	}
	if got, told := offered(); got != "mine" || told {
		t.Errorf("after failures: %q, %v", got, told)
	}
	var config string
	used, err := a.Provide("vendor.search", func(raw json.RawMessage) (capability.Definition, error) {
		config = string(raw)
		return define("vendor.search", reads("seek"), reads("open")), nil
	})
	if !used || err != nil || config != `{"index":"docs"}` || len(a.Waiting()) != 0 {
		t.Errorf("%v, %v, %s, waiting %q", used, err, config, a.Waiting())
	}
	if got, told := offered(); got != "mine seek open" || !told {
		t.Errorf("provided: %q, %v", got, told)
	}
	if used, err := a.Provide("vendor.search", made(reads("seek2"))); !used || err != nil {
		t.Errorf("provided again: %v, %v", used, err)
	}
	if _, err := a.Provide("vendor.search", made(reads("mine"))); err == nil {
		t.Error("a name of ours, the second time")
	}
	if !a.Withdraw("vendor.search") || a.Withdraw("vendor.search") || len(a.Waiting()) != 1 {
		t.Error("withdrawing")
	}
	if got, told := offered(); got != "mine" || told {
		t.Errorf("withdrawn: %q, %v", got, told)
	}
	if used, err := a.Provide("nobody", made(reads("x"))); used || err != nil {
		t.Errorf("what nothing refers to: %v, %v", used, err)
	}
}

// TestBuiltInsApply holds that each typed value does what it says.
func TestBuiltInsApply(t *testing.T) {
	a := build(t, Parts{Model: Offline(), Base: bridges(t), Capabilities: []capability.Part{
		ToolSearch{Threshold: new(3), NeverDefer: []string{"x"}},
		StepLimit{7},
		Retries{},
		ErrorDisclosure{capability.Verbose},
		PromptCaching{Off: true},
		OutputLimit{4096},
		Compaction{At: 70, To: 40},
		LoopDetection{Warn: 4, Stop: 9},
		ProgressGuard{Looks: 50},
		ToolCallRepair{NoSecondAsk: true},
		AgentInstructions{Off: true},
		CurrentTime{Off: true},
	}})
	want := policy.Tuning{
		Compaction: policy.Compaction{Full: 0.7, Goal: 0.4}, Loop: policy.LoopLimits{Warn: 4, Stop: 9}, Progress: policy.ProgressLimits{Looks: 50},
		NoSecondAsk: true, NoInstructions: true, NoDate: true,
	}
	if got := a.Tuning(); got != want {
		t.Errorf("tuned to %+v", got)
	}
	d := a.Deferral()
	if !d.Enabled || d.Threshold != 3 || d.NeverDefer[0] != "x" || a.MaxSteps != 7 || !a.Retries || a.Runner.Disclosure != capability.Verbose || a.Caching() || a.Runner.Limits.Inline != 4096 {
		t.Errorf("%+v, %d, %v, %s", d, a.MaxSteps, a.Retries, a.Runner.Disclosure)
	}
	plain := build(t, Parts{Model: Offline(), Base: bridges(t), Capabilities: []capability.Part{capability.Ref("tool_deferral")}})
	if d := plain.Deferral(); !d.Enabled || d.Threshold != 15 {
		t.Errorf("without a configuration: %+v", d)
	}
	seen := map[string]bool{}
	for _, b := range BuiltIns() {
		for _, id := range append(b.Aliases, b.ID) {
			if seen[id] || !capability.ValidID(id) || b.Does == "" {
				t.Errorf("the built-in %s", id)
			}
			seen[id] = true
		}
	}
}

// TestJournal holds the promises of [agent.Journal] that a turn relies on.
func TestJournal(t *testing.T) {
	m := &memory{}
	text := func(s string) provider.Message {
		return provider.Message{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: s}}}
	}
	for _, row := range [][2]string{{"1", "a"}, {"2", "c"}, {"1", "b"}} {
		if err := m.AppendMessage(t.Context(), "s", row[0], text(row[1])); err != nil {
			t.Fatal(err)
		}
	}
	history, _, err := m.Messages(t.Context(), "s")
	if d := cmp.Diff([]provider.Message{text("a"), text("b"), text("c")}, history); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	for i := range 5 {
		if e, err := m.AppendEvent(t.Context(), agent.Event{Session: "s"}); err != nil || e.Seq != int64(i+1) {
			t.Errorf("%+v, %v", e, err)
		}
	}
	for _, tt := range []struct{ from, limit, want int }{{0, 9, 5}, {1, 2, 2}, {5, 9, 1}, {6, 9, 0}, {99, 9, 0}, {-1, 1, 1}, {2, -1, 0}} {
		got, err := m.EventsFrom(t.Context(), "s", int64(tt.from), tt.limit)
		if err != nil || len(got) != tt.want {
			t.Errorf("from %d at most %d: %d, %v", tt.from, tt.limit, len(got), err)
		}
	}
}
