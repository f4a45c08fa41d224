package app

import (
	"context"
	"log/slog"

	"github.com/hobkin/hobkin/app/login"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
)

// joinLogin keeps the entry of the system that starts the desktop at login to the
// setting. A folder that cannot be written is no reason to refuse the setting, or
// to end: the person is told.
func (c *Core) joinLogin(ctx context.Context) {
	if c.opts.AtLogin == nil {
		return
	}
	was := c.cfg.Load().Desktop.StartAtLogin
	c.toldLogin(ctx, c.opts.AtLogin.Keep(was))
	c.followers = append(c.followers, func(cfg *config.Config) error {
		if on := cfg.Desktop.StartAtLogin; on != was {
			was = on
			c.toldLogin(ctx, c.opts.AtLogin.Set(on))
		}
		return nil
	})
}

func (c *Core) toldLogin(ctx context.Context, err error) {
	if err != nil {
		slog.WarnContext(ctx, "app: starting at login", "error", err)
		c.alert(ctx, "Starting at login could not be set up", err)
	}
}

func (c *Core) checkLogin(context.Context) control.Check {
	on := c.cfg.Load().Desktop.StartAtLogin
	if c.opts.AtLogin == nil {
		return control.Check{Status: "not_applicable", Detail: "only a desktop that runs knows its own place"}
	}
	state, err := c.opts.AtLogin.State()
	where := c.opts.AtLogin.Where()
	switch {
	case err != nil:
		return failed(err, "correct the owner and permissions of "+where)
	case on && state == login.Disabled:
		return warning(where+" is switched off by a setting of your desktop", "switch it on there, or switch desktop.start_at_login off and on again")
	case on != (state == login.On):
		return warning(where+" does not agree with desktop.start_at_login", "switch desktop.start_at_login off and on again")
	case !on:
		return control.Check{Status: "not_applicable", Detail: "desktop.start_at_login is off"}
	}
	return passed("%s starts it hidden", where)
}
