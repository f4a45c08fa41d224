package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// deferring gives a bench the bridges and n tools of a server.
func deferring(tb testing.TB, b *bench, n int) {
	tb.Helper()
	add := func(name string, class capability.Class, kind capability.Kind, do func(context.Context, sayIn) (capability.Result, error)) {
		c, err := capability.Func(name, "A tool of the test.", do)
		if err != nil {
			tb.Fatal(err)
		}
		c.Class, c.Kind, c.Deferrable = class, kind, kind == capability.KindMCP
		c.Parameters = json.RawMessage(`{"type":"object"}`)
		if err := b.Registry.Register(c); err != nil {
			tb.Fatal(err)
		}
	}
	finds := func(context.Context, sayIn) (capability.Result, error) {
		return capability.Result{Text: `{"tools":[{"name":"mcp_3","description":"x"},{"name":"mcp_1","description":"x"}]}`}, nil
	}
	nothing := func(context.Context, sayIn) (capability.Result, error) {
		return capability.Result{}, errors.New("not here")
	}
	add(capability.SearchTool, capability.ReadOnly, capability.KindBuiltin, finds)
	add(capability.DescribeTool, capability.ReadOnly, capability.KindBuiltin, finds)
	add(capability.CallTool, capability.ReadOnly, capability.KindBuiltin, nothing)
	for i := range n {
		add(fmt.Sprint("mcp_", i), capability.ExternalAPI, capability.KindMCP, func(context.Context, sayIn) (capability.Result, error) {
			return capability.Result{Text: "done"}, nil
		})
	}
	b.Deferral = func() capability.Deferral {
		return capability.Deferral{Enabled: true, Threshold: 4, NeverDefer: []string{"mcp_0"}}
	}
}

func toolNames(list []provider.Tool) string {
	var out []string
	for _, t := range list {
		out = append(out, t.Name)
	}
	return strings.Join(out, " ")
}

const always = "echo write wait rest tool_search tool_describe tool_call mcp_0"

// TestDeferral follows what the model is told of from step to step.
func TestDeferral(t *testing.T) {
	b := newBench(
		t,
		calls(call("1", "tool_search", `{"text":"x"}`)),
		calls(call("2", "tool_describe", `{"name":"mcp_5"}`)),
		calls(call("3", "tool_call", `{"name":"mcp_2","args":{}}`), call("4", "mcp_4", `{}`)),
		says("done"),
		says("again"),
		says("for a guest"),
		says("in plan"),
	)
	deferring(t, b, 7)
	events := shown(b.turn(t, input("do it")))
	for i, want := range []string{always, always + " mcp_3 mcp_1", always + " mcp_3 mcp_1 mcp_5", always + " mcp_3 mcp_1 mcp_5 mcp_2 mcp_4"} {
		if got := toolNames(b.model.requests()[i].Tools); got != want {
			t.Errorf("step %d: offered are %q, want %q", i+1, got, want)
		}
	}
	for _, want := range []string{"tool.started mcp_2 {}", "tool.completed mcp_2", "tool.completed mcp_4"} {
		if !slices.Contains(events, want) {
			t.Errorf("no event %q in\n%s", want, strings.Join(events, "\n"))
		}
	}
	first := b.model.requests()[0]
	if want := "mcp_1, mcp_2, mcp_3, mcp_4, mcp_5, mcp_6\n"; !strings.Contains(first.System+"\n", want) || strings.Contains(first.System, "mcp_0") {
		t.Errorf("the prompt does not list the names:\n%s", first.System)
	}
	for i, r := range b.model.requests() {
		if r.System != first.System || len(r.Deferred) > 0 {
			t.Errorf("step %d: another prompt, or tools for a provider that takes none", i+1)
		}
	}

	b.turn(t, input("once more"))
	if got := toolNames(b.model.requests()[4].Tools); got != always+" mcp_3 mcp_1 mcp_5 mcp_2 mcp_4" {
		t.Errorf("in the next turn: %q", got)
	}
	guest := input("and I?")
	guest.Trust = capability.Guest
	b.turn(t, guest)
	if got := b.model.requests()[5]; toolNames(got.Tools) != "echo wait rest" || strings.Contains(got.System, "mcp_") {
		t.Errorf("a guest in the same session is told of %q", toolNames(got.Tools))
	}
	plan := input("only look")
	plan.Mode = "plan"
	b.turn(t, plan)
	if got := b.model.requests()[6]; toolNames(got.Tools) != "echo wait rest" || strings.Contains(got.System, "mcp_") {
		t.Errorf("a plan is told of %q", toolNames(got.Tools))
	}
}

// TestDeferralAfterRestart holds that what was asked for is found again in the
// stored messages.
func TestDeferralAfterRestart(t *testing.T) {
	b := newBench(t, calls(call("1", "tool_search", `{"text":"x"}`)), says("done"))
	deferring(t, b, 5)
	b.turn(t, input("do it"))
	again := newBench(t, says("here"))
	deferring(t, again, 5)
	again.journal.messages = b.journal.messages
	again.turn(t, input("and now"))
	if got := toolNames(again.model.requests()[0].Tools); got != always+" mcp_3 mcp_1" {
		t.Errorf("after a restart: %q", got)
	}
}

// TestDeferralRefusesWhatIsNotOffered holds that a name which was left out is no
// way around the filter of a turn.
func TestDeferralRefusesWhatIsNotOffered(t *testing.T) {
	b := newBench(t, calls(call("1", "mcp_2", `{}`), call("2", "tool_call", `{"name":"mcp_3"}`), call("3", "tool_call", `{"name":"write"}`)), says("no"))
	deferring(t, b, 6)
	b.Offer = func(capability.Turn) capability.Filter {
		return capability.Filter{ExcludedNames: []string{"mcp_2", "mcp_3"}}
	}
	in := input("x")
	in.Mode = "plan"
	events := strings.Join(shown(b.turn(t, in)), "\n")
	if got := strings.Count(events, "not_allowed"); got != 3 {
		t.Errorf("%d calls were refused, want 3:\n%s", got, events)
	}
}

