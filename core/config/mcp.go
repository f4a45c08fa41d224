package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/lazy"
)

// MCP says which tool servers are used, and what of Hobkin other programs may
// use: the Model Context Protocol, both ways.
type MCP struct {
	Servers  map[string]MCPServer `toml:"servers" comment:"Tool servers that Hobkin uses, each under a short name of your own: its tools are called mcp_NAME_TOOL."`
	Document string               `toml:"client_document" url:"http" comment:"Address of a client id metadata document that describes this program, for servers with auth = oauth that take one. Empty registers with each."`
	Inbound  MCPInbound           `toml:"inbound" comment:"What other programs may use of Hobkin."`
}

// An MCPServer is one server that is used: a program that is started, or an
// address.
type MCPServer struct {
	Command      string             `toml:"command" comment:"Program to start, found on your login shell's PATH. Either this or url."`
	Args         []string           `toml:"args" comment:"Arguments of the program."`
	Dir          string             `toml:"dir" path:"abs" comment:"Folder it is started in. Empty is the workspace."`
	Env          map[string]string  `toml:"env" comment:"Variables of its environment, as they stand here. Secrets do not belong here but in pass_env."`
	PassEnv      []string           `toml:"pass_env" comment:"Variables that it gets from [sandbox.env.sources], from the secret mcp-SERVER-VARIABLE, or else from yours."`
	URL          string             `toml:"url" url:"http" comment:"Address of a server that runs already. Either this or command."`
	Headers      map[string]string  `toml:"headers" comment:"Further headers of requests. Secrets do not belong here but in auth."`
	Auth         string             `toml:"auth" comment:"oauth to sign in with a browser, or where a bearer token is: keyring:NAME, env:NAME or file:/PATH."`
	ClientID     string             `toml:"client_id" comment:"With auth = oauth: the id of a client that you registered by hand. Empty registers by itself."`
	ClientSecret string             `toml:"client_secret" ref:"secret" comment:"Where the secret of that client is, never the secret: keyring:NAME, env:NAME or file:/PATH."`
	Disabled     bool               `toml:"disabled" comment:"Keep the entry but do not use the server."`
	Confine      bool               `toml:"confine" comment:"Start the program inside the kernel's confinement, as commands are: it then sees the workspace and the granted folders only."`
	StartS       int                `toml:"start_timeout_s" min:"0" comment:"Seconds that it may take to start and to name its tools; 0 is 30."`
	TimeoutS     int                `toml:"timeout_s" min:"0" comment:"Seconds that one call may take; 0 is 120."`
	Tools        map[string]MCPTool `toml:"tools" comment:"What is different for one of its tools, under the tool's own name."`
}

// An MCPTool is what is different for one tool of a server.
type MCPTool struct {
	PolicyClass     string `toml:"policy_class" enum:",read_only,read_write,exec,network,external_api,gui_control" comment:"What its calls may touch; modes and approvals decide by it. Empty is external_api."`
	HiddenFromAgent bool   `toml:"hidden_from_agent" comment:"The agent does not see it."`
}

// MCPInbound says what other programs may use.
type MCPInbound struct {
	Enabled             bool                      `toml:"enabled" comment:"Let other programs use the tools that are named here."`
	Transport           string                    `toml:"transport" enum:"stdio,streamable_http" comment:"stdio is for programs that start hobkin mcp serve; streamable_http is served by the running desktop."`
	ExposeKinds         []string                  `toml:"expose_kinds" enum:"builtin,skill,mcp" comment:"Kinds of tools that may be used."`
	ExposePolicyClasses []string                  `toml:"expose_policy_classes" enum:"read_only,read_write,exec,network,external_api,gui_control" comment:"Classes of tools that may be used."`
	AllowedTools        []string                  `toml:"allowed_tools" comment:"Tools that may be used. Empty allows none."`
	DeniedTools         []string                  `toml:"denied_tools" comment:"Tools that may not be used, whatever else is set."`
	HTTP                MCPInboundHTTP            `toml:"http"`
	Tools               map[string]MCPInboundTool `toml:"tools" comment:"What is different for one tool."`
	ServerName          string                    `toml:"server_name" comment:"Name that other programs see."`
	ServerVersion       string                    `toml:"server_version" comment:"Version that other programs see. Empty is this program's."`
	RequestTimeoutMS    int                       `toml:"request_timeout_ms" min:"100" comment:"Milliseconds that one call may take."`
}

