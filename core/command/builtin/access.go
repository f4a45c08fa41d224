package builtin

import (
	"context"
	"fmt"

	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/control"
)

// access are the commands about what the agent may do, and what it did.
func (h host) access() []command.Command {
	return []command.Command{
		{Name: "grant", Hint: "[FOLDER]", Summary: "Let the agent use a folder, or list those it may use", Do: h.grant},
		{Name: "revoke", Hint: "FOLDER", Summary: "Take a folder back", Do: argument("a folder", h.revoke)},
		{Name: "sandbox", Hint: "[PATH]", Summary: "See what the sandbox lets through, or what it says of a path", Do: h.sandbox},
		{Name: "waiting", Summary: "Show the questions that wait, also those of other conversations", Surface: "cli", Do: h.waiting},
		{Name: "confirm", Hint: "TOKEN", Summary: "Allow what a question asks, once", Answers: true, Do: h.confirm},
		{Name: "deny", Hint: "TOKEN", Summary: "Turn down what a question asks", Answers: true, Do: h.confirm},
		{Name: "undo", Hint: "[FILE]", Summary: "Take back the last change to a file", Do: h.undo},
	}
}

func (h host) grant(ctx context.Context, g command.Given) (command.Reply, error) {
	if g.Rest == "" {
		return h.grants(ctx)
	}
	given, err := h.Grant(ctx, place(g, g.Rest))
	if err != nil {
		return command.Reply{}, err
	}
	return command.Say("The agent may use {{.Path}} now. Take it back with /revoke {{.Path}}.", "Path", given.Path), nil
}

func (h host) grants(ctx context.Context) (command.Reply, error) {
	list, err := h.Grants(ctx)
	rows := &command.Rows{Head: []string{"Folder", "Granted by", "When"}}
	for _, x := range list {
		rows.Rows = append(rows.Rows, []string{x.Path, x.Source, clock(x.Created)})
	}
	return table("The agent may use the folder of the conversation alone.", rows), err
}

func (h host) revoke(ctx context.Context, g command.Given) (command.Reply, error) {
	path := place(g, g.Rest)
	if err := h.Revoke(ctx, path); err != nil {
		return command.Reply{}, err
	}
	return command.Say("The agent may no longer use {{.Path}}.", "Path", path), nil
}

func (h host) sandbox(ctx context.Context, g command.Given) (command.Reply, error) {
	if g.Rest == "" {
		info, err := h.Info(ctx)
		if err != nil {
			return command.Reply{}, err
		}
		r, err := h.grants(ctx)
		first := command.Sentence("The sandbox is {{.Sandbox}}, and the folder of the conversation is {{.Path}}.", "Sandbox", info.Sandbox, "Path", or(g.Workspace, info.Workspace))
		r.Parts = append([]command.Part{first}, r.Parts...)
		return r, err
	}
	x, err := h.Explain(ctx, control.ExplainRequest{Path: place(g, g.Rest), Workspace: g.Workspace})
	rows := &command.Rows{Head: []string{"", "", "Reason"}}
	for _, a := range x.Answers {
		reason := a.Reason
		if a.Fix != "" {
			reason += fmt.Sprintf(" (%s)", a.Fix)
		}
		rows.Rows = append(rows.Rows, []string{a.Question, a.Answer, reason})
	}
	return table("", rows), err
}

func (h host) waiting(context.Context, command.Given) (command.Reply, error) {
	return command.Reply{Waiting: true}, nil
}

// confirm answers a question by its token; the line is the answer.
func (h host) confirm(ctx context.Context, g command.Given) (command.Reply, error) {
	said, err := h.Confirm(ctx, control.ConfirmRequest{Conversation: g.Conversation, Text: "/" + g.Name + " " + g.Rest})
	if err != nil {
		return command.Reply{}, err
	}
	return command.Reply{Parts: []command.Part{{Text: said}}}, nil
}

func (h host) undo(ctx context.Context, g command.Given) (command.Reply, error) {
	r := control.UndoRequest{Session: g.Session, Path: g.Rest, Workspace: g.Workspace}
	if g.Session == "" && g.Rest == "" {
		return command.Say("Nothing was changed in this conversation yet."), nil
	}
	done, err := h.Undo(ctx, r)
	if err != nil {
		return command.Reply{}, err
	}
	return command.Reply{Parts: []command.Part{{Text: done.Text}}}, nil
}
