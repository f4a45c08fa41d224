package system

import (
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

// TestFindSeesWhatTheTurnSees holds that the bridges tell of nothing that the
// turn itself would not be offered.
func TestFindSeesWhatTheTurnSees(t *testing.T) {
	h := newHost(t, t.TempDir())
	if err := h.Registry.RegisterAll(append(Tools.Bind(h), remote()...)...); err != nil {
		t.Fatal(err)
	}
	r := &capability.Runner{Registry: h.Registry}
	operator := capability.Turn{Trust: capability.Operator}
	for name, tt := range map[string]struct {
		f    capability.Filter
		sees bool
	}{
		"operator":               {capability.Filter{Turn: operator}, true},
		"guest":                  {capability.Filter{Turn: capability.Turn{Trust: capability.Guest}}, false},
		"no trust":               {capability.Filter{}, false},
		"plan":                   {capability.Filter{Turn: operator, Policy: capability.Only(capability.ReadOnly)}, false},
		"switched off":           {capability.Filter{Turn: operator, ExcludedNames: []string{"mcp_crm_post_message"}}, false},
		"not on the list":        {capability.Filter{Turn: operator, Allowed: []string{"tool_search", "tool_describe", "tool_help", "tool_call"}}, false},
		"another kind of tools":  {capability.Filter{Turn: operator, ExcludedCategories: []capability.Category{capability.CategoryPlugin}}, false},
		"on the list of allowed": {capability.Filter{Turn: operator, Allowed: []string{"tool_search", "tool_describe", "tool_help", "tool_call", "mcp_crm_post_message"}}, true},
	} {
		for tool, args := range map[string]string{
			"tool_search": `{"query":"message customer"}`, "tool_describe": `{"name":"mcp_crm_post_message"}`, "tool_help": `{"name":"mcp_crm_post_message"}`,
		} {
			o := r.Run(t.Context(), capability.Request{Name: tool, Args: []byte(args), Filter: tt.f})
			told := !o.Failed() && strings.Contains(o.Result.Text, "mcp_crm_post_message")
			if told != tt.sees {
				t.Errorf("%s, %s: told %v, want %v: %s", name, tool, told, tt.sees, o.Result.Text)
			}
			if !tt.sees && strings.Contains(o.Result.Text, "customer.") {
				t.Errorf("%s, %s: the failure tells of the tool: %s", name, tool, o.Result.Text)
			}
		}
	}
	bare := &Host{}
	if err := h.Registry.Replace(capability.KindBuiltin, nil, Tools.Bind(bare)...); err != nil {
		t.Fatal(err)
	}
	for tool, args := range map[string]string{"tool_search": `{"query":"x"}`, "tool_describe": `{"name":"x"}`, "tool_help": `{"name":"x"}`} {
		o := r.Run(t.Context(), capability.Request{Name: tool, Args: []byte(args), Filter: capability.Filter{Turn: operator}})
		if _, ok := capability.AsUserError(o.Err); !ok || strings.Contains(o.Result.Text, "internal") {
			t.Errorf("%s without a registry: %v", tool, o.Err)
		}
	}
	c, _ := h.Registry.Find("tool_call")
	if _, err := c.Handler(t.Context(), capability.Call{Args: []byte(`{"name":"x"}`)}); err == nil {
		t.Error("the bridge itself does something")
	}
}
