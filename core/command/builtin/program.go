package builtin

import (
	"context"

	"github.com/hobkin/hobkin/core/command"
)

// program are the commands about the surface itself.
func (h host) program() []command.Command {
	return []command.Command{
		{Name: "quit", Aliases: []string{"exit"}, Summary: "Leave", Surface: "cli", Open: true, Do: h.quit},
	}
}

func (h host) quit(context.Context, command.Given) (command.Reply, error) {
	return command.Reply{Leave: true}, nil
}
