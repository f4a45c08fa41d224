package inbound

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/hobkin/hobkin/core/capability"
)

// Options say what a [Server] shows and how calls are run.
type Options struct {
	Registry *capability.Registry
	// Run takes a call through the path; see [capability.Runner.Run].
	Run func(context.Context, capability.Request) *capability.Outcome
	// Filter is what narrows listing and calling for a trust, with the turn that
	// calls run in. Its Allowed does not count: the exposure decides that.
	Filter   func(capability.Trust) capability.Filter
	Exposure Exposure

	Name    string        // what other programs see
	Version string        // what other programs see
	Timeout time.Duration // of one call; 0 means 30 seconds

	// Extend adds what no capability is, such as resources and prompts. May be nil.
	Extend func(*server.MCPServer)
}

// A Server is the agent's tools as other programs see them. Close it.
type Server struct {
	Options
	mcp    *server.MCPServer
	ours   map[string]mcp.Tool // what sync has added; what Extend added stays
	tools  sync.Map            // name → *capability.Capability: those of ours that can be called
	stop   func()              // ends the watch of the registry
	follow sync.WaitGroup      // the watch
}

// New returns a server that follows the registry: when what it shows changes,
// its clients are told.
func New(o Options) *Server {
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	s := &Server{Options: o, ours: map[string]mcp.Tool{}}
	s.mcp = server.NewMCPServer(o.Name, o.Version,
		server.WithToolCapabilities(true), server.WithRecovery(),
		server.WithHooks(&server.Hooks{OnRequestInitialization: []server.OnRequestInitializationFunc{initializedFirst}}),
	)
	if o.Extend != nil {
		o.Extend(s.mcp)
	}
	changed, stop := o.Registry.Watch()
	done := make(chan struct{})
	s.stop = sync.OnceFunc(func() { stop(); close(done) })
	s.sync()
	s.follow.Go(func() {
		for {
			select {
			case <-changed:
				s.sync()
			case <-done:
				return
			}
		}
	})
	return s
}

// Close lets go of the registry. Transports are ended by whoever serves them.
func (s *Server) Close() {
	s.stop()
	s.follow.Wait()
}

// sync makes the shown tools those of the registry, and tells the clients when
// something differs.
func (s *Server) sync() {
	shown := s.shown()
	var gone []string
	for name := range s.ours {
		if _, ok := shown[name]; !ok {
			gone = append(gone, name)
			delete(s.ours, name)
			s.tools.Delete(name)
		}
	}
	var fresh []server.ServerTool
	for name, c := range shown {
		t := s.describe(c)
		if was, ok := s.ours[name]; !ok || !sameTool(was, t) {
			fresh = append(fresh, server.ServerTool{Tool: t, Handler: s.handler(c)})
			s.ours[name] = t
		}
	}
	if len(gone) > 0 {
		s.mcp.DeleteTools(gone...)
	}
	if len(fresh) > 0 {
		s.add(fresh)
	}
	for _, t := range s.mcp.ListTools() {
		if c, ok := shown[t.Tool.Name]; ok {
			s.tools.Store(t.Tool.Name, c)
		}
	}
}

// add adds tools, of which one that the protocol cannot carry is left out.
func (s *Server) add(tools []server.ServerTool) {
	defer func() {
		if p := recover(); p == nil || len(tools) == 1 {
			if p != nil {
				slog.Warn("mcp: a tool cannot be shown to other programs", "tool", tools[0].Tool.Name, "error", fmt.Sprint(p))
			}
			return
		}
		for _, t := range tools {
			s.add([]server.ServerTool{t})
		}
	}()
	s.mcp.AddTools(tools...)
}

// shown are the capabilities that may be used now, by name.
func (s *Server) shown() map[string]*capability.Capability {
	out := map[string]*capability.Capability{}
	for _, c := range s.Registry.All() {
		if s.Exposure.shows(c) && s.Registry.Allows(s.filter(c), c.Name) {
			out[c.Name] = c
		}
	}
	return out
}

// filter lets just c through. What the owner exposed by name runs as the
// owner's; nothing else ever runs as more than a guest's.
func (s *Server) filter(c *capability.Capability) capability.Filter {
	trust := capability.Guest
	if s.Exposure.override(c).Exposed == capability.Yes || isNamed(c, s.Exposure.Allowed) {
		trust = capability.Operator
	}
	f := s.Filter(trust)
	f.Turn.Trust, f.Allowed, f.IncludeHidden = trust, []string{c.Name}, true
	return f
}

// describe is c in the words of the protocol.
func (s *Server) describe(c *capability.Capability) mcp.Tool {
	t := mcp.Tool{
		Name: c.Name, Title: c.Title, Description: c.Description,
		RawInputSchema: c.Parameters, RawOutputSchema: c.Output,
		Annotations: mcp.ToolAnnotation{
			Title: c.Title, ReadOnlyHint: hint(c.Hints.ReadOnly), DestructiveHint: hint(c.Hints.Destructive),
			IdempotentHint: hint(c.Hints.Idempotent), OpenWorldHint: hint(c.Hints.OpenWorld),
		},
	}
	if c.Class == capability.ReadOnly && t.Annotations.ReadOnlyHint == nil {
		t.Annotations.ReadOnlyHint = hint(capability.Yes)
	}
	if d := s.Exposure.override(c).Description; d != "" {
		t.Description = d
	}
	return t
}

func hint(t capability.Tri) *bool {
	if t == capability.Unsaid {
		return nil
	}
	yes := t == capability.Yes
	return &yes
}

func sameTool(a, b mcp.Tool) bool {
	return a.Title == b.Title && a.Description == b.Description &&
		string(a.RawInputSchema) == string(b.RawInputSchema) && string(a.RawOutputSchema) == string(b.RawOutputSchema) &&
		equal(a.Annotations.ReadOnlyHint, b.Annotations.ReadOnlyHint) && equal(a.Annotations.DestructiveHint, b.Annotations.DestructiveHint)
}

func equal(a, b *bool) bool { return a == b || a != nil && b != nil && *a == *b }
