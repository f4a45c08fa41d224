// Package command is the table of slash commands: what a person may give in the
// place of a message, in a window, a terminal or another channel, and what each
// of them does.
//
//	text ──Parse──► Line ──Table──► built-in   ► Reply
//	                          ├───► Markdown file ► Expansion ► a turn
//	                          └───► prompt of a tool server ► the same
//
// Built-in commands are [Command] values; package command/builtin has those of
// the product. A [File] is a text of the owner's with blanks for the arguments.
// It knows neither model nor window; of this module it imports capability.
package command

import (
	"context"
	"slices"

	"github.com/hobkin/hobkin/core/capability"
)

// A Command is one built-in command.
type Command struct {
	Name    string   // without the slash
	Aliases []string // other names for it
	Hint    string   // its arguments, for people: "[PATH]"
	Summary string   // what it does, in a few words
	Surface string   // the one channel that has it; empty: all
	Open    bool     // guests may give it too; else only the owner may
	// Answers marks what answers questions of the agent's: it is taken only from
	// a message that a person typed.
	Answers bool

	Do func(ctx context.Context, g Given) (Reply, error)
}

// has reports whether a name is the command's.
func (c *Command) has(name string) bool { return c.Name == name || slices.Contains(c.Aliases, name) }

// Given is a command as it was given, and by whom.
type Given struct {
	Line

	Session      string // id; empty before the first message of a conversation
	Conversation string // where tokens for questions are good
	Workspace    string // absolute
	Mode, Model  string // picked for the next message of a conversation without a session
	Channel      string // desktop, cli, …
	Locale       string // BCP 47 tag
	Attended     bool   // a person is there
	Trust        capability.Trust
	Provenance   capability.Provenance
}

// An Expansion is what a Markdown command or a prompt became.
type Expansion struct {
	Name    string           // of the command
	Text    string           // for the model
	Bound   capability.Bound // what the turn is held to; nil to nothing
	Model   string           // provider/model that it asks for; empty: the conversation's own
	Outside bool             // Text comes from elsewhere, such as a tool server
}
