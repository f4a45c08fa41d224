package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/mcp/oauth"
	"github.com/hobkin/hobkin/core/mcp/outbound"
)

func (c *Core) listServers(ctx context.Context, _ none) ([]control.Server, error) {
	c.needServers(ctx)
	out := []control.Server{}
	for _, s := range c.servers.Status() {
		out = append(out, c.shownServer(s))
	}
	return out, nil
}

// shownServer adds the tools that are offered, under both their names.
func (c *Core) shownServer(s outbound.Status) control.Server {
	out := shownStatus(s)
	for _, t := range c.registry.All() {
		if t.Kind == capability.KindMCP && t.Meta["server"] == s.Name {
			out.Tools = append(out.Tools, control.ServerTool{Name: t.Meta["tool"], Offered: t.Name, Description: t.Description})
		}
	}
	return out
}

func shownStatus(s outbound.Status) control.Server {
	out := control.Server{
		Name: s.Name, Shown: s.Shown, State: string(s.State), Reason: s.Reason, About: s.Server,
		Protocol: s.Protocol, Notes: s.Notes, Since: s.Since, Tools: []control.ServerTool{},
	}
	for _, h := range s.Held {
		out.Held = append(out.Held, control.ServerChange{Tool: h.Tool, Diff: definitionDiff(h)})
	}
	return out
}

// definitionDiff shows what changed in a tool's definition.
func definitionDiff(h outbound.Change) string {
	text := func(t outbound.Tool) string {
		raw, err := json.MarshalIndent(t, "", "  ")
		if err != nil {
			return t.Description + "\n"
		}
		return string(raw) + "\n"
	}
	return udiff.Unified("seen", "now", text(h.Was), text(h.Now))
}

func entryOf(e control.ServerEntry) config.MCPServer {
	return config.MCPServer{
		Command: e.Command, Args: e.Args, Env: e.Env, PassEnv: e.PassEnv,
		URL: e.URL, Headers: e.Headers, Auth: e.Auth, Confine: e.Confine,
		ClientID: e.ClientID, ClientSecret: e.ClientSecret,
	}
}

func (c *Core) addServer(ctx context.Context, e control.ServerEntry) error {
	if err := c.file.AddServer(ctx, e.Name, entryOf(e)); err != nil {
		if errors.Is(err, config.ErrServerExists) {
			return &control.Error{Code: "exists", Message: fmt.Sprintf("there is a server %q already", e.Name), Try: "choose another name, or remove it first: hobkin mcp remove " + e.Name}
		}
		return &control.Error{Code: "bad_server", Message: strings.TrimPrefix(err.Error(), "config: ")}
	}
	return c.reload()
}

func (c *Core) removeServer(ctx context.Context, id control.ID) error {
	if err := c.file.RemoveServer(ctx, id.ID); err != nil {
		if errors.Is(err, config.ErrNoServer) {
			return c.noServer(id.ID)
		}
		return err
	}
	return errors.Join(c.reload(), c.store.UnpinTools(ctx, id.ID), oauth.Forget(ctx, vault{c.secrets}, loginKey(id.ID)))
}

// noServer says that no server has a name, and which there are.
func (c *Core) noServer(name string) error {
	var names []string
	for n := range c.cfg.Load().MCP.Servers {
		names = append(names, n)
	}
	slices.Sort(names)
	try := "add one with: hobkin mcp add"
	if len(names) > 0 {
		try = "there are " + strings.Join(names, ", ")
	}
	return &control.Error{Code: "no_server", Message: fmt.Sprintf("there is no tool server %q", name), Try: try}
}

// testServer tries a server of the settings, or one that is about to be added.
func (c *Core) testServer(ctx context.Context, e control.ServerEntry) (control.Server, error) {
	s := entryOf(e)
	if e.Command == "" && e.URL == "" {
		known, ok := c.cfg.Load().MCP.Servers[e.Name]
		if !ok {
			return control.Server{}, c.noServer(e.Name)
		}
		s = known
	}
	if err := s.Check(); err != nil {
		return control.Server{}, &control.Error{Code: "bad_server", Message: fmt.Sprintf("the server %s: %v", e.Name, err)}
	}
	return shownTest(c.servers.Test(ctx, c.serverSpec(ctx, e.Name, s))), nil
}

// shownTest adds the tools that a server would offer.
func shownTest(status outbound.Status, tools []outbound.Tool) control.Server {
	out := shownStatus(status)
	for _, t := range tools {
		out.Tools = append(out.Tools, control.ServerTool{Name: t.Name, Description: t.Description})
	}
	return out
}

func (c *Core) retryServer(ctx context.Context, id control.ID) error {
	return c.atServer(ctx, id.ID, func() error { return c.servers.Retry(id.ID) })
}

func (c *Core) acceptServer(ctx context.Context, id control.ID) error {
	return c.atServer(ctx, id.ID, func() error { return c.servers.Accept(ctx, id.ID) })
}

func (c *Core) serverLog(ctx context.Context, id control.ID) (text string, err error) {
	err = c.atServer(ctx, id.ID, func() error { text, err = c.servers.Log(id.ID); return err })
	return text, err
}

func (c *Core) atServer(ctx context.Context, name string, do func() error) error {
	c.needServers(ctx)
	err := do()
	if errors.Is(err, outbound.ErrUnknown) {
		return c.noServer(name)
	}
	return err
}
