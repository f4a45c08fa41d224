package command

import "github.com/hobkin/hobkin/core/capability"

// The failures of giving a command.
var (
	Unknown   = &capability.Failure{Code: "unknown_command", When: "no command has that name", Try: "list the commands with /help; to send a message that begins with a slash, write two"}
	OwnerOnly = &capability.Failure{Code: "owner_only", When: "the command is the owner's alone", Try: "ask the owner of this computer"}
	NotHere   = &capability.Failure{Code: "not_here", When: "the command is not for this place", Try: "list those that are with /help"}
	NotByTool = &capability.Failure{Code: "not_by_tool", When: "the command is built in: only a person gives those", Try: "use a tool for it, or ask the person"}
	BadUse    = &capability.Failure{Code: "bad_use", When: "the command lacks an argument, or has one that it does not take", Try: "see how it is written with /help NAME"}
	NotTyped  = &capability.Failure{Code: "not_typed", When: "no person typed the command", Try: "give it yourself, in a window, a terminal or a chat"}
	BadFile   = &capability.Failure{Code: "bad_command_file", When: "the file of the command cannot be read", Try: "correct the line that is named; the other commands are not touched by it"}
)
