package app

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

// connected gives a core the tools of a server.
func connected(t *testing.T, s *scripted, n int) {
	t.Helper()
	family := map[string]string{"server": "office"}
	var list []capability.Capability
	for i := range n {
		what := []string{"mail", "calendar", "invoice", "contact"}[i%4]
		c, err := capability.Func(fmt.Sprintf("mcp_office_%s_%d", what, i), "Works on one "+what+" of the office.", func(_ context.Context, in struct {
			Text string `json:"text"`
		},
		) (string, error) {
			return "sent " + in.Text, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		c.Kind, c.Class, c.Category, c.Deferrable, c.Meta = capability.KindMCP, capability.ExternalAPI, capability.CategoryPlugin, true, family
		list = append(list, c)
	}
	if err := s.registry.Replace(capability.KindMCP, family, list...); err != nil {
		t.Fatal(err)
	}
}

func toldOf(r provider.Request, tool string) bool {
	for _, one := range r.Tools {
		if one.Name == tool {
			return true
		}
	}
	return false
}

// TestToolsOfServersAreLeftOut plays a turn of the whole program: a model that
// knows only names finds a tool, calls it over the bridge, and the owner is
// asked about the real one.
func TestToolsOfServersAreLeftOut(t *testing.T) {
	s := openScripted(
		t,
		providertest.Call(toolCall(t, "1", "tool_search", map[string]any{"query": "write an invoice"})),
		providertest.Call(toolCall(t, "2", "tool_call", map[string]any{"name": "mcp_office_invoice_2", "args": map[string]any{"text": "x"}})),
		providertest.Say("done"),
	)
	connected(t, s, 16)
	events := s.play(t, control.SendRequest{Text: "bill it", Channel: "cli", Attended: true, Mode: "ask"}, func(p agent.ApprovalRequested) string {
		if p.Tool != "mcp_office_invoice_2" {
			t.Errorf("asked about %s", p.Tool)
		}
		return "once"
	})
	var started []string
	for _, p := range payloads[agent.ToolStarted](events) {
		started = append(started, p.Tool)
	}
	if got := strings.Join(started, " "); got != "tool_search mcp_office_invoice_2" {
		t.Errorf("started are %s", got)
	}
	requests := s.script.Requests()
	if len(requests) < 3 {
		t.Fatalf("%d requests", len(requests))
	}
	for i, r := range requests[:3] {
		if got, want := toldOf(r, "mcp_office_invoice_2"), i > 0; got != want {
			t.Errorf("request %d has the tool's schema: %v", i+1, got)
		}
		if toldOf(r, "mcp_office_mail_0") || !toldOf(r, "tool_search") || !toldOf(r, "file_read") || !strings.Contains(r.System, "mcp_office_mail_0") {
			t.Errorf("request %d: a tool that nobody asked for is there, or one of ours or a name is not", i+1)
		}
	}
	last := requests[2].Messages[len(requests[2].Messages)-1]
	if r, ok := last.Parts[0].(provider.ToolResult); !ok || !strings.Contains(r.Text, "sent x") {
		t.Errorf("the model reads %+v", last)
	}
}

// TestToolSearchIsASetting holds that the settings decide, also while it runs.
func TestToolSearchIsASetting(t *testing.T) {
	s := openScripted(t, providertest.Say("1"), providertest.Say("2"), providertest.Say("3"))
	connected(t, s, 15)
	all := func() (whole, bridge bool) {
		s.play(t, control.SendRequest{Text: "hello", Channel: "cli"}, nil)
		r := s.script.Requests()
		last := r[len(r)-1]
		return toldOf(last, "mcp_office_mail_0"), toldOf(last, "tool_search")
	}
	if whole, bridge := all(); whole || !bridge {
		t.Errorf("by itself, with the threshold reached: whole %v, bridges %v", whole, bridge)
	}
	set := func(key, value string) {
		t.Helper()
		if err := s.client.ConfigSet(t.Context(), control.ConfigSetRequest{Key: key, Value: value}); err != nil {
			t.Fatal(err)
		}
	}
	set("tools.tool_search.threshold", strconv.Itoa(len(s.registry.List(capability.Filter{Turn: capability.Turn{Trust: capability.Operator}, Deferrable: true}))+1))
	if whole, bridge := all(); !whole || bridge {
		t.Errorf("fewer than the threshold: whole %v, bridges %v", whole, bridge)
	}
	set("tools.tool_search.threshold", "0")
	set("tools.tool_search.enabled", "false")
	if whole, bridge := all(); !whole || bridge {
		t.Errorf("switched off: whole %v, bridges %v", whole, bridge)
	}
}
