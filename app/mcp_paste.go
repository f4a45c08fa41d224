package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/mcp/imports"
	"github.com/hobkin/hobkin/core/secret"
)

// pasteServers tries the servers of a block of settings as other programs have
// it, and adds those that work.
func (c *Core) pasteServers(ctx context.Context, r control.PasteRequest) ([]string, error) {
	servers, notes, err := imports.Parse([]byte(r.Text))
	if err != nil {
		return nil, &control.Error{Code: "bad_server", Message: err.Error(), Try: `paste a block such as {"mcpServers": {"files": {"command": "npx", "args": ["-y", "server"]}}}`}
	}
	plan := imports.Plan{Known: map[string]bool{}, Looks: secret.Looks}
	for name := range c.cfg.Load().MCP.Servers {
		plan.Known[name] = true
	}
	plan.Take("the block", servers, notes)
	said := plan.Notes
	for _, e := range plan.Entries {
		said = append(said, c.pasteServer(ctx, e)...)
	}
	return said, nil
}

// pasteServer adds one server, and tells what became of it.
func (c *Core) pasteServer(ctx context.Context, e imports.Entry) (said []string) {
	err := c.addPasted(ctx, e)
	if err != nil {
		return []string{fmt.Sprintf("%s was not added: %v", e.Name, err)}
	}
	said = append(said, e.Name+" was added")
	for _, n := range e.Notes {
		said = append(said, e.Name+": "+n)
	}
	return said
}

// addPasted stores the secrets, tries the server, and adds it. The secrets of
// one that does not work are forgotten again.
func (c *Core) addPasted(ctx context.Context, e imports.Entry) (err error) {
	defer func() {
		for name := range e.Secrets {
			if err != nil {
				_ = c.secrets.Delete(ctx, name) // it may not have been stored
			}
		}
	}()
	for name, value := range e.Secrets {
		if err := c.secrets.Set(ctx, name, value); err != nil {
			return err
		}
	}
	entry := control.ServerEntry{Name: e.Name, Command: e.Command, Args: e.Args, Env: e.Env, PassEnv: e.PassEnv, URL: e.URL, Headers: e.Headers, Auth: e.Auth}
	s, err := c.testServer(ctx, entry)
	if err != nil {
		return err
	}
	if s.State != "ready" && s.State != "needs_login" {
		return errors.New(s.Reason)
	}
	return c.addServer(ctx, entry)
}
