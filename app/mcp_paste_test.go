package app

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/control"
)

func TestPastingServers(t *testing.T) {
	g := startGuarded(t)
	c := openWith(t, "[mcp.servers.plain]\nurl = \"https://plain.example/\"\ndisabled = true\n")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	said, err := c.pasteServers(ctx, control.PasteRequest{Text: block(t, map[string]any{
		"vault":  map[string]any{"url": g.URL + "/mcp", "headers": map[string]string{"Authorization": "Bearer " + sesame}},
		"broken": map[string]any{"command": "/no/such/program", "env": map[string]string{"API_KEY": "k-0123456789"}},
		"plain":  map[string]any{"url": "https://other.example/"},
	})})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"vault was added", "broken was not added: ", "plain is left out: there is a server of that name"} {
		if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("nothing says %q: %q", want, said)
		}
	}
	servers := c.cfg.Load().MCP.Servers
	if _, ok := servers["broken"]; ok || len(servers) != 2 {
		t.Errorf("the settings have %d servers", len(servers))
	}
	if auth := servers["vault"].Auth; auth != "keyring:mcp-vault-token" {
		t.Errorf("the token of vault is at %q", auth)
	}
	names, err := c.secrets.List(ctx)
	if err != nil || !slices.Contains(names, "mcp-vault-token") || slices.Contains(names, "mcp-broken-API_KEY") {
		t.Errorf("the secrets are %q, %v", names, err)
	}
	if _, err := c.pasteServers(ctx, control.PasteRequest{Text: `{"mcpServers": `}); err == nil || !strings.Contains(err.Error(), "JSON") {
		t.Errorf("half a block: %v", err)
	}
}

// block is a block of settings as other programs have it.
func block(t *testing.T, servers map[string]any) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
