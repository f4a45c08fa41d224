package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// checkConfinement tries the backend that holds commands.
func (c *Core) checkConfinement(ctx context.Context) control.Check {
	mode := confined{c}.mode()
	if mode == confine.Off {
		return warning("the settings have commands run unconfined: one that you allow can read what you can read", "hobkin config set sandbox.confine auto")
	}
	for _, r := range c.confiner.Backends() { //nolint:contextcheck // what was tried is kept for all that ask later
		if r.Why == "" {
			return c.proven(ctx, r)
		}
	}
	r := c.confiner.Backends()[0] //nolint:contextcheck // what was tried is kept for all that ask later
	text := "the kernel cannot hold commands here: " + r.Why
	if mode == confine.Required {
		return failed(errors.New(text+"; so none are run"), r.Fix)
	}
	return warning(text, r.Fix)
}

// checkFallback tries what would hold commands without bubblewrap.
func (c *Core) checkFallback(ctx context.Context) control.Check {
	for _, r := range c.confiner.Backends() { //nolint:contextcheck // what was tried is kept for all that ask later
		switch {
		case r.Backend != confine.Landlock:
		case r.Why != "":
			return warning("there is nothing to fall back to: "+r.Why, r.Fix)
		default:
			r.Missing = nil // what it cannot do matters once it is what holds
			return c.proven(ctx, r)
		}
	}
	return control.Check{Status: "not_applicable", Detail: "this system has one way only"}
}

// checkServers names the programs of tool servers that nothing holds: they are
// the owner's to trust, so it must be seen which they are.
func (c *Core) checkServers(context.Context) control.Check {
	var free, held []string
	for name, s := range c.cfg.Load().MCP.Servers {
		switch {
		case s.Command == "" || s.Disabled:
		case s.Confine && confined{c}.mode() != confine.Off:
			held = append(held, name)
		default:
			free = append(free, name)
		}
	}
	slices.Sort(free)
	slices.Sort(held)
	switch {
	case len(free) > 0:
		return warning("run as you do, able to read and change all your files: "+strings.Join(free, ", "),
			"if they need no more than your workspace and the granted folders: hobkin config set mcp.servers."+free[0]+".confine true")
	case len(held) > 0:
		return passed("confined: %s", strings.Join(held, ", "))
	}
	return control.Check{Status: "not_applicable", Detail: "no program is used as one"}
}

func (c *Core) proven(ctx context.Context, r confine.Report) control.Check {
	if err := c.confiner.Prove(ctx, r.Backend); err != nil {
		return failed(err, "report this, and let no command run that you do not trust meanwhile")
	}
	if len(r.Missing) > 0 {
		return warning("held by "+string(r.Backend)+", but "+strings.Join(r.Missing, "; "), r.Fix)
	}
	return passed("held by %s: tried reading, writing, reaching a process and the network, all refused", r.Backend)
}
