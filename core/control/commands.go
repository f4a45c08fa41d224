package control

import (
	"context"

	"github.com/hobkin/hobkin/core/command"
)

// The methods of slash commands.
const (
	MethodCommand  = "command.run"
	MethodCommands = "command.list"
)

// CommandRequest is a message that may be a command: what a person wrote, as
// they wrote it. One that is none becomes an ordinary message.
type CommandRequest struct {
	SendRequest

	Conversation string `json:"conversation,omitempty"` // where tokens for questions are good
}

// CommandReply is what a command answers.
type CommandReply = command.Reply

// Commands are what can be given, for lists and completion.
type Commands = command.Listing

// A CommandEntry is one of them.
type CommandEntry = command.Entry

// CommandQuery says where the commands are to be given.
type CommandQuery struct {
	Channel string `json:"channel"` // desktop, cli
}

// Command gives a command, or sends the message that it is instead.
func (c *Client) Command(ctx context.Context, r CommandRequest) (CommandReply, error) {
	return ask[CommandReply](ctx, c, MethodCommand, r)
}

// Commands lists the commands.
func (c *Client) Commands(ctx context.Context, q CommandQuery) (Commands, error) {
	return ask[Commands](ctx, c, MethodCommands, q)
}
