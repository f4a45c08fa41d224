package builtin

import (
	"context"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/permission"
)

// turns are the commands about how messages are answered.
func (h host) turns() []command.Command {
	return []command.Command{
		{Name: "model", Hint: "[MODEL]", Summary: "See the models, or choose the one that answers here", Do: h.model},
		{Name: "mode", Hint: "[MODE]", Summary: "See or set how much is done without asking", Do: h.mode},
		{Name: "plan", Hint: "[MESSAGE]", Summary: "Only look and plan from now on", Do: h.plan},
		{Name: "tool", Hint: "NAME key=value", Summary: "Call a tool outright, without a model", Do: argument("the name of a tool", h.tool)},
		{Name: "stop", Summary: "Stop what runs in this conversation", Open: true, Do: needsSession(h.stop)},
		{Name: "background", Hint: "[MESSAGE]", Summary: "Have something done in a conversation of its own, or see what is under way", Do: h.background},
	}
}

func (h host) mode(ctx context.Context, g command.Given) (command.Reply, error) {
	if g.Rest == "" {
		return h.showMode(ctx, g)
	}
	mode, err := permission.ParseMode(g.Rest)
	if err != nil {
		return command.Reply{}, command.BadUse.Becausef("%s", strings.TrimPrefix(err.Error(), "permission: "))
	}
	return h.setMode(ctx, g, mode)
}

func (h host) setMode(ctx context.Context, g command.Given, mode permission.Mode) (command.Reply, error) {
	if g.Session != "" {
		name := string(mode)
		if _, err := h.ChangeSession(ctx, control.SessionChange{ID: g.Session, Mode: &name}); err != nil {
			return command.Reply{}, err
		}
	}
	r := command.Say("The mode is {{.Mode}} now.", "Mode", string(mode))
	r.Mode = string(mode)
	return r, nil
}

// meanings are what the modes do.
var meanings = map[permission.Mode]string{
	permission.Plan:        "Looks and plans, changes nothing",
	permission.Ask:         "Asks before it changes or runs anything",
	permission.AcceptEdits: "Changes files in the folder without asking; asks for the rest",
	permission.Auto:        "Asks only where it is risky",
}

func (h host) showMode(ctx context.Context, g command.Given) (command.Reply, error) {
	now, _, err := h.current(ctx, g)
	rows := &command.Rows{Head: []string{"", "Mode", "What it does"}, Ours: []int{2}}
	for _, m := range permission.Modes() {
		if meanings[m] != "" {
			rows.Rows = append(rows.Rows, []string{mark(string(m) == now), string(m), meanings[m]})
		}
	}
	return table("", rows), err
}

// mark marks the row that holds now.
func mark(now bool) string {
	if now {
		return "→"
	}
	return ""
}

// current is the mode and the model of the next message.
func (h host) current(ctx context.Context, g command.Given) (mode, model string, err error) {
	info, err := h.Info(ctx)
	if err != nil {
		return "", "", err
	}
	mode, model = info.Mode, info.Model
	if g.Session != "" {
		s, err := h.Session(ctx, g.Session)
		if err != nil {
			return "", "", err
		}
		mode, model = or(s.Mode, mode), or(s.Model, model)
	}
	return or(g.Mode, mode), or(g.Model, model), nil
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (h host) plan(ctx context.Context, g command.Given) (command.Reply, error) {
	r, err := h.setMode(ctx, g, permission.Plan)
	if err == nil && g.Rest != "" {
		r.Turn = &command.Expansion{Name: g.Name, Text: g.Rest}
	}
	return r, err
}

func (h host) model(ctx context.Context, g command.Given) (command.Reply, error) {
	list, err := h.Models(ctx)
	if err != nil {
		return command.Reply{}, err
	}
	if g.Rest == "" {
		_, now, err := h.current(ctx, g)
		rows := &command.Rows{Head: []string{"", "Model", "Name"}}
		for _, m := range list {
			rows.Rows = append(rows.Rows, []string{mark(m.ID == now), m.ID, m.Title})
		}
		return table("No model is set up.", rows), err
	}
	id := pick(list, g.Rest)
	if g.Session == "" { // a session's is checked when it is changed
		if err := h.knows(ctx, g, id); err != nil {
			return command.Reply{}, err
		}
	} else if _, err := h.ChangeSession(ctx, control.SessionChange{ID: g.Session, Model: &id}); err != nil {
		return command.Reply{}, err
	}
	r := command.Say("{{.Model}} answers here now.", "Model", id)
	r.Model = id
	return r, nil
}

// pick is the model that a person means: an id, or a part of the id or the name
// of one alone. What fits none or several is left as it is.
func pick(list []control.Model, said string) string {
	var found []string
	for _, m := range list {
		if strings.EqualFold(m.ID, said) {
			return m.ID
		}
		if part := strings.ToLower(said); strings.Contains(strings.ToLower(m.ID), part) || strings.Contains(strings.ToLower(m.Title), part) {
			found = append(found, m.ID)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return said
}

// knows has the core look at a model before there is a conversation to set it
// for.
func (h host) knows(ctx context.Context, g command.Given, id string) error {
	list, err := h.Models(ctx)
	if err != nil {
		return err
	}
	for _, m := range list {
		if m.ID == id {
			return nil
		}
	}
	if strings.Contains(id, "/") {
		return nil // the core says what is wrong with it when it is used
	}
	ids := make([]string, len(list))
	for i, m := range list {
		ids[i] = m.ID
	}
	return command.BadUse.Becausef("%q is no model that is known here", g.Rest).Trying("the closest are " + strings.Join(capability.Nearest(g.Rest, ids, 3), ", "))
}

// offlineModel reads calls that are written out, whichever model answers else.
const offlineModel = "offline"

func (h host) tool(_ context.Context, g command.Given) (command.Reply, error) {
	return command.Reply{Turn: &command.Expansion{Name: g.Name, Text: "/tool " + g.Rest, Model: offlineModel}}, nil
}
