package app

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/command/builtin"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/tools/system"
)

// joinCommands makes the table of slash commands: one for every surface.
func (c *Core) joinCommands() {
	client := &control.Client{Transport: &control.Local{Handler: c}}
	c.commands = command.NewTable(append(builtin.All(client), c.partCommands()...)...)
	c.commands.Files = func() ([]command.File, []*command.Fault) { return command.ReadFolder(c.commandFolder()) }
	c.commands.Check = func(f command.File) error { return permission.CheckBound(f.Bound, c.registry.Find) }
	c.commands.Prompts = prompts{c}
}

// partCommands are the commands that parts of the program bring along, a line
// each.
func (c *Core) partCommands() []command.Command {
	return c.screenCommands()
}

// commandFolder holds the owner's Markdown commands. Those of a workspace are
// not read: whoever wrote a folder's files is not the owner.
func (c *Core) commandFolder() string { return filepath.Join(c.opts.Paths.Data, "commands") }

// listCommands lists what a person may give.
func (c *Core) listCommands(ctx context.Context, q control.CommandQuery) (control.Commands, error) {
	c.StartServers(ctx) // their prompts are among the commands, as soon as they are there
	return c.commands.List(ctx, command.Given{Channel: q.Channel, Trust: capability.Operator}), nil
}

// command does what a person wrote: a command, or an ordinary message.
func (c *Core) command(ctx context.Context, r control.CommandRequest) (control.CommandReply, error) {
	line, plain, ok := command.Parse(r.Text)
	if !ok {
		r.Text = plain
		return c.messageOf(ctx, r.SendRequest, control.CommandReply{}, nil)
	}
	reply, err := c.commands.Run(ctx, command.Given{
		Line: line, Session: r.Session, Conversation: r.Conversation, Workspace: or(r.Workspace, c.workspace()), Mode: r.Mode, Model: r.Model,
		Channel: r.Channel, Locale: r.Locale, Attended: r.Attended, Trust: capability.Operator, Provenance: capability.FromPerson,
	})
	if err != nil || reply.Turn == nil {
		return reply, err
	}
	r.Mode = or(reply.Mode, r.Mode)
	return c.messageOf(ctx, r.SendRequest, reply, reply.Turn)
}

// messageOf sends a message, or the one that a command became, and tells of its
// turn.
func (c *Core) messageOf(ctx context.Context, r control.SendRequest, reply control.CommandReply, x *command.Expansion) (control.CommandReply, error) {
	sent, err := c.sendAs(ctx, r, x)
	if err != nil {
		return control.CommandReply{}, err
	}
	reply.Sent = &command.Sent{Session: sent.Session, Turn: sent.Turn, From: sent.From}
	return reply, nil
}

// expanded makes the input of a turn of what a command became. The message is
// the command's text; the person goes on to see the line that they wrote.
func expanded(in agent.Input, x *command.Expansion) agent.Input {
	if x == nil {
		return in
	}
	if x.Text != in.Text {
		in.Text, in.Command = x.Text, in.Text
	}
	in.Bound, in.Model = x.Bound, or(x.Model, in.Model)
	if x.Outside {
		in.Provenance = capability.FromTool
	}
	return in
}

// prompts are the prompts of the tool servers, as commands.
type prompts struct{ c *Core }

// Await implements [command.Prompts].
func (p prompts) Await(ctx context.Context) { p.c.needServers(ctx) }

// Prompts implements [command.Prompts].
func (p prompts) Prompts(context.Context) []command.Prompt {
	list := p.c.servers.Prompts()
	out := make([]command.Prompt, len(list))
	for i, x := range list {
		out[i] = command.Prompt{Server: x.Server, Name: x.Name, Description: or(x.Description, x.Title)}
		for _, a := range x.Arguments {
			out[i].Blanks = append(out[i].Blanks, command.Blank{Name: a.Name, Required: a.Required})
		}
	}
	return out
}

// Prompt implements [command.Prompts].
func (p prompts) Prompt(ctx context.Context, server, name string, args map[string]string) (string, error) {
	parts, err := p.c.serverPrompt(ctx, control.PromptRequest{Server: server, Name: name, Arguments: args})
	if err != nil {
		return "", err
	}
	var text []string
	for _, m := range parts {
		if m.Role == "assistant" {
			m.Text = "(You said before:)\n" + m.Text
		}
		text = append(text, m.Text)
	}
	return strings.Join(text, "\n\n"), nil
}

// written gives the agent's tool what it may have of the commands.
type written struct{ c *Core }

// Known implements [system.Commands].
func (w written) Known(ctx context.Context, name string) error { return w.c.commands.Known(ctx, name) }

// Expand implements [system.Commands].
func (w written) Expand(ctx context.Context, name, args string) (system.Expansion, error) {
	x, err := w.c.commands.Expand(ctx, name, args)
	if err != nil {
		if _, ok := capability.AsUserError(err); !ok && !errors.Is(err, context.Canceled) {
			slog.WarnContext(ctx, "app: a command", "name", name, "error", err)
		}
		return system.Expansion{}, err
	}
	return system.Expansion{Name: x.Name, Text: x.Text, Bound: x.Bound, Outside: x.Outside}, nil
}