// MCPInboundHTTP says where streamable HTTP is served.
type MCPInboundHTTP struct {
	Port      int    `toml:"port" min:"1" max:"65535" comment:"Port on this machine; it is never open to others."`
	Path      string `toml:"path" comment:"Path of the address."`
	AuthToken string `toml:"auth_token" ref:"secret" comment:"Where the token is that programs must send, never the token: keyring:NAME, env:NAME or file:/PATH. Needed for streamable_http."`
}

// An MCPInboundTool is what is different for one tool.
type MCPInboundTool struct {
	Exposed             *bool  `toml:"exposed" comment:"true lets it be used though nothing else does, false never."`
	DescriptionOverride string `toml:"description_override" comment:"What other programs read about it."`
}

func defaultMCP() MCP {
	return MCP{Inbound: MCPInbound{
		Transport: "stdio", ExposeKinds: []string{"builtin"}, ExposePolicyClasses: []string{"read_only"},
		HTTP: MCPInboundHTTP{Port: 7717, Path: "/mcp"}, ServerName: "hobkin", RequestTimeoutMS: 30_000,
	}}
}

// StartTime is how long the server may take to start.
func (s MCPServer) StartTime() time.Duration { return seconds(cmp.Or(s.StartS, 30)) }

// CallTime is how long one call may take.
func (s MCPServer) CallTime() time.Duration { return seconds(cmp.Or(s.TimeoutS, 120)) }

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// Check reports the first thing that is wrong with the entry as a whole.
func (s MCPServer) Check() error {
	switch {
	case s.Command == "" && s.URL == "":
		return errors.New("it needs a command or a url")
	case s.Command != "" && s.URL != "":
		return errors.New("it has a command and a url; it can only have one of them")
	case s.URL == "" && (len(s.Headers) > 0 || s.Auth != ""):
		return errors.New("headers and auth are for a server with a url; a program gets secrets through pass_env")
	case s.Command == "" && (len(s.Args) > 0 || len(s.Env) > 0 || len(s.PassEnv) > 0):
		return errors.New("args, env and pass_env are for a server with a command")
	}
	if err := s.checkAuth(); err != nil {
		return err
	}
	return s.checkEnv()
}

func (s MCPServer) checkAuth() error {
	switch {
	case s.Auth != "oauth" && (s.ClientID != "" || s.ClientSecret != ""):
		return errors.New("client_id and client_secret are for auth = \"oauth\"")
	case s.ClientSecret != "" && s.ClientID == "":
		return errors.New("a client_secret needs its client_id")
	case !s.knownAuth():
		return errors.New("auth must be oauth, or say where the token is: keyring:NAME, env:NAME or file:/PATH (never the token itself)")
	}
	return nil
}

func (s MCPServer) knownAuth() bool {
	kind, what, ref := strings.Cut(s.Auth, ":")
	return s.Auth == "" || s.Auth == "oauth" || ref && what != "" && slices.Contains([]string{"keyring", "env", "file"}, kind)
}

// checkEnv finds variables that would not hold what was meant.
func (s MCPServer) checkEnv() error {
	for name, value := range s.Env {
		if slices.Contains(s.PassEnv, name) {
			return fmt.Errorf("%s stands in env and in pass_env; remove one of them", name)
		}
		if len(value) > 5 && value[:5] == "$env:" {
			return fmt.Errorf("env is taken as it stands, so %s = %q would not be looked up; name %s in pass_env instead", name, value, value[5:])
		}
	}
	return nil
}

// checkMCP checks the entries of tool servers, and what other programs may use.
func checkMCP(d *document, c *Config) (out []Problem) {
	for name, s := range c.MCP.Servers {
		e, _ := d.find([]string{"mcp", "servers", name})
		if !mcpName().MatchString(name) {
			out = append(out, d.problemAt(e, "", "mcp.servers.%s: the name must be 1 to 32 letters, digits, - or _, and begin with a letter", quoteKey(name)))
		}
		if err := s.Check(); err != nil {
			out = append(out, d.problemAt(e, "", "mcp.servers.%s: %v", quoteKey(name), err))
		}
	}
	in := c.MCP.Inbound
	if in.Enabled && in.Transport == "streamable_http" && in.HTTP.AuthToken == "" {
		e, _ := d.find([]string{"mcp", "inbound"})
		out = append(out, d.problemAt(e, "", "mcp.inbound.http.auth_token is needed for streamable_http, so that not every program on this machine can use the tools"))
	}
	if !strings.HasPrefix(in.HTTP.Path, "/") {
		e, _ := d.find([]string{"mcp", "inbound", "http", "path"})
		out = append(out, d.problemAt(e, "", "mcp.inbound.http.path must begin with /"))
	}
	return out
}

// mcpName is what a server may be called: it stands in the names of its tools.
var mcpName = lazy.Regexp(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`)
