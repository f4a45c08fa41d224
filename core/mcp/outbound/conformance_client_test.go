package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/mcp/oauth"
	"github.com/hobkin/hobkin/core/mcp/oauth/oauthtest"
	"github.com/hobkin/hobkin/core/netguard"
)

// suiteContext is what the conformance suite tells its client.
type suiteContext struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	Issuer       string `json:"issuer"`
	ToolCalls    []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

// suiteClient is this test program as the suite's client: it connects through
// the product's own code and calls what the scenario asks for.
func suiteClient(address string) int {
	if err := runSuiteClient(address); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func runSuiteClient(address string) error {
	var told suiteContext
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &told); err != nil {
			return err
		}
	}
	client := &http.Client{CheckRedirect: netguard.SameOriginRedirects(nil)}
	spec := Spec{
		Name: "suite", Shown: address, URL: address, Client: client, StartTime: 15 * time.Second, CallTime: 15 * time.Second,
		OAuth: &oauth.Options{
			Key: "suite", Vault: &oauthtest.Vault{}, Client: client, Browser: &oauthtest.Willing{}, ClientID: told.ClientID, ClientSecret: told.ClientSecret, Issuer: told.Issuer,
			Document: "https://conformance-test.local/client-metadata.json",
		},
	}
	reg := &capability.Registry{}
	states := make(chan Status, 100)
	m := NewManager(reg, &memory{}, suiteHost(), func(s Status) { states <- s })
	defer m.Close()
	m.Apply(context.Background(), []Spec{spec})
	for s := range states {
		switch s.State {
		case Ready:
			return suiteCalls(reg, told)
		case Failed, Quarantined, NeedsLogin:
			return errors.New(s.Reason)
		}
	}
	return nil
}

// suiteHost answers questions with what their form has as defaults.
func suiteHost() Host {
	return Host{
		Roots: func() []string { return []string{"/work"} },
		Elicit: func(_ context.Context, e Elicitation) (Elicited, error) {
			fields, err := e.Fields()
			if err != nil {
				return Elicited{}, err
			}
			out := Elicited{Action: "accept", Content: map[string]any{}}
			for _, f := range fields {
				if f.Default == "" && f.Kind == "boolean" {
					f.Default = "yes"
				}
				v, ok, err := f.Value(nil)
				if err != nil {
					return Elicited{}, err
				}
				if ok {
					out.Content[f.Name] = v
				}
			}
			return out, nil
		},
	}
}

// suiteCalls calls what the scenario names, else every tool.
func suiteCalls(reg *capability.Registry, told suiteContext) error {
	args := map[string]json.RawMessage{
		"mcp_suite_add_numbers": json.RawMessage(`{"a":5,"b":3}`),
	}
	if focal, ok := reg.Find("mcp_suite_json_schema_2020_12_tool"); ok {
		args["mcp_suite_json_schema_echo"] = json.RawMessage(`{"schema":` + string(focal.Parameters) + `}`)
	}
	if len(told.ToolCalls) > 0 {
		for _, c := range told.ToolCalls {
			if err := suiteCall(reg, "mcp_suite_"+c.Name, c.Arguments); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range reg.All() {
		raw := args[c.Name]
		if raw == nil {
			raw = json.RawMessage(`{}`)
		}
		if c.Meta["tool"] == "" {
			continue
		}
		if err := suiteCall(reg, c.Name, raw); err != nil {
			return err
		}
	}
	return nil
}

func suiteCall(reg *capability.Registry, name string, args json.RawMessage) error {
	c, ok := reg.Find(name)
	if !ok {
		return fmt.Errorf("there is no %s", name)
	}
	_, err := c.Handler(context.Background(), capability.Call{ID: "1", Name: name, Args: args, Turn: capability.Turn{Attended: true, Session: "s"}})
	return err
}
