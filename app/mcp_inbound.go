package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/hobkin/hobkin/app/calm"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/mcp/inbound"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/secret"
	"github.com/hobkin/hobkin/core/store"
	"github.com/hobkin/hobkin/core/version"
)

// The channels of calls of other programs. One that started us in a folder
// means that folder, as a script of the owner's does.
const (
	channelHTTP = "mcp"
	channelPipe = "cli"
)

// An outside is the agent's tools as other programs use them.
type outside struct {
	c       *Core
	channel string
	session string // that approvals are shown in; empty where no one can be asked
	run     func(context.Context, capability.Request) *capability.Outcome
}

// server is what other programs see, by the settings in and what the owner
// names beyond them for this run.
func (o outside) server(in config.MCPInbound, named []string) *inbound.Server {
	e := exposure(in)
	for _, tool := range named {
		t := e.Tools[tool]
		t.Exposed = capability.Yes
		e.Tools[tool] = t
	}
	return inbound.New(inbound.Options{
		Registry: o.c.registry, Run: o.run, Filter: o.filter, Exposure: e,
		Name: in.ServerName, Version: or(in.ServerVersion, version.Version),
		Timeout: time.Duration(in.RequestTimeoutMS) * time.Millisecond,
	})
}

// filter is what narrows listing and calling, and the turn that calls run in.
func (o outside) filter(trust capability.Trust) capability.Filter {
	mode, err := permission.ParseMode(o.c.cfg.Load().Permission.Mode)
	if err != nil {
		mode = permission.Plan // an unknown mode lets nothing be changed
	}
	turn := capability.Turn{
		Session: o.session, Workspace: o.c.workspace(), Channel: o.channel,
		Mode: string(mode), Trust: trust, Attended: o.session != "", Provenance: capability.FromTool,
	}
	f := o.c.offer(turn)
	f.Turn, f.Policy = turn, permission.Filter(mode)
	return f
}

// exposure is what the settings show to other programs.
func exposure(in config.MCPInbound) inbound.Exposure {
	e := inbound.Exposure{Allowed: in.AllowedTools, Denied: in.DeniedTools, Tools: map[string]inbound.Override{}}
	for _, k := range in.ExposeKinds {
		e.Kinds = append(e.Kinds, capability.Kind(k))
	}
	for _, class := range in.ExposePolicyClasses {
		e.Classes = append(e.Classes, capability.Class(class))
	}
	for name, t := range in.Tools {
		o := inbound.Override{Description: t.DescriptionOverride}
		if t.Exposed != nil {
			o.Exposed = capability.No
			if *t.Exposed {
				o.Exposed = capability.Yes
			}
		}
		e.Tools[name] = o
	}
	return e
}

// ServeOptions say how one other program is served.
type ServeOptions struct {
	Workspace string   // absolute
	Tools     []string // that may be used beyond those of the settings
	In        io.Reader
	Out       io.Writer
	LogTo     io.Writer
	LogLevel  slog.Level
}

// ServeMCP serves the program that started this one, over its pipes, until they
// end. No one can be asked there, so what needs an approval is refused.
func ServeMCP(ctx context.Context, o ServeOptions) error {
	paths, err := config.DefaultPaths()
	if err != nil {
		return err
	}
	redactor := &secret.Redactor{}
	slog.SetDefault(slog.New(redactor.Handler(slog.NewTextHandler(o.LogTo, &slog.HandlerOptions{Level: o.LogLevel}))))
	c, err := Open(ctx, Options{Paths: paths, Workspace: o.Workspace, Redactor: redactor})
	if err != nil {
		return err
	}
	if err := c.checkNames(o.Tools); err != nil { //nolint:contextcheck // it looks names up
		return errors.Join(err, c.Close()) //nolint:contextcheck // it must close after ctx has ended
	}
	in := c.cfg.Load().MCP.Inbound
	if !in.Enabled { // the command line is the owner's word too, but only for what it names
		in.AllowedTools, in.Tools = nil, nil
	}
	if slices.Contains(in.ExposeKinds, string(capability.KindMCP)) {
		c.needServers(ctx)
	}
	runner := *c.runner
	runner.Approve = (&permission.Gate{Policy: c.policy, Rules: rules{c}}).Approve
	if len(o.Tools) == 0 && len(in.AllowedTools) == 0 && len(in.Tools) == 0 {
		slog.WarnContext(ctx, "no tool may be used; name some with --tools, or set mcp.inbound.enabled and mcp.inbound.allowed_tools")
	}
	defer calm.After(settled, grow)()
	s := outside{c: c, channel: channelPipe, run: runner.Run}.server(in, o.Tools)
	err = s.ServeStdio(ctx, o.In, o.Out)
	s.Close()
	return errors.Join(err, c.Close()) //nolint:contextcheck // it must close after ctx has ended
}

// settled is how long after the start what only it needed is given back: the
// program that started us has asked for the tools then.
const settled = 100 * time.Millisecond

// grow is how much the heap may grow, in percent. Clearing up as often as in the
// window's program takes a fifth of the time of calls, for a megabyte.
const grow = 100

// checkNames refuses names that no tool has, with the closest.
func (c *Core) checkNames(names []string) error {
	for _, n := range names {
		if _, ok := c.registry.Find(n); !ok {
			_, err := c.toolHelp(context.Background(), control.ID{ID: n})
			return err
		}
	}
	return nil
}

// ServeInbound serves other programs over HTTP while the settings say so, and
// follows them, until ctx ends.
func (c *Core) ServeInbound(ctx context.Context) {
	for ctx.Err() == nil {
		in, changed := c.cfg.Load().MCP.Inbound, c.settingsChanged()
		turn, cancel := context.WithCancel(ctx)
		stop := context.AfterFunc(changed, cancel) //nolint:contextcheck // changed ends with the settings, turn with ctx
		if in.Enabled && in.Transport == "streamable_http" {
			if err := c.serveInbound(turn, in); err != nil {
				c.tellInbound(ctx, err)
			}
		}
		<-turn.Done()
		stop()
		cancel()
	}
}

// serveInbound serves other programs over HTTP until ctx ends.
func (c *Core) serveInbound(ctx context.Context, in config.MCPInbound) error {
	token, err := c.secrets.Resolve(ctx, in.HTTP.AuthToken)
	if err != nil {
		return fmt.Errorf("mcp.inbound.http.auth_token: %w", err)
	}
	s, err := c.store.CreateSession(ctx, store.Session{
		Title: "Other programs", Workspace: c.workspace(), Mode: c.cfg.Load().Permission.Mode, Channel: channelHTTP,
	})
	if err != nil {
		return err
	}
	at := net.JoinHostPort("127.0.0.1", strconv.Itoa(in.HTTP.Port))
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", at)
	if err != nil {
		return fmt.Errorf("the port %d is taken by another program, or may not be used; set mcp.inbound.http.port to another: %w", in.HTTP.Port, err)
	}
	server := outside{c: c, channel: channelHTTP, session: s.ID, run: c.runner.Run}.server(in, nil)
	defer server.Close()
	slog.InfoContext(ctx, "app: other programs may connect", "address", "http://"+at+in.HTTP.Path)
	return server.ServeHTTP(ctx, l, inbound.HTTPOptions{Path: in.HTTP.Path, Token: token.Reveal()})
}

// tellInbound says that other programs cannot connect, and why.
func (c *Core) tellInbound(ctx context.Context, err error) {
	slog.WarnContext(ctx, "app: other programs cannot connect", "error", err)
	c.alert(ctx, "Other programs cannot use Hobkin's tools", err)
}
