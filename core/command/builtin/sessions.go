package builtin

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/control"
)

// sessions are the commands about conversations.
func (h host) sessions() []command.Command {
	return []command.Command{
		{Name: "new", Summary: "Start a new conversation", Open: true, Do: h.newSession},
		{Name: "sessions", Hint: "[WORDS]", Summary: "List conversations, or find some by their words", Do: h.listSessions},
		{Name: "resume-session", Hint: "[ID]", Summary: "Go to another conversation, the last one if none is named", Do: h.resumeSession},
		{Name: "compact", Summary: "Shorten what the model is sent of this conversation", Open: true, Do: needsSession(h.compact)},
		{Name: "export", Hint: "[FORMAT] [FILE]", Summary: "Write this conversation out as markdown, html or json", Do: needsSession(h.export)},
	}
}

func (h host) newSession(context.Context, command.Given) (command.Reply, error) {
	fresh := ""
	return command.Reply{Open: &fresh}, nil
}

// mostListed is how many sessions, tools and such a reply lists.
const mostListed = 20

func (h host) listSessions(ctx context.Context, g command.Given) (command.Reply, error) {
	list, err := h.Sessions(ctx, control.SessionQuery{Search: g.Rest, Limit: mostListed})
	rows := &command.Rows{Head: []string{"Conversation", "When", "Title"}}
	for _, s := range list {
		rows.Rows = append(rows.Rows, []string{s.ID, clock(s.Updated), brief(s.Title)})
	}
	return table("There is no such conversation.", rows), err
}

func (h host) resumeSession(ctx context.Context, g command.Given) (command.Reply, error) {
	if g.Rest != "" && g.Rest != "last" {
		s, err := h.Session(ctx, g.Rest)
		if err != nil {
			return command.Reply{}, err
		}
		return opened(s), nil
	}
	list, err := h.Sessions(ctx, control.SessionQuery{Limit: mostListed})
	if err != nil {
		return command.Reply{}, err
	}
	var last *control.Session
	for i, s := range list {
		if s.ID != g.Session && (last == nil || s.Updated.After(last.Updated)) { // pinned ones come first
			last = &list[i]
		}
	}
	if last == nil {
		return command.Say("There is no other conversation."), nil
	}
	return opened(*last), nil
}

func opened(s control.Session) command.Reply {
	r := command.Say("Going on with “{{.Title}}”.", "Title", s.Title)
	r.Open = &s.ID
	return r
}

func (h host) compact(ctx context.Context, g command.Given) (command.Reply, error) {
	sent, err := h.CompactSession(ctx, g.Session)
	if err != nil {
		return command.Reply{}, err
	}
	return command.Reply{Sent: &command.Sent{Session: sent.Session, Turn: sent.Turn, From: sent.From}}, nil
}

// endings of exported files, by format.
var endings = map[string]string{"markdown": ".md", "html": ".html", "json": ".json"}

// export makes a document; the surface writes it, or shows it where it asks no
// one for a file.
func (h host) export(ctx context.Context, g command.Given) (command.Reply, error) {
	words := command.Words(g.Rest)
	format := "markdown"
	if len(words) > 0 && endings[words[0]] != "" {
		format, words = words[0], words[1:]
	}
	if len(words) > 1 {
		return command.Reply{}, command.BadUse.Becausef("/export takes a format and a file; %q is too much", words[1]).Trying("put a name with spaces in quotes")
	}
	doc, err := h.ExportSession(ctx, control.ExportRequest{ID: g.Session, Format: format})
	if err != nil {
		return command.Reply{}, err
	}
	out := &command.Document{Name: "conversation" + endings[format], Text: doc.Text}
	if len(words) == 1 {
		out.To = words[0]
		if !filepath.IsAbs(out.To) {
			out.To = filepath.Join(g.Workspace, out.To)
		}
	}
	return command.Reply{Document: out}, nil
}

// working lists the conversations in which something is under way.
func (h host) working(ctx context.Context) (command.Reply, error) {
	list, err := h.Sessions(ctx, control.SessionQuery{Limit: 200})
	list = slices.DeleteFunc(list, func(s control.Session) bool {
		return s.State != control.StateWorking && s.State != control.StateWaiting
	})
	rows := &command.Rows{Head: []string{"Conversation", "State", "Title"}, Ours: []int{1}}
	for _, s := range list {
		state := "Working"
		if s.State == control.StateWaiting {
			state = "Waiting for you"
		}
		rows.Rows = append(rows.Rows, []string{s.ID, state, brief(s.Title)})
	}
	return table("Nothing is under way.", rows), err
}

// background begins a conversation and stays in this one.
func (h host) background(ctx context.Context, g command.Given) (command.Reply, error) {
	if g.Rest == "" {
		return h.working(ctx)
	}
	sent, err := h.Send(ctx, control.SendRequest{
		Text: g.Rest, Workspace: g.Workspace, Mode: g.Mode, Model: g.Model, Channel: g.Channel, Attended: g.Attended, Locale: g.Locale,
	})
	if err != nil {
		return command.Reply{}, err
	}
	return command.Say("It works on that in a conversation of its own. Go there with /resume-session {{.ID}}.", "ID", sent.Session), nil
}

// stop ends what runs in this conversation.
func (h host) stop(ctx context.Context, g command.Given) (command.Reply, error) {
	s, err := h.Session(ctx, g.Session)
	if err != nil {
		return command.Reply{}, err
	}
	if s.State != control.StateWorking && s.State != control.StateWaiting {
		return command.Say("Nothing is under way here."), nil
	}
	return command.Say("Stopped."), h.Stop(ctx, strings.TrimSpace(g.Session))
}
