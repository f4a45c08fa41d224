// Package builtin has the slash commands of the product. Each asks the core
// through its one typed client, as a window or the command line would, so that
// a command can do nothing that these cannot.
package builtin

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/control"
)

// A host is what the commands work with.
type host struct{ *control.Client }

// All are the commands, in the order of /help.
func All(client *control.Client) []command.Command {
	h := host{client}
	return slices.Concat(h.sessions(), h.turns(), h.looks(), h.access(), h.program())
}

// reply is what a command does, without the context and the host around it.
type reply = func(context.Context, command.Given) (command.Reply, error)

// argument is a reply that needs one.
func argument(what string, do reply) reply {
	return func(ctx context.Context, g command.Given) (command.Reply, error) {
		if g.Rest == "" {
			return command.Reply{}, command.BadUse.Becausef("/%s needs %s", g.Name, what)
		}
		return do(ctx, g)
	}
}

// needsSession is a reply about a conversation that has begun.
func needsSession(do reply) reply {
	return func(ctx context.Context, g command.Given) (command.Reply, error) {
		if g.Session == "" {
			return command.Reply{}, command.BadUse.Becausef("this conversation has not begun, so /%s has nothing to work on", g.Name).Trying("say something first, or go to another conversation with /resume-session")
		}
		return do(ctx, g)
	}
}

// table is a reply of rows, or a sentence where there are none.
func table(none string, rows *command.Rows) command.Reply {
	if len(rows.Rows) == 0 {
		return command.Say(none)
	}
	return command.Reply{Parts: []command.Part{{Rows: rows}}}
}

// place is a path as a person writes it: relative ones are of the folder that
// is worked in, and ~ is left to the core.
func place(g command.Given, path string) string {
	if words := command.Words(path); len(words) == 1 {
		path = words[0]
	}
	if path == "~" || strings.HasPrefix(path, "~/") || filepath.IsAbs(path) || g.Workspace == "" {
		return path
	}
	return filepath.Join(g.Workspace, path)
}

// clock is a time as lists show it.
func clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Local().Format("2006-01-02 15:04")
}

// mostCell bounds a cell that holds a text of the person's, in characters.
const mostCell = 80

// brief is a text in one line of a table.
func brief(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > mostCell {
		return string(r[:mostCell]) + "…"
	}
	return text
}
