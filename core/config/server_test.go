package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestServersAreAddedAndRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	before := "# mine\n[mcp.servers.old]\ncommand = \"old\" # keep\n[mcp.servers.old.tools.x]\nhidden_from_agent = true\n\n[log]\nlevel = \"warn\" # loud enough\n"
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	f := File{Path: path}
	want := MCPServer{
		Command: "npx", Args: []string{"-y", "a \"b\""}, Env: map[string]string{"A": "1"}, PassEnv: []string{"KEY"}, TimeoutS: 9,
		Tools: map[string]MCPTool{"send message": {PolicyClass: "read_only"}},
	}
	if err := f.AddServer(t.Context(), "mail", want); err != nil {
		t.Fatal(err)
	}
	c, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, c.MCP.Servers["mail"]); d != "" {
		t.Error(d)
	}
	if err := f.AddServer(t.Context(), "mail", want); !errors.Is(err, ErrServerExists) {
		t.Errorf("adding it twice gave %v", err)
	}
	for name, s := range map[string]MCPServer{"a b": want, "empty": {}, "both": {Command: "x", URL: "http://h/"}} {
		if err := f.AddServer(t.Context(), name, s); err == nil {
			t.Errorf("%s was added", name)
		}
	}
	if err := f.RemoveServer(t.Context(), "old"); err != nil {
		t.Fatal(err)
	}
	if err := f.RemoveServer(t.Context(), "mail"); err != nil {
		t.Fatal(err)
	}
	if err := f.RemoveServer(t.Context(), "mail"); !errors.Is(err, ErrNoServer) {
		t.Errorf("removing it twice gave %v", err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(after); !strings.HasPrefix(text, "# mine\n") || !strings.Contains(text, "level = \"warn\" # loud enough\n") || strings.Contains(text, "servers") {
		t.Errorf("what is left is\n%s", text)
	}
}

func TestServersInOtherForms(t *testing.T) {
	for _, text := range []string{
		"[mcp.servers]\na = { command = \"x\" }\nb = { command = \"y\" }\n",
		"mcp.servers.a.command = \"x\"\nmcp.servers.b.command = \"y\"\n",
		"[mcp]\nservers = { a = { command = \"x\" }, b = { command = \"y\" } }\n",
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f := File{Path: path}
		err := f.RemoveServer(t.Context(), "a")
		c, lerr := f.Load()
		if lerr != nil {
			t.Fatal(lerr)
		}
		_, there := c.MCP.Servers["a"]
		if err == nil == there || c.MCP.Servers["b"].Command != "y" {
			t.Errorf("%s\nremoving gave %v, and it is there: %v", text, err, there)
		}
	}
}
