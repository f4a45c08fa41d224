package config

import (
	"strings"
	"testing"
	"time"
)

func TestMCPServers(t *testing.T) {
	c, err := Parse("/c.toml", []byte(`
[mcp.servers.gmail]
command = "npx"
args = ["-y", "gmail"]
env = { LOG_LEVEL = "info" }
pass_env = ["GMAIL"]
timeout_s = 5
[mcp.servers.gmail.tools.send]
policy_class = "external_api"
hidden_from_agent = true
[mcp.servers.docs]
url = "https://docs.example/mcp"
auth = "oauth"
[mcp.inbound.tools.file_read]
exposed = false
`))
	if err != nil {
		t.Fatal(err)
	}
	gmail, docs := c.MCP.Servers["gmail"], c.MCP.Servers["docs"]
	if gmail.Command != "npx" || !gmail.Tools["send"].HiddenFromAgent || gmail.CallTime() != 5*time.Second || gmail.StartTime() != 30*time.Second {
		t.Errorf("gmail: %+v", gmail)
	}
	if docs.Auth != "oauth" || docs.CallTime() != 2*time.Minute {
		t.Errorf("docs: %+v", docs)
	}
	if e := c.MCP.Inbound.Tools["file_read"].Exposed; e == nil || *e {
		t.Errorf("exposed = %v, want false", e)
	}
	in := c.MCP.Inbound
	if in.Enabled || in.Transport != "stdio" || in.HTTP.Path != "/mcp" || in.RequestTimeoutMS != 30_000 || len(in.AllowedTools) != 0 {
		t.Errorf("the defaults of inbound: %+v", in)
	}
}

func TestMCPServersThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		"[mcp.servers.a]\nargs = [\"x\"]":                                              "needs a command or a url",
		"[mcp.servers.a]\ncommand = \"x\"\nurl = \"http://h/\"":                        "can only have one",
		"[mcp.servers.a]\ncommand = \"x\"\nauth = \"oauth\"":                           "pass_env",
		"[mcp.servers.a]\nurl = \"http://h/\"\npass_env = [\"X\"]":                     "for a server with a command",
		"[mcp.servers.a]\ncommand = \"x\"\nenv = { A = \"$env:B\" }":                   "name B in pass_env",
		"[mcp.servers.a]\ncommand = \"x\"\nenv = { A = \"1\" }\npass_env = [\"A\"]":    "stands in env and in pass_env",
		"[mcp.servers.a]\nurl = \"http://h/\"\nauth = \"sk-12345\"":                    "never the token itself",
		"[mcp.servers.\"a b\"]\ncommand = \"x\"":                                       "1 to 32 letters",
		"[mcp.servers.a]\ncommand = \"x\"\ntools = { t = { policy_class = \"all\" } }": "must be one of",
		"[mcp.inbound]\nenabled = true\ntransport = \"streamable_http\"":               "auth_token is needed",
		"[mcp.inbound.http]\npath = \"mcp\"":                                           "must begin with /",
		"[mcp.inbound]\nexpose_kinds = [\"builtins\"]":                                 "must be one of",
		"[mcp.inbound.tools.x]\nexposed = \"yes\"":                                     "true or false",
	} {
		_, err := Parse("/c.toml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "/c.toml:") {
			t.Errorf("%s\n  got  %v\n  want %q with its line", text, err, want)
		}
	}
}
