package app

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/store"
	"github.com/hobkin/hobkin/core/version"
)

func (c *Core) info(ctx context.Context, _ none) (control.Info, error) {
	cfg := c.cfg.Load()
	mode, err := permission.ParseMode(cfg.Permission.Mode)
	if err != nil {
		return control.Info{}, err
	}
	info := control.Info{
		Protocol: control.Protocol, Version: version.Version, PID: os.Getpid(), Desktop: c.opts.Desktop,
		State: control.StateReady, StateText: "Ready", Mode: string(mode), Workspace: c.workspace(), Sandbox: cfg.Sandbox.Mode,
		Degraded: c.store.Degraded(),
	}
	switch {
	case len(c.broker.Pending()) > 0:
		info.State, info.StateText = control.StateWaiting, "Waiting for you"
	case len(c.agent.Running()) > 0:
		info.State, info.StateText = control.StateWorking, "Working"
	case info.Degraded != "":
		info.State, info.StateText = control.StateError, info.Degraded
	}
	if choices, err := c.choose(ctx, "main", ""); err != nil {
		info.State, info.StateText = control.StateSetup, err.Error()
	} else {
		m := choices[0].Model.Info()
		info.Model, info.ModelName, info.Offline = modelID(m), title(m), m.Provider == config.Offline
	}
	return info, nil
}

func (c *Core) grants(ctx context.Context, _ none) ([]control.Grant, error) {
	kept, err := c.store.Grants(ctx)
	if err != nil {
		return nil, err
	}
	out := []control.Grant{}
	for _, path := range c.cfg.Load().Sandbox.AllowedRoots {
		g := control.Grant{Path: path, Source: "settings"}
		for _, k := range kept {
			if k.Path == path {
				g.Created, g.Source = k.At, k.Source
			}
		}
		out = append(out, g)
	}
	return out, nil
}

func (c *Core) grant(ctx context.Context, id control.ID) (control.Grant, error) {
	abs, err := c.policy.CheckGrant(id.ID)
	if err != nil {
		return control.Grant{}, err
	}
	return control.Grant{Path: abs, Created: time.Now(), Source: "owner"}, c.addGrant(ctx, abs, "owner")
}

// addGrant writes a grant that was checked, and lets it hold at once.
func (c *Core) addGrant(ctx context.Context, abs, source string) error {
	if err := c.store.AddGrant(ctx, abs, source); err != nil {
		return err
	}
	if err := c.file.AppendRoot(ctx, abs); err != nil {
		return err
	}
	return c.reload()
}

func (c *Core) revoke(ctx context.Context, id control.ID) error {
	if err := c.store.RemoveGrant(ctx, id.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	before := len(c.cfg.Load().Sandbox.AllowedRoots)
	if err := c.file.RemoveRoot(ctx, id.ID); err != nil {
		return err
	}
	if err := c.reload(); err != nil {
		return err
	}
	if len(c.cfg.Load().Sandbox.AllowedRoots) == before {
		return &control.Error{Code: "no_grant", Message: id.ID + " is not granted", Try: "list the grants with: hobkin grants"}
	}
	return nil
}

func (c *Core) configGet(_ context.Context, id control.ID) ([]control.ConfigValue, error) {
	all, err := c.file.All()
	if err != nil {
		return nil, badConfig(err)
	}
	var out []control.ConfigValue
	for _, v := range all {
		if id.ID == "" || v.Key == id.ID || strings.HasPrefix(v.Key, id.ID+".") {
			out = append(out, control.ConfigValue{Key: v.Key, Value: v.TOML, Set: v.Set})
		}
	}
	if len(out) > 0 || id.ID == "" {
		return out, nil
	}
	v, err := c.file.Get(id.ID) // a key that is unknown, or a name of the owner's
	if err != nil {
		return nil, badConfig(err)
	}
	return []control.ConfigValue{{Key: v.Key, Value: v.TOML, Set: v.Set}}, nil
}

func (c *Core) configSet(ctx context.Context, r control.ConfigSetRequest) error {
	if err := c.file.Set(ctx, r.Key, r.Value); err != nil {
		return badConfig(err)
	}
	return badConfig(c.reload())
}

func badConfig(err error) error {
	if err == nil {
		return nil
	}
	return &control.Error{Code: "bad_config", Message: strings.TrimPrefix(err.Error(), "config: ")}
}

// errNoDesktop is told by a core that has no window.
var errNoDesktop = &control.Error{Code: "no_desktop", Message: "no desktop is running", Try: "start it with: hobkin desktop"}

func (c *Core) showWindow(_ context.Context, id control.ID) error {
	if c.opts.Show == nil {
		return errNoDesktop
	}
	return c.opts.Show(id.ID)
}

func (c *Core) quit(context.Context, none) error {
	if c.opts.Quit == nil {
		return errNoDesktop
	}
	c.opts.Quit()
	return nil
}
