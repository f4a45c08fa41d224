package outbound

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/mcp/oauth"
	"github.com/hobkin/hobkin/core/process"
)

// A Spec says how a server is reached: Program, URL or Builtin is set.
type Spec struct {
	Name string // letters, digits, - and _; it stands in the names of its tools
	// Program makes what is to be started, anew for each start: its environment
	// may hold secrets that are looked up then. Mark must be unique to it.
	Program func(ctx context.Context) (process.Command, error)
	// Shown is the program and its arguments, or the address, as people see it.
	Shown string

	URL     string
	Headers map[string]string
	// Client makes requests; it must not let credentials follow a redirect to
	// another origin. Nil is refused.
	Client *http.Client
	// Bearer is asked for a token before each request; nil sends none.
	Bearer func(ctx context.Context) (string, error)
	// OAuth says how to sign in; nil where that is not wanted. Its Server and
	// Base are set for each connection.
	OAuth *oauth.Options

	// Builtin are the tools of a server that runs in this process; Program and
	// URL are not set then.
	Builtin []BuiltinTool

	StartTime time.Duration // from the start to the list of tools
	CallTime  time.Duration // of one call
	Tools     map[string]Override
	Disabled  bool
	Version   string // changes whenever anything changes that the functions above read

	// Meta marks the server's capabilities beyond their server, such as
	// plugin=obsidian. May be nil.
	Meta map[string]string
}

// An Override is what is different for one tool, by the name the server gives.
type Override struct {
	Class  capability.Class // empty: external_api
	Hidden bool             // the agent does not see it
}

// same reports whether two specs need no new connection.
func (s Spec) same(o Spec) bool {
	return s.Name == o.Name && s.Shown == o.Shown && s.URL == o.URL && s.Disabled == o.Disabled && s.Version == o.Version &&
		s.StartTime == o.StartTime && s.CallTime == o.CallTime &&
		reflect.DeepEqual(s.Headers, o.Headers) && reflect.DeepEqual(s.Tools, o.Tools) && reflect.DeepEqual(s.Meta, o.Meta)
}

// meta marks the capabilities of the server.
func (s Spec) meta() map[string]string {
	m := map[string]string{"server": s.Name}
	maps.Copy(m, s.Meta)
	return m
}
