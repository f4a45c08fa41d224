package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/hobkin/hobkin/app/notify"
	browsertool "github.com/hobkin/hobkin/browser/tool"
	computertool "github.com/hobkin/hobkin/computeruse/tool"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/tools/file"
	"github.com/hobkin/hobkin/core/tools/git"
	"github.com/hobkin/hobkin/core/tools/media"
	scheduletools "github.com/hobkin/hobkin/core/tools/schedule"
	"github.com/hobkin/hobkin/core/tools/system"
	"github.com/hobkin/hobkin/core/tools/web"
)

// bind gives every group of tools its host: one line a group, none a tool.
func (c *Core) bind() []capability.Capability {
	c.files = &file.Host{Paths: c.policy, Journal: c.store, Limits: c.fileLimits(), Ignore: personalIgnore()}
	c.system = &system.Host{
		Paths: c.policy, Registry: c.registry, Asker: person{c}, Grants: folders{c}, Budgets: standings{c}, Commands: written{c}, Env: c.environment,
		Redact: c.redactor.Redact, Stream: func() capability.TextStream { return c.redactor.Stream() }, Outputs: outputs{c}, Ended: c.backgroundEnded,
		Confine: confined{c}.shell,
		Limits:  c.shellLimits(),
	}
	if c.opts.Notifier != nil {
		c.system.Notifier = notices{c}
	}
	c.web = c.webHost()
	return slices.Concat(
		file.Tools.Bind(c.files),
		git.Tools.Bind(&git.Host{Paths: c.policy, Env: c.environment, Home: c.policy.Home(), Confine: confined{c}.git}),
		system.Tools.Bind(c.system),
		web.Tools.Bind(c.web),
		media.Tools.Bind(c.mediaHost()),
		scheduletools.Tools.Bind(c.scheduleHost()),
		computertool.Bind(c.screenHost()),
		browsertool.Tools.Bind(c.browserHost()),
		c.memoryTools(),
	)
}

func (c *Core) fileLimits() file.Limits {
	t := c.cfg.Load().Tools
	return file.Limits{
		ReadLines: t.File.ReadLines, ReadBytes: min(t.File.ReadBytes, t.Output.InlineBytes-pageMargin), Whole: int64(t.File.WholeBytes), Entries: t.File.ListEntries,
		Hits: t.Search.Results, MaxHits: t.Search.MaxResults, SearchTime: t.Search.Timeout.Std(),
	}
}

// pageMargin keeps a page of file_read below what stays of a result in the
// chat, so that it comes whole and says how to go on, instead of being cut in
// its middle: the line numbers of its text take room too.
const pageMargin = 12_000

// environment is what commands find in theirs: a few harmless names, and those
// that the settings allow, from where these say.
func (c *Core) environment() []string {
	cfg := c.cfg.Load().Sandbox.Env
	env := sandbox.EnvConfig{Allow: cfg.Allow, Sources: map[string]sandbox.Source{}, Noted: func(name string, err error) {
		slog.Warn("app: a variable of the settings cannot be read", "name", name, "error", err)
	}}
	for name, from := range cfg.Sources {
		env.Sources[name] = c.source(from)
	}
	return sandbox.Env(env)
}

// source reads one variable from where the settings say.
func (c *Core) source(from config.EnvSource) sandbox.Source {
	switch {
	case from.Env != "":
		return sandbox.FromVariable(from.Env)
	case len(from.Command) > 0:
		return sandbox.FromCommand(from.Command...)
	}
	return func(ctx context.Context) (string, error) {
		v, err := c.secrets.Get(ctx, from.Keyring)
		return v.Reveal(), err
	}
}

// backgroundEnded tells the session that a command it left running has ended.
func (c *Core) backgroundEnded(b system.Background) {
	if err := c.publish(context.Background(), b.Session, "", agent.Notice{Text: fmt.Sprintf("The background command %q ended: %s.", firstLine(b.Command), b.State)}); err != nil {
		slog.Warn("app: telling of a background command", "error", err)
	}
}

// person asks the owner on every surface.
type person struct{ c *Core }

// AskUser implements [system.Asker].
func (p person) AskUser(ctx context.Context, call capability.Call, form []system.Question) (map[string][]string, error) {
	questions := make([]agent.Question, len(form))
	for i, q := range form {
		questions[i] = agent.Question{
			ID: q.ID, Header: q.Header, Question: q.Question, Kind: q.Kind, Options: q.Options,
			MultiSelect: q.MultiSelect, AllowOther: q.AllowOther, Default: q.Default,
		}
	}
	limit := questionTime
	if end, ok := ctx.Deadline(); ok {
		limit = time.Until(end)
	}
	answers, err := p.c.forms.ask(ctx, call, questions, limit)
	if err != nil {
		return nil, err
	}
	for _, q := range form {
		if q.Kind == "secret" && len(answers[q.ID]) > 0 {
			if answers[q.ID], err = p.keep(ctx, call, q.ID, answers[q.ID][0]); err != nil {
				return nil, err
			}
		}
	}
	return answers, nil
}

// questionTime is how long a form waits when nothing else bounds it.
const questionTime = 5 * time.Minute

// keep puts a secret answer away and returns what stands for it.
func (p person) keep(ctx context.Context, call capability.Call, id, value string) ([]string, error) {
	name := "asked-" + id + "-" + call.ID
	if err := p.c.secrets.Set(ctx, name, value); err != nil {
		return nil, fmt.Errorf("app: keeping a secret answer: %w", err)
	}
	return []string{"keyring:" + name}, nil
}

// folders opens folders to the agent, after the owner agreed.
type folders struct{ c *Core }

// CheckGrant implements [system.Grants].
func (f folders) CheckGrant(path string) (string, error) { return f.c.policy.CheckGrant(path) }

// AddGrant implements [system.Grants].
func (f folders) AddGrant(ctx context.Context, abs, reason string) error {
	return f.c.addGrant(ctx, abs, "asked for: "+reason)
}

// notices shows the agent's own notifications; a click opens the window.
type notices struct{ c *Core }

// Notify implements [system.Notifier].
func (n notices) Notify(ctx context.Context, x system.Notification) error {
	urgency := map[string]notify.Urgency{"low": notify.Low, "critical": notify.Critical}
	u, ok := urgency[x.Urgency]
	if !ok {
		u = notify.Normal
	}
	msg := notify.Notification{Session: x.Session, Title: x.Title, Body: x.Body, Urgency: u}
	for i, label := range x.Actions {
		msg.Actions = append(msg.Actions, notify.Action{Key: fmt.Sprint("choice-", i), Label: label})
	}
	ctx = context.WithoutCancel(ctx) // the button is pressed long after the call
	msg.Do = func(key string) { n.chosen(ctx, x, key) }
	_, err := n.c.opts.Notifier.Show(ctx, msg)
	return err
}

// chosen opens the session, and gives the pressed button to it as a message.
func (n notices) chosen(ctx context.Context, x system.Notification, key string) {
	if n.c.opts.Show != nil {
		if err := n.c.opts.Show(x.Session); err != nil {
			slog.Warn("app: showing the window", "error", err)
		}
	}
	for i, label := range x.Actions {
		if key == fmt.Sprint("choice-", i) {
			_, err := n.c.send(ctx, control.SendRequest{Session: x.Session, Text: label, Channel: "notification", Attended: true})
			if err != nil {
				slog.Warn("app: a notification's button", "error", err)
			}
		}
	}
}

// personalIgnore is where the person's own ignore file for git is.
func personalIgnore() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return git.ExcludesFile(home, os.Getenv("XDG_CONFIG_HOME"))
}
