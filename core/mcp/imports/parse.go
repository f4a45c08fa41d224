package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Server is a tool server as another program is configured with it. Its values
// may be secrets.
type Server struct {
	Name     string
	Command  string
	Args     []string
	Dir      string
	Env      map[string]string
	URL      string
	Headers  map[string]string
	Disabled bool
}

// entry is one server in any of the dialects.
type entry struct {
	Command   json.RawMessage            `json:"command"` // a text, or with Zed an object
	Path      string                     `json:"path"`    // of Zed's object
	Args      []string                   `json:"args"`
	Cwd       string                     `json:"cwd"`
	Env       map[string]json.RawMessage `json:"env"`
	URL       string                     `json:"url"`
	ServerURL string                     `json:"serverUrl"`
	HTTPURL   string                     `json:"httpUrl"`
	Headers   map[string]string          `json:"headers"`
	Disabled  bool                       `json:"disabled"`
	Enabled   *bool                      `json:"enabled"`
}

// A file is all places where servers stand.
type file struct {
	MCPServers     map[string]json.RawMessage `json:"mcpServers"`      // most
	Servers        map[string]json.RawMessage `json:"servers"`         // VS Code, mcp.json
	ContextServers map[string]json.RawMessage `json:"context_servers"` // Zed
	MCP            *file                      `json:"mcp"`             // VS Code, settings.json
	Projects       map[string]file            `json:"projects"`        // Claude Code
}

// ErrNone is returned for a file that configures no servers.
var ErrNone = errors.New("it names no tool servers: neither mcpServers, servers nor context_servers")

// Parse reads a configuration. Entries that cannot be used are left out and
// named in notes; a name that comes again, from another project, counts once.
func Parse(text []byte) (servers []Server, notes []string, err error) {
	var f file
	if err := json.Unmarshal(plain(text), &f); err != nil {
		return nil, nil, fmt.Errorf("it is no JSON that could be read: %w", err)
	}
	found := false
	seen := map[string]bool{}
	for _, group := range f.groups() {
		for _, name := range slices.Sorted(maps.Keys(group)) {
			found = true
			if seen[name] {
				continue
			}
			seen[name] = true
			s, err := server(name, group[name])
			if err != nil {
				notes = append(notes, fmt.Sprintf("%q is left out: %v", name, err))
				continue
			}
			servers = append(servers, s)
		}
	}
	if !found {
		return nil, nil, ErrNone
	}
	return servers, notes, nil
}

func (f file) groups() []map[string]json.RawMessage {
	out := []map[string]json.RawMessage{f.MCPServers, f.Servers, f.ContextServers}
	if f.MCP != nil {
		out = append(out, f.MCP.MCPServers, f.MCP.Servers)
	}
	for _, path := range slices.Sorted(maps.Keys(f.Projects)) {
		out = append(out, f.Projects[path].MCPServers)
	}
	return out
}

func server(name string, raw json.RawMessage) (Server, error) {
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return Server{}, errors.New("it is not written as a server is") // the error could quote a value
	}
	s := Server{Name: name, Args: e.Args, Dir: e.Cwd, Headers: e.Headers, Env: map[string]string{}, Disabled: e.Disabled || e.Enabled != nil && !*e.Enabled}
	for _, u := range []string{e.URL, e.ServerURL, e.HTTPURL} {
		if s.URL == "" {
			s.URL = u
		}
	}
	if err := s.command(e.Command); err != nil {
		return s, err
	}
	s.env(e.Env)
	switch {
	case s.Command == "" && s.URL == "":
		return s, errors.New("it has neither a command nor a url")
	case s.Command != "" && s.URL != "":
		return s, errors.New("it has a command and a url")
	case s.URL != "" && !strings.HasPrefix(s.URL, "https://") && !strings.HasPrefix(s.URL, "http://"):
		return s, errors.New("its url is neither http nor https")
	}
	return s, nil
}

// command reads the command, a text or an object of its parts.
func (s *Server) command(raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &s.Command) == nil {
		return nil
	}
	var e entry
	if json.Unmarshal(raw, &e) != nil || e.Path == "" {
		return errors.New("its command is neither a text nor an object with a path")
	}
	s.Command, s.Args = e.Path, e.Args
	s.env(e.Env)
	return nil
}

// env takes in variables; numbers and the like count as they are written.
func (s *Server) env(vars map[string]json.RawMessage) {
	for k, raw := range vars {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		s.Env[k] = text
	}
}