// TestDeferralHosted holds that a provider which searches itself is given all
// tools, and none of our bridges.
func TestDeferralHosted(t *testing.T) {
	b := newBench(t, calls(call("1", "mcp_2", `{}`)), says("done"))
	deferring(t, b, 4)
	b.model.info.HostedToolSearch = true
	events := strings.Join(shown(b.turn(t, input("x"))), "\n")
	first, second := b.model.requests()[0], b.model.requests()[1]
	if got := toolNames(first.Tools) + " | " + toolNames(first.Deferred); got != "echo write wait rest mcp_0 | mcp_1 mcp_2 mcp_3" {
		t.Errorf("the first request: %q", got)
	}
	if got := toolNames(second.Tools) + " | " + toolNames(second.Deferred); got != "echo write wait rest mcp_0 | mcp_1 mcp_2 mcp_3" {
		t.Errorf("the second request: %q", got)
	}
	if strings.Contains(first.System, "mcp_1") || !strings.Contains(events, "tool.completed mcp_2") {
		t.Errorf("the prompt lists names, or the call was refused:\n%s", events)
	}
}

// TestDeferralFallsBack holds that the next provider is told of the tools in
// its own way.
func TestDeferralFallsBack(t *testing.T) {
	b := newBench(t, reply{err: &provider.Error{Provider: "test", Kind: provider.KindOverloaded, Message: "busy"}})
	deferring(t, b, 4)
	b.model.info.HostedToolSearch = true
	next := &scripted{info: provider.Info{Provider: "other", Model: "next", Tools: true}, replies: []reply{says("here")}}
	b.Models = func(context.Context, string, string) ([]Choice, error) {
		return []Choice{{Model: b.model}, {Model: next}}, nil
	}
	b.turn(t, input("x"))
	got := next.requests()[0]
	if toolNames(got.Tools) != always || len(got.Deferred) > 0 || !strings.Contains(got.System, "mcp_1, mcp_2, mcp_3") {
		t.Errorf("the second provider is told of %q and %q", toolNames(got.Tools), toolNames(got.Deferred))
	}
}

func TestNamesLeftOutAreBounded(t *testing.T) {
	b := newBench(t, says("done"))
	deferring(t, b, 3000)
	b.turn(t, input("x"))
	got := b.model.requests()[0]
	at := strings.Index(got.System, "# More tools")
	if at < 0 || len(got.System) > maxNames+8<<10 || !strings.Contains(got.System, " more, which tool_search finds") {
		t.Errorf("a prompt of %d bytes", len(got.System))
	}
	if toolNames(got.Tools) != always {
		t.Errorf("offered are %d tools", len(got.Tools))
	}
}

// TestOfferedIsWhatThePolicyAllows asserts the last list of all against the
// policy, for each trust and mode, with tools that were asked for under
// another: nothing comes back after the filter.
func TestOfferedIsWhatThePolicyAllows(t *testing.T) {
	for _, hosted := range []bool{false, true} {
		var replies []reply
		replies = append(replies, calls(call("1", "tool_search", `{}`)), says("found"))
		type turn struct {
			trust capability.Trust
			mode  string
			off   []string
		}
		var turns []turn
		for _, trust := range []capability.Trust{capability.Operator, capability.Guest, ""} {
			for _, mode := range []string{"auto", "plan"} {
				for _, off := range [][]string{nil, {"mcp_1", "echo"}} {
					turns = append(turns, turn{trust, mode, off})
					replies = append(replies, says("ok"))
				}
			}
		}
		b := newBench(t, replies...)
		deferring(t, b, 6)
		b.model.info.HostedToolSearch = hosted
		var off []string
		b.Offer = func(capability.Turn) capability.Filter { return capability.Filter{ExcludedNames: off} }
		b.turn(t, input("find"))
		for i, tt := range turns {
			off = tt.off
			in := input("x")
			in.Trust, in.Mode = tt.trust, tt.mode
			b.turn(t, in)
			req := b.model.requests()[i+2]
			f := capability.Filter{Turn: capability.Turn{Trust: tt.trust}, ExcludedNames: off}
			if tt.mode == "plan" {
				f.Policy = capability.Only(capability.ReadOnly)
			}
			for _, tool := range slices.Concat(req.Tools, req.Deferred) {
				if !b.Registry.Allows(f, tool.Name) {
					t.Errorf("%+v: %s is offered against the policy", tt, tool.Name)
				}
			}
		}
	}
}

func TestAskedFor(t *testing.T) {
	history := []provider.Message{
		{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: `{"tools":[{"name":"no"}]}`}, provider.ToolResult{Name: "echo", Text: `{"tools":[{"name":"no"}]}`}}},
		{Role: provider.RoleAssistant, Parts: []provider.Part{call("1", "tool_describe", `{"name":"a"}`), call("2", "tool_call", `{"name"`), call("3", "b", `{}`)}},
		{Role: provider.RoleTool, Parts: []provider.Part{
			provider.ToolResult{Name: "tool_search", Text: "{\"tools\":[{\"name\":\"c\"}]}\na note"},
			provider.ToolResult{Name: "tool_search", Text: `{"tools":[{"name":"failed"}]}`, Failed: true},
			provider.ToolResult{Name: "tool_search", Text: `half {`},
		}},
	}
	if d := cmp.Diff([]string{"a", "b", "c"}, askedFor(history)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
