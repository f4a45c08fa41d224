package capability

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// bridges are the three as a registry has them.
func bridges() []Capability {
	search, describe, call := tool(SearchTool, ReadOnly, ok), tool(DescribeTool, ReadOnly, ok), tool(CallTool, ReadOnly, ok)
	call.Aliases = []string{"CallTool"}
	call.Parameters = json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"args":{"type":"object"}},"required":["name"]}`)
	return []Capability{search, describe, call}
}

func TestSplit(t *testing.T) {
	list := func(withBridges bool, deferrable int) (out []*Capability) {
		all := []Capability{tool("shell", Exec, ok)}
		if withBridges {
			all = append(all, bridges()...)
		}
		for i := range deferrable {
			c := tool(fmt.Sprint("mcp_", i), ReadOnly, ok)
			c.Kind, c.Deferrable, c.Aliases = KindMCP, true, []string{fmt.Sprint("Mcp", i)}
			all = append(all, c)
		}
		for _, c := range all {
			out = append(out, &c)
		}
		return out
	}
	const three = "tool_search tool_describe tool_call"
	for name, tt := range map[string]struct {
		d        Deferral
		list     []*Capability
		whole    string
		deferred string
	}{
		"off":               {Deferral{Threshold: 1}, list(true, 2), "shell mcp_0 mcp_1", ""},
		"too few":           {Deferral{Enabled: true, Threshold: 3}, list(true, 2), "shell mcp_0 mcp_1", ""},
		"enough":            {Deferral{Enabled: true, Threshold: 2}, list(true, 2), "shell " + three, "mcp_0 mcp_1"},
		"from none":         {Deferral{Enabled: true}, list(true, 0), "shell", ""},
		"never one":         {Deferral{Enabled: true, Threshold: 2, NeverDefer: []string{"mcp_0"}}, list(true, 2), "shell " + three + " mcp_0", "mcp_1"},
		"never by alias":    {Deferral{Enabled: true, NeverDefer: []string{"Mcp1", "gone"}}, list(true, 2), "shell " + three + " mcp_1", "mcp_0"},
		"never any":         {Deferral{Enabled: true, NeverDefer: []string{"mcp_0", "mcp_1"}}, list(true, 2), "shell mcp_0 mcp_1", ""},
		"no way to find it": {Deferral{Enabled: true}, list(false, 2), "shell mcp_0 mcp_1", ""},
	} {
		whole, deferred := tt.d.Split(tt.list)
		if got := strings.Join(names(whole), " "); got != tt.whole {
			t.Errorf("%s: whole are %q, want %q", name, got, tt.whole)
		}
		if got := strings.Join(names(deferred), " "); got != tt.deferred {
			t.Errorf("%s: deferred are %q, want %q", name, got, tt.deferred)
		}
	}
	if got := strings.Join(names(WithoutBridges(list(true, 1))), " "); got != "shell mcp_0" {
		t.Errorf("without bridges: %q", got)
	}
}

func TestCallTool(t *testing.T) {
	act := tool("mcp_act", ReadWrite, func(_ context.Context, call Call) (Result, error) {
		return Result{Text: call.Name + " " + string(call.Args)}, nil
	})
	act.Aliases = []string{"Act"}
	secret := tool("owners", ReadOnly, ok)
	secret.OwnerData = true
	r := newRunner(t, append(bridges(), act, secret, tool("peek", ReadOnly, ok))...)
	for name, tt := range map[string]struct {
		call, args string
		trust      Trust
		tool       string // whose name the outcome has
		want       string // its text, or the code of its failure
	}{
		"plain":                     {CallTool, `{"name":"mcp_act","args":{"n":1}}`, Operator, "mcp_act", `mcp_act {"n":1}`},
		"both by other names":       {"CallTool", `{"name":"Act","args":{"n":1}}`, Operator, "mcp_act", `mcp_act {"n":1}`},
		"arguments as text":         {CallTool, `{"name":"mcp_act","args":"{\"n\":\"1\"}"}`, Operator, "mcp_act", `mcp_act {"n":1}`},
		"arguments by another name": {CallTool, `{"name":"mcp_act","arguments":{"n":1}}`, Operator, "mcp_act", `mcp_act {"n":1}`},
		"arguments beside the name": {CallTool, `{"name":"mcp_act","n":1,"s":"<a>"}`, Operator, "mcp_act", `mcp_act {"n":1,"s":"<a>"}`},
		"no arguments":              {CallTool, `{"name":"mcp_act"}`, Operator, "mcp_act", `mcp_act {}`},
		"null for arguments":        {CallTool, `{"name":"mcp_act","args":null}`, Operator, "mcp_act", `mcp_act {}`},
		"broken JSON":               {CallTool, "```json\n{name: 'mcp_act', args: {n: 1,}}\n```", Operator, "mcp_act", `mcp_act {"n":1}`},
		"arguments that do not fit": {CallTool, `{"name":"mcp_act","args":{"n":"one"}}`, Operator, "mcp_act", "bad_input"},
		"a tool that is not there":  {CallTool, `{"name":"mcp_acd"}`, Operator, CallTool, "unknown_tool"},
		"no tool":                   {CallTool, `{"args":{}}`, Operator, CallTool, "bad_input"},
		"a list":                    {CallTool, `[1]`, Operator, CallTool, "bad_input"},
		"itself":                    {CallTool, `{"name":"tool_call","args":{"name":"mcp_act"}}`, Operator, CallTool, "bad_input"},
		"a guest, what it may":      {CallTool, `{"name":"peek"}`, Guest, "peek", "ok"},
		"a guest, what it may not":  {CallTool, `{"name":"mcp_act"}`, Guest, "mcp_act", "not_allowed"},
		"a guest, the owner's data": {CallTool, `{"name":"owners"}`, Guest, "owners", "not_allowed"},
	} {
		req := request(tt.call, tt.args)
		req.Filter.Turn.Trust = tt.trust
		o := r.Run(t.Context(), req)
		got := o.Result.Text
		if u, failed := AsUserError(o.Err); failed {
			got = u.Code
		}
		if o.Call.Name != tt.tool || o.Tool == nil || o.Tool.Name != tt.tool || got != tt.want {
			t.Errorf("%s: %s: got %q of %s, want %q of %s", name, tt.args, got, o.Call.Name, tt.want, tt.tool)
		}
	}
	big := r.Run(t.Context(), request(CallTool, `{"name":"mcp_act","args":{"s":"`+strings.Repeat("x", 300<<10)+`"}}`))
	if u, _ := AsUserError(big.Err); u == nil || u.Code != "too_large" {
		t.Errorf("huge arguments: %v", big.Err)
	}
	closed := request(CallTool, `{"name":"mcp_act"}`)
	closed.Filter.ExcludedNames = []string{CallTool}
	if o := r.Run(t.Context(), closed); !o.Failed() || o.Call.Name != CallTool {
		t.Errorf("a bridge that is switched off: %v of %s", o.Err, o.Call.Name)
	}
}

// TestCallToolIsTheRealTool holds that every hook sees the real tool.
func TestCallToolIsTheRealTool(t *testing.T) {
	act := tool("mcp_act", ReadWrite, ok)
	r := newRunner(t, append(bridges(), act)...)
	var saw []string
	r.Guards = []Guard{func(_ context.Context, c *Capability, call *Call) error {
		saw = append(saw, "guard "+c.Name+" "+call.Name+" "+string(call.Args))
		return nil
	}}
	r.Approve = func(_ context.Context, c *Capability, call Call, _ Preview) error {
		saw = append(saw, "approve "+c.Name+" "+string(c.Class)+" "+call.Name)
		return nil
	}
	r.Observe = func(_ context.Context, o *Outcome) { saw = append(saw, "observe "+o.Call.Name) }
	req := request(CallTool, `{"name":"mcp_act","args":{"n":"2"}}`)
	req.Started = func(c *Capability, call Call) { saw = append(saw, "started "+c.Name+" "+string(call.Args)) }
	req.Repaired = func(string) { saw = append(saw, "repaired") }
	r.Run(t.Context(), req)
	want := []string{`guard mcp_act mcp_act {"n":2}`, `started mcp_act {"n":2}`, "repaired", "approve mcp_act read_write mcp_act", "observe mcp_act"}
	if d := cmp.Diff(want, saw); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestCallToolKeepsTheOrder holds that calls which change things run one after
// another also where they come over the bridge.
func TestCallToolKeepsTheOrder(t *testing.T) {
	var mu sync.Mutex
	running, most := 0, 0
	act := tool("mcp_act", ReadWrite, func(ctx context.Context, _ Call) (Result, error) {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
		mu.Lock()
		running--
		mu.Unlock()
		return Result{}, nil
	})
	r := newRunner(t, append(bridges(), act)...)
	var reqs []Request
	for range 4 {
		reqs = append(reqs, request(CallTool, `{"name":"mcp_act"}`))
	}
	r.RunAll(t.Context(), append(reqs, request(CallTool, `[]`), request(CallTool, `{"name":"gone"}`)))
	if most != 1 {
		t.Errorf("%d ran side by side", most)
	}
}

func TestAsked(t *testing.T) {
	for in, want := range map[[2]string]string{
		{"mcp_act", `{"name":"x"}`}:      "mcp_act",
		{DescribeTool, `{"name":"x"}`}:   "x",
		{CallTool, `{"name":"x","a":1}`}: "x",
		{CallTool, `{"name":""}`}:        "",
		{CallTool, `{`}:                  "",
	} {
		if got := strings.Join(Asked(in[0], json.RawMessage(in[1])), " "); got != want {
			t.Errorf("%v: %q, want %q", in, got, want)
		}
	}
}

func FuzzUnwrap(f *testing.F) {
	f.Add(`{"name":"x","args":{"a":1}}`)
	f.Add(`{"name":"x","args":"{}"}`)
	f.Add(`{"name":"x","b":null}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, args string) {
		in, err := unwrap(json.RawMessage(args))
		if (err == nil) != (in.Name != "") && err == nil {
			t.Errorf("%q: no name and no error", args)
		}
		Asked(CallTool, json.RawMessage(args))
	})
}
