package system

import (
	"context"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/command"
)

// Commands are the owner's texts that a command stands for.
type Commands interface {
	// Known reports why there is no such command for the agent; it asks no server
	// for a text.
	Known(ctx context.Context, name string) error
	// Expand fills in a command's text. The error says why there is none.
	Expand(ctx context.Context, name, args string) (Expansion, error)
}

// An Expansion is a command's text with its arguments.
type Expansion struct {
	Name    string
	Text    string
	Bound   capability.Bound // what the rest of the turn is held to; nil to nothing more
	Outside bool             // Text comes from a tool server
}

var noCommands = &capability.Failure{Code: "no_commands", When: "no commands are known here", Try: "do it without"}

func init() {
	capability.AddPreviewed(&Tools, capability.Capability{
		Name:  "slash_command",
		Title: "Run a command",
		Description: "Runs one of the owner's slash commands: a text of theirs, or a prompt of a connected server, with the arguments put in. " +
			"Its text comes back; do what it says in this turn. Where the command names its tools, the rest of the turn can use those only.",
		Class:    capability.Exec,
		Category: capability.CategorySystem,
		Hints:    capability.Hints{ReadOnly: capability.No, OpenWorld: capability.Yes, Exact: true},
		Docs: capability.Docs{
			When: "when the person names such a command within a message; commands such as /undo or /grant are the person's alone",
			Examples: []capability.Example{
				{When: "the person says: do the /review of main.go", In: commandIn{Command: "review", Args: "main.go"}},
				{When: "a prompt of the server docs is wanted", In: commandIn{Command: "mcp:docs:summary", Args: `topic="release notes"`}},
			},
			Fails: []*capability.Failure{noCommands, command.Unknown, command.NotByTool, command.BadUse, command.BadFile},
			Setup: "the owner writes commands as Markdown files into the folder commands of Hobkin's data",
		},
	}, (*Host).slashCommand, (*Host).previewCommand)
}

type commandIn struct {
	Command string `json:"command" min:"1" max:"200" jsonschema:"name of the command, with or without its slash"`
	Args    string `json:"args,omitempty" max:"20000" jsonschema:"what follows the name, as the person would write it"`
}

// texts are the commands, where there are any.
func (h *Host) texts() (Commands, error) {
	if h.Commands == nil {
		return nil, noCommands.Becausef("no commands are set up")
	}
	return h.Commands, nil
}

func (h *Host) slashCommand(ctx context.Context, _ capability.Call, in commandIn) (capability.Result, error) {
	texts, err := h.texts()
	if err != nil {
		return capability.Result{}, err
	}
	x, err := texts.Expand(ctx, in.Command, in.Args)
	if err != nil {
		return capability.Result{}, err
	}
	return capability.Result{Text: x.Text, Summary: "/" + x.Name, Untrusted: x.Outside, Bound: x.Bound}, nil
}

// previewCommand ends a call that would come to nothing before anyone is asked.
func (h *Host) previewCommand(ctx context.Context, _ capability.Call, in commandIn) (capability.Preview, error) {
	texts, err := h.texts()
	if err == nil {
		err = texts.Known(ctx, in.Command)
	}
	line := "/" + strings.TrimPrefix(strings.TrimSpace(in.Command), "/") + " " + in.Args
	return capability.Preview{Question: "Run one of your commands?", Summary: strings.TrimSpace(line)}, err
}
