package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/session"
	"github.com/hobkin/hobkin/core/store"
)

// send gives a message to the agent as it stands: no command is looked for in
// it, since it may hold words that no person wrote.
func (c *Core) send(ctx context.Context, r control.SendRequest) (control.Sent, error) {
	return c.sendAs(ctx, r, nil)
}

// sendAs stamps a message, or the one that a command became, with channel and
// trust, finds or makes its session, and gives it to the agent. Who may send at
// all is the owner: the transports see to that.
func (c *Core) sendAs(ctx context.Context, r control.SendRequest, x *command.Expansion) (control.Sent, error) {
	if r.Mode != "" {
		if _, err := permission.ParseMode(r.Mode); err != nil {
			return control.Sent{}, &control.Error{Code: "bad_mode", Message: err.Error()}
		}
	}
	if r.Workspace != "" && !filepath.IsAbs(r.Workspace) {
		return control.Sent{}, &control.Error{Code: "bad_workspace", Message: fmt.Sprintf("the workspace %q is not an absolute path", r.Workspace)}
	}
	models := []string{r.Model}
	if x != nil {
		models = append(models, x.Model)
	}
	for _, model := range models {
		if model == "" {
			continue
		}
		if _, err := c.choose(ctx, "main", model); err != nil {
			return control.Sent{}, err
		}
	}
	s, err := c.sessionFor(ctx, r)
	if err != nil {
		return control.Sent{}, err
	}
	c.needServers(ctx)
	sent, err := c.agent.Send(ctx, expanded(agent.Input{
		Session: s.ID, Text: r.Text, Images: r.Images, Channel: r.Channel, Trust: capability.Operator, Attended: r.Attended,
		Mode: s.Mode, Model: s.Model, Workspace: s.Workspace, Locale: r.Locale, Provenance: provenance(r),
	}, x))
	return control.Sent{Session: s.ID, Turn: sent.Turn, From: sent.From}, err
}

// sessionFor makes a new session of the request, or brings the one it names up
// to date.
func (c *Core) sessionFor(ctx context.Context, r control.SendRequest) (store.Session, error) {
	if r.Session == "" {
		return c.store.CreateSession(ctx, store.Session{
			Title: session.Title(r.Text), Workspace: or(r.Workspace, c.workspace()), Mode: or(r.Mode, c.cfg.Load().Permission.Mode),
			Model: r.Model, Channel: r.Channel,
		})
	}
	s, err := c.find(ctx, r.Session)
	if err != nil {
		return s, err
	}
	var ch store.Change
	set := func(field **string, now, want string) {
		if want != "" && want != now {
			*field = &want
		}
	}
	set(&ch.Mode, s.Mode, r.Mode)
	set(&ch.Model, s.Model, r.Model)
	set(&ch.Workspace, s.Workspace, r.Workspace)
	if ch == (store.Change{}) {
		return s, nil
	}
	return c.store.UpdateSession(ctx, s.ID, ch)
}

// find returns a session by id or the beginning of one.
func (c *Core) find(ctx context.Context, id string) (store.Session, error) {
	s, err := c.store.Session(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return s, &control.Error{Code: "no_session", Message: fmt.Sprintf("there is no session %q", id), Try: "list them with: hobkin sessions list; the first 6 characters of an id are enough"}
	}
	if err == nil && !s.Deleted.IsZero() {
		return s, &control.Error{Code: "deleted_session", Message: fmt.Sprintf("the session %q was deleted", s.Title), Try: "bring it back with: hobkin sessions restore " + s.ID}
	}
	return s, err
}

func (c *Core) stop(ctx context.Context, id control.ID) error {
	s, err := c.find(ctx, id.ID)
	if err != nil {
		return err
	}
	holds := c.computer.holds(s.ID)
	c.agent.Stop(s.ID)
	if holds {
		c.computer.stop(ctx)
	}
	return nil
}

func (c *Core) sessions(ctx context.Context, q control.SessionQuery) ([]control.Session, error) {
	list, err := c.store.Sessions(ctx, store.Query{Search: q.Search, Limit: q.Limit, Offset: q.Offset})
	if err != nil {
		return nil, err
	}
	out := make([]control.Session, len(list))
	running, waiting := c.agent.Running(), c.waiting()
	for i, s := range list {
		out[i] = card(s, running, waiting)
	}
	return out, nil
}

// waiting tells which sessions wait for a person.
func (c *Core) waiting() map[string]bool {
	out := map[string]bool{}
	for _, w := range c.broker.Pending() {
		out[w.Turn.Session] = true
	}
	return out
}

func card(s store.Session, running map[string]string, waiting map[string]bool) control.Session {
	state := control.StateReady
	switch {
	case waiting[s.ID]:
		state = control.StateWaiting
	case running[s.ID] != "":
		state = control.StateWorking
	}
	return control.Session{
		ID: s.ID, Title: s.Title, Workspace: s.Workspace, Mode: s.Mode, Model: s.Model, Pinned: s.Pinned, State: state,
		Created: s.Created, Updated: s.Updated, Messages: s.Messages, Snippet: s.Snippet,
	}
}

func (c *Core) session(ctx context.Context, id control.ID) (control.Session, error) {
	s, err := c.find(ctx, id.ID)
	return card(s, c.agent.Running(), c.waiting()), err
}

func (c *Core) changeSession(ctx context.Context, ch control.SessionChange) (control.Session, error) {
	if ch.Mode != nil {
		if _, err := permission.ParseMode(*ch.Mode); err != nil {
			return control.Session{}, &control.Error{Code: "bad_mode", Message: err.Error()}
		}
	}
	if ch.Model != nil && *ch.Model != "" {
		if _, err := c.choose(ctx, "main", *ch.Model); err != nil {
			return control.Session{}, err
		}
	}
	s, err := c.find(ctx, ch.ID)
	if err != nil {
		return control.Session{}, err
	}
	s, err = c.store.UpdateSession(ctx, s.ID, store.Change{Title: ch.Title, Pinned: ch.Pinned, Mode: ch.Mode, Model: ch.Model})
	return card(s, c.agent.Running(), c.waiting()), err
}

func (c *Core) deleteSession(ctx context.Context, id control.ID) error {
	s, err := c.find(ctx, id.ID)
	if err != nil {
		return err
	}
	c.agent.Stop(s.ID)
	c.gate.Forget(s.ID)
	c.system.EndSession(s.ID)
	confined{c}.endSession(s.ID)
	return c.store.DeleteSession(ctx, s.ID)
}

func (c *Core) restoreSession(ctx context.Context, id control.ID) error {
	s, err := c.store.Session(ctx, id.ID)
	if errors.Is(err, store.ErrNotFound) {
		return &control.Error{Code: "no_session", Message: fmt.Sprintf("there is no session %q", id.ID)}
	}
	if err != nil {
		return err
	}
	return c.store.RestoreSession(ctx, s.ID)
}

// exportPage is how many events are read at a time.
const exportPage = 1000

func (c *Core) exportSession(ctx context.Context, r control.ExportRequest) (control.Export, error) {
	s, err := c.find(ctx, r.ID)
	if err != nil {
		return control.Export{}, err
	}
	var events []agent.Event
	for from := int64(1); ; {
		page, err := c.store.EventsFrom(ctx, s.ID, from, exportPage)
		if err != nil {
			return control.Export{}, err
		}
		if len(page) == 0 {
			break
		}
		events = append(events, page...)
		from = page[len(page)-1].Seq + 1
	}
	text, err := session.Export(r.Format, s, events)
	if err != nil {
		return control.Export{}, &control.Error{Code: "bad_format", Message: err.Error(), Try: "the formats are markdown, html and json"}
	}
	return control.Export{Format: r.Format, Text: c.redactor.Redact(text)}, nil
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
